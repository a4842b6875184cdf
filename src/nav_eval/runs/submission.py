"""What an agent did, in the form that the benchmark's owners score: R2R's submission.json, VLN-CE's predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.types import AgentState
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.geometry import yaw_of
from nav_eval.results.journal import Journal
from nav_eval.results.records import read_trajectory
from nav_eval.results.run_directory import RunDirectory


def write_submission(config: Config, keys: Sequence[EpisodeKey], journal: Journal, directory: RunDirectory) -> None:
    """submission.json from the recorded trajectories; an episode that never began (a lost worker) is not in it."""
    graph = config.simulator.backend == "nav_graph"
    rows = _graph_row if graph else _continuous_row
    records = (record for record in journal.trajectories(keys) if record["start"] is not None)
    if graph:
        name = "inst_idx" if config.dataset.type == "ndh" else "instr_id"
        directory.write_json("submission.json", [rows(name, record) for record in records])
    else:
        directory.write_json("submission.json", {record["episode_id"]: rows("", record) for record in records})


def _graph_row(name: str, record: Mapping[str, Any]) -> Any:
    identity = record["episode_id"]
    return {
        name: int(identity) if name == "inst_idx" else identity,
        "trajectory": [_graph_pose(state) for state in _states(record)],
    }


def _graph_pose(state: AgentState) -> list[Any]:
    return [state.node, -yaw_of(state.rotation), state.elevation]


def _continuous_row(_: str, record: Mapping[str, Any]) -> Any:
    start, steps = read_trajectory(record)
    stops = [False] * (start is not None) + [step.action.name == "stop" for step in steps]
    return [
        {"position": state.position, "heading": yaw_of(state.rotation), "stop": stop}
        for state, stop in zip(_states(record), stops, strict=True)
    ]


def _states(record: Mapping[str, Any]) -> list[AgentState]:
    start, steps = read_trajectory(record)
    return ([start] if start is not None else []) + [step.state for step in steps]
