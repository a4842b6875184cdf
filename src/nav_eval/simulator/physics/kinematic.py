"""The engine without forces: a body goes where its action says, as far as the navmesh lets it. Habitat's motion."""

from __future__ import annotations

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.bodies import Body, Building, Physics
from nav_eval.core.types import AgentState, Moved
from nav_eval.simulator.motion import MotionProfile, motion_profile, perform


class Kinematic(Physics):
    """Poses by `nav_eval.simulator.motion`: no mass, no forces."""

    def __init__(self, config: SimulatorConfig) -> None:
        self._profile = motion_profile(config.motion)

    def place(self, building: Building, state: AgentState) -> Body:
        return KinematicBody(building, state, self._profile)


class KinematicBody(Body):
    """A pose on a navmesh."""

    def __init__(self, building: Building, state: AgentState, profile: MotionProfile) -> None:
        self._building, self._state, self._profile = building, state, profile

    @property
    def state(self) -> AgentState:
        return self._state

    def advance(self, action: Action, seed: int) -> Moved:
        moved = perform(self._building.navmesh, self._state, action, self._profile, seed)
        self._state = moved.state
        return moved
