"""SOON as VLN-DUET scores it: the goal is the end of the path, or where the agent ended if the object is seen there."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

from graphs import SCAN, grid_scan, node, walked
from nav_eval.cli.score import score

PATH = walked([node(0, 0), node(4, 0)])
SEEN_FROM = [(4, 0), (0, 3), (1, 2)]
WALKS = {
    "along the path": [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)],
    "short of it by less than 3 m": [(0, 0), (1, 0), (2, 0), (3, 0)],
    "to where the object is seen from elsewhere": [(0, 0), (0, 1), (0, 2), (0, 3)],
    "past such a place": [(0, 0), (1, 0), (1, 1), (1, 2), (2, 2)],
    "by the goal, then to such a place": [*((x, 0) for x in range(5)), (4, 1), (3, 1), (2, 1), (1, 1), (1, 2)],
    "nowhere": [(0, 0)],
    "nowhere, and the object is seen there": [(0, 0)],
}


def distances() -> dict[str, dict[str, float]]:
    graph = nx.Graph()
    for x in range(6):
        for y in range(4):
            graph.add_edges_from([(node(x, y), node(x + 1, y))] if x < 5 else [])
            graph.add_edges_from([(node(x, y), node(x, y + 1))] if y < 3 else [])
    return dict(nx.all_pairs_dijkstra_path_length(graph, weight=lambda *_: 2.0))


def by_duet(path: list[str], seen_from: list[tuple[int, int]]) -> dict[str, float]:
    """What map_nav_src/soon/env.py computes, in its order: the nearest place is chosen before the goal moves."""
    away, goal = distances(), PATH[-1]
    nearest = min(path, key=lambda one: away[one][goal])
    if path[-1] in [node(*cell) for cell in seen_from]:
        goal = path[-1]
    walked_m = sum(away[a][b] for a, b in pairwise(path))
    length, error = away[PATH[0]][goal], away[path[-1]][goal]
    won = error < 3.0
    return {
        "navigation_error": error,
        "success": float(won),
        "oracle_success": float(away[nearest][goal] < 3.0),
        "spl": won * length / max(walked_m, length, 0.01),
        "path_length": walked_m,
    }


@pytest.mark.parametrize("name", WALKS)
def test_it_is_scored_as_duet_does(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{SCAN}_connectivity.json").write_text(json.dumps(grid_scan(6, 4)))
    seen_from = [*SEEN_FROM, (0, 0)] if "seen there" in name else SEEN_FROM
    record = {
        "path_id": "3",
        "scan": SCAN,
        "path": PATH,
        "instructions": [{"full": "Find the chair."}],
        "bboxes": [{"image_id": node(*cell), "obj_name": "chair"} for cell in seen_from],
    }
    (tmp_path / "soon.json").write_text(json.dumps([record]))
    path = [node(*cell) for cell in WALKS[name]]
    submission, told = tmp_path / "walks.json", tmp_path / "told.jsonl"
    submission.write_text(json.dumps([{"instr_id": "3_0", "trajectory": [[one, 0, 0] for one in path]}]))
    data = [f"dataset.data_path={tmp_path / 'soon.json'}", f"simulator.connectivity_dir={tmp_path}"]
    chosen = ["dataset.type=soon", "task.convention=soon"]
    assert score(submission, *data, *chosen, benchmark="r2r", episodes=told) == 0
    found = json.loads(told.read_text())["metrics"]
    wanted = by_duet(path, seen_from)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-12)
