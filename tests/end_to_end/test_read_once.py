"""A configuration is worked out once for a run, however much of it the run needs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nav_eval.runs import builder, effective
from playing import play
from rooms import write_room

ONCE = ("generated_data", "_located", "_with_goal_sensors", "_in_time")
"""Of runs/effective.py: what each part of the configuration is made by."""


def test_each_part_of_a_configuration_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process with one session; what serves a session alone (task, perturbations) is made for each of the two."""
    calls: Counter[str] = Counter()

    def count(module: object, name: str) -> None:
        original = getattr(module, name)

        def counting(*arguments: object) -> object:
            calls[name] += 1
            return original(*arguments)

        monkeypatch.setattr(module, name, counting)

    for name in (*ONCE, "make_perturbations", "make_task"):
        count(effective, name)
    for name in ("make_backend", "make_dataset", "make_clock"):
        count(builder, name)
    overrides = [*write_room(tmp_path), "dataset.limit=4", "agent_service.agent=forward"]
    results = play(tmp_path / "run", overrides, "pointnav").results
    assert results.n_episodes == 4
    assert calls == Counter(
        dict.fromkeys([*ONCE, "make_perturbations", "make_task", "make_backend", "make_dataset", "make_clock"], 1)
    )
