"""One agent in an external simulator, over a connection of its own, which is opened anew after a failure.

Cameras come from the simulator, asked for once per step; every other sensor is ours and reads the answered pose.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import Field

from nav_eval.config.schema import Seconds, SensorConfig, SimulatorConfig
from nav_eval.config.section import Section
from nav_eval.core.actions import Action
from nav_eval.core.environment import derived_seed
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.frame import Frame
from nav_eval.errors import ConfigError, NavEvalError, SimulatorError
from nav_eval.geometry import Vec3
from nav_eval.logging import get_logger
from nav_eval.simulator.backends.external_values import agent_state, metres, plain_events, wire_body, wire_place
from nav_eval.simulator.backends.greedy import GreedyExpert
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.motion import nominal_motion
from nav_eval.simulator.sensors.frame import FrameSensor
from nav_eval.simulator.sensors.registry import make_sensors
from nav_eval_sdk.errors import Refused, WireError
from nav_eval_sdk.protocol import simulator as contract
from nav_eval_sdk.protocol.actions import ACTIONS
from nav_eval_sdk.protocol.messages import Message
from nav_eval_sdk.protocol.simulator import Call, Description, Session
from nav_eval_sdk.protocol.values import message_limit
from nav_eval_sdk.protocol.version import PROTOCOL_VERSION
from nav_eval_sdk.simulator_host.client import SimulatorClient
from nav_eval_sdk.transport.base import Deadline

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)
CLOSE_SECONDS = 5.0
"""A simulator that does not even say goodbye is not waited for."""


class Deadlines(Section):
    """How long an external simulator may take."""

    connect: Seconds = Field(60.0, description="to start listening")
    start: Seconds = Field(120.0, description="to load a scene")
    call: Seconds = Field(30.0, description="to answer anything else")


class HostOptions(Protocol):
    """What `simulator.options` tells of the simulator's own."""

    @property
    def host(self) -> Mapping[str, Any]: ...

    @property
    def sensors(self) -> Mapping[str, SensorConfig]: ...


class Engine(Protocol):
    """What a session asks of the backend that opened it."""

    config: SimulatorConfig
    seed: int
    deadlines: Deadlines

    @property
    def options(self) -> HostOptions: ...

    def connect(self) -> SimulatorClient: ...

    def failure(self, call: str, error: WireError) -> SimulatorError: ...


class ExternalSession(SensorSession):
    """What is measured and shown of one agent in the external simulator."""

    def __init__(self, backend: Engine) -> None:
        self._backend = backend
        self._config = backend.config
        self._session_id = uuid.uuid4().hex
        self._client: SimulatorClient | None = None
        self._specs: Mapping[str, Spec] = {}
        self._state = AgentState((0.0, 0.0, 0.0))
        self._seen: Mapping[str, Any] | None = None
        self._expert = self._new_expert()
        sensors = dict(make_sensors(self._config))
        self._cameras = {name: sensor for name, sensor in sensors.items() if isinstance(sensor, FrameSensor)}
        self._own = _own_requests(backend.options.sensors)
        self.description = self._open()
        if self.description.actions:
            self.lacks_actions = ACTIONS.keys() - {*self.description.actions}
        super().__init__(
            sensors | {name: _HostSensor(self, name) for name in self._own}, self._config.backend, backend.seed
        )

    def _open(self) -> Description:
        self._client = self._backend.connect()
        try:
            return self._negotiate(self._client)
        except NavEvalError:
            self._drop()
            raise

    def _negotiate(self, client: SimulatorClient) -> Description:
        description = self._call(contract.DESCRIBE, contract.Empty())
        if PROTOCOL_VERSION not in description.protocols:
            raise SimulatorError(f"simulator {description.name} speaks protocol {list(description.protocols)}, not 1.")
        client.understand(description.headers)
        self._specs = self._call(contract.OPEN, self._setup(), self._backend.deadlines.start).observation_spec
        try:
            message_limit(self._specs)
        except (WireError, RecursionError) as error:
            raise SimulatorError(f"the simulator declares observations that cannot be: {str(error)[:300]}") from None
        self._check_cameras(description)
        return description

    def _setup(self) -> contract.OpenSession:
        requests = {
            name: contract.SensorRequest(
                camera.output, camera.lens.width, camera.lens.height, math.radians(camera.lens.hfov)
            )
            for name, camera in self._cameras.items()
        }
        return contract.OpenSession(
            session_id=self._session_id,
            seed=self._backend.seed,
            sensors=requests | self._own,
            body=wire_body(self._config),
            motion=nominal_motion(self._config.motion),
            options=dict(self._backend.options.host),
        )

    def _check_cameras(self, description: Description) -> None:
        for name in (*self._cameras, *self._own):
            if name not in self._specs:
                raise ConfigError(
                    f"simulator.sensors.{name}: simulator {description.name or 'external'} does not offer it "
                    f"(it has {', '.join(description.sensors) or 'none'}). Drop the sensor."
                )
        for name, camera in self._cameras.items():
            shape, dtype = _IMAGES[camera.output]
            declared = self._specs[name]
            wanted = (camera.lens.height, camera.lens.width, *shape)
            if (tuple(getattr(declared, "shape", ())), getattr(declared, "dtype", "")) != (wanted, dtype):
                raise SimulatorError(f"the simulator declares {name} as {declared}, not {dtype}{list(wanted)}.")

    def _call(self, call: Call[Q, A], request: Q, seconds: float | None = None) -> A:
        if self._client is None:
            raise SimulatorError("the simulator's session is closed.")
        try:
            return self._client.call(call, request, Deadline(seconds or self._backend.deadlines.call))
        except WireError as error:
            raise self._failed(call.name, error) from None

    def _failed(self, call: str, error: WireError) -> SimulatorError:
        if not isinstance(error, Refused):
            self._drop()
        return self._backend.failure(call, error)

    def _drop(self) -> None:
        if self._client is not None:
            self._client.drop()
        self._client = None

    def begin(self, episode: Episode) -> None:
        if self._client is None:
            self._open()
        self._seen = None
        self._expert = self._new_expert()
        request = contract.StartEpisode(
            scene_id=episode.scene_id,
            episode_id=episode.episode_id,
            start_position=episode.start_position,
            start_rotation=episode.start_rotation,
            start_node=episode.start_node,
            seed=derived_seed(*self.noise_key, "start"),
            session_id=self._session_id,
            goals=tuple(goal.position for goal in episode.goals if goal.position is not None),
        )
        self._state = agent_state(self._call(contract.START, request, self._backend.deadlines.start))

    def move(self, action: Action) -> StepRecord:
        seed = derived_seed(*self.noise_key, "motion")
        step = self._call(
            contract.ADVANCE, contract.AdvanceRequest(self._session_id, action.name, dict(action.args), seed)
        )
        self._state, self._seen = agent_state(step.state), None
        return StepRecord(action, self._state, step.collided, step.clipped, events=plain_events(step.events))

    def host_observation(self) -> Mapping[str, Any]:
        """What the simulator shows now, asked for once per step."""
        if self._seen is None:
            if self._client is None:
                raise SimulatorError("the simulator's session is closed.")
            deadline = Deadline(self._backend.deadlines.call)
            try:
                self._seen = self._client.observe(self._session_id, self._specs, deadline)
            except WireError as error:
                raise self._failed("observe", error) from None
        return self._seen

    def host_spec(self, name: str) -> Spec:
        """The simulator's spec of a sensor of its own."""
        return self._specs[name]

    def frame(self, lens: Lens) -> Frame:
        seen = self.host_observation()
        images = {camera.output: seen[name] for name, camera in self._cameras.items() if camera.lens == lens}
        if "depth" in images:
            images["depth"] = images["depth"][:, :, 0]
        return Frame(images)

    def get_agent_state(self) -> AgentState:
        return self._state

    def distance_to(self, start: Place, ends: Sequence[Place]) -> float:
        places = tuple(wire_place(end) for end in ends)
        return metres(
            self._call(contract.DISTANCE, contract.DistanceRequest(self._session_id, wire_place(start), places))
        )

    def is_navigable(self, position: Vec3) -> bool:
        place = wire_place(Place(position)).position
        return self._call(contract.NAVIGABLE, contract.NavigableRequest(self._session_id, place)).navigable

    def expert_action(self, goals: Sequence[Place], within: float) -> Action:
        """The simulator's own expert, else a greedy one that asks distances."""
        if "expert_action" not in self.description.capabilities:
            return self._expert.next_action(self, goals, within)
        places = tuple(wire_place(goal) for goal in goals)
        choice = self._call(contract.EXPERT, contract.ExpertRequest(self._session_id, places, within))
        return Action(choice.action, choice.action_args)

    def _new_expert(self) -> GreedyExpert:
        motion = self._config.motion
        return GreedyExpert(motion.forward_step, math.radians(motion.turn_angle))

    def close(self) -> None:
        if self._client is None:
            return
        try:
            seconds = min(self._backend.deadlines.call, CLOSE_SECONDS)
            self._client.call(contract.CLOSE, Session(self._session_id), Deadline(seconds))
        except WireError as error:
            get_logger(__name__).warning("%s", self._failed("close", error))
        self._drop()


class _HostSensor(Sensor):
    """A sensor that only the simulator knows."""

    def __init__(self, session: ExternalSession, name: str) -> None:
        self._session = session
        self._name = name

    @property
    def spec(self) -> Spec:
        return self._session.host_spec(self._name)

    def observe(self, simulator: Simulator) -> Any:
        return self._session.host_observation()[self._name]


def _own_requests(sensors: Mapping[str, SensorConfig]) -> dict[str, contract.SensorRequest]:
    """The sensors that the simulator alone has."""
    return {
        name: contract.SensorRequest(
            sensor.type or name, sensor.width or 0, sensor.height or 0, math.radians(sensor.hfov or 0.0)
        )
        for name, sensor in sensors.items()
    }


_IMAGES: Mapping[str, tuple[tuple[int, ...], str]] = {
    "rgb": ((3,), "uint8"),
    "depth": ((1,), "float32"),
    "semantic": ((), "int32"),
}
