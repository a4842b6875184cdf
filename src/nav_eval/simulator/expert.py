"""The oracle's next move: Habitat's greedy follower to the nearest goal, and a search where that one gives up.

A greedy step of 0.25 m can end just outside a small success radius with no single step that helps. Then the few moves
that do are found by best-first search over positions and headings, nearest to a goal first.

Distances hold a goal's height above or below the navmesh, which lies up to a cell (0.2 m) above the floor: no step
makes that less, so how near is near enough is meant in the plane. Where a last step is missing, the follower would
circle round the goal, half a turn and a step at a time: the search then begins after one such try.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from nav_eval.core.types import AgentState
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.geometry import Quaternion, Vec3
from nav_eval.simulator.follower import FollowerProfile, GreedyFollower, Move
from nav_eval.simulator.ground import height_off
from nav_eval.simulator.motion import MotionProfile, turn, walk

NEAR_ENOUGH = 0.75
"""Share of a forward step within which the follower is at its goal, as Habitat has it by default."""
PATIENCE = 60
"""Moves without coming nearer after which the search takes over, far from the goal."""
EXPANSIONS = 3000


@dataclass(frozen=True, slots=True)
class _Pose:
    position: Vec3
    rotation: Quaternion


class Expert:
    """Leads one agent to one of the goals, made anew for each episode.

    It stops nearer than `near` (m, in the plane) and nearer than `within` (m).
    """

    def __init__(
        self, navmesh: NavMesh, start: Vec3, goals: Sequence[Vec3], within: float, near: float, motion: MotionProfile
    ):
        points = np.array(goals, np.float32)
        path = navmesh.shortest_path(start, points)
        self._navmesh = navmesh
        self._goals: Any = points if len(points) > 1 else points[0].tolist()
        self._target = goals[max(path.goal, 0)]
        self._motion = motion
        self._radius = min(within, math.hypot(near, height_off(navmesh, self._target)))
        profile = FollowerProfile(self._radius, motion.forward_step, motion.turn_angle, motion.sliding)
        self._follower = GreedyFollower(navmesh, profile)
        self._plan: list[Move] = []
        self._least, self._idle = math.inf, 0

    def next_move(self, state: AgentState) -> Move | None:
        """stop when within the radius of any goal, or as near as moves lead; None where no way leads on."""
        distance = self._distance(state.position)
        if distance < self._radius:
            return "stop"
        self._idle = 0 if distance < self._least - 1e-4 else self._idle + 1
        self._least = min(self._least, distance)
        if self._plan:
            return self._plan.pop(0)
        move = self._follower.next_move(state.position, state.rotation, self._target)
        last_step = distance < self._radius + self._motion.forward_step
        patience = math.ceil(math.pi / self._motion.turn_angle) if last_step else PATIENCE
        if move is None or move == "stop" or self._idle > patience:
            self._plan, self._idle = self._search(state), 0
            return self._plan.pop(0) if self._plan else "stop" if last_step else None
        return move

    def fault(self, state: AgentState) -> str:
        """Why there is no next move from here."""
        left = self._distance(state.position)
        if math.isinf(left):
            return "no path leads from here to the goal."
        step, angle = self._motion.forward_step, math.degrees(self._motion.turn_angle)
        return (
            f"a path of {left:.2f} m leads to the goal, but steps of {step:g} m and turns of {angle:g} degrees cannot "
            "follow it: reduce simulator.motion.turn_angle, or set simulator.motion.sliding=true."
        )

    def _distance(self, position: Vec3) -> float:
        return float(self._navmesh.geodesic_distance(position, self._goals))

    def _search(self, state: AgentState) -> list[Move]:
        """Moves to a pose within the radius, found nearest first; [] if there is none within reach."""
        order = count()
        first = _Pose(state.position, state.rotation)
        queue: list[tuple[float, int, _Pose, list[Move]]] = [(0.0, next(order), first, [])]
        seen: set[tuple[int, ...]] = set()
        for _ in range(EXPANSIONS):
            if not queue:
                break
            _, _, pose, moves = heapq.heappop(queue)
            for move, after in self._moves(pose):
                distance = self._distance(after.position)
                if distance < self._radius:
                    return [*moves, move]
                key = tuple(round(value * 50) for value in (*after.position, *after.rotation))
                if key not in seen and math.isfinite(distance):
                    seen.add(key)
                    cost = distance + 0.02 * len(moves)
                    heapq.heappush(queue, (cost, next(order), after, [*moves, move]))
        return []

    def _moves(self, pose: _Pose) -> list[tuple[Move, _Pose]]:
        motion = self._motion
        reached, _ = walk(self._navmesh, pose.position, pose.rotation, motion.forward_step, 0.0, motion.sliding)
        return [
            ("move_forward", _Pose(reached, pose.rotation)),
            ("turn_left", _Pose(pose.position, turn(pose.rotation, motion.turn_angle))),
            ("turn_right", _Pose(pose.position, turn(pose.rotation, -motion.turn_angle))),
        ]
