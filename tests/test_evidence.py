"""What benchmarks/evidence.py counts: duplicates, random stops, ranks; and what its guide says of a way."""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh

from nav_eval.results.compare import RunRecords
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from rooms import SIZE, write_room
from test_benchmarks import BENCHMARKS


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_chance_is_the_share_of_the_floor_that_is_near_the_goal(tmp_path: Path) -> None:
    """In a room of 6 m with a wall of 0.2 by 3.6 m, both narrower by the body's radius, and no wall near the goal."""
    import evidence_card

    near = 1.0
    overrides = [*write_room(tmp_path), f"evaluation.success_distance={near}", "dataset.episodes=['2']"]
    with opened(benchmark_config("pointnav", overrides=overrides)) as plan:
        [share] = evidence_card.chance(plan)
    radius = plan.config.simulator.body.radius
    floor = (SIZE - 2 * radius) ** 2 - (0.2 + 2 * radius) * (SIZE * 0.6 + radius)
    expected = math.pi * near**2 / floor
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / evidence_card.STOPS) + 0.005)


def scene(*meshes: trimesh.Trimesh) -> Any:
    """Things with the ids 1, 2, ... and categories, a wall first."""
    whole = trimesh.util.concatenate(meshes)
    things = [
        SimpleNamespace(id=k, category="thing" if k > 1 else "wall", size=(1, 1, 1)) for k in range(1, len(meshes) + 1)
    ]
    return SimpleNamespace(
        positions=whole.vertices.astype(np.float32),
        triangles=whole.faces,
        object_ids=np.repeat(np.arange(1, len(meshes) + 1), [len(mesh.faces) for mesh in meshes]),
        objects=tuple(things),
    )


def moved(mesh: trimesh.Trimesh, degrees: float) -> trimesh.Trimesh:
    turn = trimesh.transformations.rotation_matrix(math.radians(degrees), (0, 1, 0))
    return mesh.copy().apply_transform(turn).apply_translation((7.3, 0.2, -4.9))


def test_a_thing_is_known_wherever_it_stands_and_one_that_is_longer_is_another() -> None:
    import evidence_duplicates

    wall, box, ball = (
        trimesh.creation.box((3, 2, 0.1)),
        trimesh.creation.box((0.3, 0.4, 0.5)),
        trimesh.creation.icosphere(2),
    )
    longer = trimesh.creation.box((0.3, 0.4, 0.51))
    here = [sides for _, sides in evidence_duplicates.sides(scene(wall, moved(box, 37), moved(longer, 90), ball))]
    there = [sides for _, sides in evidence_duplicates.sides(scene(wall, box, trimesh.creation.icosphere(1)))]
    reference = np.sort(np.linalg.norm(np.diff(box.vertices[box.edges], axis=1)[:, 0], axis=1))
    assert there[0] == pytest.approx(reference, abs=1e-6)
    assert evidence_duplicates.alike(here, there) == [True, False, False]
    assert evidence_duplicates.alike(here, here) == [True] * 3  # the wall is no thing


def glb(file: Path, images: dict[str, bytes]) -> Path:
    """A file that holds pictures and nothing else."""
    body, views = b"", []
    for data in images.values():
        views.append({"buffer": 0, "byteOffset": len(body), "byteLength": len(data)})
        body += data
    named = [{"name": name, "bufferView": number, "mimeType": "image/png"} for number, name in enumerate(images)]
    head = json.dumps({"asset": {"version": "2.0"}, "images": named, "bufferViews": views}).encode()
    head += b" " * (-len(head) % 4)
    chunks = struct.pack("<I4s", len(head), b"JSON") + head + struct.pack("<I4s", len(body), b"BIN\0") + body
    file.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return file


def test_pictures_are_the_same_by_their_bytes_and_baked_ones_are_left_out(tmp_path: Path) -> None:
    import evidence_duplicates

    file = glb(tmp_path / "home.glb", {"art5": b"a sunset", "lightmap": b"light", "wall2": b"plaster", "sky0": b"blue"})
    expected = {hashlib.sha256(b"a sunset").hexdigest(): "art5", hashlib.sha256(b"plaster").hexdigest(): "wall2"}
    assert evidence_duplicates.pictures(file) == expected


def runs(values: dict[str, Sequence[Sequence[float]]]) -> dict[str, RunRecords]:
    """Of each agent, and building, the success of its episodes."""
    return {
        name: RunRecords(
            name, {(str(b), str(k)): {"success": v} for b, row in enumerate(rows) for k, v in enumerate(row)}
        )
        for name, rows in values.items()
    }


HERE = {
    "a": [[1, 1, 1], [1]],
    "b": [[1, 0, 1], [1]],
    "c": [[0, 0, 1], [1]],
    "d": [[0, 0, 0], [0]],
    "e": [[0, 0, 0], [0]],
}
THERE = {
    "a": [[1, 0], [1, 1]],
    "b": [[1, 1], [1, 1]],
    "c": [[0, 0], [0, 1]],
    "d": [[0, 0], [0, 1]],
    "e": [[0, 0], [0, 0]],
}


def tau_b(one: Sequence[float], other: Sequence[float]) -> float:
    """Kendall's, pair by pair."""
    signs = [(np.sign(one[i] - one[j]), np.sign(other[i] - other[j])) for i, j in combinations(range(len(one)), 2)]
    untied = math.prod(sum(pair[k] != 0 for pair in signs) for k in (0, 1))
    return float(sum(a * b for a, b in signs)) / math.sqrt(untied)


def test_correlations_are_those_of_the_means_over_episodes() -> None:
    from evidence_ranks import Scores, correlation

    here, there = (Scores.of(runs(values), "success", HERE) for values in (HERE, THERE))
    one, other = [1, 3 / 4, 2 / 4, 0, 0], [3 / 4, 1, 1 / 4, 1 / 4, 0]
    assert here.means() == pytest.approx(one)
    assert there.means() == pytest.approx(other)
    found = correlation(here, there)
    assert found.agents == 5
    assert found.tau == pytest.approx(tau_b(one, other))
    assert found.rho == pytest.approx(np.corrcoef([5, 4, 3, 1.5, 1.5], [4, 5, 2.5, 2.5, 1])[0, 1])
    assert found.tau_ci95 is not None
    assert found.tau_ci95[0] <= found.tau <= found.tau_ci95[1]


def test_an_interval_needs_buildings_that_differ() -> None:
    from evidence_ranks import Scores, correlation

    alike = {name: [rows[0]] * 6 for name, rows in HERE.items()}
    many = Scores.of(runs(alike), "success", HERE)
    assert correlation(many, many).tau == 1
    assert correlation(many, many).tau_ci95 is None
    single = Scores.of(runs({name: rows[:1] for name, rows in alike.items()}), "success", HERE)
    assert correlation(single, many).tau == 1
    assert correlation(single, many).tau_ci95 is None
    equal = Scores.of(runs({name: [[0, 0], [0]] for name in HERE}), "success", HERE)
    assert correlation(equal, many).tau is None


def test_the_guide_tells_turns_and_metres() -> None:
    from evidence_scenes import Walk

    corners = ((0, 0, 0), (0, 0, -4), (-3, 0, -4), (-3.1, 0, -4.2), (-3.1, 0, 1.8), (-4.1, 0, 3.532))
    ahead = Walk("home", corners, 0.0).text  # looks along -z
    told = ("Go straight and walk 4 meters", "Turn left and walk 3 meters", "Turn left and walk 6 meters")
    assert ahead == ". ".join((*told, "Turn slightly right and walk 2 meters", "Stop there."))
    assert Walk("home", corners[:2], math.pi).text == "Turn around and walk 4 meters. Stop there."
    assert Walk("home", corners[:2], math.radians(135)).text == "Turn sharply right and walk 4 meters. Stop there."


def test_a_roof_is_what_lies_above() -> None:
    """A floor of 10 m; over its eastern half a roof that rises from 1.5 m at x = 0 to 3.5 m at x = 5."""
    from evidence_scenes import roofed

    floor = trimesh.creation.box((10, 0.1, 10))
    slope = trimesh.Trimesh([(0, 1.5, -5), (5, 3.5, -5), (5, 3.5, 5), (0, 1.5, 5)], [(0, 1, 2), (0, 2, 3)])
    whole = trimesh.util.concatenate([floor, slope])
    place = SimpleNamespace(positions=whole.vertices, triangles=whole.faces)
    points = {(3, 0.05, 1): True, (-3, 0.05, 1): False, (4, 2.2, 1): False, (1, 0.05, -4.9): True, (1, 0.8, 2): True}
    points |= {(1, 1.0, 2): False, (6, 0.05, 0): False}
    assert roofed(place, np.array([*points])).tolist() == [*points.values()]


def test_who_follows_turns_takes_them_where_the_text_has_them() -> None:
    from evidence_agents import Turns

    agent, north = Turns(), 0.0
    agent.reset({"instruction": {"text": "Turn left and walk down the hall to the very end of it, then wait there."}})
    taken = []
    while not taken or taken[-1] != "stop":
        taken.append(agent.act({"gps": (north, 0.0), "compass": (0.0,)}))
        north += 0.25 * (taken[-1] == "move_forward")
    assert taken == ["turn_left"] * 6 + ["move_forward"] * 40 + ["stop"]


def test_the_pages_tell_the_figures_of_the_last_results() -> None:
    """Row by row: each row of a table of the page stands in the results with the same figures in the same order."""
    results = [figures(line) for line in (BENCHMARKS / "results/evidence.txt").read_text().splitlines()]
    for page in ("docs/evidence.md", "docs/zh/evidence.md"):
        text = (BENCHMARKS.parent / page).read_text(encoding="utf-8")
        tables = re.findall(r"<!-- generated: evidence-(?:split|duplicates|ranks) -->(.*?)<!-- end", text, re.DOTALL)
        rows = [figures(row) for part in tables for row in part.splitlines() if figures(row)]
        assert len(rows) > 10
        assert [row for row in rows if row not in results] == []
        (agents,) = re.findall(r"<!-- generated: evidence-agents -->(.*?)<!-- end", text, re.DOTALL)
        cells = [figures(cell)[:3] for row in agents.splitlines() for cell in row.split("|") if "[" in cell]
        assert len(cells) > 20
        assert [cell for cell in cells if cell not in [row[:3] for row in results]] == []


def figures(line: str) -> list[str]:
    """Those with a point, and whole ones between blanks."""
    return re.findall(r"-?\d+\.\d\d?|(?<=\| )\d+(?= \|)|(?<=  )\d+(?=\s|$)", line)
