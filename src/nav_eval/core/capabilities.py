"""What some simulators can do beyond the contract, and some sensors need: small protocols, asked with isinstance.

A simulator has a capability by having its methods; a plug-in may declare one of its own in the same way. All members
are methods, so that asking runs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from nav_eval.geometry import Vec3

if TYPE_CHECKING:
    from nav_eval.core.types import AgentState
    from nav_eval.dataset.connectivity import NavigationGraph
    from nav_eval.engine.navmesh.mesh import NavMesh
    from nav_eval.engine.render.camera import Lens
    from nav_eval.engine.render.frame import Frame, Renderer
    from nav_eval.engine.scene.scene import Scene


@runtime_checkable
class HasFrame(Protocol):
    """The agent has cameras."""

    def frame(self, lens: Lens) -> Frame:
        """What the agent's camera sees through `lens` now."""


@runtime_checkable
class HasRenderer(Protocol):
    """Pictures from anywhere in the scene."""

    def renderer(self, lens: Lens, outputs: Sequence[str] = ("rgb",)) -> Renderer:
        """Draws these of rgb, depth, semantic through `lens`."""

    def camera(self) -> tuple[Vec3, float, float]:
        """Position (m), yaw and pitch (rad) of the agent's camera."""


@runtime_checkable
class HasNavmesh(Protocol):
    """The agent walks on a navmesh."""

    def navmesh(self) -> NavMesh:
        """The present scene's."""


@runtime_checkable
class HasScene(Protocol):
    """The building is known to its triangles."""

    def scene(self) -> Scene:
        """The present scene, with its objects and rooms."""


@runtime_checkable
class Placeable(Protocol):
    """The agent can be put elsewhere in the midst of an episode."""

    def set_agent_state(self, state: AgentState) -> None:
        """Stand there, at rest; raises SimulatorError where nobody can."""


@runtime_checkable
class HasGraph(Protocol):
    """The agent moves along a navigation graph."""

    def graph(self) -> NavigationGraph:
        """The present scan's."""

    def candidates(self) -> list[dict[str, Any]]:
        """Viewpoints within one move: viewpoint, heading and elevation (rad, relative to the agent), distance (m)."""
