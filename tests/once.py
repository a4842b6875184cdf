"""What costs seconds and is the same for all tests of a run: made by the process that asks first, read by others."""

from __future__ import annotations

import atexit
import fcntl
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import cloudpickle

Made = TypeVar("Made")
FOLDER = "TEST_RUN_FOLDER"


def begin() -> None:
    """In the process that starts the run: those of xdist inherit the folder's name."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)


def once(name: str, make: Callable[[], Made]) -> Made:
    """What `make` gives, or gave in another process of this run; who asks meanwhile waits for it."""
    path = Path(os.environ[FOLDER]) / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            found: Made = pickle.loads(path.read_bytes())
            return found
        made = make()
        whole = path.with_suffix(".part")
        whole.write_bytes(cloudpickle.dumps(made))  # a piece of furniture's model holds functions
        whole.replace(path)
    return made


def once_folder(name: str, fill: Callable[[Path], None]) -> Path:
    """A folder with what `fill` writes in it."""
    folder = Path(os.environ[FOLDER]) / f"{name}-folder"

    def make() -> Path:
        shutil.rmtree(folder, ignore_errors=True)  # of one who failed
        folder.mkdir()
        fill(folder)
        return folder

    return once(name, make)
