"""Each task on generated homes: the oracle succeeds on every split, and the two that prove the extension point."""

from __future__ import annotations

import gzip
import json
import math
from itertools import pairwise

import pytest

import nav_eval
from nav_eval.cli.report import make_context
from nav_eval.config.schema import GenerateConfig
from nav_eval.core.actions import Action
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.dataset.registry import load_dataset
from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.errors import DatasetError
from nav_eval.report.document import make_document
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective
from nav_eval.runs.generators import GENERATORS
from nav_eval.runs.preflight import validate_playable
from nav_eval.runs.registry import benchmark_config
from nav_eval.tasks.registry import TASKS
from nav_eval_worlds.collection import find_sites, make_episodes
from nav_eval_worlds.episodes.splits import TASKS as GENERATED

BENCHMARK = {name: f"{name.replace('_', '-')}-demo" for name in GENERATED}
BLIND = [f"~simulator.sensors.{name}" for name in ("rgb", "depth", "semantic", "objects")]


@pytest.fixture(scope="module")
def homes():
    """The one that the demonstrations are evaluated in, which the cache has from other tests."""
    folder, _ = GENERATORS.get("homes").make("pointnav", "val_unseen", GenerateConfig())
    return folder, find_sites(folder)


@pytest.fixture(scope="module")
def files(homes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("episodes")
    return {task: make_episodes(task, homes[1], folder / task, 2, "t") for task in GENERATED}


SHOWN = {"pointnav", "imagenav", "instance_imagenav", "socialnav"}
"""Tasks whose agents are shown the goal: a split that hides it cannot be played, and no run begins."""

WHOLE = {"multi_objectnav": "all_goals_found", "goat": "all_subtasks"}
"""What says that everything was found, of tasks whose episodes have several goals."""


@pytest.mark.parametrize("task", GENERATED)
def test_the_oracle_succeeds_on_every_split(homes, files, task, tmp_path):
    for split, path in files[task].items():
        data = [f"dataset.data_path={path}", f"simulator.scenes_dir={homes[0]}", f"dataset.split={split}"]
        name = "stop" if split == "test" else "shortest_path"
        agent = [f"agent_service.agent={name}", "dataset.limit=6"]
        blind = [*BLIND, "~simulator.sensors.imagegoal"] if "image" in task or task == "goat" else BLIND
        if split == "test" and task in SHOWN:
            with pytest.raises(DatasetError, match=rf"{path}: none of its \d+ .* task.type={task} .*goal shows"):
                nav_eval.evaluate(BENCHMARK[task], overrides=[*data, *agent, *blind], out=tmp_path / "run")
            assert not (tmp_path / "run").exists()
            continue
        results = nav_eval.evaluate(BENCHMARK[task], overrides=[*data, *agent, *blind])
        if split == "test":
            assert results.not_scored == results.n_episodes > 0
        else:
            assert results.statuses == {"ok": results.n_episodes}, (task, split)
            assert results.metrics[WHOLE.get(task, "success")]["mean"] == 1.0, (task, split)


def test_random_and_stop_do_not_follow_instructions(homes, files):
    data = [f"dataset.data_path={files['vln']['train']}", f"simulator.scenes_dir={homes[0]}", *BLIND]
    episodes = load_dataset("vln", files["vln"]["train"])
    far = [f"'{episode.episode_id}'" for episode in episodes if episode.info["geodesic_distance"] > 5]
    chosen = f"dataset.episodes=[{','.join(far)}]"
    for agent in ("stop", "random"):
        results = nav_eval.evaluate("vln-demo", overrides=[*data, chosen, f"agent_service.agent={agent}"])
        assert results.metrics["success"]["mean"] <= 0.25


def environment(homes, task, episode, *overrides):
    places = [f"simulator.scenes_dir={homes[0]}", "dataset.data_path=none.json"]
    rules = [f"task.type={task}", "evaluation.success_distance=0.5"]
    effective = Effective.of(benchmark_config("objectnav-demo", overrides=[*BLIND, *places, *rules, *overrides]))
    backend, episodes = builder.make_backend(effective), EpisodeManager([episode])
    world = builder.Plan.of(effective, backend, episodes).environment()
    world.reset(episode)
    return world


def first_home(homes):
    """Its name, its navmesh, and points of that by their seeds."""
    scene = sorted(homes[0].glob("*.glb"))[0]
    mesh = load_navmesh(scene.with_suffix(".navmesh"))
    island = max(mesh.islands, key=lambda island: island.area).index
    return scene.name, mesh, lambda *seeds: [mesh.random_point(seed=seed, island=island) for seed in seeds]


def two_goals(homes):
    name, _, points = first_home(homes)
    start, first, second = points(1, 2, 7)
    goals = (Goal(position=first, category="chair"), Goal(position=second, category="bed"))
    return Episode(episode_id="0", scene_id=name, start_position=start, goals=goals)


def walk_to(world, goal):
    while (action := world.simulator.expert_action([Place(goal.position)], 0.4)).name != "stop":
        world.step(action)


def test_multi_objectnav_wants_every_goal_in_order(homes):
    episode = two_goals(homes)
    world = environment(homes, "multi_objectnav", episode)
    assert world.observe()["objectgoal"] == "chair"
    walk_to(world, episode.goals[0])
    world.step(Action("found"))
    assert not world.over
    assert world.observe()["objectgoal"] == "bed"
    assert world.metrics["goals_found"] == 0.5
    walk_to(world, episode.goals[1])
    world.step(Action("found"))
    assert world.over
    assert world.metrics["goals_found"] == 1.0


def test_the_oracle_finds_one_goal_after_the_other(homes):
    world = environment(homes, "multi_objectnav", two_goals(homes))
    called = []
    while not world.over:
        action = world.expert_action()
        called += [action.name] if action.name in ("found", "stop") else []
        world.step(action)
    assert called == ["found", "found"]
    assert world.metrics["goals_found"] == 1.0


@pytest.mark.parametrize(
    ("task", "action", "measure"), [("multi_objectnav", "found", "goals_found"), ("roomnav", "stop", "success")]
)
def test_a_wrong_call_ends_the_episode_and_roomnav_names_the_room(homes, task, action, measure):
    world = environment(homes, task, two_goals(homes))
    assert world.observe()["objectgoal"] == "chair"
    world.step(Action(action))
    assert world.over
    assert world.metrics[measure] == 0.0


def test_every_module_of_the_package_is_a_task():
    assert set(TASKS) >= {*GENERATED, "roomnav", "multi_objectnav", "goat"}
    for name in TASKS:
        assert TASKS.get(name).name == name


def multion_file(homes, path, order=(0, 1)):
    """An episode as MultiON writes it: goals in order, a rotation of length 2."""
    episode = two_goals(homes)
    goals = [
        {"position": list(episode.goals[k].position), "object_category": f"cylinder_{colour}", "room_id": None}
        for k, colour in zip(order, ("red", "blue"))
    ]
    record = {
        "episode_id": "0",
        "scene_id": f"data/scene_datasets/{episode.scene_id}",
        "start_position": list(episode.start_position),
        "start_rotation": [0, math.sqrt(2), 0, math.sqrt(2)],
        "info": {},
        "goals": goals,
    }
    with gzip.open(path, "wt") as file:
        json.dump({"episodes": [record], "category_to_task_category_id": {"cylinder_red": 0, "cylinder_blue": 1}}, file)
    return episode


def test_multion_files_are_played_in_order(homes, tmp_path, caplog):
    """They ran as pointnav before, and any of the goals was a success."""
    path = tmp_path / "val.json.gz"
    episode = multion_file(homes, path)
    found = validate_playable(path, None, None, [f"simulator.scenes_dir={homes[0]}"])
    assert (found.faults, [notice.path for notice in found.notices]) == ([], ["goals", "start_rotation"])
    blind = [*BLIND[:2], "agent_service.agent=shortest_path"]
    data = [f"dataset.data_path={path}", f"simulator.scenes_dir={homes[0]}"]
    results = nav_eval.evaluate("multion", overrides=[*data, *blind], out=tmp_path / "run")
    told = {name: value["mean"] for name, value in results.metrics.items()}
    assert (told["all_goals_found"], told["goals_found"]) == (1.0, 1.0)
    _, mesh, _ = first_home(homes)
    stations = [episode.start_position, *(goal.position for goal in episode.goals)]
    shortest = sum(mesh.geodesic_distance(a, b) for a, b in pairwise(stations))
    expected = shortest / max(shortest, told["path_length"])
    assert told["multi_spl"] == told["progress_spl"] == pytest.approx(expected, abs=0.05)
    other = ["dataset.type=pointnav", "task.type=pointnav", "task.measurements=[success]", "task.actions=null"]
    with pytest.raises(DatasetError, match=r"looks like multion, not like pointnav. Set dataset.type=multion"):
        nav_eval.evaluate("multion", overrides=[*data, *blind, *other], out=tmp_path / "other")


def test_spl_over_goals_counts_what_was_walked_until_each(homes):
    """Half of the goals after a detour: half of L₁ ÷ P₁, however far one walks on."""
    episode = two_goals(homes)
    names = "[goals_found,all_goals_found,multi_spl,progress_spl,path_length]"
    world = environment(homes, "multi_objectnav", episode, f"task.measurements={names}")
    for _ in range(4):
        world.step(Action("move_forward"))
        world.step(Action("turn_left"))
    walk_to(world, episode.goals[0])
    world.step(Action("found"))
    until = world.metrics["path_length"]
    _, mesh, _ = first_home(homes)
    shortest = mesh.geodesic_distance(episode.start_position, episode.goals[0].position)
    for _ in range(3):
        world.step(Action("move_forward"))
    world.step(Action("stop"))
    expected = 0.5 * shortest / max(shortest, until)
    assert world.metrics["progress_spl"] == pytest.approx(expected, abs=1e-3)
    assert (world.metrics["multi_spl"], world.metrics["all_goals_found"]) == (0.0, 0.0)


def goat_file(homes, path):
    """A chair's category, a photograph of a bed and the words for a lamp, as GOAT-Bench writes them."""
    episode = two_goals(homes)
    _, mesh, points = first_home(homes)
    spots = points(8, 3, 6, 5)
    photograph = {"rotation": [0, 0, 0, 1], "hfov": 79, "image_dimensions": [64, 64]}

    def thing(name, *places, **more):
        views = [{"agent_state": {"position": list(place), "rotation": [0, 0, 0, 1]}} for place in places]
        at = [places[0][0], places[0][1] + 0.5, places[0][2]]
        return {"object_id": f"{name}_1", "object_category": name, "position": at, "view_points": views} | more

    eye = [spots[1][0], spots[1][1] + 1.3, spots[1][2]]
    goals = {
        "chair": [thing("chair", spots[0], children_object_categories=["stool"])],
        "stool": [thing("stool", spots[3])],
        "bed": [thing("bed", spots[1], image_goals=[photograph | {"position": eye}])],
        "lamp": [thing("lamp", spots[2], lang_desc="the lamp by the window")],
    }
    record = {
        "episode_id": "0",
        "scene_id": episode.scene_id,
        "start_position": list(episode.start_position),
        "start_rotation": [0, 0, 0, 1],
        "tasks": [["chair", "object", None], ["bed", "image", "bed_1", 0], ["lamp", "description", "lamp_1"]],
    }
    tables = {f"{episode.scene_id}_{name}": found for name, found in goals.items()}
    with gzip.open(path, "wt") as file:
        json.dump({"episodes": [record], "goals": tables}, file)
    (read,) = load_dataset("goat", path)
    return mesh, read


def test_goat_files_are_played_in_order(homes, tmp_path):
    path = tmp_path / "val.json.gz"
    goat_file(homes, path)
    assert validate_playable(path, None, None, [f"simulator.scenes_dir={homes[0]}"]).faults == []
    data = [f"dataset.data_path={path}", f"simulator.scenes_dir={homes[0]}", *BLIND[:2], "simulator.backend=custom"]
    results = nav_eval.evaluate("goat", overrides=[*data, "agent_service.agent=shortest_path"], out=tmp_path / "run")
    told = {name: value["mean"] for name, value in results.metrics.items()}
    assert (told["subtask_success"], told["all_subtasks"]) == (1.0, 1.0)
    assert told["subtask_spl"] > 0.7
    for agent in ("stop", "random"):
        results = nav_eval.evaluate("goat", overrides=[*data, f"agent_service.agent={agent}"])
        assert results.metrics["subtask_success"]["mean"] < 1


def test_goat_scores_each_sub_task_from_where_it_began(homes, tmp_path):
    """GOAT-Bench's measures, by hand: a call elsewhere fails its sub-task alone, and the path is counted anew."""
    mesh, episode = goat_file(homes, tmp_path / "val.json")
    names = "[subtask_success,subtask_spl,subtask_soft_spl,all_subtasks,path_length]"
    world = environment(homes, "goat", episode, f"task.measurements={names}", "simulator.sensors.imagegoal={}")
    chair, bed, _ = ([view.position for view in goal.view_points] for goal in episode.goals)
    assert len(chair) == 2

    def away(from_, places):
        return min(mesh.geodesic_distance(from_, place) for place in places)

    def here():
        return world.simulator.get_agent_state().position

    first = away(here(), chair)
    near = min(chair, key=lambda place: away(here(), [place]))
    walk_to(world, Goal(position=near))
    walked, left = world.metrics["path_length"], away(here(), chair)
    world.step(Action("found"))
    assert not world.over
    second = away(here(), bed)
    for _ in range(5):
        world.step(Action("move_forward"))
        world.step(Action("turn_left"))
    strayed, missed = world.metrics["path_length"] - walked, away(here(), bed)
    assert missed > 0.5
    world.step(Action("found"))
    assert not world.over
    weight = [first / max(first, walked), second / max(second, strayed)]
    soft = [(1 - left / first) * weight[0], max(0, 1 - missed / second) * weight[1]]
    assert world.metrics["subtask_success"] == pytest.approx(1 / 3)
    assert world.metrics["subtask_spl"] == pytest.approx(weight[0] / 3, abs=1e-4)
    assert world.metrics["subtask_soft_spl"] == pytest.approx(sum(soft) / 3, abs=1e-4)
    world.step(Action("found"))
    assert world.over
    assert world.metrics["all_subtasks"] == 0.0


def test_goat_tells_each_goal_in_its_own_way(homes, tmp_path):
    _, episode = goat_file(homes, tmp_path / "val.json")
    world = environment(homes, "goat", episode, "simulator.sensors.imagegoal={width: 64, height: 64}")
    told = []
    for _ in episode.goals:
        seen = world.observe()
        told.append((seen["objectgoal"], bool(seen["imagegoal"].any()), seen["descriptiongoal"]))
        world.step(Action("found"))
    assert told == [("chair", False, ""), ("", True, ""), ("", False, "the lamp by the window")]


def test_a_report_takes_no_goal_of_a_chain_for_the_goal(homes, files, tmp_path):
    """The shortest way is that past all goals, which the file tells; the first category is not what is sought."""
    data = [f"dataset.data_path={files['goat']['train']}", f"simulator.scenes_dir={homes[0]}", *BLIND]
    shown = "simulator.sensors.imagegoal={width: 16, height: 16}"
    nav_eval.evaluate("goat-demo", overrides=[*data, shown, "agent_service.agent=shortest_path"], out=tmp_path / "run")
    document = make_document([tmp_path / "run"], make_context())
    stated = [one.info["geodesic_distance"] for one in load_dataset("goat", files["goat"]["train"])]
    assert [*document["episodes"]["shortest"]] == pytest.approx(stated, rel=1e-4)
    assert {*document["episodes"]["category"]} == {None}
    assert document["runs"][0]["outcomes"] == {"success": len(stated)}
