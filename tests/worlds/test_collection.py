"""Generated benchmarks: as many buildings are played as were asked for, and none of an unseen split is ever seen."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from logging.handlers import BufferingHandler
from pathlib import Path

import pytest

from nav_eval import progress
from nav_eval.config.loader import load_config
from nav_eval.config.schema import Config
from nav_eval.engine.scene.load import load_scene
from nav_eval.errors import ConfigError, SceneError, from_python
from nav_eval.jit import cache_home, room_beside
from nav_eval.runs.builder import make_episodes
from nav_eval.runs.effective import Effective, generated_data
from nav_eval_worlds import cached
from nav_eval_worlds.cached import buildings_of
from nav_eval_worlds.collection import find_sites, make_scenes
from nav_eval_worlds.collection import make_episodes as write_splits
from nav_eval_worlds.shares import assets_of
from nav_eval_worlds.things.catalogue import variants
from patience import PATIENCE, until
from worlds.buildings import unlit

DETAIL = 25_000
SMALL = ("dataset.generate.seed=few", "dataset.generate.rooms=1", f"dataset.generate.detail={DETAIL}")


def demo(*overrides: str) -> Config:
    return load_config("pointnav-demo", overrides=[*SMALL, *overrides], environment={})


TWO = demo("dataset.generate.scenes=2", "dataset.split=val_unseen")


def with_kernels(folder: Path) -> Path:
    """A cache for processes that would compile all of them to make one home."""
    (folder / "kernels").symlink_to(cache_home() / "kernels")
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One of this module's own, for all that it makes."""
    with pytest.MonkeyPatch.context() as patch:
        folder = with_kernels(tmp_path_factory.mktemp("cache"))
        patch.setattr(cached, "cache_home", lambda: folder)
        patch.setattr(progress, "SECONDS_BEFORE_SHARES", 0.0)
        patch.setattr(progress, "SECONDS_BETWEEN_SHARES", 0.2)
        yield folder


@pytest.fixture(scope="module", autouse=True)
def log(cache: Path) -> list[str]:
    """What the log says while the first two homes are made."""
    logger, kept = logging.getLogger("nav_eval"), BufferingHandler(10**6)
    level = logger.level
    logger.addHandler(kept)
    logger.setLevel(logging.INFO)
    generated_data(TWO)
    logger.setLevel(level)
    logger.removeHandler(kept)
    return [record.getMessage() for record in kept.buffer]


def scenes_of(config: Config) -> Path:
    return Path(str(generated_data(config).simulator.scenes_dir))


def homes(config: Config) -> set[str]:
    return {scene for scene, _ in make_episodes(Effective.of(config)).keys}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_as_many_homes_are_played_as_were_asked_for() -> None:
    assert len(homes(TWO)) == 2
    assert len(list(scenes_of(TWO).glob("*.glb"))) == 2
    assert homes(demo()) < homes(TWO)


def test_homes_have_the_detail_that_was_asked_for() -> None:
    for path in scenes_of(TWO).glob("*.glb"):
        assert 0.9 * DETAIL <= len(load_scene(path).triangles) <= DETAIL


def test_no_home_of_an_unseen_split_is_seen_however_many_there_are() -> None:
    train, val, test = (buildings_of(split, 40, "s").items() for split in ("train", "val_unseen", "test"))
    assert [len(split) for split in (train, val, test)] == [40, 40, 40]
    assert len(dict([*train, *val, *test])) == 120
    assert buildings_of("val_unseen", 7, "s").items() < val
    assert buildings_of("val_seen", 40, "s").items() == train


def test_the_usual_splits_are_those_of_three_homes_dealt_out(tmp_path: Path) -> None:
    """As `generate` deals them, and as this release always made them, side by side too."""
    with unlit(), from_python():  # the two homes that no other test plays, in this process
        scenes = scenes_of(demo("dataset.split=all"))
    for place, path in enumerate(sorted(scenes.glob("*.semantic.json"))):
        told = json.loads(path.read_text(encoding="utf-8"))
        held = {thing["variant"] for thing in told["objects"] if "variant" in thing}
        assert (path.name, told["assets"]) == (f"home_few-{place}_1r1s.semantic.json", assets_of(place, 3))
        assert held
        assert held <= set(variants(assets_of(place, 3)))
    written = write_splits("pointnav", find_sites(scenes), tmp_path, 3, "few", processes=2)
    assert not multiprocessing.active_children()
    none, whole = Fraction(0), Fraction(1)
    given = write_splits("pointnav", find_sites(scenes)[:1], tmp_path / "test", 1, "few", ratios=(none, none, whole))
    assert [*given] == ["test"], "no other file has its scene"
    for split in ("val_unseen", "all"):
        made = generated_data(demo(f"dataset.split={split}"))
        assert made.dataset.data_path is not None
        found = Path(made.dataset.data_path.replace("{split}", split))
        for file in (found, *found.parent.glob("content/*")):
            assert file.read_bytes() == (written[split].parent / file.relative_to(found.parent)).read_bytes()
    assert files(scenes_of(demo("dataset.split=val_unseen"))).items() < files(scenes).items()


def test_homes_made_side_by_side_are_those_made_one_after_the_other(tmp_path: Path) -> None:
    shares: list[float] = []
    seeds = ["few-1", "few-4"]
    alone = make_scenes(tmp_path, seeds, 1, 1, "home", DETAIL, on_progress=shares.append, assets="val")
    assert [path.name for path in alone] == [f"home_{seed}_1r1s.glb" for seed in seeds]
    assert files(tmp_path) == files(scenes_of(TWO))
    assert sum(shares) == pytest.approx(1)


def test_a_script_that_does_not_ask_whether_it_is_the_main_one_is_run_once(tmp_path: Path, cache: Path) -> None:
    """Processes beside it would begin by running it again."""
    script = tmp_path / "train.py"
    script.write_text(f"""import nav_eval
print("once")
given = {[*SMALL, "dataset.generate.scenes=2", "dataset.split=val_unseen", "dataset.generate.per_scene=2"]!r}
print(len(nav_eval.make_env("pointnav-demo", overrides=given).unwrapped.episodes))""")
    environment = os.environ | {"NAV_EVAL_CACHE": str(cache)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["once", "4"]


def test_a_process_that_is_killed_ends_the_work_with_a_sentence(tmp_path: Path) -> None:
    def kill(_: float) -> None:
        for process in multiprocessing.active_children():
            process.kill()

    with pytest.raises(SceneError, match="memory runs out: give fewer than 2 --processes"):
        list(make_scenes(tmp_path, ["a", "b"], 2, 1, "home", 20_000, on_progress=kill, processes=2))
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_who_stops_a_run_that_makes_homes_stops_their_processes_too(tmp_path: Path, how: signal.Signals) -> None:
    making = """from nav_eval.config.schema import GenerateConfig
from nav_eval_worlds.cached import cached_collection
cached_collection("pointnav", "all", GenerateConfig(scenes=3, seed="stopped"))"""
    environment = os.environ | {"NAV_EVAL_CACHE": str(with_kernels(tmp_path))}
    run = subprocess.Popen([sys.executable, "-c", making], stderr=subprocess.DEVNULL, env=environment)
    try:
        until(lambda: any(tmp_path.glob("worlds/*/each/tmp*")), "a home is begun")
        helpers = children(run.pid)
        run.send_signal(how)
        assert run.wait(PATIENCE) != 0
        until(lambda: not any(Path(f"/proc/{number}").exists() for number in helpers), "all have ended")
    finally:
        run.kill()
    assert len(helpers) >= 2
    for left in tmp_path.glob("worlds/*/each/*"):  # who is in a kernel when its time is over tidies nothing
        assert how == signal.SIGKILL
        with room_beside(left.with_name("next")):
            assert not left.exists()


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


HANGS = """import sys, time
from pathlib import Path
from nav_eval_worlds.cached import _made_once
def hang(folder, on_progress):
    (folder / "half").touch()
    print("begun", flush=True)
    time.sleep(600)
_made_once(Path(sys.argv[1]), hang, print)"""


def test_what_killed_processes_left_goes_with_the_next_making_unless_another_is_at_work(tmp_path: Path) -> None:
    def killed(process: subprocess.Popen[str]) -> None:
        with process:
            process.kill()

    first, second = (
        subprocess.Popen([sys.executable, "-c", HANGS, tmp_path / name], stdout=subprocess.PIPE, text=True)
        for name in ("first", "second")
    )
    for process in (first, second):
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
    killed(first)
    cached._made_once(tmp_path / "third", lambda folder, _: None, progress.no_progress)
    assert len([*tmp_path.glob("tmp*/*/half")]) == 2
    killed(second)
    cached._made_once(tmp_path / "fourth", lambda folder, _: None, progress.no_progress)
    assert {path.name for path in tmp_path.iterdir()} == {"third", "fourth"}


def test_what_is_in_the_cache_is_found_without_importing_what_makes_it(cache: Path) -> None:
    found = f"""import sys
from nav_eval.config.schema import GenerateConfig
from nav_eval_worlds.cached import cached_collection
cached_collection("pointnav", "val_unseen", GenerateConfig(**{TWO.dataset.generate.model_dump()!r}))
print(*[name for name in sys.modules if name.startswith("nav_eval_worlds")])"""
    done = subprocess.run(
        [sys.executable, "-c", found],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"NAV_EVAL_CACHE": str(cache)},
    )
    assert set(done.stdout.split()) == {f"nav_eval_worlds{part}" for part in ("", ".cached", ".shares")}


def test_a_split_that_is_not_made_is_told_beside_those_that_are() -> None:
    with pytest.raises(ConfigError, match=r"dataset\.split.*'val'.*train, val_seen, val_unseen, test or all"):
        generated_data(demo("dataset.split=val"))


def test_what_is_made_for_a_run_tells_its_progress_in_the_log(log: list[str]) -> None:
    lines = [line for line in log if line.startswith("2 buildings: ")]
    shares = [int(line.split()[2].rstrip("%,")) for line in lines]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert all(0 < share < 100 and line.endswith(" s left") for share, line in zip(shares, lines))
