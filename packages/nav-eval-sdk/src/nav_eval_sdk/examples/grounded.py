"""The old name of nav_eval_baselines.grounded."""

from __future__ import annotations

import warnings

from nav_eval_baselines.grounded import GroundedAgent as GroundedAgent

warnings.warn(f"{__name__} is now called nav_eval_baselines.grounded.", DeprecationWarning, stacklevel=2)
