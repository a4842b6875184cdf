"""What is left under perturbation, against sums done by hand and against every possible draw."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from nav_eval.core.definitions import Definition
from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import RunRecords, difference
from nav_eval_extras.sweep.costs import Cell, retained, robustness


def run(name, values, scenes="aabb"):
    episodes = {(scene, str(n)): {"success": float(v)} for n, (scene, v) in enumerate(zip(scenes, values, strict=True))}
    return RunRecords(name, episodes, {}, {"success": Definition(kind="rate")})


def test_one_number_is_the_mean_of_ratios():
    """rPC: severities 2/4 and 1/4 of a clean 3/4 leave 2/3 and 1/3, the mean 1/2; with an axis of 1 it is 3/4."""
    axis = [[1, 1, 0, 0], [1, 0, 0, 0]]
    clean = [1, 1, 1, 0]
    assert retained(clean, [axis], list("aabb")).value == pytest.approx(1 / 2)
    assert retained(clean, [axis, [clean]], list("aabb")).value == pytest.approx(3 / 4)
    assert retained(clean, [axis, [clean, clean, clean]], list("aabb")).value == pytest.approx(3 / 4)


def test_the_interval_draws_buildings_whole_and_episodes_in_pairs():
    """Three buildings can be drawn in 27 ways; the percentiles of those are known exactly."""
    generator = np.random.default_rng(3)
    scenes = np.repeat(list("abc"), (2, 5, 3))
    clean, hard = generator.random(10) + 0.5, generator.random(10)
    ratios = []
    for draw in itertools.product("abc", repeat=3):
        rows = np.concatenate([np.flatnonzero(scenes == scene) for scene in draw])
        ratios.append(hard[rows].sum() / clean[rows].sum())
    found = retained(clean, [[hard]], scenes).ci95
    assert found == pytest.approx((min(ratios), max(ratios)))  # each of weight 1/27 > 2.5 %


@pytest.mark.parametrize("clean", [[0, 0, 0, 0], [math.inf, 1, 1, 1]])
def test_nothing_is_said_where_nothing_can_be(clean):
    found = retained(clean, [[[1, 0, 0, 0]]], list("aabb"))
    assert (found.value, found.ci95) == (None, None)


def test_no_interval_where_too_many_draws_have_nothing_to_lose():
    assert retained([1, 1, 0, 0], [[[1, 0, 0, 0]]], list("aabb")).ci95 is None
    assert retained([1], [[[1]]], ["a"]).ci95 is None


def test_cells_are_the_comparison_of_two_runs_and_p_counts_all_of_them():
    clean, mild, hard = run("clean", [1, 1, 1, 0]), run("x-1", [1, 1, 0, 0]), run("x-2", [0, 0, 0, 0])
    document = robustness(clean, [Cell("x", 1, mild, 3), Cell("x", 2, hard)], ["success"], ["success"])
    first, second = document["axes"][0]["cells"]
    row = difference(clean, hard, "success")
    assert second["metrics"]["success"]["difference"] == row.difference == -0.75
    assert second["metrics"]["success"]["ci95"] == row.ci95
    ps = [first["metrics"]["success"]["p"], second["metrics"]["success"]["p"]]
    assert second["metrics"]["success"]["p_holm"] == min(1.0, 2 * min(ps))
    assert (first["reworded"], "reworded" in second) == (3, False)
    assert document["retained"]["success"]["value"] == pytest.approx((2 / 3 + 0) / 2)


def test_a_cell_of_other_episodes_is_refused():
    with pytest.raises(RunDirectoryError, match="lacks 1 of clean's"):
        robustness(run("clean", [1, 1], "ab"), [Cell("x", 1, run("x-1", [1], "a"))], ["success"], [])
