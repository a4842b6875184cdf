"""Reads the fields of one record and says what is wrong with them, once for loaders and once for the validator.

A loader stops at the first fault (`stopping`); the validator collects them all. So every getter reports and then
returns a value of the right type, and a format is described only once.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from nav_eval.errors import DatasetError, printable
from nav_eval.geometry import IDENTITY, Quaternion, Vec3
from nav_eval.logging import get_logger

UNIT_TOLERANCE = 1e-3
"""Data sets round rotations to five digits or so; more than this off the unit length is a fault."""

FARTHEST_M = 1e6
"""No scene is larger; the squares of larger coordinates overflow sooner or later."""

SCENE_PREFIX = "data/scene_datasets/"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a data set: the file, the episode ("" for the file as a whole), the JSON path, and why.

    `notice`: it is no fault but should be known; nothing ends by it.
    """

    file: str
    episode: str
    path: str
    message: str
    notice: bool = False

    def __str__(self) -> str:
        episode = f"episode {self.episode}" if self.episode else ""
        told = ": ".join(part for part in (self.file, episode, self.path, self.message) if part)
        return printable(told.replace("\n", "\\n"))


Report: TypeAlias = Callable[[Fault], None]


def stopping(words: str) -> Report:
    """The loaders' report: stop at once. `words`: what `nav-eval validate` is to be called with."""

    def report(fault: Fault) -> None:
        if fault.notice:
            get_logger(__name__).warning("%s", fault)
            return
        raise DatasetError(f"{fault}. Correct the file; `nav-eval validate {words}` lists every fault.")

    return report


def _ignore(fault: Fault) -> None:
    """The report of what a missing object lacks."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where values come from, and who hears of their faults."""

    file: str
    report: Report
    episode: str = ""

    def fault(self, path: str, message: str) -> None:
        self.report(Fault(self.file, self.episode, path, message))


class Fields:
    """One JSON object of a data set file. `path` is where it stands ("episodes[3].instruction")."""

    __slots__ = ("origin", "path", "values")

    def __init__(self, value: Any, origin: Origin, path: str) -> None:
        self.path = path
        self.origin = origin
        self.values: Mapping[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            origin.fault(path, f"expected an object, got {_abbreviate(value)}")
            self.origin = replace(origin, report=_ignore)  # one fault tells it all

    def __contains__(self, key: str) -> bool:
        """Whether `key` is there with a value; null, [] and {} count as absent."""
        return not _absent(self.values.get(key))

    def of_episode(self, episode: str) -> Fields:
        """The same record, whose faults name `episode`."""
        return Fields(self.values, replace(self.origin, episode=episode), self.path)

    def label(self, key: str) -> str:
        """The id under `key` as a name for messages, whatever it is; "" if there is none."""
        value = self.values.get(key)
        return str(value) if isinstance(value, str | int) else ""

    def fault(self, key: str, message: str) -> None:
        self.origin.fault(".".join(part for part in (self.path, key) if part), message)

    def text(self, key: str) -> str:
        """A string that can be encoded as UTF-8."""
        value: str = self._get(key, str, "a string", "")
        if not encodable(value):
            self.fault(key, "the text holds half of a surrogate pair")
            return ""
        return value

    def identifier(self, key: str) -> str:
        """A string or a whole number, as a string."""
        value = self.values.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(key)

    def own_id(self, key: str) -> str:
        """An identifier by which an episode is called: not empty."""
        if self.values.get(key) == "":
            self.fault(key, "the id is empty")
        return self.identifier(key)

    def integer(self, key: str) -> int:
        value: int = self._get(key, int, "a whole number", 0)
        if isinstance(value, bool):
            self.fault(key, "expected a whole number, got a truth value")
        return value

    def number(self, key: str) -> float:
        """A finite number."""
        value: Any = self.values.get(key)
        if not _finite(value):
            self.fault(key, f"expected a finite number, got {_abbreviate(value)}")
            return 0.0
        return float(value)

    def optional_number(self, key: str) -> float | None:
        return None if self.values.get(key) is None else self.number(key)

    def optional_length(self, key: str) -> float | None:
        """Metres, at least 0."""
        value = self.optional_number(key)
        if value is not None and value < 0:
            self.fault(key, f"expected metres, at least 0, got {value:g}")
        return value

    def vector(self, key: str) -> Vec3:
        """Three finite numbers, metres, within FARTHEST_M."""
        return self._vector(key, self.values.get(key))

    def vectors(self, key: str) -> tuple[Vec3, ...]:
        """A list of positions; absent means none."""
        items = self.items(key)
        found = tuple(map(_floats, items))
        if None in found:
            return tuple(self._vector(f"{key}[{i}]", value) for i, value in enumerate(items))
        return cast("tuple[Vec3, ...]", found)

    def quaternion(self, key: str, tolerance: float = UNIT_TOLERANCE) -> Quaternion:
        """[x, y, z, w] of unit length, give or take `tolerance`."""
        value: Any = self.values.get(key)
        if not _numbers(value, 4):
            self.fault(key, f"expected 4 finite numbers, got {_abbreviate(value)}")
            return IDENTITY
        x, y, z, w = map(float, value)
        if abs(math.sqrt(x * x + y * y + z * z + w * w) - 1) > tolerance:
            self.fault(key, f"the quaternion {_abbreviate(value)} is not of unit length")
            return IDENTITY
        return (x, y, z, w)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; absent means none."""
        items = self.items(key)
        for i, item in enumerate(items):
            if not isinstance(item, str):
                self.fault(f"{key}[{i}]", f"expected a string, got {_abbreviate(item)}")
            elif not encodable(item):
                self.fault(f"{key}[{i}]", "the text holds half of a surrogate pair")
        return tuple(item for item in items if isinstance(item, str))

    def integers(self, key: str) -> tuple[int, ...]:
        items = self.items(key)
        if set(map(type, items)) - {int}:
            self.fault(key, "expected whole numbers only")
            return ()
        return tuple(items)

    def items(self, key: str) -> Sequence[Any]:
        """A list as it stands; absent or null means none."""
        return [] if self.values.get(key) is None else self._get(key, list, "a list", [])

    def child(self, key: str) -> Fields:
        """The object under `key`."""
        if self.values.get(key) is None:
            self.fault(key, "missing: expected an object")
            return Fields({}, replace(self.origin, report=_ignore), "")
        return Fields(self.values[key], self.origin, f"{self.path}.{key}" if self.path else key)

    def merged(self, key: str) -> Fields:
        """The object under `key`, which may also be written as a list of its parts, no name in two of them."""
        parts = self.values.get(key)
        if isinstance(parts, list) and parts and all(isinstance(part, dict) for part in parts):
            whole = {name: value for part in parts for name, value in part.items()}
            if len(whole) == sum(map(len, parts)):
                return Fields(whole, self.origin, f"{self.path}.{key}" if self.path else key)
        return self.child(key)

    def children(self, key: str) -> list[Fields]:
        """The objects of the list under `key`."""
        path = f"{self.path}.{key}" if self.path else key
        return [Fields(item, self.origin, f"{path}[{i}]") for i, item in enumerate(self.items(key))]

    def mapping(self, key: str) -> Mapping[str, Any]:
        """The object under `key` as it stands; absent or null means an empty one."""
        return {} if self.values.get(key) is None else self._get(key, dict, "an object", {})

    def scene_id(self, key: str = "scene_id") -> str:
        """A scene id without the `data/scene_datasets/` that some releases put before it."""
        scene = self.text(key)
        if not scene and isinstance(self.values.get(key), str):
            self.fault(key, "the scene id is empty")
        return sys.intern(scene.removeprefix(SCENE_PREFIX))

    def rest(self, *taken: str) -> dict[str, Any]:
        """What `taken` does not carry over: other keys, absent values, and ids that were numbers or had a prefix."""
        kept = self.values.items()
        return {sys.intern(k): v for k, v in kept if k not in taken or _absent(v) or _is_changed(k, v)}

    def _get(self, key: str, kind: type, name: str, default: Any) -> Any:
        value = self.values.get(key)
        if isinstance(value, kind):
            return value
        self.fault(
            key, f"expected {name}, got {_abbreviate(value)}" if key in self.values else f"missing: expected {name}"
        )
        return default

    def _vector(self, key: str, value: Any) -> Vec3:
        found = _floats(value)
        if found is None:
            self.fault(key, f"expected 3 finite numbers, at most {FARTHEST_M:g}, got {_abbreviate(value)}")
            return (0.0, 0.0, 0.0)
        return found


def record_of(extra: Mapping[str, Any], **typed: Any) -> dict[str, Any]:
    """A record to write: `typed` values that are there, over what `rest` kept; ids get their old spelling back."""
    record = dict(extra)
    for key, value in typed.items():
        if _absent(value) or value == ():
            continue
        old = extra.get(key)
        same = _is_changed(key, old) and str(old).removeprefix(SCENE_PREFIX) == value
        record[key] = old if same else value
    return record


def _is_changed(key: str, value: Any) -> bool:
    """Whether reading an id changes its spelling."""
    if key == "scene_id":
        return isinstance(value, str) and value.startswith(SCENE_PREFIX)
    return key in ID_KEYS and type(value) is int


ID_KEYS = frozenset({"episode_id", "object_id", "instruction_id", "inst_idx", "idx"})


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, list | dict | tuple) and not value)


def encodable(text: str) -> bool:
    """Whether `text` can be sent as UTF-8: JSON can spell half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _finite(value: Any) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    return type(value) is int and abs(value) < 2**1000


def _floats(value: Any) -> Vec3 | None:
    """Three coordinates, or None; the common case first, since files hold millions of them. NaN fails comparisons."""
    if type(value) is not list or len(value) != 3:
        return None
    x, y, z = value
    far = FARTHEST_M
    if type(x) is type(y) is type(z) is float and -far <= x <= far and -far <= y <= far and -far <= z <= far:
        return (x, y, z)
    return (float(x), float(y), float(z)) if all(_finite(n) and abs(n) <= far for n in value) else None


def _numbers(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(map(_finite, value))


def _abbreviate(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
