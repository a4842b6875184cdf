"""Paired tests against scipy.stats, and runs that must not be compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import (
    RunRecords,
    cluster_bootstrap,
    compare,
    difference,
    holm,
    mcnemar,
    permutation,
)

PROFILE = {"profile": "r2r-ce@1", "renderer": "cpu"}


def run(name: str, values: Any, metric: str = "spl", **metadata: str) -> RunRecords:
    episodes = {(f"scene{i % 5}", str(i)): {metric: float(value)} for i, value in enumerate(values)}
    return RunRecords(name, episodes, PROFILE | metadata)


@given(a=st.integers(0, 3000), b=st.integers(0, 3000))
@settings(deadline=None)
def test_mcnemar_equals_the_binomial_test(a: int, b: int) -> None:
    expected = stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-9, abs=1e-250)


@given(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=9))
@settings(deadline=None)
def test_few_differences_are_permuted_exactly(differences: list[float]) -> None:
    expected = stats.permutation_test(
        (differences, np.zeros(len(differences))), lambda x, y: np.mean(x - y), permutation_type="samples",
        n_resamples=np.inf,
    ).pvalue if len(differences) > 1 else 1.0  # fmt: skip
    assert permutation(differences) == pytest.approx(expected)


def test_many_differences_agree_with_scipy() -> None:
    differences = np.random.default_rng(3).normal(0.12, 1.0, 200)
    expected = stats.permutation_test(
        (differences, np.zeros(200)), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=20_000, rng=np.random.default_rng(0),
    ).pvalue  # fmt: skip
    assert permutation(differences) == pytest.approx(expected, abs=0.015)
    assert permutation(differences, seed=1) == permutation(differences, seed=1)


def test_permutation_at_the_ends() -> None:
    assert permutation([]) == permutation([0.0, 0.0]) == 1.0
    assert permutation([1.0]) == 1.0
    assert permutation(np.ones(13)) == 2 / 2**13
    assert permutation(np.ones(500)) == 1 / 10_001


def test_cluster_bootstrap_draws_scenes_whole() -> None:
    generator = np.random.default_rng(2)
    scenes = np.repeat(np.arange(40), 10)
    values = generator.normal(0.3, 1.0, 40)[scenes] + generator.normal(0, 0.1, 400)
    low, high = cluster_bootstrap(values, scenes) or (0.0, 0.0)
    expected = 1.96 * values.reshape(40, 10).mean(axis=1).std() / math.sqrt(40)
    assert (high - low) / 2 == pytest.approx(expected, rel=0.1)
    assert low < values.mean() < high
    narrow = cluster_bootstrap(values, np.zeros(400)) or (0.0, 0.0)
    assert narrow[1] - narrow[0] < (high - low) / 2
    assert cluster_bootstrap([1.0], ["a"]) is None


def test_holm_is_the_step_down_correction() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=12))
@settings(deadline=None)
def test_holm_never_lowers_a_p_and_keeps_their_order(ps: list[float]) -> None:
    adjusted = holm(ps)
    assert all(p <= q <= 1.0 for p, q in zip(ps, adjusted))
    assert all(adjusted[i] <= adjusted[j] for i in range(len(ps)) for j in range(len(ps)) if ps[i] < ps[j])


def test_a_metric_of_zeros_and_ones_gets_mcnemar() -> None:
    a, b = [1, 1, 0, 0, 1, 0, 0, 0], [1, 0, 1, 1, 1, 1, 1, 1]
    (found,) = compare([run("old", a, "success"), run("new", b, "success")])
    assert (found.test, found.only_first, found.only_second) == ("mcnemar", 1, 5)
    assert found.p == pytest.approx(stats.binomtest(1, 6).pvalue)
    assert found.difference == pytest.approx(0.5)
    assert (found.first, found.second) == ("old", "new")


def test_other_metrics_get_a_permutation_and_leave_the_unreachable_out() -> None:
    a = [5.0, 6.0, math.inf, 3.0, 8.0, 4.0]
    b = [4.0, 5.5, 1.0, 2.0, math.nan, 3.5]
    (found,) = compare([run("a", a, "navigation_error"), run("b", b, "navigation_error")])
    assert (found.test, found.n, found.n_nonfinite) == ("permutation", 4, 2)
    assert found.difference == pytest.approx(-0.75)
    assert found.p == pytest.approx(2 / 2**4)
    assert found.ci95 is not None
    assert found.ci95[1] < 0


def test_nothing_finite_says_nothing() -> None:
    found = difference(run("a", [math.inf]), run("b", [1.0]), "spl")
    assert (found.p, found.difference, found.ci95, found.n, found.n_nonfinite) == (None, None, None, 0, 1)


def test_three_runs_are_compared_in_pairs_with_one_correction() -> None:
    generator = np.random.default_rng(0)
    base = generator.random(60)
    runs = [run(name, base + shift + generator.normal(0, 0.1, 60)) for name, shift in zip("abc", (0, 0.01, 0.3))]
    found = compare(runs)
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.p_holm for one in found] == holm([one.p or 0.0 for one in found])
    assert compare(runs, seed=3) == compare(runs, seed=3)


def test_a_run_equals_itself() -> None:
    (found,) = compare([run("a", [0.5, 0.2, 0.9]), run("b", [0.5, 0.2, 0.9])])
    assert (found.p, found.difference, found.ci95) == (1.0, 0.0, (0.0, 0.0))


def test_only_numbers_that_every_episode_has_are_compared() -> None:
    rows: Any = {("s", "1"): {"spl": 1.0, "trajectory": [], "extra": 2.0}, ("s", "2"): {"spl": 0.5, "trajectory": []}}
    assert [one.metric for one in compare([RunRecords("a", rows), RunRecords("b", rows)])] == ["spl"]
    assert compare([RunRecords("a", rows), RunRecords("b", rows)], ["trajectory"]) == []
    with pytest.raises(RunDirectoryError, match="no metric 'extra'"):
        compare([RunRecords("a", rows), RunRecords("b", rows)], ["extra"])


@pytest.mark.parametrize(
    ("metadata", "named"),
    [
        ({"renderer": "gpu"}, "renderer is 'cpu'.*'gpu'"),
        ({"profile": "r2r-ce@2"}, "profile"),
        ({"split": "x"}, "split"),
    ],
)
def test_runs_under_other_rules_are_refused(metadata: dict[str, str], named: str) -> None:
    with pytest.raises(RunDirectoryError, match=named):
        compare([run("a", [1.0, 2.0]), run("b", [1.0, 2.0], **metadata)])


def test_a_run_that_drew_nothing_stands_beside_any() -> None:
    blind = RunRecords("b", run("b", [1.0, 2.0]).episodes, metadata=PROFILE | {"renderer": None})
    assert compare([run("a", [1.0, 2.0]), blind])


def test_files_agree_where_both_runs_read_them() -> None:
    def with_files(name: str, **files: str) -> RunRecords:
        return run(name, [1.0, 2.0], assets_sha256=files)  # type: ignore[arg-type]

    assert compare([with_files("a", navmesh="x", scene="y"), with_files("b", navmesh="x")])
    with pytest.raises(RunDirectoryError, match="assets_sha256"):
        compare([with_files("a", navmesh="x", scene="y"), with_files("b", navmesh="z")])


def test_runs_over_other_episodes_are_refused() -> None:
    with pytest.raises(RunDirectoryError, match=r"b lacks 5 of a's episodes: scene0/5, scene1/6, scene2/2 and 2 more"):
        compare([run("a", range(7)), run("b", range(2))])
    with pytest.raises(RunDirectoryError, match="a lacks 1 of b's episodes: scene2/2"):
        compare([run("a", range(2)), run("b", range(3))])
    with pytest.raises(RunDirectoryError, match="at least two"):
        compare([run("a", [1.0])])
    with pytest.raises(RunDirectoryError, match="no finished episode"):
        compare([run("a", []), run("b", [])])
