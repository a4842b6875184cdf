"""What every built-in session does alike: its episode, its sensors, its source of chance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from nav_eval.admission import Blaming
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec
from nav_eval.core.types import Observations, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError, SimulatorError


class SensorSession(Simulator):
    """A simulator session with a suite of sensors; subclasses say how an episode begins and what an action does."""

    def __init__(self, sensors: Mapping[str, Sensor], backend: str = "this one", seed: int = 0) -> None:
        self._sensors = sensors
        self._seed = seed
        self._steps = 0
        self._episode: Episode | None = None
        for name, sensor in sensors.items():
            if missing := [need.__name__ for need in sensor.needs if not isinstance(self, need)]:
                raise ConfigError(
                    f"simulator.sensors.{name}: backend {backend} lacks what it needs ({', '.join(missing)}). "
                    "Drop the sensor or choose another simulator.backend."
                )

    @abstractmethod
    def begin(self, episode: Episode) -> None:
        """Load the scene and put the agent at the start; `self.episode` is this one already."""

    @abstractmethod
    def move(self, action: Action) -> StepRecord:
        """Carry out one valid action."""

    def start(self, episode: Episode) -> None:
        self._episode, self._steps = episode, 0
        self.begin(episode)
        for name, sensor in self._sensors.items():
            with _blame_sensor(name, "begin", sensor):
                sensor.begin(self)

    def advance(self, action: Action) -> StepRecord:
        return self._update_sensors(self.move(action))

    def stay(self, action: Action) -> StepRecord:
        return self._update_sensors(super().stay(action))

    def _update_sensors(self, step: StepRecord) -> StepRecord:
        self._steps += 1
        for name, sensor in self._sensors.items():
            with _blame_sensor(name, "update", sensor):
                sensor.update(step)
        return step

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise SimulatorError("no episode was started: call reset(episode) first.")
        return self._episode

    @property
    def noise_key(self) -> tuple[int, str, str, str]:
        return (self._seed, *self.episode.key, str(self._steps))

    @property
    def observation_spec(self) -> Mapping[str, Spec]:
        return {name: sensor.spec for name, sensor in self._sensors.items()}

    def observe(self) -> Observations:
        seen: Observations = {}
        for name, sensor in self._sensors.items():
            with _blame_sensor(name, "observe", sensor):
                seen[name] = sensor.observe(self)
        return seen


def _blame_sensor(name: str, method: str, sensor: Sensor) -> Blaming:
    return Blaming(f"simulator.sensors.{name}: {method}", sensor, SimulatorError)
