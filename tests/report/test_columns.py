"""Results as columns and values on the disk are what went in, whatever it was."""

from __future__ import annotations

import math
from threading import Thread

import numpy as np
import pytest

from nav_eval.core.numbers import numbers_of
from nav_eval.core.types import EpisodeResult
from nav_eval.report.figures import numbers
from nav_eval.report.result_columns import ResultColumns
from nav_eval.report.scenery import EpisodeFacts, _flat_facts, _whole_facts
from nav_eval.report.spooled import MAX_BYTES, Spooled
from nav_eval.report.track import Track, flat_track, whole_track
from nav_eval_sdk.protocol.usage import Usage


def result(name: str, metrics: dict[str, object], **told: object) -> EpisodeResult:
    return EpisodeResult("home", name, "ok", None, metrics, 3, {"wall": 1.5}, **told)  # type: ignore[arg-type]


RESULTS = [
    result("a", {"success": 1.0, "path": [1, 2]}, reference="gt"),
    result("b", {}, unmeasured={"spl": "why"}),
    result("c", {"spl": 0.25, "error": math.inf, "contacts": {"n": 3, "with": "wall"}}, usage=Usage(input_tokens=7)),
    result("b", {"success": 0.0}),
    result("d", {"success": False, "spl": -0.0}, unmeasured={"x": "y"}, usage=Usage(input_tokens=1)),
]
FIELDS = ("scene_id", "episode_id", "status", "failure_reason", "steps", "unmeasured", "reference", "usage")


def test_results_as_columns_are_the_results_and_the_last_of_an_episode_counts() -> None:
    plain = {(one.scene_id, one.episode_id): one for one in RESULTS}
    columns = ResultColumns(RESULTS)
    assert list(columns) == list(plain)
    for key, one in plain.items():
        again = columns[key]
        assert [getattr(again, name) for name in FIELDS] == [getattr(one, name) for name in FIELDS]
        assert (dict(again.metrics), dict(again.timing)) == (numbers_of(one.metrics), dict(one.timing))
        assert [again.metrics.get(name) for name in ("spl", "nothing")] == [one.metrics.get("spl"), None]
    with pytest.raises(KeyError):
        columns["home", "z"]


def test_a_column_is_in_the_order_of_the_episodes_that_are_asked_for() -> None:
    class Run:
        results = ResultColumns(RESULTS)

    keys = [("home", name) for name in "dxa"]
    found = numbers(Run(), keys, ["success", "none"])  # type: ignore[arg-type]
    np.testing.assert_array_equal(found["success"], [0.0, np.nan, 1.0])
    np.testing.assert_array_equal(found["none"], [np.nan] * 3)
    whole = numbers(Run(), list(Run.results), ["success"])  # type: ignore[arg-type]
    np.testing.assert_array_equal(whole["success"], [1.0, 0.0, np.nan, 0.0])


@pytest.mark.parametrize("size", [10, MAX_BYTES // 3])
def test_values_are_what_was_put_last_in_memory_and_on_the_disk(size: int) -> None:
    spooled: Spooled[str, str] = Spooled({name: row for row, name in enumerate("abcdef")}, str.encode, bytes.decode)
    for name in "fabc":
        spooled.put(name, name * size)
    spooled.put("b", "again")
    spooled.put("c", None)
    assert dict(spooled) == {"a": "a" * size, "b": "again", "f": "f" * size}
    assert (len(spooled), "d" in spooled, "c" in spooled) == (3, False, False)


def test_values_are_read_by_several_threads() -> None:
    spooled: Spooled[int, int] = Spooled({row: row for row in range(2000)}, int, int)
    wrong: list[int] = []
    for row in range(2000):
        spooled.put(row, row)
    threads = [Thread(target=lambda: wrong.extend(row for row, value in spooled.items() if row != value)) for _ in "12"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_tracks_and_facts_come_back_whole() -> None:
    points = np.arange(6, dtype=np.int32).reshape(2, 3)
    latency = np.array([0.1], np.float32)
    track = Track(points, np.array([3, -4], np.int16), "f", (0,), latency, (points,), ((0, "half \ud83d"),))
    facts = EpisodeFacts("half \ud83d", "zh", None, points, "gt", points[:0], math.inf, (("left", 0.5),))
    for one, again in ((track, whole_track(flat_track(track))), (facts, _whole_facts(_flat_facts(facts)))):
        for name in type(one).__slots__:
            np.testing.assert_equal(getattr(again, name), getattr(one, name))
