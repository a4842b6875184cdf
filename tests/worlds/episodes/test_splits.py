"""Generated files against the real ones: the same keys and types, and our own loaders read them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.vocabulary import words
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.errors import ConfigError
from nav_eval.geometry import yaw_of
from nav_eval_worlds.episodes.controls import Controls
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.splits import SPLITS, TASKS, TOLD, split_scenes, write_task
from nav_eval_worlds.language.sights import design_of
from nav_eval_worlds.language.wording import tables
from once import once_folder
from worlds.buildings import ATTIC, HOME, OPEN_PLAN, Case, make_site

Schema = Any


def schema(values: list[Any]) -> Schema:
    """What a member may be: kinds of plain values; of objects their keys; of lists what they hold.

    Objects with many or with telling keys (ids, categories) are tables: their keys are not compared.
    """
    objects = [v for v in values if isinstance(v, dict)]
    lists = [v for v in values if isinstance(v, list)]
    plain = {type(value).__name__ for value in values} - {"dict", "list"}
    out: dict[str, Any] = {"kinds": {"number" if kind in ("int", "float") else kind for kind in plain}}
    if objects:
        keys = {"*"} if any(len(o) > 30 for o in objects) else {key for o in objects for key in o}
        held = {key: [v for o in objects for k, v in o.items() if key in ("*", k)] for key in keys}
        out["object"] = {key: schema(values[:2000]) for key, values in held.items()}
    if lists:
        out["list"] = schema([v for one in lists for v in one][:5000])
    return out


def faults(ours: Schema, real: Schema, where: str = "$") -> list[str]:
    """Where our file has a key, a kind or a level that the real one has not, or lacks a key."""
    out = [f"{where}: kind {kind}" for kind in ours["kinds"] - real["kinds"]]
    for level in ("object", "list"):
        if level in ours and level not in real:
            out.append(f"{where}: {level}")
    if "object" in ours and "object" in real:
        a, b = ours["object"], real["object"]
        if "*" in a or "*" in b:
            return out + faults(next(iter(a.values())), next(iter(b.values())), f"{where}.*")
        out += [f"{where}.{key}: one-sided" for key in set(a) ^ set(b)]
        for key in set(a) & set(b):
            out += faults(a[key], b[key], f"{where}.{key}")
    if "list" in ours and "list" in real:
        out += faults(ours["list"], real["list"], f"{where}[]")
    return out


def read(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


@dataclass(frozen=True)
class InMemory:
    """As a SiteFile, but of a building that other tests have, too."""

    case: Case

    @property
    def scene_id(self) -> str:
        return self.load().scene_id

    def load(self) -> Site:
        return make_site(*self.case)


def write_all(folder: Path) -> None:
    sites: Any = [InMemory(case) for case in (HOME, OPEN_PLAN, ATTIC)]
    for task in TASKS:
        write_task(task, split_scenes(sites), folder / task, 3, "test")


@pytest.fixture(scope="module")
def files() -> dict[str, dict[str, Path]]:
    folder = once_folder("splits", write_all)
    return {task: {split: folder / task / path_of(task, split) for split in splits_of(task)} for task in TASKS}


def splits_of(task: str) -> list[str]:
    return [split for split in SPLITS if split != "test" or task not in TOLD]


def path_of(task: str, split: str) -> str:
    return f"{split}.json.gz" if task == "vln" else f"{split}/{split}.json.gz"


ROOMS = ("kitchen", "bedroom", "bathroom", "living room", "study")
"""Words that name no other kind of room."""
WRITTEN_AS = {"socialnav": "pointnav", "ovon": "objectnav", "roomnav": "objectnav", "multi_objectnav": "multion"}


def test_our_loaders_read_every_split(files: dict[str, dict[str, Path]]) -> None:
    for task, splits in files.items():
        for split, path in splits.items():
            gt = path.with_name(f"{split}_gt.json.gz") if task == "vln" and split != "test" else None
            episodes = list(load_dataset(WRITTEN_AS.get(task, task.replace("_", "-")), path, gt_path=gt))
            assert episodes, (task, split)
            assert all(e.has_goal != (split == "test") for e in episodes), (task, split)
            assert len({e.key for e in episodes}) == len(episodes)
            if gt:
                assert all(e.gt_locations for e in episodes)


def test_clauses_are_the_instruction_cut_where_the_path_is(files: dict[str, dict[str, Path]]) -> None:
    path = files["vln"]["train"]
    clauses, truth = read(path.with_name("train_clauses.json.gz")), read(path.with_name("train_gt.json.gz"))
    for episode in read(path)["episodes"]:
        name = str(episode["episode_id"])
        entry, walked = clauses.pop(name), np.array(truth[name]["locations"])
        assert "".join(entry["clauses"]) == episode["instruction"]["instruction_text"]
        assert len(entry["clauses"]) == len(entry["ends"]) >= 2
        assert all(len(clause.strip(" .,，。")) > 1 for clause in entry["clauses"])
        gaps = np.linalg.norm(walked[:, None] - np.array(entry["ends"]), axis=2)
        assert (gaps.min(0) < 0.2).all()  # a step is 0.25 m
        assert (np.diff(gaps.argmin(0)) > 0).all()
        assert gaps[-1, -1] == 0
    assert not clauses


def test_the_language_of_an_instruction_is_that_of_its_letters(files: dict[str, dict[str, Path]]) -> None:
    for path in files["vln"].values():
        told = [episode.instruction for episode in load_dataset("r2r-ce", path)]
        found = {(said.language, any("\u4e00" <= c <= "\u9fff" for c in said.text)) for said in told if said}
        assert found == {("en", False), ("zh", True)}


def test_a_hidden_test_split_gives_nothing_away(files: dict[str, dict[str, Path]]) -> None:
    for task, splits in files.items():
        if task in TOLD:
            assert "test" not in splits
            continue
        path = splits["test"]
        content = sorted((path.parent / "content").glob("*.gz")) or [path]
        for member in content:
            text = json.dumps(read(member))
            for secret in ("geodesic_distance", "view_points", "reference_path", "best_viewpoint", '"position"'):
                assert secret not in text, (task, secret)
    for name in ("test_gt.json.gz", "test_clauses.json.gz"):
        assert not (files["vln"]["test"].parent / name).exists()


def test_instructions_have_the_shape_of_r2r_ce(files: dict[str, dict[str, Path]], shared_data: Path) -> None:
    for name in ("val_seen.json.gz", "val_seen_gt.json.gz"):
        ours, real = read(files["vln"]["val_seen"].with_name(name)), read(shared_data / "r2r-ce" / name)
        if name.endswith("_gt.json.gz"):
            ours, real = list(ours.values()), list(real.values())
        # RxR's name for what R2R, which is English, need not say.
        assert set(faults(schema([ours]), schema([real]))) <= {"$.episodes[].instruction.language: one-sided"}


def test_point_goals_have_the_shape_of_habitat(files: dict[str, dict[str, Path]], shared_data: Path) -> None:
    real = read(shared_data / "pointnav" / "habitat-test-scenes_val.json.gz")
    for task in ("pointnav", "imagenav"):
        for path in (files[task]["train"].parent / "content").glob("*.gz"):
            assert faults(schema([read(path)]), schema([real])) == []
    images = {"episodes": read(shared_data / "imagenav" / "gibson_Cantwell.json.gz")}
    found = faults(schema([read(next((files["imagenav"]["train"].parent / "content").glob("*.gz")))]), schema([images]))
    assert [fault for fault in found if not fault.startswith("$.episodes[].episode_id")] == []


def test_object_goals_have_the_shape_of_objectnav(files: dict[str, dict[str, Path]], shared_data: Path) -> None:
    real = read(shared_data / "objectnav" / "challenge-2020" / "val_mini" / "val_mini.json.gz")
    for path in (files["objectnav"]["train"].parent / "content").glob("*.gz"):
        ours = read(path)
        for member in ("goals_by_category", "category_to_task_category_id", "category_to_mp3d_category_id"):
            assert faults(schema(list(ours[member].values())), schema(list(real[member].values()))) == []
        assert faults(schema(ours["episodes"]), schema(real["episodes"])) == []
        assert set(ours) == set(real)


def content_of(files: dict[str, dict[str, Path]], task: str, site: Site) -> Any:
    return read(files[task]["train"].parent / "content" / site.scene_id.replace(".glb", ".json.gz"))


@pytest.mark.parametrize(
    ("task", "table"), [("objectnav", "goals_by_category"), ("ovon", "goals_by_category"), ("goat", "goals")]
)
def test_view_points_see_their_object(files: dict[str, dict[str, Path]], task: str, table: str) -> None:
    """From nearly all view points, facing as recorded and looking up or down at it, the object is in the picture."""
    site = make_site(*HOME)
    camera = make_renderer("cpu", site.scene, width=160, height=120, hfov=100, outputs=("semantic",))
    seen = []
    for goals in content_of(files, task, site)[table].values():
        for goal in goals:
            for view in goal["view_points"][::10]:
                state = view["agent_state"]
                x, y, z = state["position"]
                across = np.hypot(goal["position"][0] - x, goal["position"][2] - z)
                pitch = float(np.arctan2(goal["position"][1] - y - 0.88, across))
                frame = camera.render((x, y + 0.88, z), yaw_of(tuple(state["rotation"])), pitch)
                seen.append(bool((frame.semantic == goal["object_id"]).any()))
    assert len(seen) >= 10
    assert np.mean(seen) >= 0.9


def test_a_room_is_sought_from_outside_and_entered(files: dict[str, dict[str, Path]]) -> None:
    """By the boxes of the scene's annotation: each view point is .4 m within a room of the name, each start in none."""
    site = make_site(*HOME)
    content = content_of(files, "roomnav", site)

    def inside(at: list[float], name: str, margin: float) -> bool:
        """Also on a line: a box that has no floor there would be another storey's."""
        x, y, z = at
        here = [one for one in site.scene.regions if one.category == name and abs(y - one.low[1]) < 0.5]
        boxes = [(np.add(one.low, margin - 1e-3), np.subtract(one.high, margin - 1e-3)) for one in here]
        return any(low[0] <= x <= high[0] and low[2] <= z <= high[2] for low, high in boxes)

    sought = {goal["object_category"]: goal for goals in content["goals_by_category"].values() for goal in goals}
    assert {"kitchen", "bedroom", "bathroom"} <= set(sought)
    for name, goal in sought.items():
        assert all(inside(view["agent_state"]["position"], name, 0.39) for view in goal["view_points"]), name
    for episode in content["episodes"]:
        assert not inside(episode["start_position"], episode["object_category"], 0.0)


def test_a_chain_names_things_that_are_the_only_ones(files: dict[str, dict[str, Path]]) -> None:
    """By the tables of names: nothing else in the building may be called so."""
    site = make_site(*HOME)
    things = {thing.id: thing for thing in site.scene.objects}
    called = {one: names_of(site, thing) for one, thing in things.items()}
    for episode in content_of(files, "multi_objectnav", site)["episodes"]:
        goals = {goal["object_id"]: goal["object_category"] for goal in episode["goals"]}
        assert len(goals) == 3
        for one, name in goals.items():
            assert [other for other, names in called.items() if name in names] == [one], name


def names_of(site: Site, thing: Any) -> set[str]:
    words, kind = tables("en"), design_of(site.rooms, thing) or thing.category
    told = next((words[table][kind] for table in ("designs", "things", "seen") if kind in words[table]), [])
    return {told} if isinstance(told, str) else set(told)


def test_wherever_one_stands_in_a_room_one_is_there(files: dict[str, dict[str, Path]]) -> None:
    """Of random walkable places well inside a room that is sought, nearly all are near enough to one of its places."""
    site = make_site(*HOME)
    content = content_of(files, "roomnav", site)
    rng, near = np.random.default_rng(3), []
    for goals in content["goals_by_category"].values():
        for goal in goals:
            room = next(region for region in site.scene.regions if region.id == goal["object_id"])
            places = [view["agent_state"]["position"] for view in goal["view_points"]]
            low, high = np.add(room.low, 0.4), np.subtract(room.high, 0.4)
            for x, z in rng.uniform(low[[0, 2]], high[[0, 2]], (60, 2)):
                point = site.navmesh.snap((float(x), room.low[1] + 0.1, float(z)))
                if abs(point[0] - x) + abs(point[2] - z) < 0.02 and site.on_floor(point):
                    near.append(min(site.navmesh.geodesic_distances([point] * len(places), places)) < 0.4)
    assert len(near) > 60
    assert np.mean(near) > 0.93


def test_a_description_fits_one_thing(files: dict[str, dict[str, Path]]) -> None:
    """What may be called so stands in no other room of that name; the room that is told is the thing's."""
    site = make_site(*HOME)
    room = {region.id: region.category for region in site.scene.regions}
    things = {thing.id: thing for thing in site.scene.objects}
    told = 0
    for goals in content_of(files, "goat", site)["goals"].values():
        for goal in goals:
            thing = things[goal["object_id"]]
            named = (thing.category, room[thing.region])
            alike = [one for one in things.values() if (one.category, room.get(one.region)) == named]
            assert ("lang_desc" in goal) == (alike == [thing])
            told += "lang_desc" in goal
            said = {word for word in ROOMS if f"in the {word}" in goal.get("lang_desc", "")}
            assert said <= {room[thing.region]}
    assert told >= 5


def test_wrong_wishes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="choose one of"):
        write_task("flying", {}, tmp_path, 1, "s")
    with pytest.raises(ConfigError, match="floors"):
        Controls(floors="both")
    with pytest.raises(ConfigError, match="swap"):
        Controls(min_length=5, max_length=2)
    with pytest.raises(ConfigError, match="no scenes"):
        split_scenes([])


def test_words_of_both_languages() -> None:
    assert words("Stop next to the TV.") == ["stop", "next", "to", "the", "tv", "."]
    assert words("左转，走进厨房。") == ["左", "转", "，", "走", "进", "厨", "房", "。"]
