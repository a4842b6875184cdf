"""Agents by name: those of the SDK, which `nav-eval-agent serve` takes too, and oracles, which need the simulator."""

from __future__ import annotations

from typing import Any

from nav_eval.admission import file_of, lacking
from nav_eval.core.interfaces import AgentService
from nav_eval.errors import ConfigError
from nav_eval.registry import Registry
from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.examples import BASELINES, EXAMPLES


def _admit(name: str, member: Any) -> Any:
    is_service = isinstance(member, type) and issubclass(member, AgentService)
    needed = sorted(AgentService.__abstractmethods__) if is_service else ["reset", "act"]
    missing = {*lacking(member, needed), *getattr(member, "__abstractmethods__", ())}
    if not isinstance(member, type) or missing:
        called = getattr(member, "__qualname__", repr(member))
        raise ConfigError(
            f"agent {name!r}{file_of(member)}: {called} has no {', '.join(sorted(missing)) or 'class'}. "
            "Write class Agent(nav_eval_sdk.VLNAgent): with reset(self, episode) and act(self, observation)."
        )
    return member


AGENTS: Registry[type[VLNAgent] | type[AgentService]] = Registry(
    "agents",
    {
        **EXAMPLES,
        "shortest_path": "nav_eval.agents.shortest_path:ShortestPathService",
        "waiting": "nav_eval.agents.waiting:WaitingService",
    },
    _admit,
    elsewhere=dict.fromkeys(BASELINES, "nav-eval[demo]"),
)
register_agent = AGENTS.register
"""Decorator: @register_agent("name") over a VLNAgent class, or an AgentService that needs more than one agent."""
