"""Questions about walks: answered again from triangles, depth and poses, which the answers were not made from."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import nav_eval
from extras.collected import annotations, tree
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import ConfigError
from nav_eval.runs.generators import GENERATORS
from nav_eval_extras.collecting.asking import Told, tell
from nav_eval_extras.collecting.collection import JOURNAL, Wish, collect_into
from nav_eval_extras.collecting.formats.base import About
from nav_eval_extras.collecting.formats.navila import NaVILA
from nav_eval_extras.collecting.formats.streamvln import StreamVLN
from nav_eval_extras.collecting.formats.webdataset import WebDataset
from nav_eval_extras.collecting.questions import Fact, draw
from nav_eval_worlds.language.kinds import DESIGNS
from nav_eval_worlds.language.rooms_map import rooms_map
from nav_eval_worlds.language.wording import names_of_things, tables
from once import once_folder

SIZE = (160, 120)
SENSORS = "{{rgb: {0}, depth: {0}}}".format("{width: 160, height: 120, hfov: 79}")
WORLD = [
    f"simulator.sensors={SENSORS}",
    "dataset.generate.rooms=3",
    "dataset.generate.per_scene=3",
    "dataset.generate.scenes=2",
]
ASKED, PATHS = 40, 6
POINTS = 3000
ENGLISH = {"left": "On the left", "ahead": "Straight ahead", "right": "On the right"}


@pytest.fixture(scope="module")
def written() -> Path:
    wish = Wish("vln-demo", WORLD, questions=ASKED)
    return once_folder("asked", lambda folder: collect_into(StreamVLN, folder, wish))


@pytest.fixture(scope="module")
def scenes(written: Path) -> Iterator[dict[str, Scene]]:
    env = nav_eval.make_env("vln-demo", overrides=WORLD)
    found = {}
    for walk in annotations(written):
        if walk["scene_id"] not in found:
            env.reset(options={"episode": (walk["scene_id"], walk["episode_ids"][0])})
            found[walk["scene_id"]] = env.unwrapped.environment.simulator.scene()
    yield found
    env.close()


def questions(folder: Path, kind: str = "", language: str = "en") -> list[dict[str, Any]]:
    rows = json.loads((folder / "questions.json").read_text())
    return [row for row in rows if row["language"] == language and kind in ("", row["kind"])]


class Reference:
    """What a walk's files tell of a step: where points of an object's triangles are in the picture, if depth shows
    them."""

    def __init__(self, folder: Path, scene: Scene, row: dict[str, Any]) -> None:
        walk = annotations(folder)[row["episode_index"]]
        self.scene, self.folder = scene, folder / walk["video"]
        self.steps = json.loads((self.folder / "steps.json").read_text())
        self.things = {thing.id: thing for thing in scene.objects}

    def columns(self, thing: int, step: int) -> Any:
        """Of the points in sight, from 0 to 1."""
        camera, intrinsics = np.array(self.steps["camera_pose"][step]), np.array(self.steps["intrinsics"])
        depth = np.array(Image.open(self.folder / "depth" / f"{step + 1:03d}.png")) / 1000
        local = (points_of(self.scene, thing) - camera[:3, 3]) @ camera[:3, :3]
        local = local[local[:, 2] > 0.05]
        pixels = np.floor((local / local[:, 2:]) @ intrinsics.T)[:, :2].astype(int)
        inside = ((pixels >= 0) & (pixels < SIZE)).all(1)
        pixels, local = pixels[inside], local[inside]
        seen = np.abs(depth[pixels[:, 1], pixels[:, 0]] - local[:, 2]) < 0.01 + 0.01 * local[:, 2]
        return (pixels[seen, 0] + 0.5) / SIZE[0]

    def ahead(self, thing: int, step: int) -> float:
        """m from the camera to an object's middle, along where it looks."""
        camera = np.array(self.steps["camera_pose"][step])
        return float((np.array(self.things[thing].center) - camera[:3, 3]) @ camera[:3, 2])

    def distances(self, thing: int) -> Any:
        """m of each step from an object's middle, on the floor."""
        return np.linalg.norm(
            np.array(self.steps["pose"])[:, [0, 2]] - np.array(self.things[thing].center)[[0, 2]], axis=1
        )

    @property
    def names(self) -> dict[int, str]:
        return GENERATORS.get("homes").called(self.scene, "en")[0]


def points_of(scene: Scene, thing: int) -> Any:
    """(POINTS, 3) on the object's triangles, by area."""
    corners = scene.positions[scene.triangles[scene.object_ids == thing]].astype(float)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    chance = np.random.default_rng(thing)
    picked = corners[chance.choice(len(corners), POINTS, p=areas / areas.sum())]
    weights = chance.dirichlet((1, 1, 1), POINTS)
    return np.einsum("nk,nkd->nd", weights, picked)


def reference(folder: Path, scenes: dict[str, Scene], row: dict[str, Any]) -> Reference:
    return Reference(folder, scenes[annotations(folder)[row["episode_index"]]["scene_id"]], row)


def test_what_is_said_to_be_on_a_side_is_seen_there(written: Path, scenes: dict[str, Scene]) -> None:
    told, strict = 0, 0
    for third, (kind, begin) in enumerate(ENGLISH.items()):
        for row in questions(written, kind):
            there = reference(written, scenes, row)
            for words in listed(row["answer"], begin):
                alike = [one for one, name in there.names.items() if words in (f"a {name}", f"an {name}")]
                alike = alike or [one for one, name in there.names.items() if stem(name) == stem(words)]
                shares = [columns for one in alike if len(columns := there.columns(one, row["step"])) > 2]
                inside = [float(((third / 3 - 0.02 < x) & (x < (third + 1) / 3 + 0.02)).mean()) for x in shares]
                assert inside, (row, "nothing of it is in sight")
                told, strict = told + 1, strict + (max(inside) > 0.6)
    assert told > 60
    assert strict >= 0.98 * told  # points are drawn by area, so what is near counts for less than in a picture


def listed(answer: str, begin: str) -> list[str]:
    found = re.fullmatch(rf"{begin}, there (?:is|are) (.+)\.", answer)
    assert found, answer
    return re.split(", | and ", found[1])


def stem(words: str) -> str:
    return re.sub(r"(?<=l)(ves|f)$|(?<=ch)es$|(?<=x)es$|s$", "", words)


def test_doors_are_counted_by_their_triangles(written: Path, scenes: dict[str, Scene]) -> None:
    counts = []
    for row in questions(written, "doors"):
        there = reference(written, scenes, row)
        doors = [thing.id for thing in there.scene.objects if thing.category == "door"]
        counts.append(sum(len(there.columns(door, row["step"])) > 60 for door in doors))
        said = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4}[
            re.search("There (?:is|are) (\\w+)", row["answer"])[1]
        ]
        assert said == counts[-1], row
    assert len({*counts}) > 1
    assert len(counts) > 15


def test_a_room_is_the_one_that_the_agent_stands_in(written: Path, scenes: dict[str, Scene]) -> None:
    rooms = set()
    for row in questions(written, "room"):
        there = reference(written, scenes, row)
        plan = rooms_map(there.scene.objects, there.scene.regions)
        category = plan.rooms[plan.room_at(*there.steps["pose"][row["step"]][:3])].category
        known = tables("en")["rooms"][category]
        name = re.fullmatch(r"This is an? (.+)\.", row["answer"])[1]
        assert name in ([known] if isinstance(known, str) else known)
        rooms.add(name)
    assert len(rooms) > 1


def test_what_was_passed_was_seen_and_is_behind(written: Path, scenes: dict[str, Scene]) -> None:
    said = Counter()
    for row in questions(written, "passed"):
        there, step = reference(written, scenes, row), row["step"]
        name = re.fullmatch(r"Has the (.+) been passed\?", row["question"])[1]
        seen = {
            one
            for one, known in there.names.items()
            if known == name and any(len(there.columns(one, at)) > 20 for at in range(step + 1))
        }
        assert len(seen) == 1, (row, "which of them?")
        thing = seen.pop()
        far = there.distances(thing)[: step + 1]
        passed = row["answer"].startswith("Yes")
        said[passed] += 1
        assert (there.ahead(thing, step) < 0) == passed
        assert (len(there.columns(thing, step)) == 0) == passed
        assert (far.argmin() < step and far[step] > far.min() + 0.3) if passed else far[step] < far.min() + 0.3
    assert min(said[True], said[False]) > 5


def test_the_next_action_is_the_experts(written: Path) -> None:
    walks = annotations(written)
    for row, other in zip(questions(written, "next"), questions(written, "next", "zh"), strict=True):
        walk = walks[row["episode_index"]]
        told = re.fullmatch(r'The instruction is: "(.+)" What is the next action\?', row["question"])[1]
        assert walk["languages"][walk["instructions"].index(told)] == "en"
        told = re.fullmatch(r"指令是：“(.+)”下一步该做什么？", other["question"])[1]
        assert walk["languages"][walk["instructions"].index(told)] == "zh"
        kind, count = understood(row["answer"])
        assert (kind, count) == understood_chinese(other["answer"])
        labels = [*walk["actions"][1:], 0]
        assert labels[row["step"] : row["step"] + count] == [kind] * count


def understood(answer: str) -> tuple[int, int]:
    if answer == "The next action is stop.":
        return 0, 1
    if found := re.fullmatch(r"The next action is move forward (\d+) cm\.", answer):
        return 1, int(found[1]) // 25
    found = re.fullmatch(r"The next action is turn (left|right) (\d+) degrees\.", answer)
    return (2 if found[1] == "left" else 3), int(found[2]) // 15


def understood_chinese(answer: str) -> tuple[int, int]:
    if answer == "下一步停下。":
        return 0, 1
    if found := re.fullmatch(r"下一步向前走(\d+)厘米。", answer):
        return 1, int(found[1]) // 25
    found = re.fullmatch(r"下一步(左|右)转(\d+)度。", answer)
    return (2 if found[1] == "左" else 3), int(found[2]) // 15


def test_both_languages_name_the_same_things(written: Path, scenes: dict[str, Scene]) -> None:
    pairs = list(zip(questions(written), questions(written, language="zh"), strict=True))
    assert len(pairs) == ASKED * PATHS
    for row, other in pairs:
        assert (row["step"], row["kind"], row["frames"]) == (other["step"], other["kind"], other["frames"])
        assert not re.search("[a-z]", other["answer"])
        if row["kind"] in ENGLISH:
            there = reference(written, scenes, row)
            chinese = GENERATORS.get("homes").called(there.scene, "zh")[0]
            for words in listed(row["answer"], ENGLISH[row["kind"]]):
                found = {chinese[one] for one, name in there.names.items() if stem(name) in words}
                assert any(name in other["answer"] for name in found)


def test_every_kind_is_asked(written: Path) -> None:
    kinds = Counter(row["kind"] for row in questions(written))
    assert {*kinds} == {"room", "left", "ahead", "right", "doors", "passed", "next"}
    assert min(kinds.values()) > 10


def test_a_name_is_one_that_instructions_use(scenes: dict[str, Scene]) -> None:
    for language in ("en", "zh"):
        words = {name for names in names_of_things(language).values() for name in names}
        for design in DESIGNS.values():
            words |= {
                re.sub(r"^\d+\* ", "", one)
                for one in ([design[language]] if isinstance(design[language], str) else design[language])
            }
        for scene in scenes.values():
            assert {*GENERATORS.get("homes").called(scene, language)[0].values()} <= words


def test_streamvln_reads_a_film_for_each_question(written: Path) -> None:
    """As LazySupervisedDataset samples it with decord at a frame a second."""
    import av

    walks = annotations(written)
    for row in questions(written)[::7]:
        assert row["conversations"] == [
            {"from": "human", "value": f"<image>\n{row['question']}"},
            {"from": "gpt", "value": row["answer"]},
        ]
        with av.open(str(written / row["video"])) as film:
            frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
            assert film.streams.video[0].average_rate == 1
        assert len(frames) == len(row["frames"]) <= 8
        assert row["frames"][-1] == row["step"]
        for frame, step in zip(frames, row["frames"], strict=True):
            still = np.array(Image.open(written / walks[row["episode_index"]]["video"] / "rgb" / f"{step + 1:03d}.jpg"))
            assert np.abs(frame.astype(int) - still).mean() < 9


def test_navila_reads_an_image_for_each_token(written: Path, tmp_path: Path) -> None:
    """As LazySupervisedDataset does where a row has `images`; the rows are StreamVLN's."""
    collect_into(NaVILA, tmp_path, Wish("vln-demo", WORLD, questions=ASKED))
    rows = questions(tmp_path)
    own = {"video", "images", "conversations"}
    assert [bare(row, own) for row in rows] == [bare(row, own) for row in questions(written)]
    for row in rows:
        asked, said = row["conversations"]
        assert asked["value"].count("<image>\n") == len(row["images"])
        assert (asked["value"].replace("<image>\n", ""), said["value"]) == (row["question"], row["answer"])
        assert all(Image.open(tmp_path / "train" / name).size == SIZE for name in row["images"])
        assert row["images"][-1] == f"{row['episode_index']}/frame_{row['step']}.jpg"
    card = (tmp_path / "README.md").read_text()
    assert f"| Questions | {ASKED * PATHS} en, {ASKED * PATHS} zh: questions.json |" in card


def bare(row: dict[str, Any], without: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in without}


def test_what_was_cut_off_goes_on_in_two_processes_to_the_same_files(written: Path, tmp_path: Path) -> None:
    """With the last lines of the journal gone as after a kill."""
    folder = collect_into(WebDataset, tmp_path, Wish("vln-demo", WORLD, questions=ASKED))
    whole = tree(folder)
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:2]) + lines[2][:40])
    (folder / "questions.json").unlink()
    collect_into(WebDataset, tmp_path, Wish("vln-demo", WORLD, questions=ASKED), processes=2)
    assert tree(folder) == whole
    own = {"video", "conversations"}
    assert [bare(row, own) for row in questions(written)] == questions(folder)


def test_none_are_asked_where_none_are_wanted(tmp_path: Path) -> None:
    folder = collect_into(WebDataset, tmp_path, Wish("vln-demo", WORLD, shard=(0, 6)))
    assert not (folder / "questions.json").exists()
    assert "Questions" not in (folder / "README.md").read_text()


def test_what_cannot_be_asked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="must be 0 or more"):
        collect_into(WebDataset, tmp_path, Wish("vln-demo", WORLD, questions=-1))
    homes = GENERATORS.get("homes")
    nameless = SimpleNamespace(version=homes.version, make=homes.make)
    monkeypatch.setitem(GENERATORS._members, "homes", nameless)
    with pytest.raises(ConfigError, match="need a generated building"):
        collect_into(WebDataset, tmp_path, Wish("vln-demo", WORLD, questions=1))


def test_yes_and_no_are_drawn_alike() -> None:
    facts = [Fact("doors", step) for step in range(90)] + [Fact("doors", 95, count=2), Fact("doors", 96, count=1)]
    drawn = draw([*facts, Fact("room", 97, (1,))], 6, np.random.default_rng(1))
    assert len(drawn) == 6
    assert {fact.step for fact in drawn} >= {95, 96, 97}
    assert drawn == draw([*facts, Fact("room", 97, (1,))], 6, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("fact", "english", "chinese"),
    [
        (Fact("doors", 0), "There are no doors in view.", "看不到门。"),
        (Fact("doors", 0, count=1), "There is one door in view.", "能看到一扇门。"),
        (Fact("doors", 0, count=2), "There are two doors in view.", "能看到两扇门。"),
        (Fact("left", 0, (1,)), "On the left, there is an armchair.", "画面左侧有扶手椅。"),
        (Fact("right", 0, (2, 3, 1)), "On the right, there are shelves and an armchair.", "画面右侧有架子和扶手椅。"),
        (Fact("ahead", 0, (4, 1, 5)), "Straight ahead, there is a couch, an armchair and a bench.",
         "正前方有沙发、扶手椅和长凳。"),
        (Fact("left", 0, (5, 6)), "On the left, there are benches.", "画面左侧有长凳。"),
        (Fact("passed", 0, (4,)), "No, the couch is still ahead.", "还没有，沙发还在前面。"),
        (Fact("passed", 0, (4,), 1), "Yes, the couch is behind.", "是的，沙发已经在身后了。"),
        (Fact("room", 0, (9,)), "This is an office.", "现在位于办公室。"),
        (Fact("next", 0, (3, 3)), "The next action is turn right 30 degrees.", "下一步右转30度。"),
    ],
)  # fmt: skip
def test_answers_are_sentences(fact: Fact, english: str, chinese: str) -> None:
    about = About("vln", Lens(4, 4, 90), 1.25, 0.25, 15, 100)
    words = {1: "armchair", 2: "shelf", 3: "shelf", 4: "couch", 5: "bench", 6: "bench"}
    names = {1: "扶手椅", 2: "架子", 3: "架子", 4: "沙发", 5: "长凳", 6: "长凳"}
    assert tell(fact, "en", Told(words, {9: "office"}, "Go."), about)[1] == english
    assert tell(fact, "zh", Told(names, {9: "办公室"}, "走。"), about)[1] == chinese
