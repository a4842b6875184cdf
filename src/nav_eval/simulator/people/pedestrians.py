"""The people of one session: they walk while the agent acts, and what of it is drawn, recorded and felt.

Time passes for them in ticks of a tenth of a second, whatever actions it is cut into; in each the agent is where it
comes to on a straight line from before its action to after it. The phase of a stride follows from the distance walked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nav_eval.core.bodies import Crowd
from nav_eval.core.types import NearbyPedestrians, Walker
from nav_eval.engine.people.bones import TALL
from nav_eval.engine.people.gait import stride
from nav_eval.engine.people.kinds import Posed
from nav_eval.engine.people.looks import LOOKS, dealt
from nav_eval.geometry import Vec3, between
from nav_eval.simulator.people.footing import Footing
from nav_eval.simulator.people.lighting import Lighting

TICK = 0.1
SLACK = 1e-9
FIRST_ID = 1_000_000
"""Object id of the first person in the semantic image; a scene's own are smaller."""
RADIUS = 0.25
"""Of a person's body seen from above, m."""
STOREY = 1.0
"""Who is so much higher or lower is on another storey, m."""
NATURAL = 1.2
"""A natural pace, m/s: limbs swing in full."""
EASE = 0.25
"""How much of its new vigour a gait takes on in a tick."""
GRID = 2.0**20
"""Positions and headings are kept to so many parts of a metre or rad: what libraries round otherwise is lost there."""


class PedestriansOfAgent:
    """`seed`: of the people's looks; `radius` of the agent, m; `footing`, `lighting`: where they are drawn, and how."""

    def __init__(self, crowd: Crowd, seed: int, radius: float, footing: Footing, lighting: Lighting) -> None:
        self._crowd = crowd
        looks = np.random.default_rng(seed).permutation(LOOKS)
        self._gaits = [_Gait(int(looks[k])) for k in range(len(crowd.people))]
        self._reach = radius + RADIUS
        self._footing, self._lighting = footing, lighting
        self._elapsed = 0.0
        self._ticks = 0
        self._smooth, self._before = False, tuple(crowd.people)
        self._met: tuple[float, set[int]] = (math.inf, set())

    @property
    def walkers(self) -> Sequence[Walker]:
        if not self._smooth:
            return self._crowd.people
        share = min(max(self._elapsed / TICK - self._ticks, 0.0), 1.0)
        pairs = zip(self._before, self._crowd.people, strict=True)
        return [replace(now, position=between(was.position, now.position, share)) for was, now in pairs]

    def go_smoothly(self) -> None:
        """From now on people are between where they were a tick ago and where their crowd has them, so that a body can
        be pushed by them."""
        self._smooth = True

    def report_step(self, seconds: float) -> NearbyPedestrians:
        """Of a step that took so long: who came how near since this was last asked."""
        nearest, touched = self._met
        self._met = (math.inf, set())
        near = None if math.isinf(nearest) else nearest
        return NearbyPedestrians(seconds, tuple(self.walkers), near, tuple(sorted(touched)))

    def pass_time(self, seconds: float, before: Vec3, after: Vec3) -> None:
        """Let seconds of a step pass, in which the agent goes from `before` to `after`."""
        nearest, touched = self._gap(before)
        since, self._elapsed = self._elapsed, self._elapsed + seconds
        while (self._ticks + 1) * TICK <= self._elapsed + SLACK:
            self._ticks += 1
            share = (self._ticks * TICK - since) / seconds if seconds else 1.0
            agent = between(before, after, min(max(share, 0.0), 1.0))
            self._tick(agent)
            nearest, touched = _closer((nearest, touched), self._gap(agent))
        self._met = _closer(self._met, _closer((nearest, touched), self._gap(after)))

    def _tick(self, agent: Vec3) -> None:
        self._before = tuple(self._crowd.people)
        self._crowd.advance(TICK, agent)
        for gait, was, now in zip(self._gaits, self._before, self._crowd.people, strict=True):
            gait.go(math.hypot(now.position[0] - was.position[0], now.position[2] - was.position[2]))

    def _gap(self, agent: Vec3) -> tuple[float, set[int]]:
        nearest, touched = math.inf, set()
        for k, walker in enumerate(self.walkers):
            gap = distance(agent, walker.position)
            nearest = min(nearest, gap)
            if gap < self._reach:
                touched.add(k)
        return nearest, touched

    def posed(self) -> list[Posed]:
        """As the renderer draws them."""
        posed = []
        for k, (gait, walker) in enumerate(zip(self._gaits, self.walkers, strict=True)):
            x, _, z = walker.position
            place = (x, self._footing.height(walker.position), z)
            light = self._lighting.at(walker.position)
            posed.append(Posed(gait.look, FIRST_ID + k, place, walker.yaw, gait.phase, gait.vigour, light))
        return posed


def distance(a: Vec3, b: Vec3) -> float:
    """In the plane, m; inf from one storey to another."""
    if abs(a[1] - b[1]) > STOREY:
        return math.inf
    return math.hypot(a[0] - b[0], a[2] - b[2])


def _closer(one: tuple[float, set[int]], other: tuple[float, set[int]]) -> tuple[float, set[int]]:
    return min(one[0], other[0]), one[1] | other[1]


class _Gait:
    """Where one is in one's stride."""

    def __init__(self, look: int) -> None:
        self.look = look
        self.phase = look / LOOKS
        self.vigour = 0.0
        self._scale = dealt(look).height / TALL

    def go(self, metres: float) -> None:
        """A tick in which one walked so far."""
        wanted = min(metres / TICK / NATURAL, 1.15)
        self.vigour += (wanted - self.vigour) * EASE
        self.phase = (self.phase + metres / stride(self._scale, self.vigour)) % 1.0


def kept(value: float) -> float:
    """To the grid on which positions and headings are kept."""
    return round(value * GRID) / GRID
