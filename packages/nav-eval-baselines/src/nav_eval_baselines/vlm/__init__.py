"""An agent that asks a vision-language model behind an OpenAI-compatible chat endpoint, and nothing is guessed.

`agent` holds what one decision is, and the three methods that one's own prompt overrides; `prompt`, `pictures` and
`choices` make the question; `endpoint` asks it, `replies` and `answers` read what comes back; `cache` and `episode_log`
keep it. The standard library, numpy and Pillow are all that it needs.
"""

from nav_eval_baselines.vlm.agent import VlmAgent as VlmAgent
from nav_eval_baselines.vlm.answers import Unreadable as Unreadable
from nav_eval_baselines.vlm.choices import Choice as Choice
from nav_eval_baselines.vlm.endpoint import NoAnswer as NoAnswer
from nav_eval_baselines.vlm.options import Options as Options

__all__ = ["Choice", "NoAnswer", "Options", "Unreadable", "VlmAgent"]
