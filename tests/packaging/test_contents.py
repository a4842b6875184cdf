"""What wheels and sdists hold: all that the source holds, the same either way, and nothing of this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from built_distributions import ROOT, Built, contents

PAPERS = {"README.md", "LICENSE", "NOTICE"}
OF_THE_EVALUATOR = {"README.zh-CN.md", "CHANGELOG.md", "long_description.py"}
BACKEND = {"pyproject.toml", "PKG-INFO", ".gitignore"}
"""What every sdist of hatchling holds besides."""


def source(built: Built) -> dict[str, bytes]:
    """The package's files in the checkout, as a wheel names them."""
    folder = built.project / "src"
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_wheel_holds_every_file_of_the_package_and_its_own_description(built: Built) -> None:
    held = contents(built.wheel)
    described = {name.split("/", 1)[1] for name in held if name.split("/")[0].endswith(".dist-info")}
    assert {name: data for name, data in held.items() if ".dist-info/" not in name} == source(built)
    assert described == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "licenses/NOTICE",
    }  # fmt: skip
    assert f"{built.package}/py.typed" in held


def test_an_sdist_holds_the_source_and_its_papers_only(built: Built) -> None:
    own = PAPERS | BACKEND | (OF_THE_EVALUATOR if built.name == "nav-eval" else set())
    assert contents(built.sdist).keys() == {f"src/{name}" for name in source(built)} | own


def test_the_sdist_makes_the_same_wheel(built: Built) -> None:
    assert contents(built.rebuilt) == contents(built.wheel)


def test_licence_and_notice_travel_along(built: Built) -> None:
    names = contents(built.wheel)
    for paper in ("LICENSE", "NOTICE"):
        held = next(data for name, data in names.items() if name.endswith(f"licenses/{paper}"))
        assert held == contents(built.sdist)[paper] == (built.project / paper).read_bytes()
    assert contents(built.sdist)["LICENSE"] == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("form", ["wheel", "sdist"])
def test_nothing_is_of_this_machine(built: Built, form: str) -> None:
    places = {f"{path}/".encode() for path in (ROOT, Path.home(), Path(sys.prefix), Path(sys.base_prefix))} - {b"//"}
    for name, data in contents(getattr(built, form)).items():
        assert not any(place in data for place in places), name
        assert not {"tests", "__pycache__", ".git", ".venv"} & set(Path(name).parts), name
        assert Path(name).suffix not in (".pyc", ".so", ".orig", ".log"), name
