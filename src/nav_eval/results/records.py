"""The lines of episodes.jsonl and trajectories.jsonl, to and from the typed values.

Floats keep full precision; a number that is not finite (an unreachable goal) is written as null, because JSON has no
infinity. `schema` is the version of these records; a reader refuses versions it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from nav_eval.core.actions import Action
from nav_eval.core.types import OURS, AgentState, EpisodeResult, StepRecord
from nav_eval.errors import RunDirectoryError
from nav_eval_sdk.protocol.usage import Usage

SCHEMA = 1
_RENAMED = {"reference_path": "densified"}
"""Kinds of references -> what they are called since the path as it is given may be one."""
_TIMING = {"replays": "restarts"}
"""Counts under `timing` of older records -> what they are called since `replay` is the command alone."""


def episode_record(result: EpisodeResult) -> dict[str, Any]:
    """One line of episodes.jsonl; wall-clock figures stand under `timing` only."""
    record = {
        "scene_id": result.scene_id,
        "episode_id": result.episode_id,
        "status": result.status,
        "failure_reason": result.failure_reason,
        "metrics": dict(result.metrics),
        "steps": result.steps,
        "timing": dict(result.timing),
    }
    record |= {"unmeasured": dict(result.unmeasured)} if result.unmeasured else {}
    record |= {"usage": msgspec.to_builtins(result.usage)} if result.usage else {}
    return record | ({"reference": result.reference} if result.reference else {})


def episode_result(record: Mapping[str, Any]) -> EpisodeResult:
    """The inverse of episode_record; null metrics become inf. Older records give metrics to an episode that was lost
    through our own fault; they say nothing of the agent and are dropped.
    """
    with _as_written("episodes.jsonl"):
        given = {} if record["status"] in OURS else record["metrics"]
        metrics = {name: math.inf if value is None else value for name, value in given.items()}
        reference = reference_kind(record.get("reference"))
        timing = {_TIMING.get(name, name): value for name, value in record["timing"].items()}
        told = {"metrics": metrics, "reference": reference, "timing": timing}
        return msgspec.convert({**record, **told}, EpisodeResult)


def reference_kind(told: Any) -> Any:
    """What an older record calls the kind of its reference, as it is called now."""
    return _RENAMED.get(told, told) if isinstance(told, str) else told


@contextmanager
def _as_written(file: str) -> Iterator[None]:
    """Records are read back from files that others may have written; raises RunDirectoryError where they are none."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, msgspec.ValidationError) as error:
        raise RunDirectoryError(f"{file}: a record lacks or misuses {str(error)[:200]}.") from None


def trajectory_record(result: EpisodeResult) -> dict[str, Any]:
    """One line of trajectories.jsonl: start, then action, pose and flags of every step. Enough for replay.

    Of an answer of several actions, each but the first has its `place` in it, and the step that cut it short what was
    `dropped`. Where the world does not wait, an answer has the seconds `charged`, and the steps in which they passed
    have the place -1. `usage` and `said` are of the answer that began with the step.
    """
    return {
        "schema": SCHEMA,
        "scene_id": result.scene_id,
        "episode_id": result.episode_id,
        "status": result.status,
        "start": None if result.start is None else _state_record(result.start),
        "steps": [_step_record(step) for step in result.trajectory],
        "timing": {"latency": [step.latency for step in result.trajectory]},
    }


def read_trajectory(record: Mapping[str, Any]) -> tuple[AgentState | None, tuple[StepRecord, ...]]:
    """Start and steps of a line of trajectories.jsonl."""
    if record.get("schema") != SCHEMA:
        raise RunDirectoryError(
            f"trajectories.jsonl: record version {record.get('schema')!r} is not {SCHEMA}. "
            "Use the nav_eval version that the manifest names."
        )
    with _as_written("trajectories.jsonl"):
        latency = record["timing"]["latency"]
        steps = tuple(_read_step(step, seconds) for step, seconds in zip(record["steps"], latency, strict=True))
        return (None if record["start"] is None else _read_state(record["start"])), steps


def _state_record(state: AgentState) -> dict[str, Any]:
    return {
        "position": state.position,
        "rotation": state.rotation,
        "node": state.node,
        "elevation": state.elevation,
        "storey": state.storey,
        "region": state.region,
    }


def _step_record(step: StepRecord) -> dict[str, Any]:
    record = step.action.to_record() | _state_record(step.state)
    record |= {"collided": step.collided, "clipped": step.clipped, "events": dict(step.events)}
    record |= {"place": step.place} if step.place else {}
    record |= {"charged": step.charged} if step.charged else {}
    record |= {"usage": msgspec.to_builtins(step.usage)} if step.usage else {}
    record |= {"said": step.said} if step.said else {}
    return record | ({"dropped": [action.to_record() for action in step.dropped]} if step.dropped else {})


def _read_state(record: Mapping[str, Any]) -> AgentState:
    return AgentState(
        position=tuple(record["position"]),
        rotation=tuple(record["rotation"]),
        node=record["node"],
        elevation=record["elevation"],
        storey=record["storey"],
        region=record["region"],
    )


def _read_step(record: Mapping[str, Any], latency: float) -> StepRecord:
    return StepRecord(
        action=Action(record["action"], record["action_args"]),
        state=_read_state(record),
        collided=record["collided"],
        clipped=record["clipped"],
        latency=latency,
        events=record["events"],
        place=record.get("place", 0),
        charged=record.get("charged", 0.0),
        usage=msgspec.convert(record["usage"], Usage) if "usage" in record else None,
        said=record.get("said", ""),
        dropped=tuple(Action(one["action"], one["action_args"]) for one in record.get("dropped", ())),
    )
