"""The measurements divide only by what was timed beside them: a yardstick of a named commit, never a recorded time."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SIDE = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
import nav_eval, yardstick
yardstick.answer({{"add": lambda: [sum(range(nav_eval.WORK)) and nav_eval.ANSWER]}})
"""


@pytest.fixture
def yardstick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("NAV_EVAL_CACHE", str(tmp_path / "cache"))
    spec = importlib.util.spec_from_file_location("yardstick", BENCHMARKS / "yardstick.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "yardstick", module)  # dataclasses look their module up
    spec.loader.exec_module(module)
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
    script = tmp_path / "measure.py"
    script.write_text(SIDE)
    commits = [commit(tmp_path / "repository", *product) for product in (ours, theirs)]
    sides = [yardstick.Side(str(script), [], yardstick.tree(one, tmp_path / "repository")) for one in commits]
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


@pytest.mark.parametrize("result", sorted((BENCHMARKS / "results").glob("*.txt")), ids=lambda path: path.stem)
def test_no_result_is_divided_by_a_recorded_time(result: Path) -> None:
    """No benchmark runs Habitat, so what it tells of Habitat's speed was recorded on another day."""
    assert "habitat" not in result.read_text().lower()
