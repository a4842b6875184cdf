"""People in a session: their forces, their ways, what of them is felt, recorded and hidden."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nav_eval.config.schema import PeopleConfig, SensorConfig, SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.clock import WAIT
from nav_eval.core.types import AgentState
from nav_eval.errors import ConfigError
from nav_eval.simulator.motion import motion_profile, nominal_seconds
from nav_eval.simulator.people.lighting import Lighting
from nav_eval.simulator.people.pedestrians import FIRST_ID, RADIUS
from nav_eval.simulator.registry import make_simulator_backend
from nav_eval.testing import check_crowds, demand
from nav_eval.testing.places import grid_graph, room
from nav_eval_extras.people.recorded import read_tracks
from nav_eval_extras.people.social_force import LOOK_AHEAD, RANGE, REPULSION, repulsion

needs_mujoco = pytest.mark.skipif(find_spec("mujoco") is None, reason="pip install 'nav-eval[mujoco]'")
GIVES = 0.03
"""How far a hull's contact gives way, m."""
FORWARD = Action("move_forward")
TURN = Action("turn_left")
HOLD = Action("velocity", {"linear": 0.0, "angular": 0.0, "duration": 0.1})
SIZE = {"width": 32, "height": 24, "hfov": 79}


def session(folder: Path, *, seed: int = 0, count: int = 3, cameras: bool = False, physics: Any = None, **people: Any):
    """`physics`: options of MuJoCo's."""
    config, episodes = room(folder, cameras=False)
    if physics is not None:
        config = config.model_copy(update={"physics": "mujoco", "options": physics})
    drawn = {name: SensorConfig(**SIZE) for name in ("rgb", "depth", "semantic", "objects")} if cameras else {}
    config = config.model_copy(update={"people": PeopleConfig(count=count, **people), "sensors": drawn})
    simulator = make_simulator_backend(config, seed).open_session()
    simulator.start(episodes[0])
    return simulator


def along(folder: Path, tracks: str) -> dict[str, Any]:
    """People who walk as a recording says."""
    (folder / "tracks.txt").write_text(tracks)
    return {"motion": "recorded", "options": {"file": str(folder / "tracks.txt")}}


STILL = "0 1 -2.0 0.0\n10 1 -2.0 0.0\n"
"""On the way ahead, 1.5 m off."""


def nearby(step: Any) -> dict[str, Any]:
    return dict(step.events["people"])


def test_both_ways_of_walking_keep_the_contract(tmp_path: Path) -> None:
    demand(check_crowds("social_force", crossing=1.0))
    rows = (f"{frame} {who} {-1.5 + 0.04 * frame * who} {who - 2.0}\n" for frame in (0, 10) for who in (1, 3))
    demand(check_crowds("recorded", count=2, **along(tmp_path, "".join(rows))["options"]))


@pytest.mark.parametrize("gap", [(0.6, 0.1), (-0.4, 0.9), (0.0, -1.2)])
@pytest.mark.parametrize("velocity", [(0.0, 0.0), (0.9, -0.4)])
def test_repulsion_is_the_slope_of_helbing_and_molnars_potential(gap, velocity) -> None:
    """V0 exp(-b / sigma), b the semi-minor axis of the ellipse with foci at the other and one step ahead of it."""

    def potential(x: float, z: float) -> float:
        step = np.array(velocity) * LOOK_AHEAD
        place = np.array([x, z])
        axes = np.linalg.norm(place) + np.linalg.norm(place - step)
        return REPULSION * math.exp(-math.sqrt(axes**2 - step @ step) / 2 / RANGE)

    h = 1e-6
    x, z = gap
    slope = ((potential(x + h, z) - potential(x - h, z)) / 2 / h, (potential(x, z + h) - potential(x, z - h)) / 2 / h)
    assert repulsion(gap, velocity) == pytest.approx([-part for part in slope], rel=1e-5, abs=1e-9)


def test_actions_take_as_long_as_their_amounts_at_full_speed() -> None:
    profile = motion_profile(SimulatorConfig().motion)  # 0.25 m and 15 degrees, at 1 m/s and 90 degrees/s
    drive = {"linear": 0.0, "angular": 0.0, "duration": 0.7}
    way = {"range": -2.0, "heading": math.radians(-45)}
    told = [FORWARD, TURN, Action("look_up"), Action("velocity", drive), Action("waypoint", way), Action("stop")]
    seconds = [nominal_seconds(action, profile) for action in told]
    assert seconds == pytest.approx([0.25, 15 / 90, 30 / 90, 0.7, 2.5, 0.0])
    assert nominal_seconds(Action("velocity", drive | {"duration": 9.0}), profile) == 2.0


def test_the_same_seed_walks_alike_and_another_otherwise(tmp_path: Path) -> None:
    walk = [FORWARD, TURN, FORWARD, WAIT, FORWARD]
    ways = []
    for seed in (4, 4, 5):
        simulator = session(tmp_path, seed=seed)
        ways.append([simulator.stay(a) if a == WAIT else simulator.advance(a) for a in walk])
    assert ways[0] == ways[1] != ways[2]


def test_time_cut_into_other_actions_is_the_same_time(tmp_path: Path) -> None:
    """Ten turns of 1/6 s, or a velocity that turns as far in as long: who does not look at the agent walks the same."""
    people = {"options": {"reacts": False}}
    turns, drive = session(tmp_path, **people), session(tmp_path, **people)
    for _ in range(9):
        last = turns.advance(TURN)
    spin = Action("velocity", {"linear": 0.0, "angular": math.radians(90), "duration": 1.5})
    assert nearby(last)["poses"] == nearby(drive.advance(spin))["poses"]


def test_who_waits_is_walked_round_and_touched_by_nobody(tmp_path: Path) -> None:
    """A minute in a room with a wall across: they come near, but keep off; each of them gets about."""
    simulator = session(tmp_path, count=4, options={"pause": 0.0})
    told = [nearby(simulator.stay(WAIT)) for _ in range(120)]
    assert all(one["seconds"] == 0.5 and one["touched"] == [] for one in told)
    reach = 0.1 + RADIUS
    assert reach < min(one["nearest"] for one in told) < 1.0
    poses = np.array([one["poses"] for one in told])
    assert (np.ptp(poses[:, :, 0], axis=0) > 1.5).all()
    pairs = [math.dist(a[:3], b[:3]) for one in told for k, a in enumerate(one["poses"]) for b in one["poses"][:k]]
    assert min(pairs) > RADIUS


def test_a_minute_of_steps_is_never_faster_than_a_walk_and_never_through_the_wall(tmp_path: Path) -> None:
    simulator = session(tmp_path, count=4)
    poses = np.array([nearby(simulator.advance(TURN))["poses"] for _ in range(200)])
    steps = np.linalg.norm(np.diff(poses[:, :, :3:2], axis=0), axis=2)
    assert steps.max() < 0.2 * 1.2 * 1.3 + 1e-3
    navmesh = simulator.navmesh()
    for was, now in pairwise(poses[:, 0]):
        assert navmesh.geodesic_distance(was[:3], now[:3]) < 0.33


def test_the_agent_that_drives_into_somebody_touches_them(tmp_path: Path) -> None:
    simulator = session(tmp_path, count=1, **along(tmp_path, STILL))
    told = [nearby(simulator.advance(FORWARD)) for _ in range(8)]
    assert [one["touched"] for one in told[:3]] == [[], [], []]
    assert told[3]["nearest"] == pytest.approx(0.5, abs=0.02)
    assert told[5]["touched"] == [0]
    assert told[5]["nearest"] < 0.02, "the middle is met as the step ends"


def test_recorded_people_are_where_the_file_says(tmp_path: Path) -> None:
    tracks = "780\t1\t-2.0\t1.0\n\n790\t1\t-1.6\t1.0\n800\t1\t-1.6\t1.4\n790 2 1.0 -1.0\n"
    simulator = session(tmp_path, count=2, **along(tmp_path, tracks))
    first = nearby(simulator.advance(Action("velocity", {"linear": 0, "angular": 0, "duration": 0.2})))
    assert first["poses"][0] == pytest.approx([-1.8, first["poses"][0][1], -1.0, -math.pi / 2], abs=1e-5)
    later = nearby(simulator.advance(Action("velocity", {"linear": 0, "angular": 0, "duration": 0.5})))
    assert later["poses"][0][::2] == pytest.approx([-1.6, -1.3], abs=1e-5)
    assert later["poses"][0][3] == pytest.approx(0.0, abs=1e-5)
    assert later["poses"][1][:3:2] == pytest.approx([1.0, 1.0], abs=1e-5)


@pytest.mark.parametrize(
    ("text", "says"),
    [("1 2 3\n", "line 1: is not `frame person x y`"), ("1 1 0 nan\n", "line 1"), ("0 1 0 0\n", "has 1 people, not 2")],
)
def test_a_bad_recording_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        session(tmp_path, count=2, **along(tmp_path, text))
    with pytest.raises(ConfigError, match="no such file"):
        read_tracks(str(tmp_path / "none.txt"))


def test_without_people_nothing_is_told_and_nothing_made(tmp_path: Path) -> None:
    simulator = session(tmp_path, count=0)
    assert simulator.advance(FORWARD).events == {}
    assert simulator.people() == ()


def test_cameras_show_people_and_objects_names_them(tmp_path: Path) -> None:
    seen = session(tmp_path, count=1, cameras=True, **along(tmp_path, STILL)).observe()
    empty = session(tmp_path, count=0, cameras=True).observe()
    person = seen["semantic"] == FIRST_ID
    assert person.mean() > 0.1
    assert (seen["depth"][person] < empty["depth"][person]).all()
    assert seen["depth"][person].min() == pytest.approx(1.5, abs=0.3)
    assert (seen["rgb"][person] != empty["rgb"][person]).any()
    assert {"id": FIRST_ID, "category": "person", "pixels": int(person.sum())} in seen["objects"]


def test_frames_of_a_batch_are_those_of_each_session(tmp_path: Path) -> None:
    config, episodes = room(tmp_path)
    config = config.model_copy(update={"people": PeopleConfig(count=4, options={"crossing": 1.0})})
    backend = make_simulator_backend(config, 3)
    sessions = [backend.open_session() for _ in episodes]
    for one, episode in zip(sessions, episodes, strict=True):
        one.start(episode)
        one.advance(TURN)
    together = backend.observe(sessions)
    for one, frames in zip(sessions, together, strict=True):
        fresh = backend.open_session()
        fresh.start(one.episode)
        fresh.advance(TURN)
        alone = fresh.observe()
        assert all(np.array_equal(frames[name], alone[name]) for name in ("rgb", "depth"))


def test_feet_are_on_the_floor_that_is_drawn(tmp_path: Path) -> None:
    simulator = session(tmp_path)
    people, walkers = simulator.people(), simulator._pedestrians.walkers
    assert all(one.position[1] == pytest.approx(0.0, abs=1e-6) for one in people)
    assert all(0.0 <= one.position[1] <= 0.2 for one in walkers)


def test_where_nobody_can_walk_it_is_said(tmp_path: Path) -> None:
    config, _ = room(tmp_path, cameras=False)
    people = PeopleConfig(count=2)
    graph, _ = grid_graph(tmp_path)
    with pytest.raises(ConfigError, match="there are no people in backend nav_graph"):
        make_simulator_backend(graph.model_copy(update={"people": people}), 0)
    with pytest.raises(ConfigError, match="speed"):
        make_simulator_backend(config.model_copy(update={"people": PeopleConfig(count=2, options={"speed": -1})}), 0)


def test_people_are_lit_as_the_floor_round_them_is(tmp_path: Path) -> None:
    """A lightmap that is bright on one side and reddish dark on the other; none at all; a floor of vertices' light."""
    scene = session(tmp_path).scene()
    x = scene.positions[:, 0]
    uvs = np.stack([(x - x.min()) / np.ptp(x), np.zeros_like(x)], axis=1).astype(np.float32)
    picture = np.full((1, 2, 4), 255, np.uint8)
    picture[0, :, :3] = (102, 102, 102), (32, 16, 16)
    materials = (*(replace(one, lightmap=len(scene.textures)) for one in scene.materials),)
    lit = replace(scene, light_uvs=uvs, textures=(*scene.textures, picture), materials=materials)
    left, right = (-2.0, 0.1, 1.5), (2.0, 0.1, 1.5)
    lighting = Lighting(SimpleNamespace(scene=lit))  # type: ignore[arg-type]
    assert lighting.at(left) == pytest.approx((102 / 128 / 0.8,) * 3)
    assert lighting.at(right) == pytest.approx((0.25 / 0.8, 0.125 / 0.8, 0.125 / 0.8))
    assert Lighting(SimpleNamespace(scene=scene)).at(right) == (1.0, 1.0, 1.0)  # type: ignore[arg-type]
    vertices = replace(lit, materials=scene.materials, colors=np.full((len(x), 4), 51, np.uint8))
    assert Lighting(SimpleNamespace(scene=vertices)).at(right) == pytest.approx((0.2 / 0.8,) * 3)  # type: ignore[arg-type]


def gaps(told: list[Any]) -> list[float]:
    """Between the middles of the agent and the first person after each step, m."""
    pairs = [(step.state.position, nearby(step)["poses"][0]) for step in told]
    return [math.hypot(place[0] - pose[0], place[2] - pose[2]) for place, pose in pairs]


@needs_mujoco
@pytest.mark.parametrize("robot", ["cylinder", "diff_drive"])
def test_a_body_with_mass_is_stopped_by_who_stands_in_its_way(tmp_path: Path, robot: str) -> None:
    simulator = session(tmp_path, count=1, physics={"robot": robot}, **along(tmp_path, STILL))
    told = [simulator.advance(FORWARD) for _ in range(9)]
    reach = 0.1 + RADIUS
    assert min(gaps(told)) > reach - GIVES
    assert gaps(told)[-1] == pytest.approx(reach, abs=GIVES)
    met = [number for number, step in enumerate(told) if nearby(step)["touched"]]
    felt = [number for number, step in enumerate(told) if step.events["felt"]["contacts"]]
    assert met == felt == list(range(met[0], 9))
    last = told[-1].events["felt"]
    assert last["stuck"]
    place = last["contacts"][0][:3]
    assert math.hypot(place[0] + 2.0, place[2]) == pytest.approx(RADIUS, abs=GIVES)
    assert told[-1].collided


@needs_mujoco
def test_a_body_with_mass_is_pushed_by_who_walks_into_it(tmp_path: Path) -> None:
    """At 1 m/s, against a drive that holds with m a: its momentum is m v, and what it takes is m v + m a t."""
    tracks = "0 1 -2.0 -1.6\n10 1 -2.0 -1.2\n150 1 -2.0 4.4\n"  # along z from 1.6 to less than 0
    physics = {"mass": 20.0, "acceleration": 2.0}
    simulator = session(tmp_path, count=1, physics=physics, **along(tmp_path, tracks))
    simulator.set_agent_state(AgentState((-2.0, 0.0, 0.6)))
    told = [simulator.advance(HOLD) for _ in range(12)]
    assert min(gaps(told)) > 0.1 + RADIUS - GIVES
    pushed = [k for k, step in enumerate(told) if step.events["felt"]["contacts"]]
    impulse = sum(contact[4] for step in told for contact in step.events["felt"]["contacts"])
    since = 0.6 - told[-1].state.position[2]  # m, at 1 m/s, so as many seconds
    assert len(pushed) >= 4
    assert impulse == pytest.approx(20.0 * 1.0 + 20.0 * 2.0 * since, rel=0.15)


@needs_mujoco
def test_who_walks_a_body_into_a_wall_crushes_it_into_nothing(tmp_path: Path) -> None:
    """One rigid body of 75 + 20 kg at 1 m/s stops in a step of 10 ms at the hardest; then people push, and go past."""
    tracks = "0 1 -2.0 1.0\n35 1 -2.0 2.4\n60 1 -2.0 2.4\n100 1 -2.0 0.8\n"  # the wall is at z = -2.45
    simulator = session(tmp_path, count=1, physics={}, **along(tmp_path, tracks))
    simulator.set_agent_state(AgentState((-2.0, 0.0, -2.2)))
    told = [simulator.advance(HOLD) for _ in range(40)]
    forces = [max((contact[3] for contact in step.events["felt"]["contacts"]), default=0.0) for step in told]
    assert 20.0 < max(forces) < (75 + 20) * 1.0 / 0.01
    assert max(forces[30:]) < 400, "who is gone presses no more, and the wall has let go"
    x, _, z = told[-1].state.position
    assert -3 < x < 0
    assert -2.45 + 0.1 - GIVES < z < 2.5


@needs_mujoco
def test_a_body_with_mass_that_waits_among_people_repeats_and_keeps_off(tmp_path: Path) -> None:
    def walk(folder: Path) -> list[Any]:
        simulator = session(folder, count=4, options={"crossing": 1.0, "reacts": False}, physics={})
        return [simulator.stay(WAIT) if k % 3 else simulator.advance(FORWARD) for k in range(24)]

    one, other = walk(tmp_path), walk(tmp_path)
    assert [(step.state, step.events) for step in one] == [(step.state, step.events) for step in other]
    assert [nearby(step)["seconds"] for step in one[1:3]] == [0.5, 0.5]
    poses = np.array([nearby(step)["poses"] for step in one])
    places = np.array([step.state.position for step in one])
    assert np.linalg.norm((poses[:, :, :3] - places[:, None])[..., ::2], axis=2).min() > 0.1 + RADIUS - GIVES
