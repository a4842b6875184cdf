"""Names that plug-ins were written against, before they were renamed."""

from __future__ import annotations

import importlib

import pytest

BODIES = ("Body", "Building", "Crowd", "PedestrianModel", "Pedestrians", "Physics")
OLD = [
    ("nav_eval.core.types", "Company", "NearbyPedestrians"),
    ("nav_eval.core.types", "Felt", "Contacts"),
    ("nav_eval.core.interfaces", "Chance", "RngSource"),
    ("nav_eval.core.interfaces", "Crowds", "nav_eval.core.bodies.PedestrianModel"),
    ("nav_eval.core.interfaces", "Passers", "nav_eval.core.bodies.Pedestrians"),
    *(("nav_eval.core.interfaces", name, f"nav_eval.core.bodies.{name}") for name in BODIES),
    ("nav_eval.core.perturbing", "Draws", "SeededRngSource"),
    ("nav_eval.core.perturbing", "Veil", "PerturbedSensors"),
]


@pytest.mark.parametrize(("module", "old", "new"), OLD)
def test_an_old_name_leads_to_the_new_one_and_says_so(module: str, old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"{module}\.{old} is now called {new}\."):
        found = getattr(importlib.import_module(module), old)
    home, _, name = new.rpartition(".")
    assert found is getattr(importlib.import_module(home or module), name)


def test_the_warning_names_the_line_that_imports() -> None:
    with pytest.warns(DeprecationWarning, match="Contacts") as told:
        exec(compile("from nav_eval.core.types import Felt", "a_plugin.py", "exec"), {})
    assert told[0].filename == "a_plugin.py"


def test_a_name_that_never_was_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"module 'nav_eval\.core\.types' has no attribute 'Touched'"):
        _ = importlib.import_module("nav_eval.core.types").Touched
