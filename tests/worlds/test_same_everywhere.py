"""The same seed gives the same world on every SIMD level and every Python at hand, and the world of the release."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
ASK = (
    "from nav_eval.worlds.world import generate_world as g; "
    "print(g('anywhere', 5, 2, 'home', 20000).digest, g('anywhere', 4, 1, 'office', 20000).digest)"
)
RELEASED = (
    "7308f647590f49e631d1f51cf76fa80cbcf93f6f485d3ca943b8820792447800 "
    "9af7df41a37df90eed47772ba90d4152324471cd2abcc9a9a3ab17022d470cfe"
)
"""Changes only with a deliberate change of the generator, which the changelog then names."""


def digests(python: str, **environment: str) -> str:
    done = subprocess.run(
        [python, "-W", "ignore", "-c", ASK],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)} | environment,
    )
    return done.stdout.strip()


def test_the_worlds_are_those_of_the_release() -> None:
    assert digests(sys.executable) == RELEASED


def test_no_simd_level_changes_a_world() -> None:
    from numpy._core._multiarray_umath import __cpu_dispatch__ as features  # type: ignore[import-not-found,unused-ignore]

    assert digests(sys.executable, NPY_DISABLE_CPU_FEATURES=" ".join(features)) == RELEASED


@pytest.mark.parametrize("minor", [11, 12, 13, 14])
def test_no_python_changes_a_world(minor: int) -> None:
    python = shutil.which(f"python3.{minor}")
    if python is None:
        pytest.skip(f"python3.{minor} is not installed: not checked on it")
    ready = subprocess.run(
        [python, "-c", "import numpy, scipy.ndimage, msgspec, PIL"], capture_output=True, check=False
    )
    if ready.returncode:
        pytest.skip(f"{python} lacks numpy, scipy, msgspec or Pillow: not checked on it")
    assert digests(python) == RELEASED
