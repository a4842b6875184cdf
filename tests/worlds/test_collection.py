"""Generated benchmarks: as many buildings are played as were asked for, and none of an unseen split is ever seen."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from nav_eval import progress
from nav_eval.config.loader import load_config
from nav_eval.config.schema import Config, GenerateConfig
from nav_eval.errors import ConfigError
from nav_eval.runs.builder import make_episodes
from nav_eval.runs.effective import Effective, generated_data
from nav_eval_worlds import cached
from nav_eval_worlds.cached import buildings_of
from nav_eval_worlds.collection import make_episodes as write_splits
from nav_eval_worlds.collection import make_scenes, open_sites
from nav_eval_worlds.shares import assets_of

SMALL = ("dataset.generate.seed=few", "dataset.generate.rooms=1", "dataset.generate.detail=20000")


def demo(*overrides: str) -> Config:
    return load_config("pointnav-demo", overrides=[*SMALL, *overrides], environment={})


def homes(config: Config) -> set[str]:
    return {scene for scene, _ in make_episodes(Effective.of(config)).keys}


def test_as_many_homes_are_played_as_were_asked_for() -> None:
    two = demo("dataset.generate.scenes=2", "dataset.split=val_unseen")
    assert len(homes(two)) == 2
    assert len(list(Path(str(generated_data(two).simulator.scenes_dir)).glob("*.glb"))) == 2
    assert homes(demo()) < homes(two)


def test_no_home_of_an_unseen_split_is_seen_however_many_there_are() -> None:
    train, val, test = (buildings_of(split, 40, "s").items() for split in ("train", "val_unseen", "test"))
    assert [len(split) for split in (train, val, test)] == [40, 40, 40]
    assert len(dict([*train, *val, *test])) == 120
    assert buildings_of("val_unseen", 7, "s").items() < val
    assert buildings_of("val_seen", 40, "s").items() == train


def test_the_usual_splits_are_byte_for_byte_those_of_three_homes_dealt_out(tmp_path: Path) -> None:
    """As `generate scenes` and `generate episodes` deal them, and as this release always made them."""
    for place in range(3):
        list(make_scenes(tmp_path, [f"few-{place}"], 1, 1, "home", 20000, assets=assets_of(place, 3)))
    written = write_splits("pointnav", open_sites(tmp_path), tmp_path / "out", 3, "few")
    for split in ("val_unseen", "all"):
        made = generated_data(demo(f"dataset.split={split}"))
        assert made.dataset.data_path is not None
        found = Path(made.dataset.data_path.replace("{split}", split))
        for file in (found, *found.parent.glob("content/*")):
            assert file.read_bytes() == (written[split].parent / file.relative_to(found.parent)).read_bytes()
        for scene in Path(str(made.simulator.scenes_dir)).iterdir():
            assert scene.read_bytes() == (tmp_path / scene.name).read_bytes()


def test_what_is_in_the_cache_is_found_without_importing_what_makes_it() -> None:
    config = demo("dataset.split=all")
    generated_data(config)
    found = f"""import sys
from nav_eval.config.schema import GenerateConfig
from nav_eval_worlds.cached import cached_collection
cached_collection("pointnav", "all", GenerateConfig(**{config.dataset.generate.model_dump()!r}))
print(*[name for name in sys.modules if name.startswith("nav_eval_worlds")])"""
    said = subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) == {f"nav_eval_worlds{part}" for part in ("", ".cached", ".shares")}


def test_a_split_that_is_not_made_is_told_beside_those_that_are() -> None:
    with pytest.raises(ConfigError, match=r"dataset\.split.*'val'.*train, val_seen, val_unseen, test or all"):
        generated_data(demo("dataset.split=val"))


def test_what_is_made_for_a_run_tells_its_progress_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cached, "cache_home", lambda: tmp_path)
    monkeypatch.setattr(progress, "SECONDS_BEFORE_SHARES", 0.0)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_SHARES", 0.2)
    caplog.set_level(logging.INFO, "nav_eval")
    made = GenerateConfig(seed="a", scenes=1, rooms=2, detail=20_000, per_scene=1)
    cached.cached_collection("pointnav", "train", made)
    lines = [line for line in caplog.messages if line.startswith("1 buildings: ")]
    shares = [int(line.split()[2].rstrip("%,")) for line in lines]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert all(0 < share < 100 and line.endswith(" s left") for share, line in zip(shares, lines))
