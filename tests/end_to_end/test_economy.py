"""What a run does once, however often it is needed, and what it never does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from graphs import item, node, write_r2r
from nav_eval.runs import builder, effective
from playing import play
from rooms import write_room

MAKERS = {
    effective: ("generated_data", "_locate", "_with_goal_sensors", "_in_time", "make_perturbations", "make_task"),
    builder: ("make_backend", "make_dataset", "make_clock"),
}
"""Of parts of the configuration, and of what is made of it."""
LOADED = """
import sys
from nav_eval.cli import main
try:
    main()
finally:
    sys.stderr.write(f"loaded: {sorted({'numba', 'llvmlite'} & set(sys.modules))}")
"""


def test_each_part_of_a_configuration_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process with one session; what serves a session alone (task, perturbations) is made for each of the two."""
    spies = {name: Mock(wraps=getattr(module, name)) for module, names in MAKERS.items() for name in names}
    for module, names in MAKERS.items():
        for name in names:
            monkeypatch.setattr(module, name, spies[name])
    overrides = [*write_room(tmp_path), "dataset.limit=4", "agent_service.agent=forward"]
    assert play(tmp_path / "run", overrides, "pointnav").results.n_episodes == 4
    assert {name: spy.call_count for name, spy in spies.items()} == dict.fromkeys(spies, 1)


def loaded_by(*words: str) -> str:
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.rpartition("loaded: ")[2]


def test_a_graph_is_walked_and_reported_without_a_compiler(tmp_path: Path) -> None:
    """numba alone would take 110 MB and half a second."""
    overrides = write_r2r(tmp_path, width=4, height=4, items=[item(1, [node(0, 0), node(0, 3)], ["Walk on."])])
    asked = ["agent_service.agent=random", "evaluation.max_steps=5", "--out", str(tmp_path / "run")]
    assert loaded_by("run", "r2r", *overrides, *asked) == "[]"
    assert loaded_by("report", str(tmp_path / "run")) == "[]"
