"""The measurements divide only by what was timed beside them: a yardstick of a named commit, never a recorded time."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nav_eval.engine.scene.scene import SemanticObject
from worlds.buildings import STUDIO, make_world

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
BUILT = {
    "wall", "floor", "ceiling", "door", "doorway", "window", "stairs", "column", "partition", "glass_partition",
    "arch", "railing",
}  # fmt: skip
SIDE = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
import nav_eval, yardstick
yardstick.answer({{"add": lambda: [sum(range(nav_eval.WORK)) and nav_eval.ANSWER]}})
"""


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """benchmarks/<name>.py as a module."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)  # dataclasses look their module up
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCHMARKS)])
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def yardstick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("NAV_EVAL_CACHE", str(tmp_path / "cache"))
    module = script("yardstick", monkeypatch)
    module.ROUNDS = 5
    return module


def commit(repository: Path, work: int, answer: float) -> str:
    """A product that adds `work` numbers and gives `answer`; the commit it is in."""
    package = repository / "src/nav_eval"
    package.mkdir(parents=True, exist_ok=True)
    (repository / "packages").mkdir(exist_ok=True)
    (repository / "packages/sdk.txt").write_text("")
    (package / "__init__.py").write_text(f"WORK, ANSWER = {work}, {answer}\n")
    (package / "jit.py").write_text("def cache_home(): ...\n")
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message", "made")
    return git(repository, "rev-parse", "--short", "HEAD")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def pairs(yardstick: Any, tmp_path: Path, ours: tuple[int, float], theirs: tuple[int, float]) -> Any:
    measure = tmp_path / "measure.py"
    measure.write_text(SIDE)
    commits = [commit(tmp_path / "repository", *product) for product in (ours, theirs)]
    sides = [yardstick.Side(str(measure), [], yardstick.tree(one, tmp_path / "repository")) for one in commits]
    with closing(sides[0]), closing(sides[1]):
        return yardstick.in_turns(tuple(sides), "add")


def test_ratio_is_of_the_work_of_both_commits(yardstick: Any, tmp_path: Path) -> None:
    found = pairs(yardstick, tmp_path, ours=(400_000, 1.5), theirs=(2_000_000, 1.5))
    assert 2.5 < found.ratio < 10  # five times the numbers
    assert found.low <= found.ratio <= found.high
    assert str(found).endswith("identical")


def test_another_answer_is_told_to_the_last_bit(yardstick: Any, tmp_path: Path) -> None:
    found = pairs(yardstick, tmp_path, ours=(1000, 1.5), theirs=(1000, 1.5000000000000002))
    assert str(found).endswith("DIFFERENT")


def test_a_commit_is_written_once_with_the_times_of_its_files(yardstick: Any, tmp_path: Path) -> None:
    name = commit(tmp_path / "repository", 1, 1.5)
    made = yardstick.tree(name, tmp_path / "repository")
    stamp = (made / "src/nav_eval/jit.py").stat()
    assert int(stamp.st_mtime) == int(git(tmp_path / "repository", "log", "-1", "--format=%ct"))
    again = yardstick.tree(name, tmp_path / "nowhere")
    assert (again / "src/nav_eval/jit.py").stat().st_ino == stamp.st_ino


def test_a_history_without_the_commit_is_told(yardstick: Any, tmp_path: Path) -> None:
    commit(tmp_path / "repository", 1, 1.5)
    with pytest.raises(SystemExit, match="222b46c: fetch the whole history"):
        yardstick.tree(repository=tmp_path / "repository")


@pytest.fixture
def worlds(monkeypatch: pytest.MonkeyPatch) -> Any:
    script("yardstick", monkeypatch)
    return script("worlds", monkeypatch)


def test_a_small_home_is_counted(worlds: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(*STUDIO)
    monkeypatch.setattr(worlds, "_worlds", lambda count, seed: iter([(world, "home")]))
    monkeypatch.setattr(worlds, "_cost", lambda: world)
    found = worlds.figures(1, 2, 0, "small")
    (room,) = (room.id for room in world.regions)
    things = [one for one in world.objects if one.region == room and one.category not in BUILT]
    assert found["objects a room (median)"] == len(things)
    assert 0 < found["mean luminance of a home"] < 1
    assert found["luminance, most / least"] == 1
    assert set(worlds.WANTED) <= set(found)


def test_what_a_window_frames_is_no_hole(worlds: Any) -> None:
    """A camera at the origin looks along -z, then turned to +x, at a wall 2 m away with one pixel of nothing."""
    depth = np.full((worlds.HEIGHT, worlds.WIDTH), 2.0, np.float32)
    depth[20, 40] = 0  # to the left and above
    focus = worlds.WIDTH / 2 / math.tan(math.radians(worlds.HFOV) / 2)
    left, up = 2 * (160 - 40.5) / focus, 2 * (120 - 20.5) / focus
    for yaw, seen in ((0.0, (-left, up, -2.0)), (-math.pi / 2, (2.0, up, -left))):
        windows = [SemanticObject(1, "window", 1, at, (0.2, 0.2, 0.2)) for at in (seen, (-seen[0], *seen[1:]))]
        counts = [worlds._holes(depth, np.zeros(3), yaw, SimpleNamespace(objects=[window])) for window in windows]
        assert counts == [0, 1]


def test_no_result_is_divided_by_a_recorded_time() -> None:
    """No benchmark runs Habitat, so what it tells of Habitat's speed was recorded on another day."""
    results = [*(BENCHMARKS / "results").glob("*.txt")]
    assert results
    assert [result.name for result in results if "habitat" in result.read_text().lower()] == []


def test_verdicts_are_seldom_false_and_intervals_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """The committed table, whose figures are known to +-1 point; and that today's code still draws it."""
    title, head, *rows = (BENCHMARKS / "results/verdicts.txt").read_text().splitlines()
    assert title.startswith("2000 replications")
    counts = [int(count) for count in head.split()[1:]]
    table = {row[:24].strip(): dict(zip(counts, row[24:].split(), strict=True)) for row in rows}
    shares = [(n, of, float(share)) for n, told in table.items() for of, share in told.items() if share != "-"]
    assert [one for one in shares if one[0].startswith("false") and one[2] > 6] == []
    assert [one for one in shares if not one[0].startswith("false") and one[1] >= 6 and not 92 < one[2] < 98] == []
    verdicts = script("verdicts", monkeypatch)
    drawn = sum((verdicts.replication((seed, 6)) for seed in range(20)), Counter())
    assert {name for name, _ in drawn} == {*table}
    assert all(drawn[name, "yes"] <= 5 for name in table if name.startswith("false"))  # of 20: 3 in 10,000 at 5 %
    assert all(drawn[name, "yes"] >= 15 for name in table if not name.startswith("false"))
