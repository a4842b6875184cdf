"""`task.convention`: what the field's repositories compute under one name, against formulas of this file."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import get_args

import networkx as nx
import numpy as np
import pytest

from graphs import grid_scan, item, node, write_r2r
from nav_eval import evaluate
from nav_eval.cli.report import make_context, report
from nav_eval.cli.score import score
from nav_eval.config.loader import load_config
from nav_eval.config.schema import Convention
from nav_eval.errors import ConfigError
from nav_eval.report.document import make_document

# 7 walks straight; the path of 9 winds, as those of R4R do.
ITEMS = [
    item(7, [node(0, 0), node(3, 0)], ["Go."]),
    item(9, [node(0, 0), node(2, 0), node(2, 1), node(0, 1)], ["Wind."]),
]
WALKS = {"7_0": [(0, 0), (0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (3, 0)], "9_0": [(0, 0), (0, 0), (0, 1), (0, 1)]}


def graph():
    rows, made = grid_scan(4, 3), nx.Graph()
    for row in rows:
        place = np.array(row["pose"])[[3, 7, 11]]
        for other, free in zip(rows, row["unobstructed"]):
            if free:
                gap = np.linalg.norm(place - np.array(other["pose"])[[3, 7, 11]])
                made.add_edge(row["image_id"], other["image_id"], weight=float(gap))
    return dict(nx.all_pairs_dijkstra_path_length(made))


def lengths(distances, path):
    return sum(distances[a][b] for a, b in pairwise(path))


def warped(distances, path, reference):
    """The cheapest monotone alignment, by shortest paths through the grid of pairs."""
    grid = nx.DiGraph()
    for i, a in enumerate(path):
        for j, b in enumerate(reference):
            for before in ((i - 1, j), (i, j - 1), (i - 1, j - 1)):
                if min(before) >= 0:
                    grid.add_edge(before, (i, j), weight=distances[a][b])
    steps = nx.shortest_path_length(grid, (0, 0), (len(path) - 1, len(reference) - 1), weight="weight")
    return distances[path[0]][reference[0]] + steps


def scored(tmp_path, *overrides, walks=WALKS):
    data = write_r2r(tmp_path, items=ITEMS)
    file, out = tmp_path / "submission.json", tmp_path / "episodes.jsonl"
    rows = [{"instr_id": name, "trajectory": [[node(*c), 0, 0] for c in walk]} for name, walk in walks.items()]
    file.write_text(json.dumps(rows))
    result = tmp_path / "results.json"
    assert score(file, *data, *overrides, benchmark="r2r", episodes=out, out=result) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    return {line["episode_id"]: line["metrics"] for line in lines}, json.loads(result.read_text())


@pytest.mark.parametrize(
    ("name", "keeps", "along"), [("r2r-eval", False, False), ("duet", True, True), ("hamt", True, True)]
)
def test_lengths_and_repeats_are_those_of_the_repository(name, keeps, along, tmp_path):
    distances = graph()
    found, document = scored(tmp_path, f"task.convention={name}")
    assert document["convention"] == name
    for one in ITEMS:
        episode, reference = f"{one['path_id']}_0", one["path"]
        path = [node(*cell) for cell in WALKS[episode]]
        walked = path if keeps else [v for i, v in enumerate(path) if i == 0 or v != path[i - 1]]
        dtw = warped(distances, walked, reference)
        assert found[episode]["ndtw"] == pytest.approx(np.exp(-dtw / (3.0 * len(reference))), rel=1e-12)
        length = lengths(distances, reference) if along else distances[path[0]][reference[-1]]
        won = float(distances[path[-1]][reference[-1]] < 3.0)
        assert found[episode]["success"] == won
        assert found[episode]["spl"] == pytest.approx(won * length / max(length, lengths(distances, path)), rel=1e-12)


def test_a_winding_path_is_where_the_two_lengths_differ(tmp_path):
    """Path 9 is 10 m long and ends 2 m from its start: who winds along it has SPL 1 by one of them alone."""
    winding = WALKS | {"9_0": [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1)]}
    shortest, _ = scored(tmp_path / "a", "task.convention=r2r-eval", walks=winding)
    reference, _ = scored(tmp_path / "b", "task.convention=duet", walks=winding)
    assert shortest["9_0"]["spl"] == pytest.approx(0.2)
    assert reference["9_0"]["spl"] == 1.0


def test_a_key_that_is_set_itself_wins_wherever_it_stands(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("task: {convention: hamt, repeats: drop}\n")
    task = load_config("r2r", file=file, environment={}).task
    assert (task.spl_length, task.repeats) == ("reference", "drop")
    task = load_config("r2r", overrides=["task.spl_length=shortest", "task.convention=duet"], environment={}).task
    assert (task.spl_length, task.repeats) == ("shortest", "keep")
    environment = {"NAV_EVAL_TASK__CONVENTION": "vln-ce"}
    assert load_config("r2r-ce", environment=environment).task.dtw == "fastdtw"
    # a convention on the command line is stronger than a file that holds every key, as a run's config.yaml does
    file.write_text("task: {convention: null, spl_length: shortest, repeats: drop}\n")
    task = load_config("r2r", file=file, overrides=["task.convention=hamt"], environment={}).task
    assert (task.spl_length, task.repeats) == ("reference", "keep")


def test_an_unknown_convention_is_told_beside_those_that_are():
    with pytest.raises(ConfigError, match=r"task\.convention.*'r2r-eval', 'duet'.*it is 'dute'"):
        load_config("r2r", overrides=["task.convention=dute"], environment={})


@pytest.mark.parametrize("name", get_args(Convention))
def test_every_convention_is_a_configuration(name):
    assert load_config("r2r-ce", overrides=[f"task.convention={name}"], environment={}).task.convention == name


def test_tables_sentences_and_pages_say_which_it_was(tmp_path, capsys):
    data = [*write_r2r(tmp_path, items=ITEMS), "task.convention=duet", "agent_service.agent=random"]
    evaluate("r2r", overrides=data, out=tmp_path / "run")
    assert report(str(tmp_path / "run"), out=tmp_path / "table.tex") == 0
    assert "profile r2r v2 (duet)" in (tmp_path / "table.tex").read_text()
    capsys.readouterr()
    assert report(str(tmp_path / "run"), sentence=True) == 0
    assert "scoring profile r2r v2 (duet)" in capsys.readouterr().out
    assert make_document([tmp_path / "run"], make_context())["runs"][0]["convention"] == "duet"
