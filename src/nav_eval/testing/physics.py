"""Does a physics engine keep nav_eval.core.bodies.Physics? A body walks in a room with a wall across it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nav_eval.config.options import check_options
from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.bodies import Body, Building, Physics
from nav_eval.core.types import AgentState, Contacts, Moved
from nav_eval.errors import SimulatorError
from nav_eval.geometry import Vec3, euclidean, yaw_of
from nav_eval.simulator.buildings import World
from nav_eval.simulator.registry import PHYSICS
from nav_eval.testing.findings import Finding, Skip, run_checks
from nav_eval.testing.places import room

OPEN: Vec3 = (-1.5, 0.0, -1.7)
"""A place with 1 m of free floor ahead and to all sides but one."""
AT_THE_WALL: Vec3 = (-2.0, 0.0, 1.5)
SLACK = 0.02
"""How far a discrete action that nothing hinders may miss its amount, m and rad."""
NORTH_WALL = -2.45
"""z of the wall ahead of both, m."""
WALK = ("move_forward", "turn_left", "move_forward", "turn_right", "move_forward", "turn_right", "move_forward")


@dataclass(frozen=True, slots=True)
class PhysicsTrial:
    """What the checks are given. `slack`: how far (m, and rad) a free discrete action may miss its amount."""

    physics: Physics
    building: Building
    config: SimulatorConfig
    slack: float

    def body(self, position: Vec3 = OPEN) -> Body:
        return self.physics.place(self.building, AgentState(position))


def check_physics(physics: str | type[Physics], *, slack: float = SLACK, **options: Any) -> Iterator[Finding]:
    """Findings, one by one. `physics`: its name as registered, or its class; `options`: its `simulator.options`.

    `slack`: how far a discrete action that nothing hinders may miss its amount, m and rad.
    """
    name = physics if isinstance(physics, str) else physics.__name__
    if not isinstance(physics, str):
        PHYSICS.add(name, physics)
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        config, _ = room(Path(folder), cameras=False)
        config = config.model_copy(update={"physics": name, "options": options})
        check_options("simulator.options", options, PHYSICS.get(name))
        with closing(PHYSICS.get(name)(config)) as engine:
            yield from run_checks(CHECKS, PhysicsTrial(engine, World(config, "room.obj"), config, slack))


def stands_where_it_is_placed(trial: PhysicsTrial) -> str:
    state = trial.body().state
    if euclidean(state.position, OPEN) > 0.05:
        return f"it stands at {state.position}, not at {OPEN}."
    return "" if abs(yaw_of(state.rotation)) < 1e-3 else "it does not look where it was told to."


def advance_returns_the_state(trial: PhysicsTrial) -> str:
    body = trial.body()
    for action in _walk():
        moved: object = body.advance(action, 0)
        if not isinstance(moved, Moved):
            return f"advance returned {moved!r:.60}. Return a nav_eval.core.types.Moved."
        if moved.state != body.state:
            return "the state that advance returned is not the body's."
    return ""


def the_same_walk_is_the_same_twice(trial: PhysicsTrial) -> str:
    first, second = (_walked(trial.body(AT_THE_WALL)) for _ in range(2))
    return "" if first == second else "the same actions from the same start led elsewhere: replay would fail."


def bodies_are_independent(trial: PhysicsTrial) -> str:
    """Two bodies walk by turns, in one place: sessions share a building, not a world."""
    alone = _walked(trial.body())
    one, other = trial.body(), trial.body()
    together = []
    for action in _walk():
        together.append(one.advance(action, 0))
        other.advance(Action("turn_left"), 0)
    return "" if together == alone else "a second body in the same building changed the walk of the first."


def stop_moves_nothing(trial: PhysicsTrial) -> str:
    body = trial.body()
    before = body.state
    body.advance(Action("stop"), 0)
    return "" if _near(before, body.state, 1e-3) else "a body at rest was moved by stop."


def free_actions_do_what_they_say(trial: PhysicsTrial) -> str:
    motion = trial.config.motion
    body = trial.body()
    step = body.advance(Action("move_forward"), 0)
    ahead = OPEN[2] - body.state.position[2]
    if step.collided or abs(ahead - motion.forward_step) > trial.slack + 1e-4:
        return f"a free move_forward went {ahead:.3f} m ahead, configured are {motion.forward_step:g}."
    for name, sign in (("turn_left", 1), ("turn_right", -1)):
        before = yaw_of(body.state.rotation)
        body.advance(Action(name), 0)
        angle = math.remainder(yaw_of(body.state.rotation) - before, 2 * math.pi)
        if abs(angle - sign * math.radians(motion.turn_angle)) > trial.slack + 1e-4:
            return f"{name} turned by {math.degrees(angle):.2f} degrees, configured are {motion.turn_angle:g}."
    return ""


def the_camera_tilts(trial: PhysicsTrial) -> str:
    body = trial.body()
    body.advance(Action("look_up"), 0)
    tilt = math.radians(trial.config.motion.tilt_angle)
    return "" if abs(body.state.elevation - tilt) < 1e-6 else f"look_up tilted by {body.state.elevation:.3f} rad."


def a_wall_holds(trial: PhysicsTrial) -> str:
    body = trial.body()
    moves = [body.advance(Action("move_forward"), 0) for _ in range(12)]
    if body.state.position[2] < NORTH_WALL:
        return f"it went through a wall, to {body.state.position}."
    if not moves[-1].collided:
        return "it pressed against a wall, and `collided` is false: set it."
    return ""


def continuous_actions_are_limited(trial: PhysicsTrial) -> str:
    body = trial.body()
    limit = trial.config.motion.max_linear
    moved = body.advance(Action("velocity", {"linear": 10 * limit, "angular": 0.0, "duration": 0.1}), 0)
    if not moved.clipped:
        return "a velocity above simulator.motion.max_linear was not cut down: set `clipped`."
    gone = OPEN[2] - body.state.position[2]
    return "" if gone <= 0.1 * limit + trial.slack else f"it went {gone:.2f} m in 0.1 s, the limit is {limit:g} m/s."


def an_unknown_action_is_refused(trial: PhysicsTrial) -> str:
    body = trial.body()
    before = body.state
    try:
        body.advance(Action("fly"), 0)
    except SimulatorError:
        return "" if body.state == before else "an unknown action moved the body."
    return "the action 'fly' was carried out: raise SimulatorError."


def contacts_are_reported(trial: PhysicsTrial) -> str:
    """Of the walk into a wall: a contact in front of the body, as hard as it is, and nothing in the open."""
    body = trial.body()
    free = body.advance(Action("turn_left"), 0)
    body.advance(Action("turn_right"), 0)
    moves = [body.advance(Action("move_forward"), 0) for _ in range(12)]
    felt = [move.felt for move in (free, *moves)]
    if not trial.physics.feels:
        if any(one is not None for one in felt):
            return "it tells what was felt, so say it: feels = True."
        raise Skip("its bodies feel nothing.")
    if any(one is None for one in felt):
        return "feels is True, so each step must tell what was felt: Moved(..., felt=Contacts(...))."
    told = [one for one in felt if one is not None]
    return _wrongly_felt(told, body.state.position, trial.config.body.radius)


def _wrongly_felt(told: Sequence[Contacts], where: Vec3, radius: float) -> str:
    if told[0].contacts:
        return "it felt a contact in the open."
    if not told[-1].contacts:
        return "it pressed against a wall and felt no contact."
    if not told[-1].stuck:
        return "it was told to go on, a wall held it, and `stuck` is false."
    for contact in told[-1].contacts:
        flat = math.hypot(contact.position[0] - where[0], contact.position[2] - where[2])
        if flat > radius + 0.1:
            return f"a contact lies {flat:.2f} m from the body's middle, its radius is {radius:g}."
        if not (0 <= contact.force < math.inf and 0 <= contact.impulse < math.inf):
            return f"a contact has force {contact.force} and impulse {contact.impulse}: both are finite, from 0."
    return ""


CHECKS: Sequence[Callable[[PhysicsTrial], str]] = (
    stands_where_it_is_placed,
    advance_returns_the_state,
    the_same_walk_is_the_same_twice,
    bodies_are_independent,
    stop_moves_nothing,
    free_actions_do_what_they_say,
    the_camera_tilts,
    a_wall_holds,
    continuous_actions_are_limited,
    an_unknown_action_is_refused,
    contacts_are_reported,
)


def _walk() -> list[Action]:
    return [Action(name) for name in WALK]


def _walked(body: Body) -> list[Moved]:
    return [body.advance(action, 0) for action in _walk()]


def _near(a: AgentState, b: AgentState, slack: float) -> bool:
    turned = math.remainder(yaw_of(a.rotation) - yaw_of(b.rotation), 2 * math.pi)
    return euclidean(a.position, b.position) <= slack and abs(turned) <= slack
