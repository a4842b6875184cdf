"""Environments with nothing in them but what is installed from our wheels, on any Python that this machine has.

They are to a distribution what a participant's machine is: no checkout, no development tools, no variable of ours.
The running pip installs into them (`pip --python`), so that one cache serves all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from served import served

MINORS = (10, 11, 12, 13, 14)
"""Python 3.x of each: every version that is, or may soon be, in use."""
RUNNING = sys.version_info.minor
OURS = ("PYTHON", "NAV_EVAL", "COVERAGE", "PYTEST")
WHICH = "import sys, venv; print(sys.implementation.name, *sys.version_info[:2])"


@dataclass(frozen=True)
class Bare:
    """A virtual environment made by `make_bare`."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def install(self, *requirements: str) -> None:
        """From wheel files and the registry; the test fails in pip's words, but skips where there is no network."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet", "--no-input"]
        done = subprocess.run(
            [*pip, "--no-compile", *requirements], env=plain_environment(), capture_output=True, text=True
        )
        if done.returncode and "after connection broken by" in done.stderr:
            pytest.skip("NOT TESTED: pip reaches no package index from here")
        told = [line for line in done.stderr.splitlines() if not line.startswith("WARNING")]
        assert done.returncode == 0, "\n".join(told[-20:])

    def run(self, program: str, *arguments: str, cwd: Path, code: int = 0, seconds: float = 300) -> str:
        """What a program of the environment prints; the test fails unless it ends with `code`."""
        command = [str(self.folder / "bin" / program), *arguments]
        done = subprocess.run(
            command, cwd=cwd, env=plain_environment(), capture_output=True, text=True, timeout=seconds
        )
        assert done.returncode == code, f"{program} {arguments} ended with {done.returncode}: {done.stderr[-3000:]}"
        return done.stdout + done.stderr

    @contextmanager
    def serving(self, project: Path, *arguments: str) -> Iterator[str]:
        """`nav-eval-agent serve agent:Agent` in `project`; gives its endpoint."""
        command = [str(self.folder / "bin" / "nav-eval-agent"), "serve", "agent:Agent", "--port", "0", *arguments]
        with served(command, project, plain_environment()) as endpoint:
            yield endpoint


def make_bare(folder: Path, minor: int) -> Bare:
    """An empty environment on Python 3.`minor`; skips the test, naming the version, where there is none."""
    python = find_python(minor)
    if python is None:
        pytest.skip(f"NOT TESTED on Python 3.{minor}: this machine has none (looked on PATH, for pyenv's and for uv's)")
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, env=plain_environment())
    return Bare(folder)


def plain_environment() -> dict[str, str]:
    """The user's environment without what belongs to this test run."""
    return {key: value for key, value in os.environ.items() if not key.startswith(OURS)}


@cache
def find_python(minor: int) -> Path | None:
    """A CPython 3.`minor` of this machine, or None. What PATH has may be a shim that runs nothing, so each is tried."""
    return next((path for path in _candidates(minor) if _is_python(path, minor)), None)


def _candidates(minor: int) -> Iterator[Path]:
    if minor == RUNNING:
        yield Path(sys.executable)
    for folder in os.get_exec_path():
        yield Path(folder) / f"python3.{minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python3"), reverse=True)
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local" / "share" / "uv" / "python")
    yield from sorted(uv.glob(f"cpython-3.{minor}.*/bin/python3"), reverse=True)


def _is_python(path: Path, minor: int) -> bool:
    if not path.exists():
        return False
    done = subprocess.run([path, "-c", WHICH], env=plain_environment(), capture_output=True, text=True)
    return done.stdout.split() == ["cpython", "3", str(minor)]
