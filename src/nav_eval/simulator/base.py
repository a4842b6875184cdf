"""What every built-in session does alike: its episode, its sensors, its last step."""

from __future__ import annotations

from collections.abc import Mapping

from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec
from nav_eval.core.types import Observations, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError, SimulatorError


class SensorSession(Simulator):
    """A simulator session with a suite of sensors. Subclasses set `_episode` in start and `_last` in advance."""

    def __init__(self, sensors: Mapping[str, Sensor], backend: str = "this one") -> None:
        self._sensors = sensors
        self._episode: Episode | None = None
        self._last: StepRecord | None = None
        for name, sensor in sensors.items():
            if missing := [need.__name__ for need in sensor.needs if not isinstance(self, need)]:
                raise ConfigError(
                    f"simulator.sensors.{name}: backend {backend} lacks what it needs ({', '.join(missing)}). "
                    "Drop the sensor or choose another simulator.backend."
                )

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise SimulatorError("no episode was started: call reset(episode) first.")
        return self._episode

    @property
    def last_step(self) -> StepRecord | None:
        return self._last

    @property
    def observation_spec(self) -> Mapping[str, Spec]:
        return {name: sensor.spec for name, sensor in self._sensors.items()}

    def observe(self) -> Observations:
        return {name: sensor.observe(self) for name, sensor in self._sensors.items()}
