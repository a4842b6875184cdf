"""What an agent did, in the form that the benchmark's owners score: R2R's submission.json, VLN-CE's predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.types import AgentState
from nav_eval.dataset.episode import EpisodeKey, name_with_scene
from nav_eval.geometry import yaw_of
from nav_eval.results.files import write_json_list, write_json_object
from nav_eval.results.journal import Journal
from nav_eval.results.records import read_trajectory
from nav_eval.results.run_directory import RunDirectory


def write_submission(config: Config, keys: Sequence[EpisodeKey], journal: Journal, directory: RunDirectory) -> None:
    """submission.json from the recorded trajectories; an episode that never began (a lost worker) is not in it.

    VLN-CE's form has episode ids as keys: where one stands in several scenes, all are written SCENE:ID.
    """
    path, graph = directory.path / "submission.json", config.simulator.backend == "nav_graph"
    records = (record for record in journal.trajectories(keys) if record["start"] is not None)
    if graph:
        name = "inst_idx" if config.dataset.type == "ndh" else "instr_id"
        write_json_list(path, (_graph_row(name, record) for record in records))
    else:
        repeated = len({episode for _, episode in keys}) < len(keys)
        write_json_object(path, ((_name(record, repeated), _path(record)) for record in records))


def _name(record: Mapping[str, Any], repeated: bool) -> str:
    return name_with_scene((record["scene_id"], record["episode_id"])) if repeated else str(record["episode_id"])


def _graph_row(name: str, record: Mapping[str, Any]) -> Any:
    identity = record["episode_id"]
    return {
        name: int(identity) if name == "inst_idx" else identity,
        "trajectory": [[one.node, -yaw_of(one.rotation), one.elevation] for one in _states(record)],
    }


def _path(record: Mapping[str, Any]) -> Any:
    start, steps = read_trajectory(record)
    stops = [False] * (start is not None) + [step.action.name == "stop" for step in steps]
    return [
        {"position": state.position, "heading": yaw_of(state.rotation), "stop": stop}
        for state, stop in zip(_states(record), stops, strict=True)
    ]


def _states(record: Mapping[str, Any]) -> list[AgentState]:
    start, steps = read_trajectory(record)
    return ([start] if start is not None else []) + [step.state for step in steps]
