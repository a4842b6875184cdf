"""What is said where nav-eval-extras is not installed: one sentence with the line that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
from importlib.metadata import EntryPoints, entry_points
from nav_eval import registry
from nav_eval.cli import main

found = entry_points()
points = [point for group in found.groups for point in found.select(group=group)]
registry.entry_points = lambda: EntryPoints(one for one in points if not one.value.startswith("nav_eval_extras"))
main()
"""
INSTALL = "comes with a package of its own: pip install "


def without_extras(*arguments: str, cwd: Path) -> tuple[int, str]:
    """Exit code and errors of `nav-eval` where no entry point of the extras is found."""
    command = [sys.executable, "-c", WITHOUT, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "perturbations"),
        ("run", "pointnav-demo", "simulator.people.count=2"),
        ("sweep", "vln-demo", "suite=robustness"),
        ("annotate", "vln-demo", "--out", "texts"),
        ("config", "validate", "pointnav", "perturbations=[{name: blur, severity: 2}]"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_missing_feature_is_named_with_what_installs_it(arguments: tuple[str, ...], tmp_path: Path) -> None:
    code, said = without_extras(*arguments, cwd=tmp_path)
    assert code == 2
    assert f"{INSTALL}nav-eval-extras" in said


def test_the_missing_collection_is_named_with_the_extra_that_brings_its_formats(tmp_path: Path) -> None:
    code, said = without_extras("collect", "vln-demo", "--out", "walks", cwd=tmp_path)
    assert code == 2
    assert f"{INSTALL}'nav-eval[collect]'" in said


def test_missing_physics_is_named_with_the_extra_that_brings_mujoco_too(tmp_path: Path) -> None:
    code, said = without_extras("run", "pointnav-demo", "simulator.physics=mujoco", cwd=tmp_path)
    assert code == 2
    assert f"{INSTALL}'nav-eval[mujoco]'" in said


def test_what_needs_no_feature_is_valid_without_them(tmp_path: Path) -> None:
    assert without_extras("config", "validate", "vln-demo", "dataset.generate.scenes=1", cwd=tmp_path) == (0, "")
