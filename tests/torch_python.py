"""A Python with torch, for tests of what trains: fixtures, as torch is no dependency of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="session")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has torch and what this one has; made where CI=true, which takes a minute or two and 6 GB."""
    if find_spec("torch"):
        return sys.executable
    python = _installed(tmp_path_factory.mktemp("torch"), "torch")
    home = python.parents[1]
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "ours.pth").write_text("\n".join(path for path in sys.path if path.endswith(("src", "site-packages"))))
    return str(python)


@pytest.fixture(scope="session")
def engine_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that serves models as OpenAI does, with nothing of ours."""
    return _installed(tmp_path_factory.mktemp("engine"), "torch", "torchvision", "transformers[serving]==5.*")


def _installed(home: Path, *packages: str) -> Path:
    if os.environ.get("CI") != "true":
        pytest.skip(f"{packages[-1]} is not installed; with CI=true it is, in an environment of the test's own")
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def run(python: str, *words: str) -> str:
    """What it printed, run on one core among the examples."""
    path = os.pathsep.join(filter(None, (str(EXAMPLES), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([python, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
