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
import nav_eval_sdk
from nav_eval.core.specs import TensorSpec
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.transport.base import ClientTls
from sdk.test_servers import certificates  # noqa: F401 - a fixture

PUBLIC = {each: getattr(module, each) for module in (nav_eval, nav_eval_sdk) for each in module.__all__}
CLASSES = [name for name, one in PUBLIC.items() if inspect.isclass(one)]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty floor."""
    floor = trimesh.creation.box((6.0, 0.1, 6.0))
    floor.apply_translation((0.0, -0.05, 0.0))
    path = tmp_path_factory.mktemp("house") / "floor.glb"
    floor.export(path)
    return path


@pytest.mark.parametrize("name", CLASSES)
def test_its_example_is_so(
    name: str,
    house: Path,
    certificates: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(certificates)
    more = {"np": np, "replace": replace, "TensorSpec": TensorSpec, "house": str(house)}
    known = PUBLIC | more | {"synthetic_episode": synthetic_episode, "ClientTls": ClientTls}
    docstring = inspect.getdoc(PUBLIC[name]) or ""
    example = doctest.DocTestParser().get_doctest(docstring, known, name, None, None)
    assert example.examples, f"{name} shows no call"
    told: list[str] = []
    doctest.DocTestRunner().run(example, out=told.append)
    assert told == []
