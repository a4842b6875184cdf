"""The contracts of nav_eval in one file: simulator, sensor, agent client, metric, task, dataset, observer.

What moves a body, and people round it, inside the simulator of our own is in bodies.py.

Order of calls in one episode: simulator.reset, client.reset_episode, then until the episode is over
client.get_action, simulator.step, metric.update_metric; then metric.get_metric and client.end_episode.
A step has two phases, advance (move) and observe (look), so that the frames of many sessions that share a scene are
made in one batch; reset and step are the one-session form of the two. What they pass to each other is in contexts.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from nav_eval.config.options import Options as NoOptions
from nav_eval.core.actions import Action
from nav_eval.core.capabilities import HasFrame, HasRenderer
from nav_eval.core.contexts import Decision as Decision
from nav_eval.core.contexts import DistanceFunction as DistanceFunction
from nav_eval.core.contexts import EpisodeOffer as EpisodeOffer
from nav_eval.core.contexts import MetricContext as MetricContext
from nav_eval.core.contexts import ServiceStatus as ServiceStatus
from nav_eval.core.specs import Spec
from nav_eval.core.types import AgentState, Better, Category, EpisodeResult, Kind, Need, Observations, Place, StepRecord
from nav_eval.dataset.episode import Episode, Instruction, require
from nav_eval.errors import ConfigError
from nav_eval.geometry import Vec3
from nav_eval.renamed import old_names
from nav_eval_sdk.protocol.specs import ActionSpec

if TYPE_CHECKING:
    from numpy.random import Generator

    from nav_eval.config.schema import EvaluationConfig, SimulatorConfig
    from nav_eval.engine.people.kinds import Posed


class Simulator(ABC):
    """One agent in one building at a time. A session belongs to one thread; its backend may be shared.

    >>> simulator = make_simulator("custom", scene=house)  # any building: GLB, glTF, OBJ, PLY
    >>> simulator.start(Episode(episode_id="1", scene_id=house, start_position=(0.0, 0.0, 0.0)))
    >>> simulator.is_navigable((0.0, 0.0, 0.0))
    True
    """

    lacks_actions: Iterable[str] = frozenset()
    """Actions that mean nothing to this session, where its backend does not know them (SimulatorBackend)."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        if lacking := sorted(cls.__abstractmethods__):
            raise ConfigError(
                f"{cls.__module__}:{cls.__qualname__} lacks methods that nav_eval calls: {', '.join(lacking)}. Write "
                "them, or install the plug-in's version for this nav_eval."
            )
        return super().__new__(cls)

    @property
    @abstractmethod
    def episode(self) -> Episode:
        """The episode that start began; raises SimulatorError before the first start."""

    @property
    @abstractmethod
    def observation_spec(self) -> Mapping[str, Spec]:
        """Specs of what observe returns; fixed for the session's life."""

    @abstractmethod
    def start(self, episode: Episode) -> None:
        """Load the scene and put the agent at the start. Raises SceneError or DatasetError."""

    @abstractmethod
    def advance(self, action: Action) -> StepRecord:
        """Carry out one valid action and say what came of it. `stop` changes no pose."""

    def stay(self, action: Action) -> StepRecord:
        """Take in an action that moves nothing here, because its meaning is the task's."""
        return StepRecord(action, self.get_agent_state())

    @abstractmethod
    def observe(self) -> Observations:
        """What the sensors show now."""

    @abstractmethod
    def get_agent_state(self) -> AgentState:
        """The true pose; never shown to a participant."""

    @abstractmethod
    def distance_to(self, start: Place, ends: Sequence[Place]) -> float:
        """A DistanceFunction in the current scene: geodesic, never Euclidean."""

    def locate(self, place: Place) -> Place:
        """`place` with its position, where only its node is known."""
        return place

    @abstractmethod
    def is_navigable(self, position: Vec3) -> bool:
        """Whether the agent could stand at `position` (m)."""

    @abstractmethod
    def expert_action(self, goals: Sequence[Place], within: float) -> Action:
        """The next action on a shortest way to the nearest goal, stop when nearer than `within` metres.

        For oracles and for training; raises SimulatorError where no way leads on.
        """

    def people(self) -> Sequence[Posed]:
        """Whoever walks about there now, as the renderer draws them; nobody in most simulators."""
        return ()

    @property
    def noise_key(self) -> tuple[int, str, str, str]:
        """What sensor noise at this step may depend on: run seed, scene, episode, step."""
        return (0, *self.episode.key, "0")

    def reset(self, episode: Episode) -> Observations:
        """start, then observe. Raises ConfigError for what is no Episode."""
        require(Episode, episode, "reset")
        self.start(episode)
        return self.observe()

    def step(self, action: Action | str | Mapping[str, Any]) -> Observations:
        """advance, then observe. A bare name is an action without arguments; a mapping is one as agents write it."""
        self.advance(Action.of(action))
        return self.observe()

    def geodesic_distance(self, start: Place | ArrayLike, end: Place | Sequence[Place] | ArrayLike) -> float:
        """Shortest walkable distance (m) from `start` to `end`, or to the nearest of many; inf if none.

        Places, or positions as anything that numpy reads: (3,) for one, (K, 3) for many.
        """
        return self.distance_to(_places(start)[0], _places(end))

    def close(self) -> None:
        """Give back what the session holds. Called once."""


def _places(given: Any) -> list[Place]:
    if isinstance(given, Place):
        return [given]
    try:
        if len(given) and isinstance(given[0], Place):
            return list(given)
        points = np.asarray(given, np.float64)
        rows = points.reshape(-1, points.shape[-1]).tolist() if points.size else []
        return [Place((x, y, z)) for x, y, z in rows]
    except (TypeError, ValueError):
        raise ConfigError(f"positions: {given!r:.60} is not (x, y, z) in metres, nor a list of such.") from None


class Sensor(ABC):
    """One thing that an agent perceives. One object per session; `observe` sees the true simulator.

    >>> class Storey(Sensor):
    ...     spec = TensorSpec(shape=(1,), dtype="int32", low=0, high=9)
    ...     def observe(self, simulator):
    ...         return np.array([simulator.get_agent_state().storey], np.int32)
    >>> Storey().needs_goal
    False
    """

    class Options(NoOptions):
        """What `options` of its section may hold."""

    needs: ClassVar[tuple[type, ...]] = ()
    """What a simulator must have beyond the contract for this sensor: protocols as in nav_eval.core.capabilities."""
    needs_goal: ClassVar[bool] = False
    """Whether there is nothing to observe in an episode whose goals are hidden."""

    @property
    def renders(self) -> bool:
        """Whether the renderer draws what it shows; the manifest names the renderer of such a run."""
        return not {HasFrame, HasRenderer}.isdisjoint(self.needs)

    @property
    @abstractmethod
    def spec(self) -> Spec:
        """What observe returns, with unit and frame."""

    def begin(self, simulator: Simulator) -> None:
        """An episode begins; the agent stands at its start. For sensors that remember."""

    def update(self, step: StepRecord) -> None:
        """Take in one step that was taken, whether it is looked at or not."""

    @abstractmethod
    def observe(self, simulator: Simulator) -> Any:
        """The reading at the simulator's present state; the same however often it is asked."""


class RngSource(Protocol):
    """Where a perturbation takes its random numbers from: the same for every agent, session and worker."""

    @property
    def step(self) -> int:
        """Actions taken in this episode so far."""

    def of_episode(self, *what: str) -> Generator:
        """A fresh generator, the same at every step of an episode; `what` names one draw among several."""

    def of_step(self, *what: str) -> Generator:
        """A fresh generator of this step."""


class Perturbation:
    """One thing that makes an episode harder, at a severity from 1 to `severities`. One object per session.

    It may change what the simulator is made with, the time that answers cost, the instruction, and what sensors show.
    What it draws comes from `rng` alone, so that two agents meet the same perturbation. Nothing tells the
    participant of it.

    >>> class FirstWord(Perturbation):
    ...     severities, rewords = 1, True
    ...     def instruction(self, given, others, rng):
    ...         return replace(given, text=given.text.split()[0], tokens=())
    >>> FirstWord(1).instruction(Instruction(text="Walk on."), [], None).text
    'Walk'
    """

    severities: ClassVar[int] = 3
    """The highest severity."""
    sensors: ClassVar[tuple[str, ...]] = ()
    """Types of the sensors whose readings it changes."""
    rewords: ClassVar[bool] = False
    """Whether it changes the instruction."""
    others_of: ClassVar[Literal["path", "scene"]] = "path"
    """Whose instructions it is given as `others`: the same path's, or those of all other paths of the scene."""

    def __init__(self, severity: int) -> None:
        self.severity = severity

    def simulator(self, config: SimulatorConfig) -> SimulatorConfig:
        """What the simulator is made with; `config` itself where it has nothing to change."""
        return config

    def evaluation(self, config: EvaluationConfig) -> EvaluationConfig:
        """The rules of time and limits that it is played under; `config` itself where it has nothing to change."""
        return config

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        """What is told instead of `given`; `others`: all other instructions of the data set for the same path, or for
        the scene's other paths (`others_of`). Tokens are filled in from the text afterwards.
        """
        return given

    def begin(self) -> None:
        """An episode begins. For those that remember."""

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        """What the sensor `name` of type `kind` shows instead of `value`, of the same shape and type.

        The same however often it is asked at a step; arrays that are handed in are not written to.
        """
        return value


class SimulatorBackend(ABC):
    """What many sessions of one process share: scenes, navmeshes, a renderer. Thread-safe."""

    class Options(NoOptions):
        """What `simulator.options` may hold."""

    starts_at: ClassVar[Literal["position", "node"] | None] = None
    """What an episode must tell of its start to be played here; None: either, or a session says so itself."""
    lacks_actions: ClassVar[Iterable[str]] = frozenset()
    """Actions that mean nothing here: a task that has one is refused before the run."""
    takes_people: ClassVar[bool] = False
    """Whether `simulator.people` walk here."""
    takes_physics: ClassVar[bool] = False
    """Whether bodies move by `simulator.physics` here; `simulator.options` hold that engine's options then, too."""
    scenes_kept: int | None = None
    """How many scenes stay loaded; None: as many as come."""

    @abstractmethod
    def open_session(self) -> Simulator:
        """A new, independent session."""

    @abstractmethod
    def assets(self, scene_id: str) -> Mapping[str, str]:
        """File name -> SHA-256 of every file that a scene is made of; goes into the manifest."""

    def examples(self) -> Sequence[Episode]:
        """Episodes that can be begun without a data set: the conformance check walks in them."""
        return ()

    def faults(self, episode: Episode, goals: Sequence[Place]) -> Iterable[tuple[str, str]]:
        """(JSON path, message) of all for which no agent could play `episode` fairly here; `goals` are the task's.

        Found without rendering, before the run. A backend that can tell nothing then says nothing: such an episode
        is found when it begins.
        """
        return ()

    def out_of_reach(self, episode: Episode, goals: Sequence[Place], within: float) -> Iterable[tuple[str, str]]:
        """The same where no agent could come nearer than `within` (m) to any of the goals, though ways lead there."""
        return ()

    def observe(self, sessions: Sequence[Simulator]) -> list[Observations]:
        """Observations of many sessions; a backend with a batch renderer does better than one by one."""
        return [session.observe() for session in sessions]

    def prepare(self, scene_id: str) -> None:
        """Load what an episode in this scene needs, before one begins there; another thread may call it."""

    def close(self) -> None:
        """Release the shared assets."""


class AgentClient(ABC):
    """One session with a participant's agent, local or behind a wire. Used by one thread.

    Errors are ServiceError's subclasses; what they mean for the run is the orchestrator's policy.
    """

    @abstractmethod
    def health_check(self) -> ServiceStatus:
        """Ask whether the service is ready; raises ServiceUnavailable when nobody answers."""

    @abstractmethod
    def reset_episode(self, offer: EpisodeOffer) -> None:
        """Begin an episode. Nothing that the service answers enters the simulation."""

    @abstractmethod
    def get_action(self, observations: Observations) -> Decision:
        """The agent's next action, or several, exactly once per question; checked against the action space."""

    @abstractmethod
    def end_episode(self, reason: str) -> None:
        """Say that the episode is over, without any score."""

    def close(self) -> None:
        """Drop the connection."""


class AgentService(ABC):
    """A participant: where the sessions of a run come from. Thread-safe."""

    name: str = ""

    @abstractmethod
    def health_check(self) -> ServiceStatus:
        """Wait until the service is ready; raises ServiceUnavailable after the readiness deadline."""

    @abstractmethod
    def open_session(self) -> AgentClient:
        """A session of its own for one thread."""

    def abandon(self) -> None:
        """The run is being stopped: end the running episodes, while their threads may still wait for an answer.

        Returns within a second or so, and raises nothing.
        """

    def close(self) -> None:
        """Drop all connections."""


class Metric(ABC):
    """A number (or a record) per episode: reset, update at every step, get at the end or at any time.

    `requires` names metrics that must be updated before this one; their values come in `others`. What else it says of
    itself decides how it is summed up, shown and where it can be scored; results.json holds it (core/definitions.py).

    >>> class Bumps(Metric):
    ...     name, category, unit, better = "bumps", "safety", "steps", "lower"
    ...     def reset_metric(self, context):
    ...         self.count = 0
    ...     def update_metric(self, step, others):
    ...         self.count += step.collided
    ...     def get_metric(self):
    ...         return float(self.count)
    >>> Bumps().kind
    'mean'
    """

    class Options(NoOptions):
        """What of `task.options` is this metric's: `self.Options.of(context.settings.options)`."""

    name: ClassVar[str]
    category: ClassVar[Category]
    kind: ClassVar[Kind] = "mean"
    """"rate" (0 or 1 in each episode; anything else is a fault), "mean", or "record" (kept; each number of a dict is
    summed up by itself, as name.key)."""
    unit: ClassVar[str] = ""
    """"m", "s", ...; "share" for a number from 0 to 1."""
    better: ClassVar[Better | None] = None
    """Which way is better; None where neither is."""
    label: ClassVar[str] = ""
    """What reports call it, "Oracle success"; "" for its name with blanks."""
    short: ClassVar[str] = ""
    """What tables of papers call it, "OSR"; "" for its name."""
    needs: ClassVar[tuple[Need, ...]] = ("distance",)
    """"distance": MetricContext.distance in space (a graph has its own). "reference": a path to compare with.
    "actions": what was done and touched, which a submission file does not tell. "clock": the time it took, which
    differs from run to run. "forces": what a body with mass felt (events["felt"] of each step). "people": who was near
    (events["people"]). What `requires` need is added."""
    requires: ClassVar[tuple[str, ...]] = ()
    on_failure: ClassVar[float | None] = None
    """The value of an episode that failed (crash, time-out); None keeps what was measured until then."""

    @abstractmethod
    def reset_metric(self, context: MetricContext) -> None:
        """Begin an episode; the agent stands at context.start."""

    @abstractmethod
    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        """Take in one step; `others` holds the current values of `requires`."""

    @abstractmethod
    def get_metric(self) -> Any:
        """The value so far: a float (inf allowed, NaN never) or plain JSON for a record."""


class Task(ABC):
    """What is asked of the agent: actions, goal sensors, goals, and when an episode is over.

    >>> class Touch(Task):
    ...     name, actions, measurements = "touch", ("stop", "move_forward", "turn_left"), ("success", "steps")
    ...     def ends(self, step, distance):
    ...         return step.action.name == "stop" or distance(Place(step.state.position), self.places) < 0.1
    >>> Touch.needs_goal
    False
    """

    class Options(NoOptions):
        """What of `task.options` is this task's."""

    name: ClassVar[str]
    actions: ClassVar[tuple[str, ...]]
    measurements: ClassVar[tuple[str, ...]]
    sensors: ClassVar[tuple[str, ...]] = ()
    """Sensors that tell the agent its goal; added to the simulator's."""
    own_metrics: ClassVar[Mapping[str, type[Metric]]] = {}
    """Metrics that only this task has, by name."""
    own_actions: ClassVar[Mapping[str, ActionSpec]] = {}
    """Actions that only this task has, by name; they stand in `actions` too."""
    needs_goal: ClassVar[bool] = False
    """Whether it cannot be played in an episode whose goals are hidden."""
    goals_in_order: ClassVar[bool] = False
    """Whether all goals are to be reached, one after the other; else any of them will do."""

    def begin(self, episode: Episode) -> None:
        """An episode begins; for tasks that keep count. One task object serves one session."""

    @abstractmethod
    def goals(self, episode: Episode) -> Sequence[Place]:
        """Every place that counts as reached; empty for a hidden test split."""

    @abstractmethod
    def reference(self, episode: Episode) -> tuple[Sequence[Place], str]:
        """The path that dtw and coverage compare with, and its kind: "gt", "densified", "given", "nodes", "none"."""

    def ends(self, step: StepRecord, distance: DistanceFunction) -> bool:
        """Whether this step ends the episode."""
        return step.action.name == "stop"

    def carry_out(self, action: Action, simulator: Simulator) -> StepRecord:
        """What an action does: what the simulator knows of it; one of the task's own moves nothing."""
        return simulator.stay(action) if action.name in self.own_actions else simulator.advance(action)

    def expert_action(self, simulator: Simulator, goals: Sequence[Place], within: float) -> Action:
        """The oracle's choice; a task of several legs leads it from one to the next. `goals`: this task's, located."""
        return simulator.expert_action(goals, within)


class Dataset(ABC):
    """Episodes in file order. Large files are read as a stream."""

    @abstractmethod
    def __iter__(self) -> Iterator[Episode]: ...

    @property
    @abstractmethod
    def files(self) -> Sequence[str]:
        """Every file that was read; their SHA-256 go into the manifest."""


class Observer(Protocol):
    """Progress, journal, video: whatever hangs on the loop. Called in the session's own thread."""

    def episode_started(self, episode: Episode, observations: Observations) -> None: ...

    def step_taken(self, episode: Episode, step: StepRecord, observations: Observations) -> None: ...

    def episode_ended(self, episode: Episode, result: EpisodeResult) -> None: ...


if not TYPE_CHECKING:
    _BODIES = ("Body", "Building", "Crowd", "PedestrianModel", "Pedestrians", "Physics")
    _MOVED = {name: f"nav_eval.core.bodies.{name}" for name in _BODIES}
    _RENAMED = {"Chance": "RngSource", "Crowds": _MOVED["PedestrianModel"], "Passers": _MOVED["Pedestrians"]}
    __getattr__ = old_names(__name__, _MOVED | _RENAMED)
