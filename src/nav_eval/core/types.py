"""Values that travel between the parts of an evaluation; all of them frozen, with what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nav_eval.core.actions import Action
from nav_eval.frozen import FrozenDict, frozen
from nav_eval.geometry import IDENTITY, Quaternion, Vec3
from nav_eval.renamed import old_names
from nav_eval_sdk.protocol.usage import Usage

Observations: TypeAlias = dict[str, Any]
"""Sensor name -> value that fits the sensor's spec."""

Status = Literal[
    "ok",
    "agent_timeout",
    "agent_error",
    "invalid_action",
    "service_unavailable",
    "budget_exceeded",
    "worker_crash",
    "evaluator_error",
]
OURS: tuple[Status, ...] = ("worker_crash", "evaluator_error")
"""Ends of an episode through a fault of the evaluator's: in no result, counted apart, and played again by --resume."""

Category = Literal["navigation", "efficiency", "safety", "visualisation"]
Kind = Literal["rate", "mean", "record"]
"""How a run sums a metric up: a rate is 0 or 1 in each episode, a mean any number, a record is not summed up."""
Better = Literal["higher", "lower"]
Need = Literal["distance", "reference", "actions", "clock", "forces", "people"]
"""What a metric must be told beside where the agent went and whether it stopped."""


@dataclass(frozen=True, slots=True)
class Place:
    """A point (metres, y up) and, on a navigation graph, the node that it is.

    >>> Place((1.0, 0.0, -2.0)).node is None  # not on a graph
    True
    """

    position: Vec3
    node: str | None = None


@dataclass(frozen=True, slots=True)
class AgentState:
    """Where the agent stands and looks. `elevation` is the camera's tilt, rad, positive = up.

    >>> AgentState((1.0, 0.0, -2.0)).rotation  # looks along -z
    (0.0, 0.0, 0.0, 1.0)
    """

    position: Vec3
    rotation: Quaternion = IDENTITY
    node: str | None = None
    elevation: float = 0.0
    storey: int = 0
    region: str | None = None

    @property
    def place(self) -> Place:
        return Place(self.position, self.node)


@dataclass(frozen=True, slots=True)
class Walker:
    """A person at one moment: the point on the floor (m), and the heading (rad), as an agent's."""

    position: Vec3
    yaw: float


@dataclass(frozen=True, slots=True)
class NearbyPedestrians:
    """The people round an agent in one step. `seconds`: what the step took; `people`: where they are after it;
    `nearest`: the least distance in the plane, m, between the agent's middle and a person's of the same storey while
    it lasted, None where there is nobody; `touched`: who was touched, by their numbers."""

    seconds: float
    people: tuple[Walker, ...] = ()
    nearest: float | None = None
    touched: tuple[int, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Plain JSON for StepRecord.events["people"]; a person is [x, y, z, yaw]."""
        poses = [[*walker.position, walker.yaw] for walker in self.people]
        return {"seconds": self.seconds, "poses": poses, "nearest": self.nearest, "touched": list(self.touched)}


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a body touched something in one step: the place (m), the greatest force (N) and the impulse (N s) on it."""

    position: Vec3
    force: float
    impulse: float


@dataclass(frozen=True, slots=True)
class Contacts:
    """What a body with mass felt in one step. `fallen`: it lies, and stays so; `stuck`: told to move, it was held."""

    contacts: tuple[Contact, ...] = ()
    fallen: bool = False
    stuck: bool = False

    def to_record(self) -> dict[str, Any]:
        """Plain JSON for StepRecord.events["felt"]; a contact is [x, y, z, force, impulse]."""
        contacts = [[*contact.position, contact.force, contact.impulse] for contact in self.contacts]
        return {"contacts": contacts, "fallen": self.fallen, "stuck": self.stuck}


@dataclass(frozen=True, slots=True)
class Moved:
    """The state after an action; whether the body hit something; whether a limit cut the action down.

    `felt`: what a body with mass felt; None of one that has none. `seconds`: how long it took; None: as long as the
    amounts and limits of `simulator.motion` say.
    """

    state: AgentState
    collided: bool = False
    clipped: bool = False
    felt: Contacts | None = None
    seconds: float | None = None


MEANWHILE = -1
"""The `place` of a step that nobody answered: time that passed while the agent thought."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One action and what came of it. `latency`: seconds the agent took; never part of a score.

    `clipped`: the profile's limits cut the action down. `events`: anything else a simulator wants on record.
    `place`: in the agent's answer; 0: the agent was asked before this step. `dropped`: what followed in the answer and
    was not carried out, because this step ended the episode or the chunk. `charged`: seconds for which the world went
    on while the agent thought of this action; they are the steps before it, whose `place` is MEANWHILE. `usage` and
    `said`: of the answer that began with this step (Decision).
    """

    action: Action
    state: AgentState
    collided: bool = False
    clipped: bool = False
    latency: float = 0.0
    events: Mapping[str, Any] = field(default_factory=FrozenDict)
    place: int = 0
    dropped: tuple[Action, ...] = ()
    charged: float = 0.0
    usage: Usage | None = None
    said: str = ""

    def __post_init__(self) -> None:
        if type(self.events) is not FrozenDict:
            object.__setattr__(self, "events", frozen(self.events))

    @property
    def asked(self) -> bool:
        """Whether the agent was asked for it; the rest of an answer took no time of its own."""
        return self.place == 0

    def after(self, latency: float, place: int = 0) -> StepRecord:
        """The same, decided in so many seconds, at this place of the answer."""
        return replace(self, latency=latency, place=place)


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """What one episode came to. `metrics` hold numbers or, for records such as `trajectory`, plain JSON.

    `unmeasured`: metric -> why it has no value here; the metric's fault, and so the evaluator's. `reference`: the
    kind of path that dtw and coverage compare with ("gt", "densified", "given", "nodes", "none"); None if not measured.
    `usage`: what all answers cost together; None where the agent does not tell.

    >>> EpisodeResult("home.glb", "7", "ok", None, {"success": 1.0}, 12, {}).metrics["success"]
    1.0
    """

    scene_id: str
    episode_id: str
    status: Status
    failure_reason: str | None
    metrics: Mapping[str, Any]
    steps: int
    timing: Mapping[str, float]
    start: AgentState | None = None
    trajectory: tuple[StepRecord, ...] = ()
    unmeasured: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    usage: Usage | None = None
    shown: bool = True
    """Whether the agent was asked for an action, so that it has seen something of the episode; in no record."""


if not TYPE_CHECKING:
    __getattr__ = old_names(__name__, {"Company": "NearbyPedestrians", "Felt": "Contacts"})
