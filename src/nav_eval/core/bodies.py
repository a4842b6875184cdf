"""The contracts of what moves in the simulator of our own: physics engines and their bodies, people and their ways."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from nav_eval.config.options import Options as NoOptions
from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState, Moved, Walker
from nav_eval.dataset.episode import Episode
from nav_eval.geometry import Vec3

if TYPE_CHECKING:
    from nav_eval.engine.navmesh.mesh import NavMesh
    from nav_eval.engine.scene.scene import Scene


class Building(Protocol):
    """Where a body moves. Both parts are made when they are first asked for, and shared: read them only."""

    @property
    def scene(self) -> Scene:
        """Triangles, objects and rooms; m, y up."""

    @property
    def navmesh(self) -> NavMesh:
        """Where the configured body can stand."""


class Body(ABC):
    """One agent's body in one episode, used by one thread."""

    @property
    @abstractmethod
    def state(self) -> AgentState:
        """The pose: the point on the floor under the body's middle, its heading, the camera's tilt."""

    @abstractmethod
    def advance(self, action: Action, seed: int) -> Moved:
        """Carry out one action; a new state comes of it, and `state` is that one.

        `seed` decides all noise of this step. stop and found move nothing by themselves. Raises SimulatorError for an
        action that means nothing here, and then moves nothing.
        """

    def among(self, people: Pedestrians) -> None:
        """Told where an engine `meets_people`, as the body is placed: who else walks there from now on.

        The body lets their time pass as its own does, and is stopped and pushed by them.
        """


class Pedestrians(Protocol):
    """The people round a body with mass, and their clock."""

    @property
    def walkers(self) -> Sequence[Walker]:
        """Where they are now: they go smoothly from tick to tick. Always as many."""

    def pass_time(self, seconds: float, before: Vec3, after: Vec3) -> None:
        """Let so many seconds pass for them, in which the body goes from `before` to `after` (m)."""


class Physics(ABC):
    """How bodies move: PHYSICS(config) is made once in a process, for many sessions. Thread-safe."""

    class Options(NoOptions):
        """What of `simulator.options` is this engine's."""

    feels: ClassVar[bool] = False
    """Whether its bodies have mass: each step then tells what was felt, and metrics of forces can be reported."""
    reads_scene: ClassVar[bool] = False
    """Whether it reads the building's triangles: their file is then one of the run's assets."""
    meets_people: ClassVar[bool] = False
    """Whether people stop its bodies (Body.among): else a body goes through them, and the record tells so."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """Others, beside nav_eval and the plug-in, that its poses depend on; the manifest has their versions."""

    @abstractmethod
    def place(self, building: Building, state: AgentState) -> Body:
        """A body at rest at the start of an episode. The same actions from here must lead to the same poses."""

    def close(self) -> None:
        """Release what is shared."""


class Crowd(ABC):
    """The people of one episode, used by one thread. Always as many as at its beginning."""

    @property
    @abstractmethod
    def people(self) -> Sequence[Walker]:
        """Where they are now, in an order that stays."""

    @abstractmethod
    def advance(self, seconds: float, agent: Vec3) -> None:
        """Let so many seconds pass, 0.1 at most; at their end the agent stands at `agent` (m)."""


class PedestrianModel(ABC):
    """How people move: CROWDS(config) is made once in a process, for many sessions. Thread-safe."""

    class Options(NoOptions):
        """What of `simulator.people.options` is theirs."""

    @property
    def files(self) -> Sequence[str]:
        """Files that their ways are read from; the manifest holds their SHA-256."""
        return ()

    @abstractmethod
    def enter(self, building: Building, episode: Episode, seed: int) -> Crowd:
        """The people of an episode, as it begins. `seed` is their only source of chance: the same seed, the same ways,
        if the agent does the same."""
