"""Agents to start from and to compare with."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, str] = {
    name: f"nav_eval_sdk.examples.{place}"
    for name, place in {
        "stop": "stop:StopAgent",
        "forward": "forward:OnwardAgent",
        "random": "random_agent:RandomAgent",
        "handcrafted": "handcrafted:HandcraftedAgent",
        "asking": "asking:AskingAgent",
        "graph_heuristic": "graph_heuristic:GraphHeuristicAgent",
    }.items()
}
"""MODULE:CLASS by the name that `nav-eval-agent serve` takes for it, and `agent_service.agent`."""
BASELINES = (
    "grounded", "learned", "vlm", "openpi", "internnav", "vla_eval", "lerobot",
    "streamvln", "navid", "uninavid", "navila", "etpnav",
)  # fmt: skip
"""More such names, of the distribution nav-eval-baselines: entry points in the group nav_eval.agents."""
