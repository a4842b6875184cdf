"""Does a sensor keep nav_eval.core.interfaces.Sensor? Walks in a room, or on a graph, with it alone.

What a simulator's own check asks of its sensors is asked here too; added is that nothing is left of an episode before.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from nav_eval.config.schema import SensorConfig
from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.dataset.episode import Episode
from nav_eval.simulator.motion import nominal_motion
from nav_eval.simulator.registry import make_simulator_backend
from nav_eval.testing.findings import Finding, run_checks
from nav_eval.testing.places import grid_graph, room
from nav_eval.testing.simulator import (
    Trial,
    difference,
    looking_changes_nothing,
    many_are_observed_as_one_by_one,
    observations_fit_their_specs,
    sessions_are_independent,
    the_same_walk_is_the_same_twice,
    walk,
)
from nav_eval_sdk.protocol.simulator import Motion


def check_sensor(name: str, *, place: Literal["custom", "nav_graph"] = "custom", **settings: Any) -> Iterator[Finding]:
    """Findings, one by one. `name`: as registered; `settings`: keys of its section (width, options, ...).

    `place`: a room in 3-D, or a navigation graph.
    """
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        config, episodes = (room if place == "custom" else grid_graph)(Path(folder))
        sensors = {name: SensorConfig.model_validate(settings)}
        backend = make_simulator_backend(config.model_copy(update={"sensors": sensors}), 0)
        try:
            yield from _checked(backend, episodes, nominal_motion(config.motion))
        finally:
            backend.close()


def _checked(backend: SimulatorBackend, episodes: list[Episode], motion: Motion) -> Iterator[Finding]:
    made = list(run_checks([can_be_made], backend))
    yield from made
    if not all(finding.ok for finding in made):
        return
    session = backend.open_session()
    for episode in episodes:
        yield from run_checks(CHECKS, Trial(backend, episode, session, motion.forward_step, motion.turn_angle, 2, 0))
    session.close()


def can_be_made(backend: SimulatorBackend) -> str:
    backend.open_session().close()
    return ""


def nothing_is_left_of_an_episode_before(trial: Trial) -> str:
    """A used sensor shows at a start what a fresh one shows."""
    trial.session.reset(trial.episode)
    for action in walk(trial):
        trial.session.step(action)
    used = trial.session.reset(trial.episode)
    other = trial.backend.open_session()
    try:
        fault = difference(used, other.reset(trial.episode))
        return f"after a first episode the second one begins with another reading of {fault}." if fault else ""
    finally:
        other.close()


CHECKS = (
    observations_fit_their_specs,
    looking_changes_nothing,
    the_same_walk_is_the_same_twice,
    sessions_are_independent,
    many_are_observed_as_one_by_one,
    nothing_is_left_of_an_episode_before,
)
