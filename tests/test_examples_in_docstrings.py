"""Each public class shows a call in its docstring, and what it shows is so."""

from __future__ import annotations

import doctest
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import nav_eval
from nav_eval.core.specs import TensorSpec

CLASSES = [name for name in nav_eval.__all__ if inspect.isclass(getattr(nav_eval, name))]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty floor."""
    floor = trimesh.creation.box((6.0, 0.1, 6.0))
    floor.apply_translation((0.0, -0.05, 0.0))
    path = tmp_path_factory.mktemp("house") / "floor.glb"
    floor.export(path)
    return path


@pytest.mark.parametrize("name", CLASSES)
def test_its_example_is_so(name: str, house: Path) -> None:
    public = {each: getattr(nav_eval, each) for each in nav_eval.__all__}
    known = {**public, "house": str(house), "np": np, "replace": replace, "TensorSpec": TensorSpec}
    docstring = inspect.getdoc(getattr(nav_eval, name)) or ""
    example = doctest.DocTestParser().get_doctest(docstring, known, name, None, None)
    assert example.examples, f"{name} shows no call"
    told: list[str] = []
    doctest.DocTestRunner().run(example, out=told.append)
    assert told == []
