"""Scores on real data: R4R, NDH and R2R-CE against independent or published evaluations (R2R: end_to_end/test_r2r.py).

Where the real data are absent, on files of ours in their formats, against the independent evaluations alone.
"""

from __future__ import annotations

import gzip
import json
import math
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.metrics.dtw import dtw_points
from nav_eval.metrics.functional import ndtw, path_length
from nav_eval.results.statistics import summarise
from official import aligned
from playing import document
from recordings import SHARED_DATA

REAL = SHARED_DATA.is_dir()


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def wander(official: Any, scan: str, start: str, steps: int, seed: int) -> list[str]:
    """A random walk that sometimes stays, as an agent that turns does."""
    generator, path = random.Random(seed), [start]
    for _ in range(steps):
        path.append(generator.choice([path[-1], *sorted(official.graph(scan)[path[-1]])]))
    return path


def test_r4r_equals_an_independent_evaluation(released: Path, official: Any, play: Any) -> None:
    items = document(released / "r4r", "R4R_val_seen.json")
    for seed, item in enumerate(items):
        scan, reference = item["scan"], item["path"]
        walk = wander(official, scan, reference[0], 12, seed)
        cut = seed % len(reference)
        for path in (walk, reference, reference[: cut + 1] + wander(official, scan, reference[cut], 5, seed)):
            expected = aligned(official, scan, path, reference)
            found = play(expected, path, reference, distance=official.function(scan), success_rule="final")
            assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)


NDH_METRICS = {
    "path_length": 8.94916690820744,
    "navigation_error": 10.45974147633659,
    "oracle_success": 0.31675392670157065,
    "success": 0.15968586387434555,
    "spl": 0.1448169021550902,
    "oracle_path_success": 0.38219895287958117,
    "goal_progress": 0.6636454011496169,
}
"""A published submission's scores, as the authors' own script gives them."""


def ndh_items(released: Path) -> Iterator[tuple[dict[str, Any], list[str], list[str]]]:
    """(record, trusted path, submitted path); the trusted path is worked out as the authors describe it."""
    folder = released / "ndh"
    records = {item["inst_idx"]: item for item in document(folder, "NDH_val_seen.json")}
    (submission,) = folder.glob("val-seq2seq*.json")
    for row in json.loads(submission.read_text()):
        record = records[row["inst_idx"]]
        walked_by_player = record["planner_path"][-1] in record["player_path"][1:]
        trusted = record["player_path"] if walked_by_player else record["planner_path"]
        yield record, trusted, [pose[0] for pose in row["trajectory"]]


def ndh_by_the_authors(official: Any, record: dict[str, Any], trusted: list[str], path: list[str]) -> dict[str, float]:
    def gap(a: str, b: str) -> float:
        return float(official.distance(record["scan"], a, b))

    error, shortest = gap(path[-1], trusted[-1]), gap(trusted[0], trusted[-1])
    length = sum(gap(a, b) for a, b in pairwise(path))
    efficiency = shortest / max(length, shortest) if shortest > 0 else float(length == 0)
    return {
        "path_length": length,
        "navigation_error": error,
        "oracle_success": float(min(gap(node, trusted[-1]) for node in path) < 3),
        "success": float(error < 3),
        "spl": efficiency if error < 3 else 0.0,
        "oracle_path_success": float(min(gap(node, record["planner_path"][-1]) for node in path) < 3),
        "goal_progress": min(gap(path[0], end) for end in record["end_panos"])
        - min(gap(path[-1], end) for end in record["end_panos"]),
    }


def test_ndh_submission(released: Path, official: Any, play: Any) -> None:
    """All 382 dialogues: each against the authors' rules, the means against the figures that they give."""
    found = []
    for record, trusted, path in ndh_items(released):
        values = play(
            NDH_METRICS, path, trusted, distance=official.function(record["scan"]), success_rule="final",
            goal_nodes=record["end_panos"], extra=record,
        )  # fmt: skip
        expected = ndh_by_the_authors(official, record, trusted, path)
        assert {name: values[name] for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)
        found.append(values)
    assert len(found) == (382 if REAL else 20)
    means = {name: mean([values[name] for values in found]) for name in NDH_METRICS}
    assert all(means.values())
    if REAL:
        assert means == pytest.approx(NDH_METRICS, rel=1e-12)


needs_the_release = pytest.mark.usefixtures("shared_data")


@pytest.fixture(scope="module")
def recorded(released: Path) -> list[dict[str, Any]]:
    """R2R-CE val_seen, each episode with its `_gt` entry."""
    folder = released / "r2r-ce"
    episodes = json.loads(gzip.decompress((folder / "val_seen.json.gz").read_bytes()))["episodes"]
    truth = json.loads(gzip.decompress((folder / "val_seen_gt.json.gz").read_bytes()))
    return [episode | truth[str(episode["episode_id"])] for episode in episodes]


def test_r2r_ce_stop_and_perfect_agents(recorded: list[dict[str, Any]], play: Any) -> None:
    standing, perfect, expected = [], [], []
    for episode in recorded:
        locations = [tuple(point) for point in episode["locations"]]
        start = tuple(episode["start_position"])
        standing.append(play(["ndtw"], [start], locations, goals=[locations[-1]])["ndtw"])
        perfect.append(play(["ndtw"], locations, locations, goals=[locations[-1]])["ndtw"])
        gaps = np.linalg.norm(np.array(locations) - start, axis=1)  # all of one point's cells are on its only way
        expected.append(math.exp(-gaps.sum() / (3 * len(locations))))
    assert standing == pytest.approx(expected, rel=1e-12)
    assert len(standing) == (778 if REAL else 12)
    assert mean(standing) == pytest.approx(0.2714, abs=5e-5) or not REAL
    assert set(perfect) == {1.0}


def densified(path: list[list[float]]) -> np.ndarray:
    corners = np.array(path)
    parts = [max(1, math.ceil(np.linalg.norm(b - a) / 0.25 - 1e-9)) for a, b in pairwise(corners)]
    legs = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(corners, corners[1:], parts)]
    return np.concatenate([*legs, corners[-1:]])


@needs_the_release
def test_what_a_perfect_run_is_worth_depends_on_the_reference(recorded: list[dict[str, Any]]) -> None:
    """Why the kind of reference is recorded with every score."""

    def score(reference_of: Any) -> float:
        pairs = [(episode["locations"], reference_of(episode["reference_path"])) for episode in recorded]
        return mean([ndtw(dtw_points(agent, reference), len(reference)) for agent, reference in pairs])

    assert score(lambda path: path) < 0.34
    assert score(densified) == pytest.approx(0.95, abs=0.005)


@needs_the_release
def test_r2r_ce_recorded_paths(recorded: list[dict[str, Any]], play: Any) -> None:
    """The gt locations hold one entry per change of place, so their length is close to the replayed TL of 9.765."""
    lengths = [path_length([tuple(point) for point in episode["locations"]]) for episode in recorded]
    assert mean(lengths) == pytest.approx(9.765, abs=0.01)
    assert mean([len(episode["actions"]) for episode in recorded]) == pytest.approx(59.33, abs=0.005)


def test_published_aggregate_of_a_ce_model(shared_data: Path) -> None:
    folder = shared_data / "r2r-ce" / "results"
    episodes = document(folder, "stats_ep_ckpt_0_val_seen_r0_w1.json")
    published = document(folder, "stats_ckpt_0_val_seen.json")
    assert len(episodes) == 778
    for name, figure in published.items():
        summary = summarise([values[name] for values in episodes.values()], ["one"] * len(episodes))
        assert summary.mean == pytest.approx(figure, rel=1e-12)
        assert summary.n == 778
