"""The results of a run as columns: one episode's are 150 bytes so, a KB as objects; a figure reads its column alone."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from sys import intern
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nav_eval.core.numbers import numbers_of
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey

Floats: TypeAlias = npt.NDArray[np.float64]
NONE: Mapping[str, str] = MappingProxyType({})


class ResultColumns(Mapping[EpisodeKey, EpisodeResult]):
    """Of results that are the same episode's the last counts. Of metrics and timing the numbers are kept.

    >>> columns = ResultColumns([EpisodeResult("home", "7", "ok", None, {"success": 1.0}, 12, {})])
    >>> columns["home", "7"].steps, columns.metric("success").tolist()
    (12, [1.0])
    """

    def __init__(self, results: Iterable[EpisodeResult]) -> None:
        self.rows: dict[EpisodeKey, int] = {}
        self._told: list[tuple[Any, ...]] = []
        self._seldom: dict[int, tuple[Any, ...]] = {}
        self._metrics, self._timing = _Numbers(), _Numbers()
        same: dict[Any, Any] = {}
        for result in results:
            self._store(result, same)

    @classmethod
    def of(cls, results: Mapping[EpisodeKey, EpisodeResult]) -> ResultColumns:
        return results if isinstance(results, cls) else cls(results.values())

    def _store(self, result: EpisodeResult, same: dict[Any, Any]) -> None:
        key = (intern(result.scene_id), result.episode_id)
        row = self.rows.setdefault(key, len(self.rows))
        told = (result.status, result.failure_reason, result.steps, result.reference)
        self._told[row : row + 1] = [same.setdefault(told, told)]
        self._seldom.pop(row, None)
        if result.unmeasured or result.usage:
            self._seldom[row] = (result.unmeasured, result.usage)
        self._metrics.put(row, result.metrics)
        self._timing.put(row, result.timing)

    def __getitem__(self, key: EpisodeKey) -> EpisodeResult:
        row = self.rows[key]
        status, reason, steps, reference = self._told[row]
        unmeasured, usage = self._seldom.get(row, (NONE, None))
        metrics, timing = _Row(self._metrics.columns, row), _Row(self._timing.columns, row)
        return EpisodeResult(
            *key, status, reason, metrics, steps, timing, unmeasured=unmeasured, reference=reference, usage=usage
        )

    def __iter__(self) -> Iterator[EpisodeKey]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def metric(self, name: str) -> Floats:
        """(N,) in the order of the results; NaN where an episode has no such number, inf where it is not finite."""
        column = self._metrics.columns.get(name)
        return np.full(len(self), np.nan) if column is None else np.asarray(column)


class _Numbers:
    """Columns of numbers by name, as long as there are rows; NaN is none."""

    def __init__(self) -> None:
        self.columns: dict[str, array[float]] = {}
        self._length = 0

    def put(self, row: int, values: Mapping[str, Any]) -> None:
        """The numbers of a row that is there, or of the next one."""
        numbers = numbers_of(values)
        if row == self._length:
            self._length += 1
            for column in self.columns.values():
                column.append(math.nan)
        for name in numbers:
            if name not in self.columns:
                self.columns[name] = array("d", [math.nan]) * self._length
        for name, column in self.columns.items():
            number = numbers.get(name)
            column[row] = math.nan if number is None else math.inf if math.isnan(number) else number


class _Row(Mapping[str, float]):
    """The numbers of one row."""

    __slots__ = ("_columns", "_row")

    def __init__(self, columns: Mapping[str, array[float]], row: int) -> None:
        self._columns, self._row = columns, row

    def __getitem__(self, name: str) -> float:
        number = self._columns[name][self._row]
        if math.isnan(number):
            raise KeyError(name)
        return number

    def __iter__(self) -> Iterator[str]:
        return (name for name, column in self._columns.items() if not math.isnan(column[self._row]))

    def __len__(self) -> int:
        return sum(1 for _ in self)
