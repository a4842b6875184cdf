"""What an observation looks like before it exists. Sensors declare specs; wire, fakes, docs and checks read them.

Four kinds: a tensor, a text, a structure of named parts, and a list of variable length. Any of them may be absent
at a step when it is `optional`. The habit is dm_env's (specs.py), widened to text, structures and candidate lists.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(ABC):
    """Base of all specs. `unit` and `description` are for people."""

    description: str = ""
    unit: str = ""
    optional: bool = False

    def fault(self, value: Any, *, thorough: bool = True) -> str | None:
        """Why `value` does not fit, or None. Not `thorough`: by its form alone, whatever its numbers and items are."""
        if value is None:
            return None if self.optional else "is missing"
        return self._fault(value, thorough)

    @abstractmethod
    def _fault(self, value: Any, thorough: bool) -> str | None: ...

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Any:
        """A random value that fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSpec(Spec):
    """A numpy array of fixed shape and dtype, values within [low, high]. `encoding` may allow lossy jpeg."""

    shape: tuple[int, ...]
    dtype: str
    low: float = -math.inf
    high: float = math.inf

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, np.ndarray):
            return f"must be an array, not {type(value).__name__}"
        if value.shape != self.shape or value.dtype != np.dtype(self.dtype):
            return f"must be {self.dtype}{list(self.shape)}, not {value.dtype}{list(value.shape)}"
        if thorough and value.size and not (self.low <= value.min() and value.max() <= self.high):
            return f"must lie in [{self.low:g}, {self.high:g}]"
        return None

    def sample(self, rng: np.random.Generator) -> Any:
        low, high = max(self.low, -1e3), min(self.high, 1e3)
        if np.dtype(self.dtype).kind in "iu":
            return rng.integers(int(low), int(high), self.shape, self.dtype, endpoint=True)
        return rng.uniform(low, high, self.shape).astype(self.dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpec(Spec):
    """A string of at most `max_length` characters. `is_node`: a graph node's id, which disclosure may hide."""

    max_length: int = 100_000
    is_node: bool = False

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, str):
            return f"must be a string, not {type(value).__name__}"
        return None if len(value) <= self.max_length else f"is longer than {self.max_length} characters"

    def sample(self, rng: np.random.Generator) -> Any:
        return "".join(rng.choice(list("abc 走到厨房\n"), int(rng.integers(0, 20))))


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberSpec(Spec):
    """One float within [low, high]."""

    low: float = -math.inf
    high: float = math.inf

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"must be a number, not {type(value).__name__}"
        return None if self.low <= value <= self.high else f"must lie in [{self.low:g}, {self.high:g}]"

    def sample(self, rng: np.random.Generator) -> Any:
        return float(rng.uniform(max(self.low, -1e3), min(self.high, 1e3)))


@dataclass(frozen=True, slots=True, kw_only=True)
class StructSpec(Spec):
    """Named parts, each with a spec of its own."""

    parts: Mapping[str, Spec] = field(default_factory=dict)

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, Mapping):
            return f"must be an object, not {type(value).__name__}"
        if unknown := value.keys() - self.parts.keys():
            return f"has unknown parts {sorted(unknown)}"
        for name, part in self.parts.items():
            if fault := part.fault(value.get(name), thorough=thorough):
                return f"{name} {fault}"
        return None

    def sample(self, rng: np.random.Generator) -> Any:
        return {name: part.sample(rng) for name, part in self.parts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSpec(Spec):
    """Up to `max_items` values of one spec: the navigable viewpoints of a graph, the words of a sentence."""

    item: Spec
    max_items: int = 10_000

    def _fault(self, value: Any, thorough: bool) -> str | None:
        if not isinstance(value, Sequence) or isinstance(value, str):
            return f"must be a list, not {type(value).__name__}"
        if len(value) > self.max_items:
            return f"has more than {self.max_items} items"
        faults = ((index, self.item.fault(item)) for index, item in enumerate(value))
        return next((f"[{index}] {fault}" for index, fault in faults if fault), None) if thorough else None

    def sample(self, rng: np.random.Generator) -> Any:
        return [self.item.sample(rng) for _ in range(int(rng.integers(0, 4)))]
