"""What wheels and sdists hold: all that the source holds, the same either way, and nothing of this machine."""

from __future__ import annotations

import sys
from fnmatch import filter as matching
from pathlib import Path

import pytest

from built_distributions import ROOT, Built, contents

NEEDED = {
    "nav-eval": [
        "py.typed",
        "configs/benchmarks/r2r.yaml",
        "configs/simulator/*.yaml",
        "configs/tasks/*.yaml",
        "report/templates/*.html",
        "report/static/*.js",
        "report/static/report.css",
        "engine/recast/*.py",
    ],
    "nav-eval-sdk": [
        "py.typed",
        "protocol/openapi.json",
        "protocol/inference.proto",
        "protocol/inference.binpb",
        "protocol/simulator.proto",
        "protocol/simulator.binpb",
        "templates/Dockerfile",
        "templates/agent/agent.py.txt",
        "templates/agent/README.zh-CN.md",
    ],
    "nav-eval-baselines": ["py.typed", "template/train_vln/model.py", "learned/weights.npz", "learned/MODEL_CARD.md"],
    "nav-eval-worlds": [
        "py.typed",
        "zh.po",
        "language/things.toml",
        "language/wordings/en.toml",
        "language/wordings/zh.toml",
    ],
    "nav-eval-extras": ["py.typed"],
    "nav-eval-server": [
        "py.typed",
        "challenge.template.yaml",
        "migrations/0001_first.py",
        "web/templates/base.html",
        "web/static/pages.css",
        "web/locale/zh_Hans/LC_MESSAGES/django.mo",
    ],
}
SDIST = {
    "nav-eval": {"README.md", "README.zh-CN.md", "CHANGELOG.md", "LICENSE", "NOTICE", "long_description.py"},
    "nav-eval-sdk": {"README.md", "LICENSE", "NOTICE"},
    "nav-eval-baselines": {"README.md", "LICENSE", "NOTICE"},
    "nav-eval-worlds": {"README.md", "LICENSE", "NOTICE"},
    "nav-eval-extras": {"README.md", "LICENSE", "NOTICE"},
    "nav-eval-server": {"README.md", "LICENSE", "NOTICE"},
}
BACKEND = {"pyproject.toml", "PKG-INFO", ".gitignore"}
"""What every sdist of hatchling holds besides."""


def source(built: Built) -> set[str]:
    """The package's files in the checkout, as a wheel names them."""
    folder = built.project / "src"
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in files}


def test_a_wheel_holds_every_file_of_the_package_and_its_own_description(built: Built) -> None:
    names = contents(built.wheel).keys()
    described = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    assert names - described == source(built)
    assert {name.split("/", 1)[1] for name in described} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "licenses/NOTICE",
    }


def test_a_wheel_holds_what_is_read_at_run_time(built: Built) -> None:
    names = contents(built.wheel)
    for pattern in NEEDED[built.name]:
        found = matching(names, f"{built.package}/{pattern}")
        assert found, pattern
        assert all(names[name] for name in found if not name.endswith("py.typed"))


def test_an_sdist_holds_the_source_and_its_papers_only(built: Built) -> None:
    expected = {f"src/{name}" for name in source(built)} | SDIST[built.name] | BACKEND
    assert contents(built.sdist).keys() == expected


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
