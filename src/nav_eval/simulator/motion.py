"""How an agent's body moves on a navmesh: pure functions from a pose and an action to the next pose.

Discrete moves are Habitat's (facebookresearch/habitat-sim, habitat_sim/agent/controls, MIT): a turn or a straight step
that the navmesh shortens; it collided if |moved|^2 + 1e-5 < |requested|^2, so a slide counts as a collision.
`velocity` follows the arc in pieces of 1/30 s, `waypoint` turns once and walks in pieces no longer than a forward
step, because the navmesh answers short moves well and long ones badly. Limits cut an action down and say so.
Frames: y up, yaw positive = left, metres and rad (nav_eval.geometry).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from msgspec.structs import asdict

from nav_eval.config.schema import MotionConfig
from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState, Moved
from nav_eval.errors import SimulatorError
from nav_eval.geometry import Quaternion, Vec3, multiply, rotate, yaw_rotation
from nav_eval.simulator.actuation import ActuationNoise, Disturbance, Kind
from nav_eval_sdk.protocol.simulator import Motion
from nav_eval_sdk.protocol.structs import known

COLLISION_SLACK = 1e-5
PIECE_SECONDS = 1 / 30
IN_DEGREES = frozenset(["turn_angle", "tilt_angle", "max_tilt", "max_angular"])
"""Keys of simulator.motion that are rad inside."""


class Ground(Protocol):
    """What motion needs of a navmesh."""

    def step(self, start: Vec3, end: Vec3, sliding: bool = True) -> Vec3: ...


class MotionProfile(Motion, frozen=True):
    """Amounts of the discrete actions and limits of the continuous ones; with the noise of a real robot, or none."""

    noise: ActuationNoise | None = None


known(globals())


def nominal_motion(config: MotionConfig) -> Motion:
    """Degrees become rad; noise is left out."""
    given = config.model_dump(exclude={"noise", "noise_multiplier"})
    values: dict[str, Any] = {name: math.radians(v) if name in IN_DEGREES else v for name, v in given.items()}
    return Motion(**values)


def motion_profile(config: MotionConfig) -> MotionProfile:
    """The same with its noise, which is looked up by name."""
    noise = ActuationNoise(config.noise, config.noise_multiplier) if config.noise else None
    return MotionProfile(**asdict(nominal_motion(config)), noise=noise)


def collided(start: Vec3, requested: Vec3, reached: Vec3) -> bool:
    """Habitat's collision flag."""
    return _square(start, reached) + COLLISION_SLACK < _square(start, requested)


def walk(
    ground: Ground, position: Vec3, rotation: Quaternion, forward: float, right: float, sliding: bool
) -> tuple[Vec3, bool]:
    """Position after a straight step in the body's frame, metres, and whether it collided."""
    x, y, z = rotate(rotation, (right, 0.0, -forward))
    target = (position[0] + x, position[1] + y, position[2] + z)
    reached = ground.step(position, target, sliding)
    return reached, collided(position, target, reached)


def turn(rotation: Quaternion, angle: float) -> Quaternion:
    """The rotation after turning by `angle` rad to the left, about the body's own axis."""
    x, y, z, w = multiply(rotation, yaw_rotation(angle))
    size = math.sqrt(x * x + y * y + z * z + w * w)
    return (x / size, y / size, z / size, w / size)


def tilt(elevation: float, angle: float, limit: float) -> float:
    """The camera's elevation after looking up by `angle` rad, kept within the limit."""
    return min(max(elevation + angle, -limit), limit)


def perform(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int = 0) -> Moved:
    """The outcome of one action; `seed` decides its noise, if the profile has any. stop and found move nothing."""
    handler = _HANDLERS.get(action.name)
    if handler is None:
        raise SimulatorError(f"action {action.name!r} is not a motion on a navmesh")
    return handler(ground, state, action, profile, seed)


def nominal_seconds(action: Action, profile: MotionProfile) -> float:
    """How long an action takes at the profile's limits, whatever came of it; 0 for those that move nothing."""
    match action.name:
        case "move_forward":
            return profile.forward_step / profile.max_linear
        case "turn_left" | "turn_right":
            return profile.turn_angle / profile.max_angular
        case "look_up" | "look_down":
            return profile.tilt_angle / profile.max_angular
        case "velocity":
            return float(clip(action.args["duration"], profile.max_duration)[0])
        case "waypoint":
            ahead = abs(clip(action.args["range"], profile.max_range)[0])
            return float(ahead / profile.max_linear + abs(action.args["heading"]) / profile.max_angular)
    return 0.0


def _stay(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int) -> Moved:
    return Moved(state)


def _forward(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int) -> Moved:
    noise = _noise(profile, "linear", profile.forward_step, seed)
    ahead = profile.forward_step + noise.forward
    position, hit = walk(ground, state.position, state.rotation, ahead, noise.right, profile.sliding)
    return Moved(replace(state, position=position, rotation=_turned(state.rotation, noise.turn)), hit)


def _turn(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int) -> Moved:
    angle = profile.turn_angle if action.name == "turn_left" else -profile.turn_angle
    noise = _noise(profile, "rotational", angle, seed)
    position, hit = state.position, False
    if noise.forward or noise.right:
        position, hit = walk(ground, position, state.rotation, noise.forward, noise.right, profile.sliding)
    return Moved(replace(state, position=position, rotation=turn(state.rotation, angle + noise.turn)), hit)


def _look(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int) -> Moved:
    angle = profile.tilt_angle if action.name == "look_up" else -profile.tilt_angle
    return Moved(replace(state, elevation=tilt(state.elevation, angle, profile.max_tilt)))


def _velocity(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int) -> Moved:
    linear, cut_linear = clip(action.args["linear"], profile.max_linear)
    angular, cut_angular = clip(action.args["angular"], profile.max_angular)
    duration, cut_duration = clip(action.args["duration"], profile.max_duration)
    distance, angle = linear * duration, angular * duration
    distance += _noise(profile, "linear", distance, seed).forward if distance else 0.0
    angle += _noise(profile, "rotational", angle, seed).turn if angle else 0.0
    pieces = max(math.ceil(duration / PIECE_SECONDS), 1)
    moved, hit = _follow_arc(ground, state, distance, angle, pieces, profile.sliding)
    return Moved(moved, hit, cut_linear or cut_angular or cut_duration)


def _waypoint(ground: Ground, state: AgentState, action: Action, profile: MotionProfile, seed: int) -> Moved:
    distance, clipped = clip(action.args["range"], profile.max_range)
    heading = action.args["heading"]
    heading += _noise(profile, "rotational", heading, seed).turn if heading else 0.0
    noise = _noise(profile, "linear", distance, seed) if distance else Disturbance()
    facing = replace(state, rotation=_turned(state.rotation, heading))
    pieces = max(math.ceil(distance / profile.forward_step), 1)
    moved, hit = _follow_arc(ground, facing, distance + noise.forward, 0.0, pieces, profile.sliding)
    return Moved(replace(moved, rotation=_turned(moved.rotation, noise.turn)), hit, clipped)


def _follow_arc(
    ground: Ground, state: AgentState, distance: float, angle: float, pieces: int, sliding: bool
) -> tuple[AgentState, bool]:
    """Walk an arc in pieces, each along its middle heading; it collided if its pieces fell short together."""
    position, rotation, travelled = state.position, state.rotation, 0.0
    for _ in range(pieces):
        rotation = _turned(rotation, angle / pieces / 2)
        before = position
        if distance:
            position, _ = walk(ground, position, rotation, distance / pieces, 0.0, sliding)
        travelled += math.sqrt(_square(before, position))
        rotation = _turned(rotation, angle / pieces / 2)
    hit = travelled * travelled + COLLISION_SLACK < distance * distance
    return replace(state, position=position, rotation=rotation), hit


def _noise(profile: MotionProfile, kind: Kind, amount: float, seed: int) -> Disturbance:
    return Disturbance() if profile.noise is None else profile.noise.draw(kind, amount, seed)


def _turned(rotation: Quaternion, angle: float) -> Quaternion:
    return turn(rotation, angle) if angle else rotation


def clip(value: float, limit: float) -> tuple[float, bool]:
    """Within -limit and limit, and whether it had to be brought there."""
    kept = min(max(value, -limit), limit)
    return kept, kept != value


def _square(a: Vec3, b: Vec3) -> float:
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    return x * x + y * y + z * z


_HANDLERS: dict[str, Callable[[Ground, AgentState, Action, MotionProfile, int], Moved]] = {
    "stop": _stay,
    "found": _stay,
    "move_forward": _forward,
    "turn_left": _turn,
    "turn_right": _turn,
    "look_up": _look,
    "look_down": _look,
    "velocity": _velocity,
    "waypoint": _waypoint,
}
