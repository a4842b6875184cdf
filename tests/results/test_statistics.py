"""Intervals against scipy.stats, a sandwich estimator written with matrices, and coverage by simulation."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval.core.definitions import Definition
from nav_eval.results.statistics import bootstrap, bounded, clustered, student, summarise, summarise_metric, wilson

RATE, MEAN, SHARE = Definition(kind="rate"), Definition(), Definition(unit="share")


@given(n=st.integers(1, 60_000), data=st.data())
@settings(deadline=None)
def test_wilson_equals_scipy(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    expected = scipy.stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def test_wilson_at_the_ends() -> None:
    assert wilson(0, 0) is None
    low, high = wilson(0, 10) or (1.0, 1.0)
    assert (low, round(high, 4)) == (0.0, 0.2775)
    low, high = wilson(10, 10) or (0.0, 0.0)
    assert (round(low, 4), high) == (0.7225, 1.0)


def sandwich(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Cluster-robust least squares of values on a constant: (X'X)^-1 (sum of X'uu'X) (X'X)^-1, as Stata scales it."""
    design = np.ones((values.size, 1))
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ values
    residuals = values - design @ beta
    parts = [design[clusters == c].T @ residuals[clusters == c] for c in np.unique(clusters)]
    groups = len(parts)
    covariance = bread @ sum(np.outer(part, part) for part in parts) @ bread * groups / (groups - 1)
    low, high = scipy.stats.t.interval(0.95, groups - 1, loc=beta[0], scale=math.sqrt(covariance[0, 0]))
    return float(low), float(high)


@given(st.integers(0, 10_000))
@settings(deadline=None)
def test_clustered_equals_the_sandwich_estimator(seed: int) -> None:
    generator = np.random.default_rng(seed)
    clusters = generator.integers(0, int(generator.integers(2, 12)), 60)
    clusters = np.unique(clusters, return_inverse=True)[1]
    values = generator.normal(size=60) + clusters
    assert clustered(values, clusters) == pytest.approx(sandwich(values, clusters), rel=1e-9)


def test_one_episode_per_scene_is_the_usual_t_interval() -> None:
    values = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    expected = scipy.stats.t.interval(0.95, 4, loc=values.mean(), scale=scipy.stats.sem(values))
    assert clustered(values, np.arange(5)) == pytest.approx(expected)
    assert clustered(values, np.zeros(5, dtype=int)) is None


@pytest.mark.parametrize("freedom", [*range(1, 200), 500, 1001, 20_000])
def test_student_equals_scipy(freedom: int) -> None:
    assert student(freedom) == pytest.approx(scipy.stats.t.ppf(0.975, freedom), rel=1e-11)


@pytest.mark.parametrize("sure", [0.5, 0.9, 0.99, 1 - 0.05 / 190, 1 - 0.05 / 1225])
def test_student_equals_scipy_at_every_level(sure: float) -> None:
    for freedom in (1, 2, 3, 4, 10, 59, 400):
        assert student(freedom, sure) == pytest.approx(scipy.stats.t.ppf((1 + sure) / 2, freedom), rel=1e-8)


@given(st.floats(0, 1), st.floats(0, 50))
def test_an_interval_of_a_share_stays_between_its_ends(mean: float, half: float) -> None:
    low, high = bounded(mean, half if 0 < mean < 1 else 0.0, 0.0, 1.0)
    assert 0 <= low <= mean <= high <= 1


@given(st.floats(1e-3, 1e3), st.floats(0, 1e3))
def test_an_interval_of_a_length_stays_above_nothing(mean: float, half: float) -> None:
    low, high = bounded(mean, half, 0.0, math.inf)
    assert 0 <= low <= mean <= high
    assert bounded(mean, half, -math.inf, math.inf) == (mean - half, mean + half)


def test_a_bounded_interval_is_wilson_of_its_own_error() -> None:
    for won, n in ((1, 20), (10, 20), (57, 60)):
        rate = won / n
        half = 1.959963984540054 * math.sqrt(rate * (1 - rate) / n)
        assert bounded(rate, half, 0.0, 1.0) == pytest.approx(wilson(won, n))
        low, high = bounded(2 * rate - 1, 2 * half, -1.0, 1.0)
        assert ((low + 1) / 2, (high + 1) / 2) == pytest.approx(wilson(won, n))


def test_a_rate_of_few_buildings_ends_where_rates_do() -> None:
    """On the terminal of a trial: [-0.118, 0.252]."""
    values, scenes = [1.0] * 4 + [0.0] * 56, [f"s{i // 12}" for i in range(60)]
    for kind in (RATE, SHARE):
        low, high = summarise(values, scenes, kind).ci95_scenes or (-1.0, -1.0)
        assert 0 <= low < 4 / 60 < high <= 1


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_buildings_that_all_agree_count_once_each(value: float) -> None:
    """As scipy has it for so many observations, at the confidence whose normal quantile is Student's t."""
    for buildings in (4, 6, 40):
        t = scipy.stats.t(buildings - 1).ppf(0.975)
        one_each = scipy.stats.binomtest(int(value * buildings), buildings)
        expected = one_each.proportion_ci(2 * scipy.stats.norm.cdf(t) - 1, method="wilson")
        values, scenes = [value] * 6 * buildings, [str(i) for i in range(buildings)] * 6
        for kind in (RATE, SHARE):
            assert summarise(values, scenes, kind).ci95_scenes == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert summarise([value] * 6, list("ababab"), MEAN).ci95_scenes == (value, value), "what has no end may scatter so"


def test_none_of_a_few_buildings_holds_the_truth_as_often_as_it_says() -> None:
    """Buildings where an agent always or never arrives: with six of them, none in two is seen every other time."""
    generator = np.random.default_rng(3)
    for truth in (0.05, 0.1, 0.2, 0.3):
        held = 0
        for drawn in generator.random((1000, 6)) < truth:
            low, high = clustered(np.repeat(drawn, 6), np.repeat(np.arange(6), 6), (0.0, 1.0)) or (1.0, 0.0)
            held += low <= truth <= high
        assert held / 1000 >= 0.9, truth


def test_bootstrap_agrees_with_scipy() -> None:
    values = np.random.default_rng(5).gamma(2.0, size=400)
    expected = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    low, high = bootstrap(values, resamples=20_000) or (0.0, 0.0)
    width = expected.high - expected.low
    assert abs(low - expected.low) < 0.03 * width
    assert abs(high - expected.high) < 0.03 * width


def test_bootstrap_depends_on_the_seed_and_not_on_the_order() -> None:
    values = np.random.default_rng(5).random(300)
    assert bootstrap(values, seed=1) == bootstrap(values[::-1], seed=1) != bootstrap(values, seed=2)
    assert bootstrap([3.0]) is None
    assert bootstrap([]) is None
    assert bootstrap([2.0, 2.0, 2.0]) == (2.0, 2.0)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(8)
    scenes = np.repeat(np.arange(11), 8)
    held = {"clustered": 0, "bootstrap": 0}
    for _ in range(400):
        values = generator.normal(size=11)[scenes] + generator.normal(size=88)
        low, high = clustered(values, scenes) or (1.0, 0.0)
        held["clustered"] += low <= 0 <= high
        low, high = bootstrap(values, resamples=200) or (1.0, 0.0)
        held["bootstrap"] += low <= 0 <= high
    assert 0.91 <= held["clustered"] / 400 <= 0.98
    # Scenes that go together are why the interval that takes episodes for independent is not the only one.
    assert held["bootstrap"] / 400 < 0.8


def test_a_summary_counts_what_it_leaves_out() -> None:
    summary = summarise([1.0, math.inf, 3.0, math.nan, -math.inf], ["a", "a", "b", "b", "c"])
    assert (summary.mean, summary.n, summary.n_nonfinite, summary.n_scenes) == (2.0, 2, 3, 2)
    assert summary.ci95_scenes is not None


@pytest.mark.parametrize("kind", [RATE, MEAN])
def test_degenerate_sizes(kind: Definition) -> None:
    empty = summarise([], [], kind)
    assert (empty.mean, empty.ci95, empty.ci95_scenes, empty.n, empty.n_nonfinite) == (None, None, None, 0, 0)
    lost = summarise([math.inf, math.inf], ["a", "b"], kind)
    assert (lost.mean, lost.ci95, lost.n, lost.n_nonfinite) == (None, None, 0, 2)
    one = summarise([1.0], ["a"], kind)
    assert (one.mean, one.n, one.ci95_scenes) == (1.0, 1, None)
    assert (one.ci95 is None) == (kind == MEAN)
    assert summarise([1.0, 0.0], ["a", "a"], kind).ci95_scenes is None


def test_the_mean_does_not_depend_on_the_order() -> None:
    values = np.random.default_rng(1).lognormal(sigma=8, size=2000).tolist()
    scenes = [f"s{i % 7}" for i in range(2000)]
    assert summarise(values, scenes).mean == summarise(values[::-1], scenes[::-1]).mean


def test_the_kind_chooses_the_method_and_the_answer_is_json() -> None:
    document = summarise_metric(RATE, [1.0, 0.0, 1.0], ["a", "b", "b"])
    assert json.loads(json.dumps(document))["method"] == "wilson"
    assert {"mean", "ci95", "n", "n_nonfinite"} <= document.keys()
    assert document["ci95"] == pytest.approx(wilson(2, 3))
    other = summarise_metric(MEAN, [1.0, 0.0, 1.0], ["a", "b", "b"], seed=4)
    assert other["method"] == "bootstrap"
    assert other["ci95"] == bootstrap([1.0, 0.0, 1.0], seed=4)


def test_a_rate_that_is_none_gets_no_interval_of_a_rate() -> None:
    """Records of a metric that was no rate when they were made: Wilson's interval would be far too narrow or wide."""
    values = [0.5, 1.0, 0.0, 0.5]
    assert summarise(values, ["a"] * 4, RATE).ci95 == bootstrap(values)
    assert summarise(values, ["a"] * 4, RATE).method == "bootstrap"
    assert summarise([1.0, math.inf, 0.0], ["a"] * 3, RATE).method == "wilson"
