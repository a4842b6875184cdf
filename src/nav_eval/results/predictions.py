"""Submission files that are scored offline: R2R and R4R, NDH, VLN-CE, RxR.

Each becomes trajectories by episode id; what a file does not say (collisions, actions) is not invented.
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

MAX_BYTES = 1 << 30
"""A file that is larger is not read: it would fill the memory, and no public split comes near."""
IDS = ("instr_id", "inst_idx", "instruction_id", "episode_id")
"""What R2R, NDH, RxR and VLN-CE call an episode's id."""
MAX_POSES = 100_000
"""Of one walk. Rules stop an agent after 30 moves (R2R) or 500 steps (VLN-CE)."""
NOWHERE: Vec3 = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Prediction:
    """Where the agent was, the start included, and whether it called stop at the end (None: the format cannot say)."""

    states: Sequence[AgentState]
    stopped: bool | None


def read_predictions(path: Path) -> dict[str, Prediction]:
    """Episode id -> prediction. Raises PredictionsError that names file, entry and key."""
    try:
        text = read(path, MAX_BYTES).decode()
        content = _json_lines(text) if path.suffix == ".jsonl" else json.loads(text)
    except FileNotFoundError:
        raise PredictionsError(f"{path}: there is no such file.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise PredictionsError(f"{path}: cannot be read as JSON ({error}). Write it again.") from None
    if isinstance(content, dict):
        return _collect(path, content.items(), _continuous)
    if not isinstance(content, list) or not content:
        raise PredictionsError(f"{path}: holds no predictions. Give a list of trajectories or an object of them.")
    return _collect(path, (_identified(path, index, row) for index, row in enumerate(content)), _listed)


def _json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _identified(path: Path, index: int, row: Any) -> tuple[str, Any]:
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
        except (KeyError, TypeError, IndexError, ValueError, OverflowError) as error:
            raise PredictionsError(f"{path}: {_short(identity)} is not a trajectory: {error!r}.") from None
    return found


def _listed(row: Any) -> Prediction:
    if "trajectory" in row:
        return Prediction([_viewpoint(pose) for pose in _filled(row["trajectory"])], None)
    return Prediction([AgentState(_point(point)) for point in _filled(row["path"])], None)


def _viewpoint(pose: Any) -> AgentState:
    node = pose if isinstance(pose, str) else pose[0]
    if not isinstance(node, str):
        raise TypeError(f"viewpoint {_short(node)} is not text")
    turned = not isinstance(pose, str) and len(pose) > 2
    heading, elevation = (_finite(pose[1]), _finite(pose[2])) if turned else (0.0, 0.0)
    return AgentState(NOWHERE, yaw_rotation(-heading), node, elevation=elevation)


def _continuous(rows: Any) -> Prediction:
    states = [AgentState(_point(row["position"]), yaw_rotation(_finite(row["heading"]))) for row in _filled(rows)]
    stop = rows[-1]["stop"]
    if stop not in (True, False):
        raise ValueError(f"stop is {_short(stop)}, not true or false")
    return Prediction(states, bool(stop))


def _filled(rows: Any) -> Any:
    if not rows:
        raise ValueError("it is empty; it must begin with the start")
    if len(rows) > MAX_POSES:
        raise ValueError(f"it has {len(rows)} poses; at most {MAX_POSES} are read")
    return rows


def _point(values: Any) -> Vec3:
    x, y, z = map(_finite, values)
    if max(abs(x), abs(y), abs(z)) > FARTHEST_M:
        raise ValueError(f"{_short(values)} is farther than {FARTHEST_M:g} m from the origin")
    return (x, y, z)


def _finite(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{_short(value)} is not a finite number")
    return float(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
