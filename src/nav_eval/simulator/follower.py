"""The greedy follower: which discrete action best follows the shortest path from here.

It tries "turn n times left, then forward" and the same to the right for n up to half a turn and takes the first
action of the best: progress in geodesic distance per forward step, less a little for each turn, for a collision and
for ending within 0.2 m of an obstacle. Behaviour and weights are those of Habitat's GreedyGeodesicFollower, so that
recorded walks are met action for action (facebookresearch/habitat-sim, src/esp/nav/GreedyFollower.cpp, MIT).
It plans with exact motion, whatever noise the agent has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np

from nav_eval.engine.navmesh.mesh import NavMesh, PointLike
from nav_eval.geometry import Quaternion, Vec3
from nav_eval.simulator.motion import turn, walk

Move = Literal["stop", "move_forward", "turn_left", "turn_right"]

TURN_COST = np.float32(-0.0125)
COLLISION_COST = np.float32(0.25)
NEARNESS_COST = np.float32(0.05)
TOO_NEAR = np.float32(0.2)
LOOKOUT = float(np.float32(1.1 * float(TOO_NEAR)))
GOOD_ENOUGH = np.float32(0.99)
NONE = np.float32(0)


@dataclass(frozen=True, slots=True)
class FollowerProfile:
    """The body that is steered, and how near is near enough (geodesic metres)."""

    goal_radius: float
    forward_step: float
    turn_angle: float
    sliding: bool


def best_moves(
    nav: NavMesh, position: Vec3, rotation: Quaternion, goal: PointLike, profile: FollowerProfile
) -> tuple[Move, ...]:
    """The best sequence of moves towards the goal, ("stop",) when near enough, () where no way leads on."""
    distance = nav.geodesic_distance(position, goal)
    if distance == math.inf:
        return ()
    if distance < profile.goal_radius:
        return ("stop",)
    best, chosen = -COLLISION_COST, None
    left = right = rotation
    angle, turns = np.float32(0), 0
    while angle < math.pi:
        for side, facing in ((1, left), (-1, right)):
            reward = _reward(nav, position, facing, goal, distance, turns, profile)
            if reward > best:
                best, chosen = reward, (side, turns)
        if best > GOOD_ENOUGH:
            break
        left, right = turn(left, profile.turn_angle), turn(right, -profile.turn_angle)
        angle, turns = np.float32(float(angle) + profile.turn_angle), turns + 1
    if chosen is None:
        return ()
    turning: Move = "turn_left" if chosen[0] > 0 else "turn_right"
    return (turning,) * chosen[1] + ("move_forward",)


def next_move(
    nav: NavMesh, position: Vec3, rotation: Quaternion, goal: PointLike, profile: FollowerProfile
) -> Move | None:
    """The first of the best moves; None where no way leads on. It knows nothing of the past and so may waver."""
    moves = best_moves(nav, position, rotation, goal, profile)
    return moves[0] if moves else None


def _reward(
    nav: NavMesh,
    position: Vec3,
    rotation: Quaternion,
    goal: PointLike,
    distance: float,
    turns: int,
    profile: FollowerProfile,
) -> np.float32:
    reached, hit = walk(nav, position, rotation, profile.forward_step, 0.0, profile.sliding)
    after = nav.geodesic_distance(reached, goal)
    near = nav.distance_to_obstacle(reached, LOOKOUT) < TOO_NEAR
    progress = float(np.float32(distance) - np.float32(after)) / profile.forward_step
    cost = TURN_COST * np.float32(turns) - (COLLISION_COST if hit else NONE) - (NEARNESS_COST if near else NONE)
    return np.float32(progress + float(cost))


@dataclass(slots=True)
class GreedyFollower:
    """The follower with Habitat's cure for wavering: after 16 turns to and fro it carries a plan out to its end."""

    nav: NavMesh
    profile: FollowerProfile
    patience: int = 16
    _past: list[Move | None] = field(default_factory=list)
    _plan: list[Move] = field(default_factory=list)

    def reset(self) -> None:
        """Forget the past; call it when the goal changes or the agent was moved."""
        self._past.clear()
        self._plan.clear()

    def next_move(self, position: Vec3, rotation: Quaternion, goal: PointLike) -> Move | None:
        """The next move towards the goal; None where no way leads on."""
        if self._plan:
            move: Move | None = self._plan.pop(0)
        else:
            moves = best_moves(self.nav, position, rotation, goal, self.profile)
            move = moves[0] if moves else None
            if moves and _wavers(self._past[-self.patience :], self.patience):
                self._plan = list(moves[1:])
        self._past.append(move)
        return move


def _wavers(past: Sequence[Move | None], patience: int) -> bool:
    """Whether the last `patience` moves were turns to and fro."""
    turns = {("turn_left", "turn_right"), ("turn_right", "turn_left")}
    return len(past) >= patience and all(pair in turns for pair in pairwise(past))
