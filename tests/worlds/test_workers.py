"""Buildings made side by side are those made one after the other, and a process that is lost is told of."""

import multiprocessing
from pathlib import Path

import pytest

from nav_eval.errors import SceneError
from nav_eval_worlds.collection import make_scenes

SEEDS = ["a", "b"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_as_many_processes_as_one_likes_make_the_same_bytes_in_the_same_order(tmp_path: Path) -> None:
    shares: list[float] = []
    alone = list(make_scenes(tmp_path / "alone", SEEDS, 2, 1, "home", 20_000))
    both = list(make_scenes(tmp_path / "both", SEEDS, 2, 1, "home", 20_000, on_progress=shares.append, processes=2))
    assert [path.name for path in both] == [path.name for path in alone]
    assert files(tmp_path / "both") == files(tmp_path / "alone")
    assert sum(shares) == pytest.approx(1)
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_ends_the_work_with_a_sentence(tmp_path: Path) -> None:
    def kill(_: float) -> None:
        for process in multiprocessing.active_children():
            process.kill()

    with pytest.raises(SceneError, match="memory runs out: give fewer than 2 --processes"):
        list(make_scenes(tmp_path, SEEDS, 2, 1, "home", 20_000, on_progress=kill, processes=2))
    assert not multiprocessing.active_children()
