"""Agents around models whose authors published code and weights: a file for each, which calls that code where it lies.

Nothing of theirs is here: their checkout is imported (`--repository`), and the calls, dtypes and the history are those
of their own evaluation.
"""

from nav_eval_baselines.published.base import PublishedError as PublishedError
from nav_eval_baselines.published.etpnav import ETPNavAgent as ETPNavAgent
from nav_eval_baselines.published.navid import NaVidAgent as NaVidAgent
from nav_eval_baselines.published.navid import UniNaVidAgent as UniNaVidAgent
from nav_eval_baselines.published.navila import NaVILAAgent as NaVILAAgent
from nav_eval_baselines.published.streamvln import StreamVLNAgent as StreamVLNAgent

__all__ = ["ETPNavAgent", "NaVILAAgent", "NaVidAgent", "PublishedError", "StreamVLNAgent", "UniNaVidAgent"]
