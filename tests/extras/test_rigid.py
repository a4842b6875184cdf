"""Bodies with mass against Newton: what a drive can do, what a wall gives back, when a robot falls, and replays."""

from __future__ import annotations

import builtins
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.bodies import Body
from nav_eval.core.types import AgentState, Moved
from nav_eval.errors import ConfigError
from nav_eval.geometry import Vec3, euclidean, yaw_of, yaw_rotation
from nav_eval.simulator.buildings import World
from nav_eval.simulator.physics.ground import Floors, Tiles, tile_of
from nav_eval.simulator.registry import PHYSICS
from nav_eval.testing import check_physics, demand
from nav_eval.testing.places import room

needs_mujoco = pytest.mark.skipif(
    find_spec("mujoco") is None, reason="mujoco-core is not installed (pip install 'nav-eval[mujoco]')"
)
ROBOTS = ("cylinder", "diff_drive")
OPEN: Vec3 = (-1.5, 0.0, -1.0)
RADIUS = 0.18
BODY = {"height": 0.88, "radius": RADIUS}


def placed(folder: Path, at: Vec3 = OPEN, yaw: float = 0.0, scene: str = "room.obj", **options: Any) -> Body:
    room(folder, cameras=False)
    config = SimulatorConfig.model_validate(
        {"scenes_dir": str(folder), "physics": "mujoco", "options": options, "body": BODY}
    )
    engine = PHYSICS.get("mujoco")(config)
    return engine.place(World(config, scene), AgentState(at, yaw_rotation(yaw)))


def speed(linear: float, duration: float = 0.1, angular: float = 0.0) -> Action:
    return Action("velocity", {"linear": linear, "angular": angular, "duration": duration})


def impulse(moves: list[Moved]) -> float:
    return sum(contact.impulse for move in moves if move.felt for contact in move.felt.contacts)


@needs_mujoco
@pytest.mark.parametrize("robot", ROBOTS)
def test_it_keeps_the_contract(robot: str) -> None:
    demand(check_physics("mujoco", robot=robot))


@needs_mujoco
def test_a_body_speeds_up_no_faster_than_its_drive_allows(tmp_path: Path) -> None:
    """From rest at a = 1 m/s^2 for 0.5 s: s = a t^2 / 2 = 0.125 m; a discrete sum of steps of 10 ms adds a t dt / 2."""
    body = placed(tmp_path, acceleration=1.0)
    body.advance(speed(1.0, 0.5), 0)
    assert OPEN[2] - body.state.position[2] == pytest.approx(0.125 + 1.0 * 0.5 * 0.01 / 2, abs=1e-4)


@needs_mujoco
def test_a_body_goes_on_after_its_last_velocity_and_brakes_when_it_is_told_to_stop(tmp_path: Path) -> None:
    """0.5 m/s is braked at 2 m/s^2 in v^2 / 2a = 62.5 mm; a body without mass would stand at once."""
    body = placed(tmp_path, (-1.5, 0.0, 1.5), acceleration=2.0)
    for _ in range(10):
        body.advance(speed(0.5), 0)
    before = body.state.position
    body.advance(Action("stop"), 0)
    assert euclidean(before, body.state.position) == pytest.approx(0.0625, abs=0.003)


@needs_mujoco
@pytest.mark.parametrize("mass", [10.0, 40.0])
def test_a_wall_takes_up_the_momentum_and_then_the_push_of_the_drive(tmp_path: Path, mass: float) -> None:
    """Frontal, 0.5 m/s: the wall gives m v at once; pressed on, it gives the drive's m a, whatever the solver does."""
    body = placed(tmp_path, (-1.5, 0.0, -1.5), mass=mass, acceleration=2.0)
    moves: list[Moved] = []
    while not any(move.collided for move in moves):
        moves.append(body.advance(speed(0.5), 0))
    moves.append(body.advance(speed(0.5), 0))
    pressed = body.advance(speed(0.5, 1.0), 0)
    assert impulse([pressed]) == pytest.approx(mass * 2.0 * 1.0, rel=0.02)
    assert impulse(moves) >= mass * 0.5 * 0.95
    assert impulse(moves) <= mass * (0.5 + 2.0 * 0.2) * 1.05
    assert pressed.felt is not None
    assert pressed.felt.stuck
    assert body.state.position[2] == pytest.approx(-2.45 + RADIUS, abs=0.01)
    assert pressed.felt.contacts[0].position[2] == pytest.approx(-2.45, abs=0.01)


@needs_mujoco
@pytest.mark.parametrize("robot", ROBOTS)
def test_discrete_actions_come_to_their_amounts(tmp_path: Path, robot: str) -> None:
    body = placed(tmp_path, (-1.0, 0.0, 0.0), robot=robot)
    for _ in range(4):
        body.advance(Action("turn_left"), 0)
    assert yaw_of(body.state.rotation) == pytest.approx(4 * math.radians(15), abs=0.02)
    body.advance(Action("move_forward"), 0)
    x, _, z = body.state.position
    assert math.hypot(x + 1.0, z) == pytest.approx(0.25, abs=0.005)
    body.advance(Action("waypoint", {"range": 0.5, "heading": -math.radians(60)}), 0)
    assert yaw_of(body.state.rotation) == pytest.approx(0.0, abs=0.03)


@needs_mujoco
@pytest.mark.parametrize("robot", ROBOTS)
def test_the_same_actions_give_the_same_poses_to_the_bit_in_another_engine_and_after_other_walks(
    tmp_path: Path, robot: str
) -> None:
    """Over borders of tiles, along walls, with velocities that outlast their steps."""
    rng = np.random.default_rng(4)
    names = rng.choice(["move_forward", "turn_left", "turn_right"], 12, p=[0.6, 0.2, 0.2])
    walk = [Action(str(name)) for name in names] + [speed(0.7, 0.3, float(turn)) for turn in rng.uniform(-1, 1, 12)]
    first, second = placed(tmp_path, robot=robot), placed(tmp_path, robot=robot)
    one = [first.advance(action, 0) for action in walk]
    second.advance(Action("turn_left"), 0)
    again = placed(tmp_path, robot=robot)
    assert [again.advance(action, 0) for action in walk] == one
    assert len({tile_of(move.state.position) for move in one}) > 1


def step_down(folder: Path, depth: float) -> None:
    """Two floors: one ends at z = 0, the other begins there, so much lower."""
    lines = []
    for z, end, height in ((0.0, 2.0, 0.0), (-3.0, 0.0, -depth)):
        lines += [f"v {x} {height} {at}" for x, at in ((-2, z), (-2, end), (2, end), (2, z))]
    (folder / "step.obj").write_text("\n".join([*lines, "f 1 2 3 4", "f 5 6 7 8"]) + "\n")


@needs_mujoco
@pytest.mark.parametrize(("depth", "falls"), [(0.01, False), (0.6, True)])
def test_who_drives_over_an_edge_falls(tmp_path: Path, depth: float, falls: bool) -> None:
    step_down(tmp_path, depth)
    body = placed(tmp_path, (0.0, 0.0, 0.6), scene="step.obj", robot="diff_drive")
    moves = [body.advance(Action("move_forward"), 0) for _ in range(5)]
    assert moves[-1].felt is not None
    assert moves[-1].felt.fallen == falls
    if falls:
        lying = body.state
        assert body.advance(Action("turn_left"), 0).state == lying
    else:
        assert body.state.position[2] == pytest.approx(0.6 - 1.25, abs=0.02)


@needs_mujoco
def test_a_cylinder_is_carried_down_a_step_that_can_be_walked(tmp_path: Path) -> None:
    step_down(tmp_path, 0.15)
    body = placed(tmp_path, (0.0, 0.0, 0.6), scene="step.obj")
    moves = [body.advance(Action("move_forward"), 0) for _ in range(5)]
    assert body.state.position[2] == pytest.approx(0.6 - 1.25, abs=0.01)
    assert body.state.position[1] < 0.1
    assert not any(move.collided for move in moves)


@needs_mujoco
@pytest.mark.parametrize("rise", [0.18, 0.3])
def test_a_cylinder_is_carried_up_stairs_that_lie_on_a_floor_if_their_steps_can_be_climbed(
    tmp_path: Path, rise: float
) -> None:
    """Five steps of 0.27 m; body.max_climb is 0.2."""
    lines, faces = ["v -3 0 -4", "v -3 0 4", "v 3 0 4", "v 3 0 -4"], ["f 1 2 3 4"]
    for number in range(5):
        near, far, low, high = -0.27 * number, -0.27 * (number + 1), rise * number, rise * (number + 1)
        for z, y in ((near, low), (near, high), (far, high)):
            lines += [f"v -1 {y} {z}", f"v 1 {y} {z}"]
        first = 5 + 6 * number
        faces += [
            f"f {first} {first + 1} {first + 3} {first + 2}",
            f"f {first + 2} {first + 3} {first + 5} {first + 4}",
        ]
    (tmp_path / "stairs.obj").write_text("\n".join([*lines, *faces]) + "\n")
    body = placed(tmp_path, (0.0, 0.0, 0.5), scene="stairs.obj")
    moves = [body.advance(Action("move_forward"), 0) for _ in range(6)]
    assert any(move.collided for move in moves) == (rise > 0.2)
    assert (body.state.position[2] < -0.9) == (rise < 0.2)


@needs_mujoco
def test_a_bar_across_the_way_is_met_as_hard_as_it_is_met_fast(tmp_path: Path) -> None:
    """6 cm high, 1.1 m ahead: within 3 s nobody comes to it at 0.05 m/s, and at 1 m/s everybody does."""
    bar = "\n".join(
        [
            "v -3 0 -3", "v -3 0 3", "v 3 0 3", "v 3 0 -3",
            "v -1 0 -0.6", "v 1 0 -0.6", "v 1 0.06 -0.6", "v -1 0.06 -0.6", "f 1 2 3 4", "f 5 6 7 8",
        ]
    )  # fmt: skip
    (tmp_path / "bar.obj").write_text(bar + "\n")
    felt = {}
    for pace in (0.05, 1.0):
        body = placed(tmp_path, (0.0, 0.0, 0.5), scene="bar.obj", robot="diff_drive", acceleration=4.0)
        moves = [body.advance(speed(pace, 1.0), 0) for _ in range(3)]
        felt[pace] = max(impulse([move]) for move in moves)
    assert felt[1.0] > 5.0 > 0.5 > felt[0.05] >= 0.0


@needs_mujoco
@pytest.mark.parametrize("robot", ROBOTS)
def test_a_body_stands_as_high_as_the_navmesh_so_that_distances_and_cameras_are_those_of_the_default(
    tmp_path: Path, robot: str
) -> None:
    body = placed(tmp_path, robot=robot)
    ground = World(SimulatorConfig.model_validate({"scenes_dir": str(tmp_path), "body": BODY}), "room.obj").navmesh
    body.advance(Action("turn_left"), 0)
    for _ in range(2):
        body.advance(Action("move_forward"), 0)
        x, y, z = body.state.position
        assert y == pytest.approx(ground.snap((x, y, z))[1], abs=0.01)


def test_what_a_tile_holds_is_all_that_can_be_touched_from_it() -> None:
    """Against a search by hand: whatever of random triangles comes near a point of the tile is in it."""
    rng = np.random.default_rng(0)
    corners = rng.uniform(-4, 4, (300, 1, 3)) + rng.uniform(-0.3, 0.3, (300, 3, 3))
    tiles = Tiles(corners, 0.3)
    inside = {triangle.tobytes() for triangle in tiles.near((0, -1))}
    for triangle in corners:
        nearest = min(
            math.hypot(x - min(max(x, 0.0), 2.0), z - min(max(z, -2.0), 0.0)) for x, _, z in _points_of(triangle)
        )
        if nearest <= 0.3:
            assert triangle.tobytes() in inside
    assert len(inside) < 150


def _points_of(triangle: Any) -> Any:
    for u in np.linspace(0, 1, 6):
        for v in np.linspace(0, 1 - u, 6):
            yield (1 - u - v) * triangle[0] + u * triangle[1] + v * triangle[2]


def test_a_body_keeps_its_tile_until_it_has_left_it() -> None:
    assert tile_of((1.99, 0.0, 0.5)) == (0, 0)
    assert tile_of((2.05, 0.0, 0.5), (0, 0)) == (0, 0)
    assert tile_of((2.15, 0.0, 0.5), (0, 0)) == (1, 0)
    assert tile_of((-0.01, 0.0, -0.01)) == (-1, -1)


def test_the_floor_is_the_highest_that_can_be_stepped_on_and_walls_are_none() -> None:
    def square(y: float) -> list[list[Vec3]]:
        return [[(0, y, 0), (2, y, 0), (2, y, 2)], [(0, y, 0), (2, y, 2), (0, y, 2)]]

    ramp: list[list[Vec3]] = [[(4, 0, 0), (8, 2, 0), (8, 2, 4)]]
    wall: list[list[Vec3]] = [[(1, 0.4, 0), (1.001, 0.5, 2), (1, 0.6, 2)]]
    floors = Floors(np.array([*square(0.0), *square(3.0), *ramp, *wall], float))
    assert floors.height((1.0005, 0.3, 1.3), 0.2, 0.4) == 0.0
    assert floors.height((0.5, 2.9, 1.0), 0.2, 4.0) == 3.0
    assert floors.height((0.5, 2.7, 1.0), 0.2, 4.0) == 0.0
    assert floors.height((0.5, 1.5, 1.0), 0.2, 0.4) == 1.5
    assert floors.height((7.0, 1.4, 1.0), 0.2, 0.4) == pytest.approx(1.5)
    assert floors.height((9.0, 0.1, 9.0), 0.2, 0.4) == 0.1


def test_where_mujoco_is_missing_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "mujoco":
            raise ModuleNotFoundError("No module named 'mujoco'")
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ConfigError, match=r"pip install 'nav-eval\[mujoco\]'"):
        PHYSICS.get("mujoco")(SimulatorConfig(scenes_dir=str(tmp_path), physics="mujoco"))
