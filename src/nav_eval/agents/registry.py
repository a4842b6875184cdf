"""Built-in agents that run in the evaluator's process, by name: VLNAgents, or services that need more than one."""

from __future__ import annotations

from nav_eval.core.interfaces import AgentService
from nav_eval.registry import Registry
from nav_eval_sdk.agent_interface import VLNAgent

AGENTS: Registry[type[VLNAgent] | type[AgentService]] = Registry(
    "agents",
    {
        "stop": "nav_eval.agents.stop:StopAgent",
        "random": "nav_eval.agents.random:RandomAgent",
        "forward": "nav_eval.agents.forward:ForwardAgent",
        "shortest_path": "nav_eval.agents.shortest_path:ShortestPathService",
        "handcrafted": "nav_eval.agents.handcrafted:HandcraftedAgent",
        "waiting": "nav_eval.agents.waiting:WaitingService",
        "grounded": "nav_eval_sdk.examples.grounded:GroundedAgent",
        "learned": "nav_eval_sdk.examples.learned:LearnedAgent",
    },
)
register_agent = AGENTS.register
"""Decorator: @register_agent("name") over a VLNAgent class, or an AgentService that needs more than one agent."""
