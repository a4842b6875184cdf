"""What the author of a simulator writes: one class, one object per session.

All calls of all sessions are made by one thread, the one that called `main`, because OpenGL contexts and many
simulators want that. More speed comes from more processes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from nav_eval_sdk.protocol.actions import DISCRETE
from nav_eval_sdk.protocol.messages import Spec, TensorSpec
from nav_eval_sdk.protocol.simulator import Choice, OpenSession, Place, StartEpisode, State, Step, Vec3


class SimulatorHost(ABC):
    """One agent in one world at a time. An exception of yours becomes the message of the evaluator's SimulatorError.

    Frames: y up, metres, radians, the agent looks along -z, positive yaw = left, quaternions [x, y, z, w].
    """

    name: ClassVar[str] = ""
    version: ClassVar[str] = ""
    actions: ClassVar[tuple[str, ...]] = DISCRETE
    sensors: ClassVar[tuple[str, ...]] = ("rgb",)
    """Types of camera that it has: rgb, depth, semantic, or names of its own."""

    def __init__(self, setup: OpenSession) -> None:
        """`setup`: the agent's body and motion, the cameras wanted, options from the evaluator's configuration."""
        self.setup = setup

    @classmethod
    def examples(cls) -> Sequence[StartEpisode]:
        """Episodes that can be begun; the conformance check starts there."""
        return ()

    def observation_spec(self) -> Mapping[str, Spec]:
        """Specs of what observe returns; the usual cameras by default."""
        return camera_specs(self.setup, self.sensors)

    @abstractmethod
    def start(self, episode: StartEpisode) -> State:
        """Load the scene, put the agent at the start; twice the same episode is twice the same world."""

    @abstractmethod
    def advance(self, action: str, args: Mapping[str, Any], seed: int) -> Step | State:
        """Carry out one action; `stop` moves nothing. All randomness comes from `seed`."""

    @abstractmethod
    def observe(self) -> Mapping[str, Any]:
        """Arrays that fit observation_spec."""

    @abstractmethod
    def state(self) -> State:
        """The true pose."""

    @abstractmethod
    def distance(self, start: Place, ends: Sequence[Place]) -> float:
        """Metres of the shortest walkable way to the nearest end; math.inf where there is none."""

    @abstractmethod
    def is_navigable(self, position: Vec3) -> bool:
        """Whether the agent could stand there."""

    def expert_action(self, goals: Sequence[Place], within: float) -> Choice:
        """Optional: the next action on a shortest way. Without it the evaluator finds one by asking distances."""
        raise NotImplementedError

    def close(self) -> None:
        """The session is over."""


def camera_specs(setup: OpenSession, types: Sequence[str] = ("rgb", "depth")) -> dict[str, Spec]:
    """Specs of the wanted rgb, depth and semantic cameras that `types` holds, under the names they were wanted by."""
    return {
        name: _camera_spec(wanted.type, wanted.height, wanted.width)
        for name, wanted in setup.sensors.items()
        if wanted.type in types and wanted.type in ("rgb", "depth", "semantic")
    }


def _camera_spec(kind: str, height: int, width: int) -> TensorSpec:
    if kind == "rgb":
        return TensorSpec(shape=(height, width, 3), dtype="uint8", low=0, high=255)
    if kind == "depth":
        return TensorSpec(shape=(height, width, 1), dtype="float32", low=0, unit="m")
    return TensorSpec(shape=(height, width), dtype="int32", low=0)
