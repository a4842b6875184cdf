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
    if os.environ.get("CI") != "true":
        pytest.skip("torch is not installed; with CI=true it is, in an environment of the test's own")
    home = tmp_path_factory.mktemp("torch")
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "torch"], check=True)
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "ours.pth").write_text("\n".join(path for path in sys.path if path.endswith(("src", "site-packages"))))
    return str(python)


def run(python: str, *words: str) -> str:
    """What it printed, run on one core among the examples."""
    path = os.pathsep.join(filter(None, (str(EXAMPLES), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([python, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
