"""Every distribution, built once, and environments to install them in."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bare_install import Bare, make_bare
from built_distributions import FOLDERS, Built, build
from once import once, once_folder


@pytest.fixture(scope="session")
def distributions() -> dict[str, Built]:
    return once("distributions", build_all)


def build_all() -> dict[str, Built]:
    folder = once_folder("built", lambda _: None)
    for name in FOLDERS:
        (folder / name).mkdir()
    return {name: build(name, folder / name) for name in FOLDERS}


@pytest.fixture(params=FOLDERS)
def built(request: pytest.FixtureRequest, distributions: dict[str, Built]) -> Built:
    """Each distribution in turn."""
    return distributions[request.param]


@pytest.fixture
def sdk(distributions: dict[str, Built]) -> Built:
    return distributions["nav-eval-sdk"]


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Callable[..., Bare]]:
    """`bare(minor, *requirements)`: an environment on Python 3.`minor`, removed after the test (it may be large)."""
    made: list[Path] = []

    def make(minor: int, *requirements: str) -> Bare:
        made.append(tmp_path / f"bare{len(made)}")
        environment = make_bare(made[-1], minor)
        environment.install(*requirements)
        return environment

    yield make
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)
