"""People who pace to and fro."""

import math

from pydantic import Field

from nav_eval.core.bodies import Crowd, PedestrianModel
from nav_eval.core.types import Walker


class Pacers(PedestrianModel):
    class Options(PedestrianModel.Options):
        metres: float = Field(0.8, gt=0, description="between the turning points")

    def __init__(self, config):
        self._count = config.people.count
        self._metres = self.Options.of(config.people.options).metres

    def enter(self, building, episode, seed):
        places = building.navmesh.random_points(self._count, seed)
        return Pacing(building.navmesh, places.tolist(), self._metres)


class Pacing(Crowd):
    def __init__(self, navmesh, places, metres):
        self._navmesh, self._places, self._metres = navmesh, places, metres
        self._seconds = 0.0

    @property
    def people(self):
        return [self._walker(place) for place in self._places]

    def advance(self, seconds, agent):
        self._seconds += seconds

    def _walker(self, place):
        x, y, z = place
        share = self._seconds / self._metres % 2
        there = self._navmesh.step(place, (x + self._metres * min(share, 2 - share), y, z))
        return Walker(there, -math.pi / 2 if share < 1 else math.pi / 2)
