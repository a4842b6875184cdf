"""The old name of nav_eval_baselines.learned."""

from __future__ import annotations

import warnings

from nav_eval_baselines.learned import LearnedAgent as LearnedAgent

warnings.warn(f"{__name__} is now called nav_eval_baselines.learned.", DeprecationWarning, stacklevel=2)
