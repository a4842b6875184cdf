"""Agents by name: those of the SDK, which `nav-eval-agent serve` takes too, and oracles, which need the simulator."""

from __future__ import annotations

from nav_eval.core.interfaces import AgentService
from nav_eval.registry import Registry
from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.examples import BASELINES, EXAMPLES

AGENTS: Registry[type[VLNAgent] | type[AgentService]] = Registry(
    "agents",
    {
        **EXAMPLES,
        "shortest_path": "nav_eval.agents.shortest_path:ShortestPathService",
        "waiting": "nav_eval.agents.waiting:WaitingService",
    },
    elsewhere=dict.fromkeys(BASELINES, "nav-eval[demo]"),
)
register_agent = AGENTS.register
"""Decorator: @register_agent("name") over a VLNAgent class, or an AgentService that needs more than one agent."""
