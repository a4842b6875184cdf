"""Ranks: against the published script (standard library alone), against simulated contests, and by hand."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import RunRecords, compare
from nav_eval.results.ranking import rank
from nav_eval.results.seeds import grouped

RECOMPUTE = files("nav_eval_server") / "archive" / "recompute.py"
"""What is published with every board; it needs Python and nothing else."""
BY_HAND = """
import json, math, runpy, sys
script = runpy.run_path(sys.argv[1])
asked = json.load(sys.stdin)
own = {name: {(b, e): v for b, e, v in rows} for name, rows in asked["entries"].items()}
keys = script["common"](own.values())
values = {name: [asked["sign"] * rows[key] for key in keys] for name, rows in own.items()}
places = script["rank"](values, set(asked["well"]))
means = {name: asked["sign"] * math.fsum(row) / len(keys) for name, row in values.items()}
json.dump([[name, rank, *interval, means[name]] for name, (rank, interval) in places.items()], sys.stdout)
"""


def entry(name, values, **metadata):
    """`values`: building -> one value per episode."""
    episodes = {(b, str(i)): {"spl": v} for b, column in values.items() for i, v in enumerate(column)}
    return RunRecords(name, episodes, metadata)


def recomputed(entries, higher):
    """[team, rank, lowest, highest, mean], best first."""
    rows = {
        e.name: [[*key, v["spl"] if math.isfinite(v["spl"]) else None] for key, v in e.episodes.items()]
        for e in entries
    }
    well = [e.name for e in entries if e.played_well != 0]
    asked = json.dumps({"well": well, "sign": 1.0 if higher else -1.0, "entries": rows})
    command = [sys.executable, "-I", "-S", "-c", BY_HAND, str(RECOMPUTE)]
    return json.loads(subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout)


def board(seed):
    """Two to six entries of differing skill in one to nine buildings; some are equal, some lack episodes, some won or
    lost and nothing between, one played nothing well.
    """
    rng = np.random.default_rng(seed)
    buildings, per = int(rng.integers(1, 10)), int(rng.integers(2, 15))
    skills = rng.normal(0.5, 0.3, int(rng.integers(2, 7))).round(1)
    base = rng.normal(0, 0.3, (buildings, per))
    made = []
    for i, skill in enumerate(skills):
        noisy = np.clip(base + skill + rng.normal(0, 0.15, base.shape), 0, 1)
        noisy = noisy.round() if seed % 2 else noisy
        values = {f"b{b}": [float(v) for v in row] for b, row in enumerate(noisy)}
        if rng.random() < 0.3 and per > 2:
            values["b0"][1] = math.inf
        made.append(replace(entry(f"team{i}", values), played_well=0 if i == 5 else None))
    return [*made, RunRecords("twin", made[0].episodes)] if rng.random() < 0.3 else made


@pytest.mark.parametrize("first", [0, pytest.param(8, marks=pytest.mark.soak)])
def test_the_standard_library_alone_finds_the_same_ranks(first):
    for seed in range(first, 8 if first == 0 else 200):
        entries, higher = board(seed), seed % 3 != 0
        ranking = rank(entries, "spl", higher_is_better=higher)
        theirs = recomputed(entries, higher)
        assert [(p.name, p.rank, *p.rank_ci95) for p in ranking.places] == [tuple(row[:4]) for row in theirs], seed
        assert [p.mean for p in ranking.places] == pytest.approx([row[4] for row in theirs], rel=0, abs=1e-12)


@pytest.mark.parametrize("contests", [60, pytest.param(1000, marks=pytest.mark.soak)])
def test_rank_intervals_hold_the_true_rank(contests):
    """Skills are known; success is drawn with effects of building, of episode, and of entry within building."""
    held = 0
    for seed in range(contests):
        rng = np.random.default_rng(seed)
        skills, buildings = rng.normal(0, 0.8, 5).round(1), (4, 8, 20)[seed % 3]
        logit = skills + rng.normal(0, 0.7, (buildings, 1, 1)) + rng.normal(0, 1, (buildings, 20, 1))
        logit = logit + rng.normal(0, 0.3, (buildings, 1, 5))
        won = rng.random(logit.shape) < 1 / (1 + np.exp(-logit))
        entries = [
            entry(str(i), {f"b{b}": won[b, :, i].astype(float).tolist() for b in range(buildings)}) for i in range(5)
        ]
        held += all(
            p.rank_ci95[0] <= 1 + (skills > skills[int(p.name)]).sum()
            and 5 - (skills < skills[int(p.name)]).sum() <= p.rank_ci95[1]
            for p in rank(entries, "spl").places
        )
    assert held / contests >= 0.93


def test_a_clear_contest_has_clear_ranks():
    ten = [f"b{i}" for i in range(10)]
    entries = [
        entry("low", {b: [0.1 + 0.01 * i, 0.2] for i, b in enumerate(ten)}),
        entry("high", {b: [0.9, 0.8 + 0.01 * i] for i, b in enumerate(ten)}),
        entry("same", {b: [0.9, 0.8 + 0.01 * i] for i, b in enumerate(ten)}),
    ]
    told = [(p.name, p.rank, p.rank_ci95) for p in rank(entries, "spl").places]
    assert told == [("high", 1, (1, 2)), ("same", 1, (1, 2)), ("low", 3, (3, 3))]
    told = [(p.name, p.rank) for p in rank(entries, "spl", higher_is_better=False).places]
    assert told == [("low", 1), ("high", 2), ("same", 2)]


def test_an_entry_shares_no_rank_with_one_that_is_surely_better():
    """b swings from episode to episode, so it can be told from neither; a is always a little ahead of c."""
    values = {
        "a": [1.0 + 0.01 * (i % 3) for i in range(12)],
        "b": [0.9 + (0.6 if i % 2 else -0.6) for i in range(12)],
        "c": [0.8 + 0.01 * (i % 4) for i in range(12)],
    }
    entries = [entry(name, {f"b{i}": [v] for i, v in enumerate(column)}) for name, column in values.items()]
    places = {p.name: p for p in rank(entries, "spl").places}
    assert {name: (places[name].rank, places[name].rank_ci95) for name in "abc"} == {
        "a": (1, (1, 2)),
        "b": (1, (1, 3)),
        "c": (3, (2, 3)),
    }


def test_who_played_nothing_well_is_last():
    """What crashed in every episode shares no rank with a weak agent, nor beats one by what a failure is given."""
    weak = entry("weak", {"x": [0.0] * 20, "y": [0.0] * 20})
    crashed = replace(entry("a crash", {"x": [0.0] * 20, "y": [0.0] * 20}), played_well=0)
    other = replace(crashed, name="b crash")
    told = [(p.name, p.rank, p.rank_ci95) for p in rank([crashed, other, weak], "spl").places]
    assert told == [("weak", 1, (1, 1)), ("a crash", 2, (2, 3)), ("b crash", 2, (2, 3))]
    lower = [p.name for p in rank([crashed, weak], "spl", higher_is_better=False).places]
    assert lower == ["weak", "a crash"]
    assert rank([crashed, other], "spl").ahead is None


def test_more_episodes_do_not_make_a_rank_less_sure():
    """18 episodes of one home told two agents apart, and all 90 of five homes did not."""
    rng = np.random.default_rng(5)
    homes = {f"h{h}": rng.random(18) for h in range(5)}
    good = entry("good", {h: (v < 0.65).astype(float).tolist() for h, v in homes.items()})
    poor = entry("poor", {h: (v < 0.08).astype(float).tolist() for h, v in homes.items()})
    for some in ({"h0"}, set(homes)):
        chosen = [replace(e, episodes={k: v for k, v in e.episodes.items() if k[0] in some}) for e in (good, poor)]
        assert [p.rank for p in rank(chosen, "spl").places] == [1, 2]
        third = [*chosen, replace(chosen[1], name="third")]
        assert [p.rank for p in rank(third, "spl").places] == [1, 2, 2]


def test_ranks_and_comparisons_are_one_answer():
    """The same pairs, on the same episodes, judged at once: what `compare` calls sure is what parts two ranks."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        entries = [
            entry(str(i), {f"b{b}": rng.normal(skill, 0.2, 8).clip(0, 1).tolist() for b in range(6)})
            for i, skill in enumerate(rng.normal(0.5, 0.1, 4))
        ]
        ranking = rank(entries, "spl")
        places = {p.name: p for p in ranking.places}
        sure = [(d.first, d.second) if d.difference < 0 else (d.second, d.first) for d in compare(entries) if d.sure]
        for name, place in places.items():
            low, high = 1 + sum(worse == name for _, worse in sure), 4 - sum(best == name for best, _ in sure)
            assert place.rank_ci95 == (low, high)
        (same,) = [d for d in compare(entries) if {d.first, d.second} == {ranking.ahead.first, ranking.ahead.second}]
        assert (same.sure, same.p_adjusted) == (ranking.ahead.sure, ranking.ahead.p_adjusted)
        assert same.more_buildings == ranking.ahead.more_buildings


def test_seeds_of_one_agent_have_one_rank():
    rng = np.random.default_rng(2)
    runs = [entry(f"out/a@{n}", {"x": rng.normal(0.6, 0.1, 30).tolist()}) for n in range(3)]
    places = rank(grouped([*runs, entry("out/b", {"x": rng.normal(0.2, 0.1, 30).tolist()})]), "spl").places
    assert [(p.name, p.rank, p.n_seeds) for p in places] == [("out/a", 1, 3), ("out/b", 2, 1)]
    means = [np.mean([v["spl"] for v in run.episodes.values()]) for run in runs]
    assert places[0].mean == pytest.approx(np.mean(means))
    assert places[0].seed_spread == pytest.approx(np.std(means, ddof=1))


def test_what_one_lacks_counts_for_none():
    a = entry("a", {"x": [1.0, 0.0, 1.0], "y": [1.0, 1.0]})
    b = entry("b", {"x": [1.0, math.inf], "y": [0.0, 1.0]})
    ranking = rank([a, b], "spl")
    assert (ranking.n_episodes, ranking.n_buildings) == (3, 2)
    assert {p.name: (p.mean, p.left_out) for p in ranking.places} == {"a": (1.0, 2), "b": (2 / 3, 1)}


def test_a_sparse_pair_does_not_tie_the_others():
    """Twins that differ in one building of twenty make nobody else's difference unsure."""
    base = {f"b{i}": [0.8, 0.82 + 0.001 * i] for i in range(20)}
    twin = base | {"b3": [0.8, 0.1]}
    worse = {b: [0.3 + 0.001 * int(b[1:]), 0.3] for b in base}
    places = {p.name: p for p in rank([entry("one", base), entry("twin", twin), entry("worse", worse)], "spl").places}
    assert (places["one"].rank, places["twin"].rank, places["worse"].rank) == (1, 1, 3)
    assert places["worse"].rank_ci95 == (3, 3)


def test_what_cannot_be_ranked_is_said():
    a = entry("a", {"x": [1.0]}, profile="habitat")
    with pytest.raises(RunDirectoryError, match="profile"):
        rank([a, entry("b", {"x": [1.0]}, profile="r2r")], "spl")
    with pytest.raises(RunDirectoryError, match="no episode in which all 2 entries have 'spl'"):
        rank([a, entry("b", {"y": [1.0]}, profile="habitat")], "spl")
    with pytest.raises(RunDirectoryError, match="at least one"):
        rank([], "spl")
    assert [p.rank_ci95 for p in rank([a, entry("b", {"x": [0.0]}, profile="habitat")], "spl").places] == [(1, 2)] * 2
