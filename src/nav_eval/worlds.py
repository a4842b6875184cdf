"""The old name of nav_eval_worlds, which is a distribution of its own: pip install 'nav-eval[demo]'."""

from __future__ import annotations

import warnings

from nav_eval_worlds import GENERATOR as GENERATOR
from nav_eval_worlds import __path__ as __path__

warnings.warn("nav_eval.worlds is now called nav_eval_worlds.", DeprecationWarning, stacklevel=2)
