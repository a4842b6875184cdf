"""What an observation and an action's arguments look like before they exist; sent at reset, checked on both sides.

Five kinds: a tensor, a text, a number, a structure of named parts, and a list of variable length. Any of them may be
absent at a step when it is `optional`. A bound that is null does not exist, because JSON has no infinity; one may be
given as an infinity. The habit is dm_env's (specs.py), widened to text, structures and candidate lists.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from nav_eval_sdk.protocol.structs import Message, known

if TYPE_CHECKING:
    import numpy as np

LARGEST = sys.float_info.max
"""JSON's integers have no end: one beyond is no number that anything here can reckon with."""
SPAN = 100.0
"""How far a sample goes where a bound is missing."""


class Bounded:
    """Mixed into what has `low` and `high`."""

    __slots__ = ()

    low: float | None
    high: float | None

    def __post_init__(self) -> None:
        """Bounds as every wire writes them: floats, and null for one that is infinite."""
        for name in ("low", "high"):
            value = getattr(self, name)
            if value is not None and (type(value) is not float or not math.isfinite(value)):
                settled = float(value) if math.isfinite(value) else None
                msgspec.structs.force_setattr(self, name, settled)  # type: ignore[arg-type]  # mixed into structs

    @property
    def bounds(self) -> tuple[float, float]:
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high


class BaseSpec(Message, tag_field="kind", frozen=True):
    """`unit` and `description` are for people. An `optional` one may be missing at a step."""

    description: str = ""
    unit: str = ""
    optional: bool = False

    def fault(self, value: Any, *, thorough: bool = True) -> str | None:
        """Why `value` does not fit, or None. Not `thorough`: by its form alone, whatever its numbers and items are."""
        if value is None:
            return None if self.optional else "is missing"
        return self._fault(value, thorough)

    def _fault(self, value: Any, thorough: bool) -> str | None:
        raise NotImplementedError

    def sample(self, rng: np.random.Generator) -> Any:
        """A value that fits; conformance checks are made of these."""
        raise NotImplementedError


class TensorSpec(Bounded, BaseSpec, tag="tensor", kw_only=True, frozen=True):
    """A numpy array of fixed shape and dtype, values within [low, high].

    `encoding`: how its bytes are packed on this wire: raw, zstd, png or (declared) jpeg.
    """

    shape: tuple[int, ...] = ()
    dtype: str
    low: float | None = None
    high: float | None = None
    encoding: str = "raw"

    def _fault(self, value: Any, thorough: bool) -> str | None:
        import numpy as np

        if not isinstance(value, np.ndarray):
            return f"must be an array, not {type(value).__name__}"
        if value.shape != tuple(self.shape) or value.dtype != np.dtype(self.dtype):
            return f"must be {self.dtype}{list(self.shape)}, not {value.dtype}{list(value.shape)}"
        if not thorough or not value.size:
            return None
        low, high = self.bounds
        return None if low <= value.min() and value.max() <= high else f"must be in [{low:g}, {high:g}]"

    def sample(self, rng: np.random.Generator) -> Any:
        import numpy as np

        low, high = _span(*self.bounds)
        dtype = np.dtype(self.dtype)
        if dtype.kind == "f":
            return rng.uniform(low, high, self.shape).astype(dtype)
        limits = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        low, high = max(int(low), limits[0]), min(int(high), limits[1])
        return rng.integers(low, high, self.shape, np.int64, endpoint=True).astype(dtype)


class TextSpec(BaseSpec, tag="text", frozen=True):
    """At most `max_length` characters. `is_node`: the id of a node of a navigation graph, to be named in `move_to`;
    disclosure may hide it."""

    max_length: int = 100_000
    is_node: bool = False

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, str):
            return f"must be a string, not {type(value).__name__}"
        return None if len(value) <= self.max_length else f"is longer than {self.max_length} characters"

    def sample(self, rng: np.random.Generator) -> Any:
        return "walk past the table 走到厨房"[: self.max_length]


class NumberSpec(Bounded, BaseSpec, tag="number", frozen=True):
    """One float within [low, high]."""

    low: float | None = None
    high: float | None = None

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return f"must be a number, not {type(value).__name__}"
        low, high = self.bounds
        return None if low <= value <= high else f"must be in [{low:g}, {high:g}]"

    def sample(self, rng: np.random.Generator) -> Any:
        return float(rng.uniform(*_span(*self.bounds)))


class StructSpec(BaseSpec, tag="struct", frozen=True):
    """Named parts, each with a spec of its own."""

    parts: dict[str, Spec] = msgspec.field(default_factory=dict)

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, (dict, Mapping)):
            return f"must be an object, not {type(value).__name__}"
        if not value.keys() <= self.parts.keys():
            return f"has unknown parts {sorted(value.keys() - self.parts.keys())}"
        for name, part in self.parts.items():
            if fault := part.fault(value.get(name), thorough=thorough):
                return f"{name} {fault}"
        return None

    def sample(self, rng: np.random.Generator) -> Any:
        return {name: part.sample(rng) for name, part in self.parts.items()}


class ListSpec(BaseSpec, tag="list", kw_only=True, frozen=True):
    """Up to `max_items` values of one spec: the navigable viewpoints of a graph, the words of a sentence."""

    item: Spec
    max_items: int = 10_000

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, (list, tuple, Sequence)) or isinstance(value, str):
            return f"must be a list, not {type(value).__name__}"
        if len(value) > self.max_items:
            return f"has more than {self.max_items} items"
        faults = ((index, self.item.fault(item)) for index, item in enumerate(value))
        return next((f"[{index}] {fault}" for index, fault in faults if fault), None) if thorough else None

    def sample(self, rng: np.random.Generator) -> Any:
        return [self.item.sample(rng) for _ in range(min(self.max_items, int(rng.integers(1, 4))))]


Spec: TypeAlias = TensorSpec | TextSpec | NumberSpec | StructSpec | ListSpec


KINDS = ("float", "text", "node")


class Argument(Bounded, Message, frozen=True):
    """One argument of an action: `kind` is "float", "text" or "node" (a graph node's id, which disclosure may hide).

    >>> Argument(unit="m", low=0.0, high=3.0).fault(4.0)
    'must be in [0, 3]'
    """

    kind: str = "float"
    unit: str = ""
    low: float | None = None
    high: float | None = None

    def fault(self, value: object) -> str | None:
        """Why `value` is no such argument, or None."""
        if self.kind in ("text", "node"):
            return None if isinstance(value, str) else "must be a string"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "must be a number"
        if not -LARGEST <= value <= LARGEST:
            return "must be finite"
        low, high = self.bounds
        return None if low <= value <= high else f"must be in [{low:g}, {high:g}]"


class ActionSpec(Message, frozen=True):
    """The arguments that an action takes, all of them.

    >>> ActionSpec({"metres": Argument(unit="m", low=0.0)}).arguments["metres"].unit
    'm'
    """

    arguments: dict[str, Argument] = msgspec.field(default_factory=dict)


def _span(low: float, high: float) -> tuple[float, float]:
    """Finite bounds in these."""
    least = low if low > -math.inf else min(-SPAN, high - SPAN)
    return least, high if high < math.inf else max(SPAN, least + SPAN)


known(globals())
