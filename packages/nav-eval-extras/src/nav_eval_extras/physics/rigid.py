"""MuJoCo as the engine: a body with mass, friction and limited acceleration among the building's own triangles.

The triangles are collided with as they are, as a rigid flex (MuJoCo's deformables, every vertex held by the world):
no boxes and no convex decomposition, so a scan costs no preparation and a doorway is as wide as it looks. Only what
is near is in the model (physics.ground), so that a step in a palace costs what one in a closet does.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.bodies import Body, Building, Pedestrians, Physics
from nav_eval.core.types import AgentState, Contact, Contacts, Moved
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.geometry import Vec3, yaw_of, yaw_rotation
from nav_eval.simulator.actuation import Disturbance, Kind
from nav_eval.simulator.motion import MotionProfile, clip, motion_profile, tilt
from nav_eval.simulator.people.pedestrians import RADIUS
from nav_eval.simulator.physics.ground import Floors, Tile, Tiles, tile_of
from nav_eval_extras.physics import pedestrian_bodies
from nav_eval_extras.physics.robots import Build, Cylinder, DiffDrive, Pose, Robot

STEP = 0.01
"""Seconds of one physics step."""
FLOOR_STEPS = 5
"""The height of the floor is looked up once in so many."""
MODELS_KEPT = 64
SKIN = 0.005
"""Half the thickness of a triangle, m."""
NEAR_CONTACT = 0.1
"""Contacts that lie so near to each other in the plane are one, m."""
MIN_FORCE = 1.0
"""A contact that never pressed harder is none, N."""
OFF_MESH = 0.5
"""Further from the navmesh than this the floor under the robot is none of the navmesh's, m."""
ABOVE = 0.05
"""A robot's point on the floor lies at most so much below the floor, m."""
STILL = 1e-3
"""A body that moved less than this stands where it stood, m."""
SLOW = 1e-3
"""A body slower than this (m/s, rad/s) is at rest."""
ARRIVED = 5e-4
"""What is left of an action when it is done, m or rad."""
REST_STEPS = 50

NO_MUJOCO = "simulator.physics=mujoco needs the package mujoco-core. Install it: pip install 'nav-eval[mujoco]'"


class Mujoco(Physics):
    """Rigid bodies by MuJoCo; models of tiles are made once and shared by the sessions."""

    class Options(Physics.Options):
        """The robot, and how strong it is."""

        robot: Literal["cylinder", "diff_drive"] = Field(
            "cylinder",
            description="cylinder: upright, carried over steps up to body.max_climb; diff_drive: a base on two driven "
            "wheels, which slips and can tip over",
        )
        mass: float = Field(20.0, gt=0, description="of the whole robot, kg")
        acceleration: float = Field(
            2.0, gt=0, description="most that the drive gives, m/s^2; it pushes with mass times that"
        )
        angular_acceleration: float = Field(360.0, gt=0, description="the same of turning, degrees/s^2")
        friction: float = Field(0.3, ge=0, description="Coulomb's coefficient between the hull and what it touches")
        fall_angle: float = Field(30.0, gt=0, lt=180, description="a body that leans further has fallen, degrees")

    feels = True
    reads_scene = True
    meets_people = True
    distributions: ClassVar[tuple[str, ...]] = ("mujoco-core",)

    def __init__(self, config: SimulatorConfig) -> None:
        try:
            import mujoco
        except ImportError:
            raise ConfigError(NO_MUJOCO) from None
        self._mujoco: Any = mujoco
        options = self.Options.of(config.options)
        body, turn = config.body, math.radians(options.angular_acceleration)
        if body.height <= body.max_climb:
            raise ConfigError("simulator.body.height: must be above body.max_climb where simulator.physics=mujoco.")
        build = Build(body, options.mass, options.acceleration, turn, options.friction, STEP)
        self.robot: Robot = (Cylinder if options.robot == "cylinder" else DiffDrive)(build)
        self.profile = motion_profile(config.motion)
        self.people = config.people.count
        self.fall_angle = math.radians(options.fall_angle)
        self._places: WeakKeyDictionary[Building, _Place] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def place(self, building: Building, state: AgentState) -> Body:
        with self._lock:
            if building not in self._places:
                tiles = Tiles.of(building.scene, self.robot.build.body.radius + 0.15)
                self._places[building] = _Place(self._mujoco, self.robot, tiles, self.people)
            place = self._places[building]
        return RigidBody(self, place, building, state)


@dataclass(frozen=True)
class _Tile:
    model: Any
    floors: Floors


class _Place:
    """The models of one building's tiles, made when a body comes there."""

    def __init__(self, mujoco: Any, robot: Robot, tiles: Tiles, people: int) -> None:
        self.mujoco, self._robot, self._tiles, self._people = mujoco, robot, tiles, people
        self._made: OrderedDict[Tile, _Tile] = OrderedDict()
        self._lock = threading.Lock()

    def tile(self, tile: Tile) -> _Tile:
        with self._lock:
            made = self._made.pop(tile, None) or self._make(tile)
            self._made[tile] = made
            while len(self._made) > MODELS_KEPT:
                self._made.popitem(last=False)
            return made

    def _make(self, tile: Tile) -> _Tile:
        triangles = self._tiles.near(tile)
        spec = self.mujoco.MjSpec()
        spec.option.timestep = STEP
        spec.option.integrator = self.mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        if len(triangles):
            corners, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
            flex = spec.add_flex()
            flex.name, flex.dim, flex.vertbody, flex.radius = "building", 2, ["world"], SKIN
            flex.vert = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1).ravel()
            flex.elem = faces.ravel().astype(np.int32)
            flex.contype = flex.conaffinity = 1
        self._robot.add(self.mujoco, spec)
        pedestrian_bodies.add(self.mujoco, spec, self._people, RADIUS)
        return _Tile(spec.compile(), Floors(triangles))


@dataclass(slots=True)
class _Touch:
    """Contacts of one place in one action, taken together."""

    position: Vec3
    force: float = 0.0
    impulse: float = 0.0
    now: Any = field(default_factory=lambda: np.zeros(3))

    def end_step(self) -> None:
        force = float(np.linalg.norm(self.now))
        self.force, self.impulse = max(self.force, force), self.impulse + force * STEP
        self.now = np.zeros(3)


class RigidBody(Body):
    """One robot in one building."""

    def __init__(self, engine: Mujoco, place: _Place, building: Building, state: AgentState) -> None:
        self._engine, self._place, self._robot = engine, place, engine.robot
        self._building = building
        self._profile: MotionProfile = engine.profile
        self._fallen = False
        self._steps = 0
        self._touches: list[_Touch] = []
        self._tile = tile_of(state.position)
        self._people: Pedestrians | None = None
        self._led: Any = None
        self._enter()
        pedestrian_bodies.leave(self._data, engine.people)
        x, y, z = state.position
        y = self._here.floors.height(state.position, ABOVE, OFF_MESH)
        self._robot.put(self._data, (x, y, z), yaw_of(state.rotation))
        self._place.mujoco.mj_forward(self._here.model, self._data)
        if self._robot.rests_on_floor:
            self._brake()
        self._touches.clear()
        self._lifted = self._robot.pose(self._data).position
        self._lift = state.position[1] - self._lifted[1]
        self._state = self._agent_pose(state.elevation)

    @property
    def state(self) -> AgentState:
        return self._state

    def among(self, people: Pedestrians) -> None:
        self._people = people
        self._led = pedestrian_bodies.put(self._data, people.walkers)
        self._place.mujoco.mj_forward(self._here.model, self._data)

    def advance(self, action: Action, seed: int) -> Moved:
        handler = _HANDLERS.get(action.name)
        if handler is None:
            raise SimulatorError(f"action {action.name!r} is not a motion of a body")
        before = self._state
        self._touches.clear()
        self._steps = 0
        elevation, clipped, asked, angle = handler(self, action, seed)
        self._state = self._agent_pose(elevation)
        contacts = self._contacts()
        stuck = bool(contacts) and not self._got_on(before, asked, angle)
        felt = Contacts(contacts, self._fallen, stuck and not self._fallen)
        return Moved(self._state, bool(contacts), clipped, felt, self._steps * STEP)

    def _got_on(self, before: AgentState, asked: float, angle: float) -> bool:
        """Whether it went a tenth of the way, or turned a tenth of the angle, that it was told to."""
        gone = math.hypot(*(self._state.position[k] - before.position[k] for k in (0, 2)))
        turned = abs(math.remainder(yaw_of(self._state.rotation) - yaw_of(before.rotation), 2 * math.pi))
        parts = [did / told for did, told in ((gone, asked), (turned, angle)) if told > 0]
        return not parts or max(parts) >= 0.1

    def stand(self, action: Action, seed: int) -> _Done:
        self._brake()
        return self._state.elevation, False, 0.0, 0.0

    def look(self, action: Action, seed: int) -> _Done:
        angle = self._profile.tilt_angle if action.name == "look_up" else -self._profile.tilt_angle
        self._brake()
        return tilt(self._state.elevation, angle, self._profile.max_tilt), False, 0.0, 0.0

    def forward(self, action: Action, seed: int) -> _Done:
        ahead = self._profile.forward_step
        self._go(ahead + self._noise("linear", ahead, seed).forward)
        return self._state.elevation, False, ahead, 0.0

    def turn(self, action: Action, seed: int) -> _Done:
        angle = self._profile.turn_angle if action.name == "turn_left" else -self._profile.turn_angle
        self._turn(angle + self._noise("rotational", angle, seed).turn)
        return self._state.elevation, False, 0.0, abs(angle)

    def waypoint(self, action: Action, seed: int) -> _Done:
        ahead, clipped = clip(action.args["range"], self._profile.max_range)
        heading = action.args["heading"]
        if heading:
            self._turn(heading + self._noise("rotational", heading, seed).turn)
        if ahead:
            self._go(ahead + self._noise("linear", ahead, seed).forward)
        return self._state.elevation, clipped, abs(ahead), abs(heading)

    def velocity(self, action: Action, seed: int) -> _Done:
        """Towards these speeds for so long; the body keeps what speed it has then."""
        speed, cut_speed = clip(action.args["linear"], self._profile.max_linear)
        turn, cut_turn = clip(action.args["angular"], self._profile.max_angular)
        duration, cut_duration = clip(action.args["duration"], self._profile.max_duration)
        steps = max(round(duration / STEP), 1)
        self._run(lambda pose: (speed, turn), steps)
        clipped = cut_speed or cut_turn or cut_duration
        return self._state.elevation, clipped, abs(speed) * duration, abs(turn) * duration

    def _noise(self, kind: Kind, amount: float, seed: int) -> Disturbance:
        noise = self._profile.noise
        return Disturbance() if noise is None else noise.draw(kind, amount, seed)

    def _go(self, distance: float) -> None:
        """Straight on, with the heading held; given up after twice the time that a free way takes."""
        most, limit = self._robot.build.acceleration, self._profile.max_linear
        start = self._robot.pose(self._data)
        ahead = (-math.sin(start.yaw), -math.cos(start.yaw))

        def law(pose: Pose) -> tuple[float, float] | None:
            done = (pose.position[0] - start.position[0]) * ahead[0] + (pose.position[2] - start.position[2]) * ahead[1]
            left = distance - done
            if abs(left) < ARRIVED and abs(pose.speed) < 0.02:
                return None
            astray = math.remainder(start.yaw - pose.yaw, 2 * math.pi)
            return _approach(left, limit, most), min(max(5 * astray, -1.0), 1.0)

        self._run(law, _patience(distance, limit, most))
        self._brake()

    def _turn(self, angle: float) -> None:
        most, limit = self._robot.build.angular_acceleration, self._profile.max_angular
        held, turned = self._robot.pose(self._data).yaw, 0.0

        def law(pose: Pose) -> tuple[float, float] | None:
            nonlocal held, turned
            turned += math.remainder(pose.yaw - held, 2 * math.pi)
            held = pose.yaw
            left = angle - turned
            return None if abs(left) < ARRIVED and abs(pose.turn) < 0.05 else (0.0, _approach(left, limit, most))

        self._run(law, _patience(angle, limit, most))
        self._brake()

    def _brake(self) -> None:
        """Come to rest."""
        self._run(lambda pose: None if abs(pose.speed) < SLOW and abs(pose.turn) < SLOW else (0.0, 0.0), REST_STEPS)
        self._data.qfrc_applied[:] = 0.0

    def _run(self, law: Callable[[Pose], tuple[float, float] | None], steps: int) -> None:
        """Physics steps, each driven as `law` says of the pose, until it has nothing more to say."""
        robot = self._robot
        reach = robot.build.body.radius + RADIUS
        pose = robot.pose(self._data)
        for number in range(steps):
            wanted = law(pose)
            if wanted is None or self._fallen:
                break
            robot.drive(self._data, *wanted)
            if self._people is not None:
                self._people.pass_time(STEP, pose.position, pose.position)
                self._led = pedestrian_bodies.lead(
                    self._data, self._led, self._people.walkers, STEP, pose.position, reach
                )
            self._place.mujoco.mj_step(self._here.model, self._data)
            self._steps += 1
            self._feel()
            pose = robot.pose(self._data)
            self._fallen = pose.tilt > self._engine.fall_angle
            if number % FLOOR_STEPS == FLOOR_STEPS - 1:
                self._follow_floor(pose)
            if (tile := tile_of(pose.position, self._tile)) != self._tile:
                self._tile = tile
                self._enter(self._data)

    def _follow_floor(self, pose: Pose) -> None:
        if not self._robot.rests_on_floor:
            climb = self._robot.build.body.max_climb
            self._data.qpos[2] = self._here.floors.height(pose.position, climb, OFF_MESH)
            self._data.qvel[2] = 0.0

    def _enter(self, leaving: Any = None) -> None:
        """Go on in the present tile's model, as it is in the one that is left."""
        self._here = self._place.tile(self._tile)
        self._data = self._place.mujoco.MjData(self._here.model)
        if leaving is not None:
            self._data.qpos[:], self._data.qvel[:] = leaving.qpos, leaving.qvel
            self._data.qacc_warmstart[:] = leaving.qacc_warmstart

    def _feel(self) -> None:
        """Take in the contacts of one step."""
        data, mujoco = self._data, self._place.mujoco
        if not data.ncon:
            return
        wrench = np.zeros(6)
        for number in range(data.ncon):
            contact = data.contact[number]
            geom = min(int(geom) for geom in contact.geom if geom >= 0)
            if not self._robot.feels(geom, abs(float(contact.frame[2]))):
                continue
            mujoco.mj_contactForce(self._here.model, data, number, wrench)
            x, y, z = contact.pos.tolist()
            self._touch((x, z, -y)).now += contact.frame.reshape(3, 3).T @ wrench[:3]
        for touch in self._touches:
            touch.end_step()

    def _touch(self, position: Vec3) -> _Touch:
        for touch in self._touches:
            if math.hypot(position[0] - touch.position[0], position[2] - touch.position[2]) < NEAR_CONTACT:
                return touch
        self._touches.append(_Touch(position))
        return self._touches[-1]

    def _contacts(self) -> tuple[Contact, ...]:
        hard = [touch for touch in self._touches if touch.force >= MIN_FORCE]
        return tuple(Contact(touch.position, touch.force, touch.impulse) for touch in hard)

    def _agent_pose(self, elevation: float) -> AgentState:
        """The pose, as high over the navmesh as the robot is over the floor: a navmesh lies up to a cell above it."""
        pose = self._robot.pose(self._data)
        x, y, z = pose.position
        if math.hypot(self._lifted[0] - x, self._lifted[2] - z) > STILL:
            self._lifted = pose.position
            ground = self._building.navmesh.snap(pose.position)
            if math.hypot(ground[0] - x, ground[2] - z) < OFF_MESH and abs(ground[1] - y) < OFF_MESH:
                self._lift = ground[1] - self._here.floors.height(pose.position, ABOVE, OFF_MESH)
        return replace(AgentState((x, y + self._lift, z), yaw_rotation(pose.yaw)), elevation=elevation)


_Done = tuple[float, bool, float, float]
"""The camera's tilt (rad), whether a limit cut the action down, and what was asked for: metres and rad."""


def _approach(left: float, limit: float, acceleration: float) -> float:
    """The speed from which one can still stop in time."""
    speed = min(limit, 0.9 * math.sqrt(2 * acceleration * abs(left)), abs(left) / STEP / 4)
    return math.copysign(speed, left)


def _patience(amount: float, limit: float, acceleration: float) -> int:
    """Steps after which an action is given up."""
    return math.ceil((2 * (abs(amount) / limit + 2 * math.sqrt(abs(amount) / acceleration)) + 0.5) / STEP)


_HANDLERS: dict[str, Callable[[RigidBody, Action, int], _Done]] = {
    "stop": RigidBody.stand,
    "found": RigidBody.stand,
    "move_forward": RigidBody.forward,
    "turn_left": RigidBody.turn,
    "turn_right": RigidBody.turn,
    "look_up": RigidBody.look,
    "look_down": RigidBody.look,
    "velocity": RigidBody.velocity,
    "waypoint": RigidBody.waypoint,
}
