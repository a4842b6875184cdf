"""The navmesh cache: found again, never confused, never trusted blindly."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from engine.recast.shapes import Mesh, rectangle
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast import build_navmesh, store
from nav_eval.errors import NavmeshError

SETTINGS = NavmeshSettings()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory of this test's own; kernels keep theirs."""
    monkeypatch.setattr(store, "cache_home", lambda: tmp_path)
    return tmp_path


def floor(side: float = 5.0) -> Mesh:
    """Positions and triangles of a square."""
    return rectangle(0, side, 0, side)


def files(home: Path) -> list[Path]:
    return sorted(p for p in home.rglob("*") if p.is_file())


def test_the_second_call_reads_what_the_first_wrote(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = store.build_or_load(*floor(), SETTINGS)
    assert [p.read_bytes() for p in files(home)] == [first]
    assert first == build_navmesh(*floor(), SETTINGS)
    monkeypatch.setattr(store, "build_navmesh", None)
    assert store.build_or_load(*floor(), SETTINGS) == first


def test_other_geometry_and_other_settings_are_other_files(home: Path) -> None:
    store.build_or_load(*floor(), SETTINGS)
    store.build_or_load(*floor(6.0), SETTINGS)
    store.build_or_load(*floor(), replace(SETTINGS, agent_radius=0.3))
    positions, triangles = floor()
    store.build_or_load(positions, triangles[::-1], SETTINGS)
    assert len(files(home)) == 4


@pytest.mark.parametrize("damage", [b"", b"MSET", None])
def test_a_damaged_file_is_built_again(home: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture) -> None:
    first = store.build_or_load(*floor(), SETTINGS)
    (path,) = files(home)
    path.write_bytes(first[:-7] if damage is None else damage)
    with caplog.at_level(logging.WARNING, "nav_eval"):
        assert store.build_or_load(*floor(), SETTINGS) == first
    assert "built again" in caplog.text
    assert path.read_bytes() == first


def test_where_nothing_can_be_written_the_build_still_works(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    (home / "navmesh").write_text("a file where the directory should be")
    with caplog.at_level(logging.WARNING, "nav_eval"):
        assert store.build_or_load(*floor(), SETTINGS)
    assert "not cached" in caplog.text


def test_a_failed_build_leaves_nothing_behind(home: Path) -> None:
    with pytest.raises(NavmeshError):
        store.build_or_load(*floor(1e-3), SETTINGS)
    assert files(home) == []
