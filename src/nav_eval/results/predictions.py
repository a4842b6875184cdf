"""Submission files that are scored offline: R2R and R4R, NDH, REVERIE, SOON, VLN-CE, RxR, plain or packed.

Each becomes trajectories by episode id; what a file does not say (collisions, actions) is not invented. DUET and its
kin write a list of viewpoints for each action; the trajectory is all of them, one after the other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval.core.types import AgentState
from nav_eval.dataset.fields import FARTHEST_M, encodable
from nav_eval.errors import PredictionsError
from nav_eval.geometry import Vec3, yaw_rotation
from nav_eval.reading import read
from nav_eval.results.packed import unpacked

MAX_BYTES = 1 << 30
"""A file that is larger is not read: it would fill the memory, and no public split comes near."""
IDS = ("instr_id", "inst_idx", "instruction_id", "episode_id")
"""What R2R, NDH, RxR and VLN-CE call an episode's id."""
OBJECTS = ("predObjId", "pred_objid")
"""What REVERIE's authors and DUET call the object that the agent chose."""
MEASURES = frozenset(
    {
        "success", "spl", "ndtw", "sdtw", "sr", "ne", "nav_error", "navigation_error", "distance_to_goal",
        "path_length", "oracle_success", "trajectory_lengths", "steps_taken", "softspl", "soft_spl", "goal_progress",
    }
)  # fmt: skip
"""Columns by which a table of metrics is known."""
MAX_POSES = 100_000
"""Of one walk. Rules stop an agent after 30 moves (R2R) or 500 steps (VLN-CE)."""
NOWHERE: Vec3 = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Prediction:
    """Where the agent was, the start included, and whether it called stop at the end (None: the format cannot say).

    `object_id`: the object that it chose (REVERIE); `direction`: heading and elevation of it, rad (SOON).
    """

    states: Sequence[AgentState]
    stopped: bool | None
    object_id: str | None = None
    direction: tuple[float, float] | None = None


def read_predictions(path: Path) -> dict[str, Prediction]:
    """Episode id -> prediction. Raises PredictionsError that names file, entry and key."""
    content = _content(path)
    if isinstance(content, dict) and isinstance(content.get("metrics"), Mapping):
        _refuse_measures(path, content["metrics"])  # our own results.json
    if isinstance(content, dict) and not any(isinstance(row, Mapping) for row in content.values()):
        _refuse_measures(path, content)
        if not any(name in content for name in IDS):
            return _collect(path, content.items(), _continuous)
        content = [content]  # JSON Lines of one row
    elif isinstance(content, dict):
        content = [{"instr_id": name, **row} if isinstance(row, Mapping) else row for name, row in content.items()]
    if not isinstance(content, list) or not content:
        raise PredictionsError(f"{path}: holds no predictions. Give a list of trajectories or an object of them.")
    _refuse_measures(path, content[0])
    return _collect(path, (_identify(path, index, row) for index, row in enumerate(content)), _prediction)


def _content(path: Path) -> Any:
    try:
        text = unpacked(read(path, MAX_BYTES), MAX_BYTES).decode()
        _refuse_measures(path, dict.fromkeys(text[:4096].partition("\n")[0].strip().split(",")))
        return _decode(text)
    except FileNotFoundError:
        raise PredictionsError(f"{path}: there is no such file.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise PredictionsError(f"{path}: cannot be read as JSON ({error}). Write it again.") from None


def _decode(text: str) -> Any:
    """One JSON value, or JSON Lines, whatever the file is called."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def _refuse_measures(path: Path, row: Any) -> None:
    """A table of metrics is no submission: nobody can check it."""
    if not isinstance(row, Mapping) or "trajectory" in row or "path" in row:
        return
    if names := sorted(name for name in row if str(name).lower() in MEASURES):
        raise PredictionsError(
            f"{path}: is a table of metrics ({', '.join(map(str, names))}), not of trajectories. Score the file of "
            "trajectories that it was made from; --against compares the values with such a table."
        )


def _identify(path: Path, index: int, row: Any) -> tuple[str, Any]:
    for name in IDS:
        if isinstance(row, Mapping) and isinstance(row.get(name), str | int):
            return str(row[name]), row
    raise PredictionsError(f"{path}: entry {index} has no instr_id (R2R), inst_idx (NDH) or instruction_id (RxR).")


def _collect(path: Path, rows: Iterable[tuple[str, Any]], read: Callable[[Any], Prediction]) -> dict[str, Prediction]:
    found: dict[str, Prediction] = {}
    for identity, row in rows:
        if not encodable(identity):
            raise PredictionsError(f"{path}: {_short(identity)} holds half of a surrogate pair. Send the episode's id.")
        if identity in found:
            raise PredictionsError(f"{path}: {_short(identity)} appears twice. Send each episode once.")
        try:
            found[identity] = read(row)
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise PredictionsError(f"{path}: {_short(identity)} is not a trajectory: {_why(error)}.") from None
    return found


class _TrajectoryError(ValueError):
    """What is wrong with a trajectory, in words for its author."""


def _why(error: Exception) -> str:
    if isinstance(error, _TrajectoryError):
        return str(error)
    if isinstance(error, KeyError):
        return f"it has no {_short(error.args[0])}"
    return "it is written in another way; `nav-eval score --help` shows each"


def _prediction(row: Any) -> Prediction:
    walk = row["trajectory"] if "trajectory" in row else row["path"]
    chosen = next((str(row[name]) for name in OBJECTS if row.get(name) is not None), None)
    direction = None
    if isinstance(walk, Mapping):
        direction, walk = _direction(walk), walk["path"]
    if "trajectory" not in row and not all(isinstance(pose, str) for pose in walk):
        return Prediction([AgentState(_point(point)) for point in _fill(walk)], None, chosen)
    poses = [pose for part in walk for pose in _poses(part)]
    return Prediction([_viewpoint(pose) for pose in _fill(poses)], None, chosen, direction)


def _poses(part: Any) -> Iterable[Any]:
    """A pose, or in DUET's files the viewpoints that one action led through."""
    through = isinstance(part, list) and all(isinstance(node, str) for node in part)
    return part if through else [part]


def _direction(walk: Mapping[str, Any]) -> tuple[float, float] | None:
    """Of the object, as DUET writes it for SOON: in lists of one number."""
    heading, elevation = walk.get("obj_heading"), walk.get("obj_elevation")
    return (_finite(heading[0]), _finite(elevation[0])) if heading and elevation else None


def _viewpoint(pose: Any) -> AgentState:
    node = pose if isinstance(pose, str) else pose[0]
    if not isinstance(node, str):
        raise _TrajectoryError(f"viewpoint {_short(node)} is not text")
    turned = not isinstance(pose, str) and len(pose) > 2
    heading, elevation = (_finite(pose[1]), _finite(pose[2])) if turned else (0.0, 0.0)
    return AgentState(NOWHERE, yaw_rotation(-heading), node, elevation=elevation)


def _continuous(rows: Any) -> Prediction:
    states = [AgentState(_point(row["position"]), yaw_rotation(_finite(row["heading"]))) for row in _fill(rows)]
    stop = rows[-1]["stop"]
    if stop not in (True, False):
        raise _TrajectoryError(f"stop is {_short(stop)}, not true or false")
    return Prediction(states, bool(stop))


def _fill(rows: Any) -> Any:
    if not rows:
        raise _TrajectoryError("it is empty; it must begin with the start")
    if len(rows) > MAX_POSES:
        raise _TrajectoryError(f"it has {len(rows)} poses; at most {MAX_POSES} are read")
    return rows


def _point(values: Any) -> Vec3:
    if not isinstance(values, list) or len(values) != 3:
        raise _TrajectoryError(f"{_short(values)} is not [x, y, z]")
    x, y, z = map(_finite, values)
    if max(abs(x), abs(y), abs(z)) > FARTHEST_M:
        raise _TrajectoryError(f"{_short(values)} is farther than {FARTHEST_M:g} m from the origin")
    return (x, y, z)


def _finite(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise _TrajectoryError(f"{_short(value)} is not a finite number")
    return float(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
