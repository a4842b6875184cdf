"""Eighteen episodes on a small graph, and what an agent leaves of them where nothing happens."""

from __future__ import annotations

from typing import Any

import pytest

from end_to_end.agents import DigestAgent
from graphs import item, node, write_r2r
from playing import play, records

PATHS = [[node(x, 0), node(1, y), node(2, y)] for x in range(3) for y in range(3)]
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
ITEMS = [item(n, path, [f"Walk path {NAMES[n]}.", f"Go path {NAMES[n]} on."]) for n, path in enumerate(PATHS)]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Overrides, with an agent that takes its time and decides by all that it is told."""
    agent = "agent_service.agent='end_to_end.agents:SlowAgent'"
    return [*write_r2r(tmp_path_factory.mktemp("world"), items=ITEMS), agent, "agent_service.secret=s3"]


@pytest.fixture(scope="session")
def journals(world: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[list[dict[str, Any]]]:
    """What stands of them in episodes.jsonl and trajectories.jsonl, timing apart."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    play(folder, world, agent=DigestAgent)  # which decides as the slow one does
    return [records(folder, name) for name in ("episodes.jsonl", "trajectories.jsonl")]


@pytest.fixture(scope="session")
def undisturbed(journals: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return journals[0]
