"""The kits for tasks, sensors, data sets and scene formats pass what is built in and name what is broken."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import pytest

from nav_eval import Episode, Goal, Sensor, register_scene_format, register_sensor
from nav_eval.core.actions import STOP, Action
from nav_eval.core.interfaces import Metric
from nav_eval.core.specs import TensorSpec
from nav_eval.dataset.episode import Instruction
from nav_eval.dataset.registry import DATASETS
from nav_eval.dataset.validate import validate_dataset
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.errors import DatasetError, SceneError
from nav_eval.tasks.navigation import PointNavTask
from nav_eval.tasks.registry import TASKS
from nav_eval.testing import check_dataset, check_scene_format, check_sensor, check_task, demand
from nav_eval.testing.places import room
from testing.findings import wrong

GRAPH = ("viewpoint", "navigable")
IN_3D = ("gps", "compass", "heading", "collision", "proximity", "instruction", "pointgoal")
CAMERAS = ("rgb", "depth", "panorama", "depth_panorama")


@pytest.mark.parametrize("name", TASKS.names())
def test_our_own_tasks_conform(name):
    episode = named_episode()
    actions = (*[Action("move_forward")] * 8, Action("found")) if name == "multi_objectnav" else None
    demand(check_task(TASKS.get(name), episode=episode, **({"actions": actions} if actions else {})))


def named_episode():
    goal = Goal(position=(0.0, 0.0, -2.0), radius=0.2, category="chair", object_id="1")
    return Episode(episode_id="1", scene_id="s", start_position=(0.0, 0.0, 0.0), goals=(goal,))


class Forgetful(PointNavTask):
    """Ends for ever once it has ended."""

    stopped = False

    def ends(self, step, distance):
        self.stopped = self.stopped or step.action == STOP
        return self.stopped


class Endless(PointNavTask):
    def ends(self, step, distance):
        return False


class Inventive(PointNavTask):
    def goals(self, episode):
        return super().goals(episode) or super().goals(named_episode())


class Misnamed(Metric):
    name, category = "other", "navigation"

    def reset_metric(self, context): ...

    def update_metric(self, step, others): ...

    def get_metric(self):
        return 0.0


class Mislabelled(PointNavTask):
    own_metrics: ClassVar = {"mine": Misnamed}
    measurements = ("mine",)


@pytest.mark.parametrize(
    ("task", "check"),
    [
        (Forgetful, "starts fresh with each episode"),
        (Endless, "ends an episode before the last action"),
        (Inventive, "accepts an episode without a goal"),
        (Mislabelled, "its measurements are known"),
    ],
)
def test_a_broken_task_is_named(task, check):
    assert check in wrong(check_task(task))


@pytest.mark.parametrize("name", [*IN_3D, *CAMERAS])
def test_our_own_sensors_conform(name):
    size = {"width": 32, "height": 24} if name in CAMERAS else {}
    demand(check_sensor(name, **size))


@pytest.mark.parametrize("name", GRAPH)
def test_our_own_sensors_on_a_graph_conform(name):
    demand(check_sensor(name, place="nav_graph"))


@pytest.mark.parametrize("noise", [{"noise": "gaussian"}, {"noise": "gaussian", "noise_multiplier": 3}])
def test_seeded_noise_conforms(noise):
    demand(check_sensor("rgb", width=16, height=12, options=noise))


@runtime_checkable
class HasTelepathy(Protocol):
    def thought(self): ...


@register_sensor("broken_for_tests")
class BrokenSensor(Sensor):
    class Options(Sensor.Options):
        how: str

    def __init__(self, name, config, simulator):
        self._how, self._count = config.options["how"], 0
        self.needs = (HasTelepathy,) if self._how == "needs" else ()

    @property
    def spec(self):
        return TensorSpec(shape=(1,), dtype="float32", low=0, high=0.5 if self._how == "range" else 1e9)

    def observe(self, simulator):
        self._count += 1
        steps = int(simulator.noise_key[3])
        value = {"random": np.random.random(), "counts": self._count, "range": 0.1 + steps, "good": steps}
        if self._how == "peeks":
            return np.array([simulator.navmesh().distance_to_obstacle(simulator.get_agent_state().position, 1)], "f4")
        if self._how == "remembers":
            self._most = max(getattr(self, "_most", 0), steps)
            return np.array([self._most], np.float32)
        return np.array([value[self._how]], np.float32)


@pytest.mark.parametrize(
    ("how", "check"),
    [
        ("random", "looking changes nothing"),
        ("counts", "the same walk is the same twice"),
        ("range", "observations fit their specs"),
        ("remembers", "nothing is left from an earlier episode"),
        ("needs", "can be made"),
        ("peeks", "uses only its declared needs"),
    ],
)
def test_a_broken_sensor_is_named(how, check):
    demand(check_sensor("broken_for_tests", options={"how": "good"}))
    assert check in wrong(check_sensor("broken_for_tests", options={"how": how}))


def pointnav_file(folder: Path) -> Path:
    episodes = [
        {
            "episode_id": str(number),
            "scene_id": f"{scene}.glb",
            "start_position": [0, 0, 0],
            "start_rotation": [0, 0, 0, 1],
            "goals": [{"position": [1, 0, 1], "radius": 0.2}],
        }
        for scene in ("a", "b")
        for number in range(3)
    ]
    path = folder / "val.json"
    path.write_text(json.dumps({"episodes": episodes}))
    return path


def test_our_own_data_set_conforms(tmp_path):
    findings = demand(check_dataset(DATASETS.get("pointnav"), pointnav_file(tmp_path)))
    assert [finding.check for finding in findings if finding.skipped] == ["leaves out other languages"]


class Table:
    """A CSV reader; `breaks` says what it does wrong."""

    breaks = ""

    def __init__(self, request):
        self._request = request
        self.files = [] if self.breaks == "files" else [request.data_path]

    def __iter__(self):
        try:
            yield from self._episodes()
        except (OSError, ValueError, KeyError, TypeError) as error:
            if self.breaks == "errors":
                raise
            raise DatasetError(f"{self._request.data_path}: {error}") from error

    def _episodes(self):
        with Path(self._request.data_path).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                episode = Episode(
                    episode_id="1" if self.breaks == "keys" else row["id"],
                    scene_id=row["scene"],
                    start_position=(float(row["x"]), 0.0, float("nan") if self.breaks == "pose" else 0.0),
                    instruction=Instruction(text=row["text"], language="en-US"),
                )
                if self._wanted(episode):
                    yield episode

    def _wanted(self, episode):
        request = self._request
        scenes = self.breaks == "scenes" or request.scenes is None or episode.scene_id in request.scenes
        languages = self.breaks == "languages" or request.languages is None or "en" in request.languages
        return scenes and languages


class Once(Table):
    """Shares one iterator among all readings."""

    def __init__(self, request):
        super().__init__(request)
        self._rows = super().__iter__()

    def __iter__(self):
        return self._rows


@pytest.mark.parametrize(
    ("breaks", "check"),
    [
        ("", ""),
        ("files", "names the files that it reads"),
        ("errors", "a missing file is a dataset error"),
        ("keys", "every episode has its own key"),
        ("pose", "poses are valid"),
        ("scenes", "leaves out other scenes"),
        ("languages", "leaves out other languages"),
    ],
)
def test_a_broken_data_set_is_named(tmp_path, breaks, check):
    path = tmp_path / "rows.csv"
    path.write_text("id,scene,x,text\n1,a,0,go\n2,a,1,stop\n3,b,2,turn\n")
    found = wrong(check_dataset(type("Broken", (Table,), {"breaks": breaks}), path))
    assert check in found if check else not found, found


def test_a_data_set_that_is_read_once_only_is_named(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,scene,x,text\n1,a,0,go\n")
    assert "reads the same twice" in wrong(check_dataset(Once, path))


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        ("1,a,0,go\n", []),
        ("1,a,0,go\n1,a,1,stop\n2,a,0,  \n", ["appears twice", "the instruction is empty"]),
        ("1,a,0,go\n2,a,left,go\n1,a,0,go\n", ["could not convert"]),
        ("", ["there is no episode"]),
    ],
)
def test_a_plug_ins_data_set_is_validated(tmp_path, monkeypatch, rows, faults):
    monkeypatch.setattr(DATASETS, "_members", {**DATASETS._members})  # other tests count the kinds
    DATASETS.add("table_for_tests", Table)
    (tmp_path / "rows.csv").write_text("id,scene,x,text\n" + rows)
    found = validate_dataset(tmp_path / "rows.csv", type="table_for_tests").faults
    assert len(found) == len(faults)
    assert all(fault in str(one) and "rows.csv" in str(one) for fault, one in zip(faults, found, strict=True))


def test_our_own_scene_format_conforms(tmp_path):
    room(tmp_path)
    demand(check_scene_format(tmp_path / "room.obj"))


def corners(source):
    """Triangle corners, nine numbers a line."""
    try:
        points = np.array(source.read().split(), np.float32).reshape(-1, 3, 3).reshape(-1, 3)
    except ValueError as error:
        raise SceneError(f"{source.path}: {error}") from error
    triangles = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    return Scene(source.path.stem, points, triangles, np.zeros(len(triangles), np.int32), (Material(),))


def loader(source):
    scene = corners(source)
    how = source.path.name.partition("_")[0]
    if how == "indices":
        return replace(scene, triangles=scene.triangles + 1)
    if how == "dtype":
        return replace(scene, positions=scene.positions.astype(np.float64))
    if how == "upside":
        return replace(scene, triangles=scene.triangles[:, ::-1].copy())
    if how == "past":
        (source.path.parent / "hidden.txt").read_text() if source.has(source.path) else None
    return scene


def unguarded(source):
    return Scene("x", np.loadtxt(source.path), None, None, ())


register_scene_format("corners")(loader)
register_scene_format("unguarded")(unguarded)
FLOOR = "0 0 0 0 0 9 9 0 0\n9 0 0 0 0 9 9 0 9\n"


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("good_.corners", ""),
        ("indices_.corners", "its indices name what is there"),
        ("dtype_.corners", "its arrays have the declared form"),
        ("upside_.corners", "something can be walked on"),
        ("past_.corners", "every file enters the digest"),
        ("x.unguarded", "a damaged file is a scene error"),
    ],
)
def test_a_broken_scene_format_is_named(tmp_path, name, check):
    (tmp_path / name).write_text(FLOOR)
    if name.startswith("past"):
        (tmp_path / "hidden.txt").write_text("")
    found = wrong(check_scene_format(tmp_path / name))
    assert check in found if check else not found, found
