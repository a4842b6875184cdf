"""The old name of nav_eval_baselines.vlm."""

from __future__ import annotations

import warnings

from nav_eval_baselines.vlm import VlmAgent as VlmAgent

warnings.warn(f"{__name__} is now called nav_eval_baselines.vlm.", DeprecationWarning, stacklevel=2)
