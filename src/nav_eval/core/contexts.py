"""What the contracts of nav_eval.core.interfaces pass to each other: offers, decisions, a metric's context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from nav_eval.core.actions import Action, ActionSpace
from nav_eval.core.specs import Spec
from nav_eval.core.types import AgentState, Place
from nav_eval.dataset.episode import Episode
from nav_eval_sdk.protocol.limits import Limits
from nav_eval_sdk.protocol.usage import Usage

if TYPE_CHECKING:
    from nav_eval.config.schema import TaskConfig

DistanceFunction: TypeAlias = Callable[[Place, Sequence[Place]], float]
"""Shortest distance (m) from a place to the nearest of many; inf when none can be reached."""


@dataclass(frozen=True, slots=True)
class EpisodeOffer:
    """What a client may know when an episode begins; nav_eval.api.disclosure cuts it down to what is sent.

    `limits`: of the rules; the deadlines are added by whoever waits for the agent. `expert` gives the next action on a
    shortest way: for our own oracle agents, never for anybody else.
    """

    episode: Episode
    observation_spec: Mapping[str, Spec]
    action_space: ActionSpace
    task: str
    limits: Limits
    seed: int
    expert: Callable[[], Action]


@dataclass(frozen=True, slots=True)
class Decision:
    """An agent's answer. `latency`: seconds from asking to having it, retries included.

    `rest`: what is carried out after `action` without asking again, at most max_chunk - 1 of the rules. `usage`: what
    it cost, and `said`: the model's own words, both as the agent tells them.
    """

    action: Action
    latency: float = 0.0
    rest: tuple[Action, ...] = ()
    usage: Usage | None = None
    said: str = ""

    @classmethod
    def of(cls, actions: Sequence[Action], latency: float, usage: Usage | None = None, said: str = "") -> Decision:
        """Of one action or several."""
        return cls(actions[0], latency, tuple(actions[1:]), usage, said)


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """Answer of health_check: is it ready, and what does it say of itself?"""

    ready: bool
    detail: str = ""
    name: str = ""
    version: str = ""
    max_sessions: int = 1


@dataclass(frozen=True, slots=True)
class MetricContext:
    """What a metric may know at the start of an episode. `distance` is exact and geodesic.

    `reference`: the places that dtw and coverage compare with, and `reference_kind` says which they are
    ("gt", "densified", "given", "nodes"). `goals`: every place that counts as reached (view points included).
    `settings`: the section `task` of the configuration. `full_speed`: the body's greatest, m/s. `shared`: what the
    metrics of this episode need alike, by name, so that it is made once.
    """

    episode: Episode
    start: AgentState
    goals: Sequence[Place]
    reference: Sequence[Place]
    reference_kind: str
    distance: DistanceFunction
    success_distance: float
    settings: TaskConfig
    full_speed: float = 1.0
    shared: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "goals", tuple(self.goals))
        object.__setattr__(self, "reference", tuple(self.reference))
