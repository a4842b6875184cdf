"""Agents that put a policy server which somebody else runs before the evaluator: a file for each protocol.

`base` holds what they share: options, what is sent, and which actions a row of numbers stands for. Protocols are spoken
as the servers' published code has them; a reply that the options do not map is an error, never a guess.
"""

from nav_eval_baselines.bridges.base import PolicyServerError as PolicyServerError
from nav_eval_baselines.bridges.internnav import InternNavAgent as InternNavAgent
from nav_eval_baselines.bridges.lerobot import LeRobotAgent as LeRobotAgent
from nav_eval_baselines.bridges.openpi import OpenpiAgent as OpenpiAgent
from nav_eval_baselines.bridges.vla_eval import VlaEvalAgent as VlaEvalAgent

__all__ = ["InternNavAgent", "LeRobotAgent", "OpenpiAgent", "PolicyServerError", "VlaEvalAgent"]
