from __future__ import annotations

import json
import math

import networkx
import pytest

from graphs import SCAN, grid_scan, node, write_r2r
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.types import Place
from nav_eval.dataset.connectivity import NavigationGraph
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.errors import ConfigError, DatasetError, InvalidAction
from nav_eval.geometry import yaw_rotation
from nav_eval.simulator.backends.nav_graph import NavGraphBackend
from nav_eval.simulator.sensors.registry import SENSORS as ALL_SENSORS

SENSORS = {name: SensorConfig() for name in ("viewpoint", "navigable", "instruction", "gps", "compass")}


def session(folder, **motion):
    write_r2r(folder)
    config = SimulatorConfig(
        backend="nav_graph",
        connectivity_dir=str(folder / "connectivity"),
        sensors=SENSORS,
        motion={"turn_angle": 30.0, "tilt_angle": 30.0, "max_tilt": 30.0} | motion,
    )
    return NavGraphBackend(config).open_session()


MIDDLE = node(1, 1)


def episode(start=MIDDLE, heading=0.0, **kwargs):
    return Episode(
        episode_id="1_0",
        scene_id=SCAN,
        start_node=start,
        start_rotation=yaw_rotation(-heading),
        instruction=Instruction(text="Go."),
        goals=(Goal(node=node(3, 0)),),
        **kwargs,
    )


def test_what_is_seen_at_a_grid_point(tmp_path):
    simulator = session(tmp_path)
    seen = simulator.reset(episode())
    assert seen["viewpoint"] == node(1, 1)
    # R2R's heading 0 looks along +y of the scan, so the neighbour at +y is straight ahead, the one at +x to the right.
    bearing = {row["viewpoint"]: row["heading"] for row in seen["navigable"]}
    assert bearing[node(1, 2)] == pytest.approx(0, abs=1e-12)
    assert bearing[node(2, 1)] == pytest.approx(-math.pi / 2)
    assert bearing[node(0, 1)] == pytest.approx(math.pi / 2)
    assert abs(bearing[node(1, 0)]) == pytest.approx(math.pi)
    assert {row["distance"] for row in seen["navigable"]} == {2.0}
    assert all(simulator.observation_spec[name].fault(value) is None for name, value in seen.items())


def test_moves_turns_and_tilts(tmp_path):
    simulator = session(tmp_path)
    simulator.reset(episode())
    seen = simulator.step(Action("move_to", {"viewpoint": node(1, 2)}))
    assert seen["gps"].tolist() == [2.0, 0.0]
    assert seen["compass"].tolist() == [0.0]
    seen = simulator.step({"action": "turn_right", "action_args": {}})
    assert seen["compass"][0] == pytest.approx(-math.pi / 6)
    simulator.step("look_up")
    simulator.step("look_up")
    assert simulator.get_agent_state().elevation == pytest.approx(math.pi / 6)
    before = simulator.get_agent_state()
    simulator.step("stop")
    assert simulator.get_agent_state() == before


def test_a_move_to_a_stranger_is_the_participants_fault(tmp_path):
    simulator = session(tmp_path)
    simulator.reset(episode())
    for viewpoint in (node(3, 2), node(1, 1), "no such", ""):
        with pytest.raises(InvalidAction):
            simulator.step(Action("move_to", {"viewpoint": viewpoint}))
    assert simulator.get_agent_state().node == node(1, 1)


def test_a_start_outside_the_graph_names_the_episode(tmp_path):
    with pytest.raises(DatasetError, match="1_0"):
        session(tmp_path).reset(episode(start="elsewhere"))


def test_distances_are_those_of_networkx_on_real_scans(released):
    folder = released / "r2r" / "connectivity"
    for scan in (folder / "scans.txt").read_text().split()[:4]:
        rows = json.loads((folder / f"{scan}_connectivity.json").read_text())
        graph = networkx.Graph()
        at = {r["image_id"]: (r["pose"][3], r["pose"][7], r["pose"][11]) for r in rows if r["included"]}
        graph.add_nodes_from(at)
        for row in rows:
            for other, free in zip(rows, row["unobstructed"], strict=True):
                if free and row["included"] and other["included"]:
                    a, b = at[row["image_id"]], at[other["image_id"]]
                    graph.add_edge(row["image_id"], other["image_id"], weight=math.dist(a, b))
        ours = NavigationGraph.load(folder, scan)
        assert set(ours.nodes) == set(at)
        start = ours.nodes[0]
        theirs = networkx.single_source_dijkstra_path_length(graph, start)
        assert dict(ours.distances_from(start)) == pytest.approx(theirs, rel=1e-12)


def test_geodesic_distance_takes_the_nearest_of_many_and_inf_beyond_reach(tmp_path):
    simulator = session(tmp_path)
    simulator.reset(episode())
    here = simulator.get_agent_state().place
    ends = [Place((0, 0, 0), node(3, 1)), Place((0, 0, 0), node(1, 2))]
    assert simulator.geodesic_distance(here, ends) == 2.0
    assert simulator.geodesic_distance(here, [Place((0, 0, 0), "nowhere")]) == math.inf
    assert simulator.geodesic_distance(here.position, (6.0, 1.5, -2.0)) == 4.0
    assert simulator.is_navigable(here.position)
    assert not simulator.is_navigable((0.5, 1.5, 0.0))


def test_the_expert_walks_a_shortest_way_and_stops(tmp_path):
    simulator = session(tmp_path)
    simulator.reset(episode())
    goals = [Place((0, 0, 0), node(3, 0))]
    actions = []
    while not actions or actions[-1].name != "stop":
        actions.append(simulator.expert_action(goals, 3.0))
        simulator.step(actions[-1])
    assert [action.name for action in actions] == ["move_to"] * 3 + ["stop"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "read as JSON"),
        ("[{}]", "included"),
        (json.dumps([{**grid_scan(1, 1)[0], "pose": [1]}]), "viewpoint"),
        (json.dumps([{**grid_scan(1, 1)[0], "pose": [float("nan")] * 16}]), "finite"),
    ],
)
def test_a_broken_graph_names_its_file(tmp_path, content, message):
    (tmp_path / "bad_connectivity.json").write_text(content)
    with pytest.raises(DatasetError, match=message) as caught:
        NavigationGraph.load(tmp_path, "bad")
    assert "bad_connectivity.json" in str(caught.value)


def test_a_scan_id_cannot_leave_the_folder(tmp_path):
    for scan in ("../secret", "/etc/passwd", "", ".hidden"):
        with pytest.raises(DatasetError, match="not a scan id"):
            NavigationGraph.load(tmp_path, scan)


BUILT_IN = {name for name in ALL_SENSORS if ALL_SENSORS.get(name).__module__.startswith("nav_eval.")}
IN_3D_ONLY = {"rgb", "depth", "semantic", "panorama", "depth_panorama", "imagegoal", "objects", "proximity"}


@pytest.mark.parametrize("name", sorted(BUILT_IN - {"skybox"}))
def test_a_sensor_that_a_graph_cannot_serve_is_refused_by_name(tmp_path, name):
    write_r2r(tmp_path)
    sensors = {"mine": SensorConfig(type=name)}
    config = SimulatorConfig(backend="nav_graph", connectivity_dir=str(tmp_path / "connectivity"), sensors=sensors)
    backend = NavGraphBackend(config)
    if name in IN_3D_ONLY:
        with pytest.raises(ConfigError, match=r"simulator\.sensors\.mine: backend nav_graph lacks .*\(Has"):
            backend.open_session()
    else:
        assert set(backend.open_session().observation_spec) == {"mine"}
