"""The simulator's contract: what an external simulator is asked and what it answers, whatever the transport.

The evaluator is the client, the simulator is the server. Ten calls; CALLS names them, and both transports (gRPC and
the socket framing) are made from that table. Order: describe, open, then per episode start, observe and
[advance, observe, distance, ...]*, at last close. A session belongs to one client.
Frames: y up, metres, radians, the agent looks along -z, positive yaw = left, quaternions [x, y, z, w].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from nav_eval_sdk.protocol.messages import Message, Spec
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.version import PROTOCOL_VERSION

Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)
MAX_HEADER = 1 << 24
"""Bytes. No message without its tensors is larger."""


class Empty(Message, frozen=True):
    pass


class StartEpisode(Message, frozen=True):
    """Where an episode begins; null leaves the start to the simulator. `seed` decides all that is random in it.

    `goals`: for simulators that put something there; this message never reaches a participant.
    """

    scene_id: str
    episode_id: str = ""
    start_position: Vec3 | None = None
    start_rotation: Quaternion | None = None
    start_node: str | None = None
    seed: int = 0
    session_id: str = ""
    goals: tuple[Vec3, ...] = ()


class SensorRequest(Message, frozen=True):
    """A camera that is wanted. `type`: rgb (H, W, 3) uint8, depth (H, W, 1) float32 metres along the optical axis
    with 0 where nothing is hit, semantic (H, W) int32, or a name of the simulator's own. `hfov`: rad."""

    type: str
    width: int = 0
    height: int = 0
    hfov: float = 0.0


class Body(Message, frozen=True):
    """Metres and rad."""

    height: float = 1.5
    radius: float = 0.1
    camera_height: float = 1.25
    max_climb: float = 0.2
    max_slope: float = math.radians(45)


class Motion(Message, frozen=True):
    """What one action does: metres, rad and seconds. velocity and waypoint are cut down to their limits."""

    forward_step: float = 0.25
    turn_angle: float = math.radians(15)
    tilt_angle: float = math.radians(30)
    max_tilt: float = math.radians(60)
    sliding: bool = True
    max_linear: float = 1.0
    max_angular: float = math.radians(90)
    max_duration: float = 2.0
    max_range: float = 5.0


class Description(Message, frozen=True):
    """What a simulator says of itself. `capabilities`: "expert_action" is the only optional one so far.

    `sensors`: types of camera it has. `examples`: episodes that it can begin, for the conformance check;
    `headers`: forms of header that its socket reads.
    """

    name: str = ""
    version: str = ""
    protocols: tuple[int, ...] = (PROTOCOL_VERSION,)
    actions: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    max_sessions: int = 1
    headers: tuple[str, ...] = ("json",)
    examples: tuple[StartEpisode, ...] = ()


class OpenSession(Message, frozen=True):
    """The agent's body, its motion and the cameras wanted; `options` are the simulator's own."""

    session_id: str
    seed: int = 0
    sensors: dict[str, SensorRequest] = msgspec.field(default_factory=dict)
    body: Body = Body()
    motion: Motion = Motion()
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class SessionOpened(Message, frozen=True):
    """Specs of what observe returns: the cameras wanted, in the sizes wanted."""

    observation_spec: dict[str, Spec] = msgspec.field(default_factory=dict)


class Session(Message, frozen=True):
    """The request of observe, state and close."""

    session_id: str


class State(Message, frozen=True):
    """The agent's true pose. `elevation`: the camera's tilt, rad, positive = up."""

    position: Vec3
    rotation: Quaternion = IDENTITY
    elevation: float = 0.0
    node: str | None = None


class AdvanceRequest(Message, frozen=True):
    """One action; `seed` decides its noise, if there is any."""

    session_id: str
    action: str
    action_args: dict[str, Any] = msgspec.field(default_factory=dict)
    seed: int = 0


class Step(Message, frozen=True):
    """What came of an action. `clipped`: a limit cut it down."""

    state: State
    collided: bool = False
    clipped: bool = False
    events: dict[str, Any] = msgspec.field(default_factory=dict)


class Place(Message, frozen=True):
    """A point (metres) and, on a navigation graph, the node that it is."""

    position: Vec3
    node: str | None = None


class DistanceRequest(Message, frozen=True):
    session_id: str
    start: Place
    ends: tuple[Place, ...] = ()


class Distance(Message, frozen=True):
    """Shortest walkable way to the nearest end, m; null where none can be reached. Never a straight line."""

    meters: float | None = None


class NavigableRequest(Message, frozen=True):
    session_id: str
    position: Vec3


class Navigable(Message, frozen=True):
    navigable: bool = False


class ExpertRequest(Message, frozen=True):
    """`within`: metres from a goal at which the expert stops."""

    session_id: str
    goals: tuple[Place, ...] = ()
    within: float = 0.0


class Choice(Message, frozen=True):
    action: str
    action_args: dict[str, Any] = msgspec.field(default_factory=dict)


class Seen(Message, frozen=True):
    """The answer of observe on a socket; gRPC answers with nav_eval.v1.Observation."""

    observation: dict[str, Any] = msgspec.field(default_factory=dict)


Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)


@dataclass(frozen=True)
class Call(Generic[Q, A]):
    """One call: its name on a socket, its method in gRPC, what it takes and what it answers."""

    name: str
    method: str
    request: type[Q]
    answer: type[A]


DESCRIBE = Call("describe", "Describe", Empty, Description)
OPEN = Call("open", "Open", OpenSession, SessionOpened)
START = Call("start", "Start", StartEpisode, State)
ADVANCE = Call("advance", "Advance", AdvanceRequest, Step)
OBSERVE = Call("observe", "Observe", Session, Seen)
STATE = Call("state", "GetState", Session, State)
DISTANCE = Call("distance", "GetDistance", DistanceRequest, Distance)
NAVIGABLE = Call("is_navigable", "IsNavigable", NavigableRequest, Navigable)
EXPERT = Call("expert_action", "GetExpertAction", ExpertRequest, Choice)
CLOSE = Call("close", "Close", Session, Empty)
CALLS: dict[str, Call[Any, Any]] = {
    call.name: call for call in (DESCRIBE, OPEN, START, ADVANCE, OBSERVE, STATE, DISTANCE, NAVIGABLE, EXPERT, CLOSE)
}


def converted(data: Any, kind: type[A]) -> A:
    """A message from plain dicts and lists, as protobuf's JSON form has them; raises msgspec.MsgspecError."""
    return msgspec.convert(data, kind, strict=False)


known(globals())
