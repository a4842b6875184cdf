"""Paired tests against scipy.stats, and runs that must not be compared."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval.core.definitions import Definition
from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import RunRecords, compare, difference
from nav_eval.results.paired import mcnemar, permutation, permutation_interval
from nav_eval.results.seeds import grouped
from nav_eval_extras.sweep.costs import holm

SHARE = {"spl": Definition(unit="share")}
PROFILE = {"profile": "r2r-ce@1", "renderer": "cpu"}


def run(name: str, values: Any, metric: str = "spl", **metadata: str) -> RunRecords:
    episodes = {(f"scene{i % 5}", str(i)): {metric: float(value)} for i, value in enumerate(values)}
    return RunRecords(name, episodes, PROFILE | metadata)


@given(a=st.integers(0, 3000), b=st.integers(0, 3000))
@settings(deadline=None)
def test_mcnemar_equals_the_binomial_test(a: int, b: int) -> None:
    expected = scipy.stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, rel=1e-9, abs=1e-250)


@given(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=9))
@settings(deadline=None)
def test_few_differences_are_permuted_exactly(differences: list[float]) -> None:
    expected = scipy.stats.permutation_test(
        (differences, np.zeros(len(differences))), lambda x, y: np.mean(x - y), permutation_type="samples",
        n_resamples=np.inf,
    ).pvalue if len(differences) > 1 else 1.0  # fmt: skip
    assert permutation(differences) == pytest.approx(expected)


@pytest.mark.parametrize("size", [14, 20, 40, 200])
@pytest.mark.parametrize("law", ["normal", "skewed", "mostly nothing", "whole numbers"])
def test_many_differences_agree_with_scipy(size: int, law: str) -> None:
    """The approximation stands beside 100,000 draws of the very distribution; those alone scatter by half a percent."""
    rng = np.random.default_rng([size, len(law)])
    differences = {
        "normal": rng.normal(0.3, 1.0, size),
        "skewed": rng.exponential(1.0, size) - 0.7,
        "mostly nothing": np.where(rng.random(size) < 0.4, rng.random(size) - 0.3, 0.0),
        "whole numbers": rng.integers(-3, 5, size).astype(float),
    }[law]
    expected = scipy.stats.permutation_test(
        (differences, np.zeros(size)), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=100_000, batch=5000, rng=np.random.default_rng(0),
    ).pvalue  # fmt: skip
    middle = expected > 0.2  # where nothing hangs on it, one large difference makes two hills of the distribution
    assert permutation(differences) == pytest.approx(expected, rel=0.04, abs=0.05 if middle else 0.002)


@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([0.95, 0.999]))
@settings(deadline=None, max_examples=60)
def test_the_interval_leaves_out_nothing_exactly_where_the_test_rejects(seed: int, size: int, sure: float) -> None:
    rng = np.random.default_rng(seed)
    differences = np.where(rng.random(size) < 0.6, rng.normal(rng.normal(0, 0.5), 1.0, size).round(1), 0.0)
    p = permutation(differences)
    found = permutation_interval(differences, sure, p)
    assert found is None or (p <= 1 - sure) == (not found[0] <= 0 <= found[1])
    assert found is None or min(differences.min(), 0) <= found[0] <= found[1] <= max(differences.max(), 0)


def test_the_interval_holds_what_the_test_would_not_reject() -> None:
    """By its definition (Hartigan 1969): shifted to either end, the differences are on the edge."""
    differences = np.random.default_rng(4).normal(0.2, 1.0, 50)
    low, high = permutation_interval(differences, 0.95, permutation(differences)) or (0.0, 0.0)
    for end, outward in ((low, -0.01), (high, 0.01)):
        assert permutation(differences - end) == pytest.approx(0.05, abs=1e-3)
        assert permutation(differences - end - outward) < 0.05
    expected = scipy.stats.t.interval(0.95, 49, loc=differences.mean(), scale=scipy.stats.sem(differences))
    assert (low, high) == pytest.approx(expected, abs=0.02)
    assert permutation_interval(np.ones(5) * [1, 2, 3, 4, 5], 0.95, 0.06) is None


def test_permutation_at_the_ends() -> None:
    assert permutation([]) == permutation([0.0, 0.0]) == 1.0
    assert permutation([1.0]) == 1.0
    assert permutation(np.ones(13)) == 2 / 2**13
    assert permutation(np.ones(500)) == pytest.approx(2 / 2.0**500)


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
    assert found.p == pytest.approx(scipy.stats.binomtest(1, 6).pvalue)
    assert found.difference == pytest.approx(0.5)
    assert (found.first, found.second) == ("old", "new")


def test_other_metrics_get_a_permutation_and_leave_the_unreachable_out() -> None:
    a = [5.0, 6.0, math.inf, 3.0, 8.0, 4.0]
    b = [4.0, 5.5, 1.0, 2.0, math.nan, 3.5]
    (found,) = compare([run("a", a, "navigation_error"), run("b", b, "navigation_error")])
    assert (found.test, found.n, found.n_nonfinite) == ("permutation", 4, 2)
    assert found.difference == pytest.approx(-0.75)
    assert found.p == pytest.approx(2 / 2**4)
    # Four differences are never sure, however large: there is no such interval.
    assert (found.ci95, found.sure) == (None, False)


def test_nothing_finite_says_nothing() -> None:
    found = difference(run("a", [math.inf]), run("b", [1.0]), "spl")
    assert (found.p, found.difference, found.ci95, found.n, found.n_nonfinite) == (None, None, None, 0, 1)


def test_pairs_that_are_judged_at_once_share_the_five_percent() -> None:
    generator = np.random.default_rng(0)
    base = generator.random(60)
    runs = [run(name, base + shift + generator.normal(0, 0.1, 60)) for name, shift in zip("abc", (0, 0.01, 0.3))]
    found = compare(runs)
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for one in found:
        alone = difference(*(next(r for r in runs if r.name == name) for name in (one.first, one.second)), "spl")
        assert (one.pairs, one.p, one.p_adjusted) == (3, alone.p, min(1.0, 3 * (alone.p or 0.0)))
        assert one.ci95 is not None
        assert alone.ci95 is not None
        assert one.ci95[0] < alone.ci95[0] < alone.ci95[1] < one.ci95[1]
        assert one.sure == (not one.ci95[0] <= 0 <= one.ci95[1]) == ((one.p_adjusted or 0.0) <= 0.05)


def clustered(seed: int, buildings: int, gap: float, spread: float = 0.1) -> list[RunRecords]:
    """Two runs of 12 episodes per building, whose difference changes from building to building."""
    rng = np.random.default_rng(seed)
    keys = [(f"b{b:02}", str(i)) for b in range(buildings) for i in range(12)]
    base = rng.random(len(keys)) * 0.4
    shift = gap + np.repeat(rng.normal(0, spread, buildings), 12) + rng.normal(0, 0.02, len(keys))
    values = (base, np.clip(base + shift, 0, 1))
    return [
        RunRecords(name, {k: {"spl": float(v)} for k, v in zip(keys, column)}, {}, SHARE)
        for name, column in zip("ab", values)
    ]


def test_other_buildings_equal_least_squares_with_clustered_errors() -> None:
    """By statsmodels' formula (CR1, t of G - 1), written with matrices here; the ends are Wilson's of that error.

    statsmodels itself (0.15, OLS with cluster-robust errors, these five data sets) gives the same ends to 3e-15.
    """
    for seed, buildings, spread in ((5, 5, 0.2), (1, 6, 0.1), (2, 8, 0.3), (3, 12, 0.05), (4, 20, 0.2)):
        a, b = clustered(seed, buildings, spread)
        found = difference(a, b, "spl")
        d = np.array([b.episodes[k]["spl"] - a.episodes[k]["spl"] for k in a.episodes])
        sums = (d - d.mean()).reshape(buildings, 12).sum(axis=1)
        error = math.sqrt(sums @ sums * buildings / (buildings - 1)) / d.size
        half = scipy.stats.t.ppf(0.975, buildings - 1) * error
        assert found.ci95_buildings is not None
        for end in found.ci95_buildings:
            # Wilson's: at an end the error is that of the end itself, scaled by what a share there can scatter.
            scaled = half * math.sqrt((1 - end**2) / (1 - d.mean() ** 2))
            assert abs(d.mean() - end) == pytest.approx(scaled, rel=1e-9)


def test_few_buildings_say_nothing_of_others_and_how_many_would() -> None:
    told = {}
    for buildings in (1, 2, 4, 5, 12):
        found = difference(*clustered(1, buildings, 0.3), "spl")
        assert found.sure
        told[buildings] = (found.sure_elsewhere, found.more_buildings, found.ci95_buildings is None)
    assert {n for n, (_, _, untold) in told.items() if untold} == {1, 2, 4}
    assert all(not known and more and n + more >= 5 for n, (known, more, _) in told.items() if n in (2, 4))
    assert told[1][:2] == (False, None)  # its spread to others is in no datum
    assert told[12][:2] == (True, None)


@pytest.mark.parametrize("gap", [0.1, 0.2])
def test_so_many_buildings_do_tell(gap: float) -> None:
    """About as many as were said, of the same kind, tell in most cases; a quarter of them in few."""
    more = [difference(*clustered(seed, 5, gap, 0.25), "spl").more_buildings for seed in range(40)]
    asked = int(np.median([one or 10_000 for one in more])) + 5
    told = [difference(*clustered(900 + seed, asked, gap, 0.25), "spl").sure_elsewhere for seed in range(40)]
    few = [
        difference(*clustered(900 + seed, max(5, asked // 4), gap, 0.25), "spl").sure_elsewhere for seed in range(40)
    ]
    assert np.mean(told) > 0.6
    assert np.mean(few) < np.mean(told) - 0.2


def test_nothing_is_known_elsewhere_that_is_not_known_here() -> None:
    rng = np.random.default_rng(0)
    for seed in range(300):
        found = difference(*clustered(seed, int(rng.integers(2, 9)), float(rng.normal(0, 0.05))), "spl")
        assert found.sure or not found.sure_elsewhere
        assert (found.more_buildings is None) == found.sure_elsewhere or abs(found.difference or 0) < 0.01


@pytest.mark.parametrize(("luck", "noise"), [(0.05, 0.02), (0.0, 0.3)])
def test_seeds_of_one_agent_are_one_entry_with_both_errors(luck: float, noise: float) -> None:
    """Against the components of variance of two crossed random effects, by expected mean squares.

    Seeds that seem alike (the second case: less than noise alone would bring) are known from 3 degrees all the same.
    """
    rng = np.random.default_rng(1)
    table = rng.normal(0.5, 0.1, 40) + rng.normal(0, luck, (4, 1)) + rng.normal(0, noise, (4, 40))
    runs = [run(f"runs/a@{seed}", row) for seed, row in enumerate(table)] + [run("runs/b", rng.normal(0.4, 0.1, 40))]
    a, b = grouped(runs)
    assert (a.name, len(a.seeds), b.name, b.seeds) == ("runs/a", 4, "runs/b", ())
    found = difference(b, a, "spl")
    assert found.mean_second == pytest.approx(table.mean())
    assert (found.test, found.p_adjusted) == ("student", found.p)
    between = 40 * table.mean(axis=1).var(ddof=1)
    rest = (table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()).ravel()
    seeds = max(0.0, between - rest @ rest / (3 * 39)) / 40 / 4
    assert (seeds > 0) == (luck > 0)
    own = (table.mean(axis=0) - [row["spl"] for row in b.episodes.values()]).var(ddof=1) / 40
    freedom = round((seeds + own) ** 2 / ((between / 40 / 4) ** 2 / 3 + own**2 / 39))
    assert found.p == pytest.approx(
        2 * scipy.stats.t.sf(abs(found.difference or 0.0) / math.sqrt(seeds + own), freedom)
    )


def test_runs_of_one_agent_alone_cannot_be_compared_by_other_rules() -> None:
    with pytest.raises(RunDirectoryError, match="lacks"):
        grouped([run("a@1", [1.0, 0.5]), run("a@2", [1.0])])
    assert [one.name for one in grouped([run("a@1", [1.0]), run("b", [1.0]), run("c@d/e", [1.0])])] == [
        "a@1",
        "b",
        "c@d/e",
    ]


def test_seeds_are_of_one_agent_and_count_once() -> None:
    walker, talker = (replace(run(name, [1.0]), agent=name[:-2]) for name in ("walker@1", "talker@2"))
    with pytest.raises(RunDirectoryError, match="walker played the one and talker the other"):
        grouped([walker, replace(talker, name="walker@2")])
    with pytest.raises(RunDirectoryError, match="walker@1 is named twice"):
        grouped([walker, replace(walker, name="walker@2"), walker])


def test_a_run_equals_itself() -> None:
    """And what is the same in every episode shows no spread: an interval without width would claim certainty."""
    (found,) = compare([run("a", [0.5, 0.2, 0.9]), run("b", [0.5, 0.2, 0.9])])
    assert (found.p, found.difference, found.ci95) == (1.0, 0.0, None)
    (found,) = compare([run("a", [0.5] * 20), run("b", [0.75] * 20)])
    assert (found.sure, found.difference, found.ci95) == (True, 0.25, None)


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
