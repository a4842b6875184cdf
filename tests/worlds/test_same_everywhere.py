"""The same seed gives the same world on every SIMD level and every Python at hand, and the world of the release."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nav_eval.config.loader import load_config
from nav_eval.errors import ConfigError
from nav_eval.runs.builder import make_episodes
from nav_eval.runs.effective import Effective
from nav_eval_worlds import GENERATOR
from nav_eval_worlds.mesh.tessellate import tessellate
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.rooms.furnish import _RULES
from nav_eval_worlds.rooms.space import use_of
from nav_eval_worlds.world import Stream, _items, building_style
from patience import PATIENCE
from worlds.buildings import RELEASED, make_world

ROOT = Path(__file__).parents[2]
SOURCES = os.pathsep.join(str(folder) for folder in (ROOT / "src", *ROOT.glob("packages/*/src")))
ASK = (
    "from nav_eval_worlds.world import generate_world; "
    f"print(*[generate_world(*case, 20_000).digest for case in {RELEASED}])"
)
DIGESTS = (
    "9c4287f6ee12047717d79bb5ac760dc51cde42b8c704052aa54fcf24ad1bbb5a "
    "2b415314b4d9df1d8c7752a775b9adb4f0b2cf22596203c1530d072a8b482b96"
)
"""Of generator 13. Changes only with the generator, whose version stands in the semantic file and is raised then."""


FURNISHED = (("0", 8, 2, "home"), ("0", 9, 1, "office"), ("0", 13, 1, "home"))
"""Buildings that hold a room of every kind that is furnished; the two above lack a foyer, for one."""
RELEASED_THINGS = "772c9db663c98d7a34bd52230b3a7d1e7f76dc68a5cbd197c7cb4e186e0e4608"
"""Of generator 13: all things of these buildings and their shapes, before light and pictures."""


def digests(python: str, **environment: str) -> str:
    done = subprocess.run(
        [python, "-W", "ignore", "-c", ASK],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        env=os.environ | {"PYTHONPATH": SOURCES} | environment,
    )
    return done.stdout.strip()


def test_the_worlds_are_those_of_the_release() -> None:
    assert " ".join(make_world(*case).digest for case in RELEASED) == DIGESTS


def test_every_kind_of_room_is_furnished_as_in_the_release() -> None:
    """The digests above hold a few rooms. Here too: what changes them raises the generator's version."""
    plans = [make_plan(*building) for building in FURNISHED]
    assert set(_RULES) <= {use_of(plan.kind, room.type) for plan in plans for room in plan.rooms}
    total = hashlib.sha256()
    for plan, (seed, rooms, storeys, kind) in zip(plans, FURNISHED, strict=True):
        stream = Stream("world", seed, kind, rooms, storeys)
        items = _items(plan, building_style(seed, kind), stream, "all")
        for one in items:
            told = (one.category, one.room, one.at, one.turn, one.size, one.on, one.joins, one.variant, one.design)
            total.update(repr(told).encode())
        mesh = tessellate(items, 20_000)
        for array in (mesh.positions.astype(np.float32), mesh.triangles, mesh.materials):
            total.update(np.ascontiguousarray(array).tobytes())
    assert total.hexdigest() == RELEASED_THINGS


@pytest.mark.soak
def test_no_simd_level_changes_a_world() -> None:
    from numpy._core._multiarray_umath import __cpu_dispatch__ as features  # type: ignore[import-not-found,unused-ignore]

    assert digests(sys.executable, NPY_DISABLE_CPU_FEATURES=" ".join(features)) == DIGESTS


@pytest.mark.parametrize("minor", [minor for minor in (11, 12, 13, 14) if minor != sys.version_info.minor])
def test_no_python_changes_a_world(minor: int) -> None:
    python = shutil.which(f"python3.{minor}")
    if python is None:
        pytest.skip(f"python3.{minor} is not installed: not checked on it")
    ready = subprocess.run(
        [python, "-c", "import numba, numpy, scipy.ndimage, msgspec, PIL"], capture_output=True, check=False
    )
    if ready.returncode:
        pytest.skip(f"{python} lacks numba, numpy, scipy, msgspec or Pillow: not checked on it")
    assert digests(python) == DIGESTS


def test_scores_are_filed_under_the_version_of_the_generator() -> None:
    config = load_config("vln-demo", environment={})
    assert config.dataset.generate is not None
    assert config.dataset.generate.version == GENERATOR
    assert config.title == f"vln-demo, worlds v{GENERATOR}"
    assert load_config("vln-demo", overrides=["dataset.data_path=x"], environment={}).title == "vln-demo"
    earlier = load_config("vln-demo", overrides=["dataset.generate.version=1"], environment={})
    assert earlier.title == "vln-demo, worlds v1"  # a run of it can be read and reported
    later = load_config("vln-demo", overrides=[f"dataset.generate.version={GENERATOR + 1}"], environment={})
    for other in (earlier, later):
        with pytest.raises(ConfigError, match=r"dataset\.generate\.version: is \d+, and this release makes"):
            make_episodes(Effective.of(other))
