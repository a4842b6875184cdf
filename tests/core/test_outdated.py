"""A simulator's session is registered by nobody: what its class lacks is named when one is opened."""

from __future__ import annotations

import sys

import pytest

from graphs import write_r2r
from nav_eval import register_simulator
from nav_eval.cli import main
from nav_eval.core.interfaces import Simulator, SimulatorBackend


class OldSession(Simulator):
    """Written for an older edition: advance was called move."""

    episode = observation_spec = start = observe = get_agent_state = is_walkable = distance_to = None

    def move(self, action):
        pass


@register_simulator("outdated")
class Outdated(SimulatorBackend):
    def __init__(self, config, seed):
        pass

    def open_session(self):
        return OldSession()

    def assets(self, scene_id):
        return {}


def test_validate_says_it_of_an_outdated_simulator(tmp_path, monkeypatch, capsys):
    words = [*write_r2r(tmp_path), "simulator.backend=outdated", "~simulator.options.discrete_views"]
    monkeypatch.setattr(sys, "argv", ["nav-eval", "config", "validate", "r2r", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "test_outdated:OldSession lacks methods that nav_eval calls: advance" in said
    assert len(said.splitlines()) == 1
