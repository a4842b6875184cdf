"""What the agents of this room share: options, what a server is sent, and what its numbers mean."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, cast

import numpy as np

from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.options import option, read
from nav_eval_sdk.protocol.usage import Usage
from nav_eval_sdk.variables import POLICY_OPTIONS, Variable

Actions = list[dict[str, Any]]
Pose = tuple[float, float, float]
SHARE, PAUSE = 0.9, 0.5
"""Of the evaluator's seconds for an action, the rest is for the way; seconds between two attempts to connect."""
COLUMNS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "velocity": (("linear", "angular"), ("linear", "angular", "duration")),
    "waypoint": (("range", "heading"), ("x", "y")),
}
"""What a row must hold in each mode, apart from `stop` and what is not used."""
UNUSED, REST, STOP, STOPS_FROM = "_", "...", "stop", 0.5


class PolicyServerError(RuntimeError):
    """The policy server cannot be used, or its reply is no action; the message says what to do."""


@dataclass(frozen=True)
class ServerOptions:
    """What every server needs. Seconds."""

    variable: ClassVar[Variable] = POLICY_OPTIONS
    schemes: ClassVar[tuple[str, str]] = ("ws://", "wss://")

    url: str = option("ws://localhost:8000", "the server's address")
    timeout: float = option(25.0, "seconds for one answer")
    connect_within: float = option(10.0, "seconds that a server which does not listen yet is waited for")
    table: str = option(
        "0=stop,1=move_forward,2=turn_left,3=turn_right",
        "the action of each number, as NUMBER=ACTION, parted by commas",
    )

    def __post_init__(self) -> None:
        """Raises ValueError, saying what to do."""
        if not self.url.startswith(self.schemes):
            plain, safe = self.schemes
            raise ValueError(f"--url: {self.url!r} does not begin with {plain} or {safe}.")
        if "ws://" in self.schemes and find_spec("websockets") is None:
            raise ValueError('this server speaks websocket: pip install "nav-eval-baselines[bridges]"')
        if not self.timeout > 0 or not self.connect_within >= 0:
            raise ValueError("--timeout must be more than 0, --connect-within not negative.")
        _ = self.actions

    @property
    def actions(self) -> dict[int, str]:
        """The action's name by its number."""
        return {_number(number): name for number, name in pairs("table", self.table)}


@dataclass(frozen=True)
class PolicyOptions(ServerOptions):
    """Of a server whose observations and actions its own configuration names. Pixels, metres, radians, seconds."""

    observations: str = option("observation/image=rgb", "what is sent, as KEY=SENSOR, parted by commas")
    instruction_key: str = option("prompt", "the key of the instruction")
    picture_size: str = option(
        "224x224", "pictures become WIDTHxHEIGHT, with black borders; empty: as the sensor has it"
    )
    mode: str = option(
        "table", "what a row of the reply is: a number of --table, or --columns", choices=("table", *COLUMNS)
    )
    columns: str = option(
        "",
        "the numbers of a row in their order: linear (m/s), angular (rad/s, left is positive) and duration (s); range "
        "(m) and heading (rad, left is positive), or x and y (m ahead and to the left); stop (from 0.5 on); _ is not "
        "used, ... at the end: nor is the rest",
    )
    duration: float = option(0.0, "mode velocity: seconds of a row, where no column says them")
    frame: str = option(
        "previous",
        "mode waypoint: a row is measured from where the row before it ends, or from where the picture was taken",
        choices=("previous", "observation"),
    )
    rows: int = option(0, "rows of a reply that are carried out before the server is asked again; 0: all")

    def __post_init__(self) -> None:
        super().__post_init__()
        used = tuple(sorted(set(self.names) - {UNUSED, REST, STOP}))
        allowed = [tuple(sorted(names)) for names in COLUMNS.get(self.mode, ((),))]
        if used not in allowed or REST in self.names[:-1] or len(used) != sum(name in used for name in self.names):
            raise ValueError(f"--columns {self.columns!r} does not fit --mode {self.mode}: see --help.")
        if self.mode == "velocity" and ("duration" in used) == (self.duration > 0):
            raise ValueError("--mode velocity needs either --duration or a column duration.")
        if self.frame == "observation" and "range" in used:
            raise ValueError("--frame observation needs the columns x and y.")
        if self.rows < 0 or not self.sent:
            raise ValueError("--rows must not be negative, --observations not empty.")
        _ = self.size

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.columns.split(",")) if self.columns else ()

    @property
    def sent(self) -> dict[str, str]:
        """The sensor by the key under which it is sent."""
        return dict(pairs("observations", self.observations))

    @property
    def size(self) -> tuple[int, int] | None:
        """(width, height)"""
        parts = self.picture_size.split("x")
        if self.picture_size and not (len(parts) == 2 and all(part.isdecimal() and int(part) for part in parts)):
            raise ValueError(f"--picture-size: {self.picture_size!r} is not like 224x224.")
        return (int(parts[0]), int(parts[1])) if self.picture_size else None


def pairs(name: str, text: str) -> list[tuple[str, str]]:
    """What "a=b,c=d" holds; raises ValueError, also where a key comes twice."""
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    found = [(key.strip(), value.strip()) for key, _, value in parts]
    if not all(key and value for key, value in found) or len(dict(found)) < len(found):
        raise ValueError(f"--{name}: {text!r} is not like KEY=VALUE,KEY=VALUE, each key once.")
    return found


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"--table: {text!r} is no whole number.") from None


class PolicyAgent(VLNAgent):
    """Asks a policy server whenever the actions of its last reply are carried out. A subclass has `ask` and `start`."""

    Options: ClassVar[Any] = PolicyOptions

    def __init__(self, options: Any = None) -> None:
        self.options: Any = options or read(self.Options)

    def reset(self, episode: dict[str, Any]) -> None:
        granted = (episode.get("limits") or {}).get("act_timeout")
        self.instruction: str = (episode.get("instruction") or {}).get("text", "")
        self.space: Mapping[str, Any] = episode["action_space"]
        self.seconds = min(self.options.timeout, SHARE * granted) if granted else self.options.timeout
        self._planned: Actions = []
        self.start(episode)

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        usage = Usage()
        if not self._planned:
            self._planned, usage = self.ask(observation)
        now, self._planned = self._planned[: self.max_chunk], self._planned[self.max_chunk :]
        return {**(now[0] if len(now) == 1 else {"actions": now}), "usage": usage}

    @abstractmethod
    def start(self, episode: Mapping[str, Any]) -> None:
        """Make the server ready for an episode."""

    @abstractmethod
    def ask(self, observation: Mapping[str, Any]) -> tuple[Actions, Usage]:
        """What the server answers: one action or more."""


# -- what is sent


def chosen(observation: Mapping[str, Any], options: PolicyOptions) -> dict[str, Any]:
    """What --observations names, under the server's keys; raises PolicyServerError."""
    return {key: prepared(sensor(observation, name), options.size) for key, name in options.sent.items()}


def sensor(observation: Mapping[str, Any], name: str) -> Any:
    """What a sensor says; raises PolicyServerError where it says nothing."""
    if observation.get(name) is None:
        there = ", ".join(key for key, value in observation.items() if value is not None)
        raise PolicyServerError(f"there is no sensor {name!r} to send; the observation has {there or 'none'}.")
    return observation[name]


def prepared(value: Any, size: tuple[int, int] | None) -> Any:
    """A text; a picture (H, W, 3 or 1) uint8 in this (width, height); other numbers as float32."""
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise PolicyServerError(f"a sensor of {type(value).__name__} cannot be sent: only pictures, numbers and texts.")
    if array.dtype != np.uint8:
        return array.astype("<f4")
    return scaled(array, size) if size and array.ndim == 3 else array


def scaled(picture: Any, size: tuple[int, int]) -> Any:
    """(H, W, C) uint8 in this (width, height): its proportions stay, the rest is black."""
    from PIL import Image, ImageOps

    image = Image.fromarray(picture[..., 0] if picture.shape[2] == 1 else picture)
    array = np.asarray(ImageOps.pad(image, size, method=Image.Resampling.BILINEAR))
    return array if array.ndim == 3 else array[..., None]


# -- what comes back


def discrete(number: Any, options: ServerOptions, space: Mapping[str, Any]) -> dict[str, Any]:
    """The action of a number; raises PolicyServerError for one that --table or the task lacks."""
    value = float(number)
    name = options.actions.get(int(value)) if value.is_integer() else None
    if name is None:
        raise PolicyServerError(f"the server answers {value:g}, which --table {options.table} does not name.")
    return _allowed_action(name, {}, space)


def actions_of(reply: Any, options: PolicyOptions, space: Mapping[str, Any]) -> Actions:
    """The actions that `reply["actions"]`, (D,) or (N, D), stands for; raises PolicyServerError."""
    names = options.names or ("action",)
    if names == ("action",):
        return [discrete(row[0], options, space) for row in rows_of(reply, names, options.rows)]
    found: Actions = []
    pose: Pose = (0.0, 0.0, 0.0)
    for row in rows_of(reply, names, options.rows):
        given = dict(zip(names, row, strict=False))
        if given.get(STOP, 0.0) >= STOPS_FROM:
            return [*found, _allowed_action("stop", {}, space)]
        if options.mode == "velocity":
            args = {key: given.get(key, options.duration) for key in ("linear", "angular", "duration")}
        elif "range" in given:
            args = {key: given[key] for key in ("range", "heading")}
        else:
            args, after = _waypoint(given["x"], given["y"], pose)
            pose = after if options.frame == "observation" else pose
        found.append(_allowed_action(options.mode, args, space))
    return found


def rows_of(reply: Any, names: Sequence[str], most: int) -> list[list[float]]:
    """The first `most` rows (0: all), each with a number for every name."""
    given = reply.get("actions") if isinstance(reply, Mapping) else None
    if given is None:
        there = ", ".join(map(str, reply)) if isinstance(reply, Mapping) else type(reply).__name__
        raise PolicyServerError(f"the server's reply has no 'actions'; it has {there or 'nothing'}."[:300])
    try:
        array = np.atleast_2d(np.asarray(given, np.float64))
    except (TypeError, ValueError):
        raise PolicyServerError("the server's 'actions' are no numbers.") from None
    wide = len(names) - (REST in names)
    fits = array.ndim == 2 and len(array) and (array.shape[1] >= wide if REST in names else array.shape[1] == wide)
    if not fits:
        raise PolicyServerError(f"the server's 'actions' have the shape {np.shape(given)}: {_expected(names)}.")
    rows = array[: most or None, :wide]
    if not np.isfinite(rows).all():
        raise PolicyServerError("the server's 'actions' are not finite.")
    return cast(list[list[float]], rows.tolist())


def _expected(names: Sequence[str]) -> str:
    if names == ("action",):
        return "--mode table takes rows of one number"
    return f"--columns names {', '.join(names)}; _ and ... leave numbers out"


def _waypoint(x: float, y: float, pose: Pose) -> tuple[dict[str, float], Pose]:
    """The waypoint from a pose (x, y, heading) to a point of the same frame, and the pose in which it ends."""
    ahead, left = x - pose[0], y - pose[1]
    length = math.hypot(ahead, left)
    turn = math.remainder(math.atan2(left, ahead) - pose[2], math.tau) if length else 0.0
    return {"range": length, "heading": turn}, (x, y, pose[2] + turn)


def _allowed_action(name: str, args: dict[str, float], space: Mapping[str, Any]) -> dict[str, Any]:
    if name not in space:
        raise PolicyServerError(f"the server wants {name}, which this task does not offer: it has {', '.join(space)}.")
    return {"action": name, "action_args": args}
