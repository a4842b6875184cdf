"""A body with a springy bumper: it moves as on the navmesh, and tells how hard it pressed against what stopped it."""

import math
from dataclasses import replace

from pydantic import Field

from nav_eval.core.bodies import Body, Physics
from nav_eval.core.types import Contact, Contacts
from nav_eval.geometry import euclidean, yaw_of
from nav_eval.simulator.physics.kinematic import Kinematic


class Bumper(Physics):
    class Options(Physics.Options):
        stiffness: float = Field(2000.0, gt=0, description="of the bumper, N/m")

    feels = True

    def __init__(self, config):
        self._config = config
        self._stiffness = self.Options.of(config.options).stiffness
        self._moves = Kinematic(config)

    def place(self, building, state):
        return BumperBody(self._moves.place(building, state), self._config, self._stiffness)


class BumperBody(Body):
    def __init__(self, body, config, stiffness):
        self._body, self._config, self._stiffness = body, config, stiffness

    @property
    def state(self):
        return self._body.state

    def advance(self, action, seed):
        before = self.state.position
        moved = self._body.advance(action, seed)
        asked = self._config.motion.forward_step if action.name == "move_forward" else 0.0
        gone = euclidean(before, moved.state.position)
        return replace(moved, felt=self._felt(asked, gone) if moved.collided else Contacts())

    def _felt(self, asked, gone):
        x, y, z = self.state.position
        yaw, reach = yaw_of(self.state.rotation), self._config.body.radius
        place = (x - reach * math.sin(yaw), y, z - reach * math.cos(yaw))
        force = self._stiffness * (asked - gone)
        seconds = asked / self._config.motion.max_linear
        return Contacts((Contact(place, force, force * seconds),), stuck=gone < asked / 10)
