"""The table of figures on a terminal."""

from __future__ import annotations

import re

import pytest

from nav_eval.cli.table import metrics_table
from nav_eval.core.definitions import Definition
from nav_eval.results.statistics import summarise_metric


def document(scenes: int) -> dict[str, object]:
    """Of a run in which everything succeeds in every other building, four episodes in each."""
    values = [float(scene % 2) for scene in range(scenes) for _ in range(4)]
    labels = [str(scene) for scene in range(scenes) for _ in range(4)]
    head = {"benchmark": "b", "split": "s", "profile": {"name": "p", "version": 1}, "statuses": {}, "notes": []}
    counts = {"n_episodes": len(values), "n_failed": 0}
    return {**head, **counts, "metrics": {"success": summarise_metric(Definition(kind="rate"), values, labels)}}


@pytest.mark.parametrize(("scenes", "intervals"), [(4, 1), (10, 2)])
def test_with_buildings_enough_there_is_an_interval_for_other_buildings_too(scenes, intervals):
    row = metrics_table(document(scenes)).splitlines()[1]
    found = [tuple(map(float, pair)) for pair in re.findall(r"\[ *([-.\d]+), *([-.\d]+)\]", row)]
    assert len(found) == intervals
    assert ("other buildings" in row) == (intervals == 2)
    assert all(wide[1] - wide[0] > found[0][1] - found[0][0] for wide in found[1:])


def test_answers_that_an_agent_could_not_read_are_no_cost():
    def told(unreadable):
        usage = {"unreadable": unreadable, "per_episode": {"requests": 5.0, "unreadable": unreadable / 4}}
        return metrics_table({**document(4), "usage": usage}).splitlines()[2:]

    assert told(0) == ["  usage per episode: requests 5"]
    assert told(6) == [*told(0), "  answers of its model that the agent could not read: 6; what it did instead counts"]
