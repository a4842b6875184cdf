"""A run of ours that the tests of damaged and foreign runs copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphs import write_r2r
from playing import play


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Beside its data."""
    folder = tmp_path_factory.mktemp("own")
    return play(folder / "run", [*write_r2r(folder), "agent_service.agent=random"]).path


@pytest.fixture
def run(own: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(own, tmp_path / "run"))
