"""A real third-party package that adds one of each kind, installed by pip and used from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "plugin_package"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package, for PYTHONPATH."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", str(target), str(PACKAGE)], check=True, capture_output=True)
    return target


def nav_eval(installed, *arguments, cwd):
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", "from nav_eval.cli import main; main()", *arguments]
    return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)


KINDS = {
    "tasks": "patrol",
    "metrics": "longest_step",
    "simulators": "corridor",
    "sensors": "odometer",
    "datasets": "lines",
    "agents": "walker",
    "benchmarks": "corridor-walk",
    "scene_formats": "xyz",
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_listed(installed, tmp_path, kind):
    listed = nav_eval(installed, "list", kind, "--json", cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert KINDS[kind] in {row["name"] for row in json.loads(listed.stdout)}


def test_its_benchmark_runs_with_its_parts(installed, tmp_path):
    (tmp_path / "lengths.txt").write_text("3.2\n9\n")
    ran = nav_eval(installed, "run", "corridor-walk", "dataset.data_path=lengths.txt", "--out", "run", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["metrics"]["success"]["mean"] == 0.5
    assert results["metrics"]["longest_step"]["mean"] == 1.0
    assert results["profile"] == {"name": "corridor", "version": "1"}
    assert nav_eval(installed, "replay", "run", cwd=tmp_path).returncode == 0


def test_its_scene_format_loads(installed, tmp_path):
    (tmp_path / "one.xyz").write_text("0 0 0 1 0 0 0 0 1\n")
    shown = nav_eval(installed, "scene", "info", "one.xyz", "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["triangles"] == 1
