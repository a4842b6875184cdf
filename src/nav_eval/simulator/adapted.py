"""Simulators with the specification's five methods (3.2), made into backends when they are found.

CLASS(config, seed), or CLASS(), is made for each session. `reset(episode)` and `step(action)` return {sensor: value};
of these the configured sensors are shown, and those that need only the pose are ours where it returns none. An action
without arguments comes as its name, any other as {"action": ..., "action_args": ...}. A step collided if the value
of "collision" says so; without one, if move_forward led less far than `simulator.motion.forward_step`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from nav_eval.admission import Blaming, file_of, lacking, takes
from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import Sensor, Simulator, SimulatorBackend
from nav_eval.core.specs import Spec
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.geometry import Vec3, euclidean
from nav_eval.simulator.backends.greedy import GreedyExpert
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.sensors.registry import make_sensors

METHODS = ("reset", "step", "get_agent_state", "geodesic_distance", "is_navigable")
MADE_OF = ("config", "seed")
SHORT = 0.99
"""Of a forward step: what led less far was cut short."""


class AdaptedBackend(SimulatorBackend):
    """Sessions of the class `own`, which share nothing."""

    starts_at = "position"
    own: ClassVar[Any]

    def __init__(self, config: SimulatorConfig, seed: int) -> None:
        self.config, self.seed = config, seed

    def open_session(self) -> Simulator:
        given = (self.config, self.seed) if takes(self.own, MADE_OF) else ()
        with Blaming(f"simulator {self.own.__qualname__}", self.own, SimulatorError):
            own = self.own(*given)
        return AdaptedSession(own, self.config, self.seed)

    def assets(self, scene_id: str) -> Mapping[str, str]:
        return {}


class AdaptedSession(SensorSession):
    """Calls one object as the specification writes it."""

    def __init__(self, own: Any, config: SimulatorConfig, seed: int) -> None:
        self._own, self._motion = own, config.motion
        self.returned: Mapping[str, Any] = {}
        sensors = {name: _Returned(name, sensor) for name, sensor in make_sensors(config).items()}
        super().__init__(sensors, config.backend, seed)

    def begin(self, episode: Episode) -> None:
        self._expert = GreedyExpert(self._motion.forward_step, math.radians(self._motion.turn_angle))
        self.returned = self._observations("reset", episode)

    def move(self, action: Action) -> StepRecord:
        before = self.get_agent_state()
        told = {"action": action.name, "action_args": dict(action.args)} if action.args else action.name
        self.returned = self._observations("step", told)
        after = self.get_agent_state()
        asked = SHORT * self._motion.forward_step if action.name == "move_forward" else 0.0
        short = euclidean(before.position, after.position) < asked
        return StepRecord(action, after, collided=bool(self.returned.get("collision", short)))

    def get_agent_state(self) -> AgentState:
        told = self._call("get_agent_state")
        try:
            (x, y, z), (qx, qy, qz, qw) = (map(float, part) for part in (told.position, told.rotation))
        except (AttributeError, TypeError, ValueError):
            raise self._wrong("get_agent_state", told, "nav_eval.AgentState((x, y, z), (x, y, z, w))") from None
        return AgentState((x, y, z), (qx, qy, qz, qw), elevation=float(getattr(told, "elevation", 0.0)))

    def distance_to(self, start: Place, ends: Sequence[Place]) -> float:
        told = [self._call("geodesic_distance", start.position, end.position) for end in ends]
        try:
            return min(map(float, told), default=math.inf)
        except (TypeError, ValueError):
            raise self._wrong("geodesic_distance", told, "metres, inf where no way leads") from None

    def is_navigable(self, position: Vec3) -> bool:
        return bool(self._call("is_navigable", position))

    def expert_action(self, goals: Sequence[Place], within: float) -> Action:
        return self._expert.next_action(self, goals, within)

    def close(self) -> None:
        if hasattr(self._own, "close"):
            self._call("close")

    def _observations(self, method: str, given: object) -> Mapping[str, Any]:
        told = self._call(method, given)
        if not isinstance(told, Mapping):
            raise self._wrong(method, told, "a dict of sensor -> value")
        return told

    def _call(self, method: str, *given: object) -> Any:
        with Blaming(f"simulator {type(self._own).__qualname__}.{method}", self._own, SimulatorError):
            return getattr(self._own, method)(*given)

    def _wrong(self, method: str, told: object, right: str) -> ConfigError:
        return ConfigError(
            f"simulator {type(self._own).__qualname__}{file_of(self._own)}: {method} returned {told!r:.60}. "
            f"Return {right}."
        )


class _Returned(Sensor):
    """What the simulator returned under a sensor's name; where it returned nothing, the sensor of ours."""

    def __init__(self, name: str, ours: Sensor) -> None:
        self._name, self._ours = name, ours

    @property
    def spec(self) -> Spec:
        return self._ours.spec

    def begin(self, simulator: Simulator) -> None:
        if self._name not in self._values(simulator):
            self._ours.begin(simulator)

    def update(self, step: StepRecord) -> None:
        self._ours.update(step)

    def observe(self, simulator: Simulator) -> Any:
        values = self._values(simulator)
        return values[self._name] if self._name in values else self._ours.observe(simulator)

    def _values(self, simulator: Any) -> Mapping[str, Any]:
        values: Mapping[str, Any] = simulator.returned
        if self._name not in values and not all(isinstance(simulator, need) for need in self._ours.needs):
            raise ConfigError(
                f"simulator.sensors.{self._name}: reset and step of this simulator return no {self._name!r}. "
                "Return it with the others, or drop the sensor."
            )
        return values


def as_backend(name: str, member: Any) -> Any:
    """`member` itself, or the backend made of a class that has METHODS. Raises ConfigError where it has only some."""
    if not isinstance(member, type) or issubclass(member, SimulatorBackend):
        return member
    missing = lacking(member, METHODS)
    if len(missing) == len(METHODS):
        return member
    told = f"simulator {name!r}{file_of(member)}: {member.__qualname__}"
    if issubclass(member, Simulator):
        raise ConfigError(
            f"{told} is a session. Register the SimulatorBackend whose open_session makes it, or derive from nothing: "
            f"{', '.join(METHODS)} are enough."
        )
    if missing:
        raise ConfigError(f"{told} has no {', '.join(missing)}. Define all five: {', '.join(METHODS)}.")
    if not takes(member, MADE_OF) and not takes(member, ()):
        raise ConfigError(f"{told} is made of (config, seed) or of (). Write def __init__(self, config, seed):")
    given = {key: getattr(member, key) for key in ("Options", "lacks_actions") if hasattr(member, key)}
    origin = {"__module__": member.__module__, "__qualname__": member.__qualname__, "__doc__": member.__doc__}
    return type(member.__name__, (AdaptedBackend,), given | origin | {"own": member})
