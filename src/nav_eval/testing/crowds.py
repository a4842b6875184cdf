"""Does a PedestrianModel keep its contract? People walk in a room with a wall across it, round a standing agent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nav_eval.config.options import check_options
from nav_eval.config.schema import PeopleConfig
from nav_eval.core.bodies import Crowd, PedestrianModel
from nav_eval.core.types import Walker
from nav_eval.dataset.episode import Episode
from nav_eval.geometry import Vec3
from nav_eval.simulator.buildings import World
from nav_eval.simulator.people.pedestrians import TICK
from nav_eval.simulator.registry import CROWDS
from nav_eval.testing.findings import Finding, run_checks
from nav_eval.testing.places import room

COUNT, TICKS = 3, 120
FASTEST = 3.5
"""Nobody who walks is faster, m/s."""
OFF = 0.3
"""How far from the walkable floor a person may stand, m."""


@dataclass(frozen=True, slots=True)
class CrowdTrial:
    """What the checks are given."""

    crowds: PedestrianModel
    building: World
    episode: Episode

    def crowd(self, seed: int = 7) -> Crowd:
        return self.crowds.enter(self.building, self.episode, seed)

    @property
    def agent(self) -> Vec3:
        assert self.episode.start_position is not None
        return self.episode.start_position


def check_crowds(crowds: str | type[PedestrianModel], *, count: int = COUNT, **options: Any) -> Iterator[Finding]:
    """Findings, one by one. `crowds`: its name as registered, or its class; `options`: `simulator.people.options`."""
    name = crowds if isinstance(crowds, str) else crowds.__name__
    if not isinstance(crowds, str):
        CROWDS.add(name, crowds)
    check_options("simulator.people.options", options, CROWDS.get(name))
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        config, episodes = room(Path(folder), cameras=False)
        people = PeopleConfig(count=count, motion=name, options=options)
        config = config.model_copy(update={"people": people})
        made = CROWDS.get(name)(config)
        yield from run_checks(CHECKS, CrowdTrial(made, World(config, "room.obj"), episodes[0]))


def tells_where_everybody_is(trial: CrowdTrial) -> str:
    crowd = trial.crowd()
    first = list(crowd.people)
    for walker in first:
        told: object = walker
        if not isinstance(told, Walker):
            return f"people holds {told!r:.60}. Return nav_eval.core.types.Walker."
    crowd.advance(TICK, trial.agent)
    return "" if len(crowd.people) == len(first) else "somebody came or went: always tell as many as at the beginning."


def the_same_seed_walks_the_same_ways(trial: CrowdTrial) -> str:
    first, second = (_walk(trial, trial.crowd()) for _ in range(2))
    return "" if first == second else "the same seed led elsewhere: replay would fail."


def crowds_are_independent(trial: CrowdTrial) -> str:
    """Two walk by turns, in one building."""
    alone = _walk(trial, trial.crowd())
    one, other = trial.crowd(), trial.crowd(8)
    together = []
    for _ in range(TICKS):
        one.advance(TICK, trial.agent)
        other.advance(TICK, trial.agent)
        together.append(list(one.people))
    return "" if together == alone else "another session's people in the same building changed the ways of the first."


def nobody_flies(trial: CrowdTrial) -> str:
    """All positions are finite, near the floor, and reached at a walk."""
    crowd = trial.crowd()
    before = list(crowd.people)
    for now in _walk(trial, crowd):
        for was, walker in zip(before, now, strict=True):
            if not all(map(math.isfinite, (*walker.position, walker.yaw))):
                return f"somebody is at {walker.position}, heading {walker.yaw}."
            if math.dist(was.position, walker.position) > FASTEST * TICK:
                return f"somebody went from {was.position} to {walker.position} in {TICK} s."
            ground = trial.building.navmesh.snap(walker.position)
            if not math.dist(ground, walker.position) <= OFF:
                return f"somebody stands at {walker.position}, off the walkable floor."
        before = now
    return ""


CHECKS: Sequence[Callable[[CrowdTrial], str]] = (
    tells_where_everybody_is,
    the_same_seed_walks_the_same_ways,
    crowds_are_independent,
    nobody_flies,
)


def _walk(trial: CrowdTrial, crowd: Crowd) -> list[list[Walker]]:
    ways = []
    for _ in range(TICKS):
        crowd.advance(TICK, trial.agent)
        ways.append(list(crowd.people))
    return ways
