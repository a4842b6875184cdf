"""Does a sensor keep nav_eval.core.interfaces.Sensor? Walks in a room, or on a graph, with it alone.

What a simulator's own check asks of its sensors is asked here too, and that nothing is left from an earlier episode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from nav_eval.config.schema import SensorConfig
from nav_eval.core import capabilities
from nav_eval.core.interfaces import Sensor, Simulator, SimulatorBackend
from nav_eval.dataset.episode import Episode
from nav_eval.simulator.motion import nominal_motion
from nav_eval.simulator.registry import make_simulator_backend
from nav_eval.simulator.sensors.registry import SENSORS, make_sensors
from nav_eval.testing.findings import Finding, run_checks
from nav_eval.testing.places import grid_graph, room
from nav_eval.testing.simulator import (
    Trial,
    a_batch_shows_what_single_sessions_show,
    difference,
    looking_changes_nothing,
    observations_fit_their_specs,
    sessions_are_independent,
    the_same_walk_is_the_same_twice,
    walk,
)
from nav_eval_sdk.protocol.simulator import Motion


def check_sensor(
    sensor: str | type[Sensor], *, place: Literal["custom", "nav_graph"] = "custom", **settings: Any
) -> Iterator[Finding]:
    """Findings, one by one. `sensor`: its name as registered, or its class.

    `settings`: keys of its section (width, options, ...). `place`: a room in 3-D, or a navigation graph.
    """
    name = sensor if isinstance(sensor, str) else sensor.__name__
    if not isinstance(sensor, str):
        SENSORS.add(name, sensor)
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        config, episodes = (room if place == "custom" else grid_graph)(Path(folder))
        sensors = {name: SensorConfig.model_validate(settings)}
        config = config.model_copy(update={"sensors": sensors})
        with closing(make_simulator_backend(config, 0)) as backend:
            yield from _check(backend, make_sensors(config)[name], episodes, nominal_motion(config.motion))


def _check(backend: SimulatorBackend, sensor: Sensor, episodes: list[Episode], motion: Motion) -> Iterator[Finding]:
    made = list(run_checks([can_be_made], backend))
    yield from made
    if not all(finding.ok for finding in made):
        return
    session = backend.open_session()
    yield from run_checks([uses_only_its_declared_needs], Look(sensor, session, episodes[0]))
    for episode in episodes:
        yield from run_checks(CHECKS, Trial(backend, episode, session, motion.forward_step, motion.turn_angle, 2, 0))
    session.close()


def can_be_made(backend: SimulatorBackend) -> str:
    backend.open_session().close()
    return ""


@dataclass(frozen=True, slots=True)
class Look:
    """One sensor in one session, by hand."""

    sensor: Sensor
    session: Simulator
    episode: Episode


class _Watched:
    """Stands for a session and notes which members are asked for."""

    def __init__(self, session: Simulator) -> None:
        self._session, self.asked = session, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.asked.add(name)
        return getattr(self._session, name)


def uses_only_its_declared_needs(look: Look) -> str:
    """What it does not name cannot be refused before a run, and a renderer would be missing in the manifest."""
    look.session.reset(look.episode)
    watched: Any = _Watched(look.session)
    look.sensor.begin(watched)
    look.sensor.observe(watched)
    lacking = [
        name
        for name, kind in vars(capabilities).items()
        if name.startswith("Has") and kind not in look.sensor.needs and watched.asked & vars(kind).keys()
    ]
    return f"it uses {', '.join(lacking)} of nav_eval.core.capabilities: add that to `needs`." if lacking else ""


def nothing_is_left_from_an_earlier_episode(trial: Trial) -> str:
    """A used sensor shows at a start what a fresh one shows."""
    trial.session.reset(trial.episode)
    for action in walk(trial):
        trial.session.step(action)
    used = trial.session.reset(trial.episode)
    with closing(trial.backend.open_session()) as other:
        fault = difference(used, other.reset(trial.episode))
        return f"after a first episode the second one begins with another reading of {fault}." if fault else ""


CHECKS = (
    observations_fit_their_specs,
    looking_changes_nothing,
    the_same_walk_is_the_same_twice,
    sessions_are_independent,
    a_batch_shows_what_single_sessions_show,
    nothing_is_left_from_an_earlier_episode,
)
