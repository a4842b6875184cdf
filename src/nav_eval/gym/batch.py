"""Observations of environments side by side, written straight into arrays of (num_envs, ...).

An array that is handed out is written again when nobody refers to it any more, so that a loop which lets go of its
observations costs no fresh memory; what stays the same through an episode, its text, is packed once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from nav_eval.engine.render.recycle import ArrayPool
from nav_eval.gym.forms import Form


class Column(ABC):
    """One observation of all environments."""

    @abstractmethod
    def filled(self, values: Sequence[Any]) -> Any:
        """Arrays of the form's space with a first axis more."""


def column(form: Form, count: int, pool: ArrayPool | None) -> Column:
    """`pool`: where arrays come from that are handed out; None: one array for all steps."""
    if form.parts is not None:
        return _Struct({name: column(part, count, pool) for name, part in form.parts.items()})
    if form.steady:
        return _Steady(form, count, copy=pool is not None)
    if form.space.shape is None:
        return _Nested(form, count)
    return _Array(form, count, pool)


class _Struct(Column):
    def __init__(self, parts: dict[str, Column]) -> None:
        self._parts = parts

    def filled(self, values: Sequence[Any]) -> Any:
        rows = [value or {} for value in values]
        return {name: part.filled([row.get(name) for row in rows]) for name, part in self._parts.items()}


class _Array(Column):
    def __init__(self, form: Form, count: int, pool: ArrayPool | None) -> None:
        space: Any = batch_space(form.space, count)
        self._pack, self._shape, self._dtype = form.pack, space.shape, space.dtype
        self._pool = pool
        self._own = None if pool else np.zeros(self._shape, self._dtype)

    def filled(self, values: Sequence[Any]) -> Any:
        array = self._own if self._pool is None else self._pool.take(self._shape, self._dtype)
        assert array is not None
        for place, value in enumerate(values):
            array[place] = self._pack(value)
        return array


class _Steady(Column):
    def __init__(self, form: Form, count: int, *, copy: bool) -> None:
        space: Any = batch_space(form.space, count)
        self._pack = form.pack
        self._array = np.zeros(space.shape, space.dtype)
        self._held: list[Any] = [None] * count
        self._copy = copy

    def filled(self, values: Sequence[Any]) -> Any:
        for place, value in enumerate(values):
            if value != self._held[place]:
                self._array[place] = self._pack(value)
                self._held[place] = value
        return self._array.copy() if self._copy else self._array


class _Nested(Column):
    def __init__(self, form: Form, count: int) -> None:
        self._form, self._count = form, count

    def filled(self, values: Sequence[Any]) -> Any:
        empty: Any = create_empty_array(self._form.space, self._count, np.zeros)
        return concatenate(self._form.space, [self._form.pack(value) for value in values], empty)
