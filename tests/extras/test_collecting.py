"""Training data: each format read back by other people's code, and walked again from the file's own actions."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import nav_eval
from extras.collected import annotations, tree
from extras.playing import lines
from forked import Running
from nav_eval.config.loader import load_config
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.scene.cache import scene_bytes, shared_scenes
from nav_eval.engine.scene.load import load_scene
from nav_eval.errors import ConfigError, DatasetError
from nav_eval.gym import rollouts
from nav_eval.gym.recording import FORMATS as REGISTERED
from nav_eval.runs.effective import Effective
from nav_eval_extras.collecting import collection, command
from nav_eval_extras.collecting.clauses import clause_indices, load_clauses
from nav_eval_extras.collecting.collection import JOURNAL, Progress, Wish, collect_into
from nav_eval_extras.collecting.command import collect
from nav_eval_extras.collecting.formats.answers import decisions
from nav_eval_extras.collecting.formats.lerobot import LeRobot
from nav_eval_extras.collecting.formats.lerobot_v3 import LeRobotV3
from nav_eval_extras.collecting.formats.navila import NaVILA
from nav_eval_extras.collecting.formats.streamvln import StreamVLN
from nav_eval_extras.collecting.pictures import png16
from nav_eval_extras.collecting.walking import Walk
from nav_eval_worlds import GENERATOR
from once import once_folder
from patience import PATIENCE, until
from served import served

SENSORS = "{rgb: {width: 96, height: 72, hfov: 79}, depth: {width: 96, height: 72, hfov: 79}}"
WORLD = [
    f"simulator.sensors={SENSORS}",
    "dataset.generate.rooms=2",
    "dataset.generate.seed=pairs",
    "dataset.generate.per_scene=3",
    "dataset.generate.scenes=2",
]
NAMES = ("datasets", "lerobot", "lerobot_v3", "navid", "navila", "streamvln", "uninavid", "webdataset")
FORMATS = {name: REGISTERED.get(name) for name in NAMES}
PATHS = 6
RGB = "observation.images.rgb"
KILLED = """
from pathlib import Path
from {kind.__module__} import {kind.__name__} as kind
from nav_eval_extras.collecting.collection import Wish, collect_into
kind.episodes_a_file = 2
collect_into(kind, Path({out!r}), Wish("vln-demo", {world}))
"""


@pytest.fixture(scope="module")
def written() -> Iterator[dict[str, Path]]:
    """A whole collection in each format, in homes that are in the cache by then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LeRobotV3, "episodes_a_file", 2)
        folder = once_folder("collected", collect_all)
        yield {name: folder / name for name in FORMATS}


def collect_all(folder: Path) -> None:
    for name in FORMATS:
        nav_eval.collect("vln-demo", folder / name, overrides=WORLD, format=name)


@pytest.fixture(scope="module")
def env() -> Any:
    env = nav_eval.make_env("vln-demo", overrides=WORLD, expert_actions=True)
    yield env
    env.close()


def picture(file: Any) -> Any:
    return np.array(Image.open(file))


def test_each_path_is_walked_once_with_all_its_instructions(written: dict[str, Path], env: Any) -> None:
    rows = annotations(written["streamvln"])
    assert len(rows) == PATHS
    told = {
        (row["scene_id"], name): (text, tag)
        for row in rows
        for name, text, tag in zip(row["episode_ids"], row["instructions"], row["languages"], strict=True)
    }
    episodes = env.unwrapped.episodes
    assert told == {key: (one.instruction.text, one.instruction.language) for key, one in episodes.items()}
    assert {tag for _, tag in told.values()} == {"en", "zh"}
    starts = [(row["scene_id"], episodes[row["scene_id"], row["episode_ids"][0]].start_position) for row in rows]
    assert len({*starts}) > PATHS / 2


@pytest.mark.parametrize(("split", "told"), [("null", 1), ("test", 1), ("train", 0), ("all", 0)])
def test_who_collects_where_one_evaluates_is_warned(split: str, told: int, caplog: pytest.LogCaptureFixture) -> None:
    collection._warn_of_evaluation(load_config("vln-demo", overrides=[f"dataset.split={split}"], environment={}))
    assert len(caplog.messages) == told


def test_the_actions_of_a_file_lead_to_its_poses_and_pictures(written: dict[str, Path], env: Any) -> None:
    """StreamVLN's rules: names sorted as texts, the first action is -1, and stop follows the last one."""
    for row in annotations(written["streamvln"])[::2]:
        folder = written["streamvln"] / row["video"]
        frames, depths = sorted((folder / "rgb").iterdir()), sorted((folder / "depth").iterdir())
        actions = [*row["actions"][1:], 0]
        steps = json.loads((folder / "steps.json").read_text())
        assert row["actions"][0] == -1
        assert len(frames) == len(depths) == len(actions) == len(row["actions"]) > 3
        seen, info = env.reset(options={"episode": (row["scene_id"], row["episode_ids"][-1])})
        over = False
        for step, action in enumerate(actions):
            assert not over
            assert info["expert_action"] == steps["expert_action"][step] == action
            state = env.unwrapped.environment.simulator.get_agent_state()
            assert steps["pose"][step] == [*state.position, *state.rotation]
            assert steps["distance_to_goal"][step] == pytest.approx(env.unwrapped.distance_to_goal())
            assert np.abs(picture(frames[step]).astype(int) - seen["rgb"]).mean() < 6
            np.testing.assert_allclose(picture(depths[step]) / 1000, seen["depth"][..., 0], atol=0.00051)
            seen, _, over, _, info = env.step(action)
        assert over
        assert info["metrics"]["success"] == 1


def test_a_clause_ends_at_the_door_that_it_leads_through(written: dict[str, Path], env: Any) -> None:
    """Generated paths enter a room once, and have a clause for each: rooms as the scene's own boxes say."""
    rises = 0
    for row in annotations(written["streamvln"]):
        steps = json.loads((written["streamvln"] / row["video"] / "steps.json").read_text())
        assert ["".join(clauses) for clauses in row["clauses"]] == row["instructions"]
        env.reset(options={"episode": (row["scene_id"], row["episode_ids"][0])})
        regions = env.unwrapped.environment.simulator.scene().regions
        way = np.array(steps["pose"])[:, :3] + [0, 0.1, 0]
        inside = np.array([((way >= one.low) & (way <= one.high)).all(1) for one in regions])
        index = np.array(steps["clause_index"])
        assert {*np.diff(index)} <= {0, 1}
        assert [{len(clauses) for clauses in row["clauses"]}] == [{index[-1] + 1}]
        for step in np.flatnonzero(np.diff(index)) + 1:
            moved = np.linalg.norm(way - way[step], axis=1) < 0.5
            assert inside[:, moved].any(1).sum() >= 2  # a door: both rooms within two paces
        rises += index[-1]
    assert rises >= PATHS


def test_what_nobody_cut_has_no_clauses(written: dict[str, Path], tmp_path: Path) -> None:
    assert load_clauses([str(tmp_path / "train.json.gz")], 10**6) == {}
    assert clause_indices(np.zeros((3, 3)), ()) == [-1] * 3
    way = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 2], [0, 0, 3]])
    assert clause_indices(way, [(0, 0, 2.1), (0, 0, 3)]) == [0, 0, 1, 1, 1]
    assert clause_indices(way, [(0, 0, 1), (9, 0, 2), (0, 0, 2), (0, 0, 3)]) == [0, 1, 1, 1, 1]  # it never came there
    (tmp_path / "train_clauses.json").write_text('{"1": {"clauses": ["Go."]}}')
    with pytest.raises(DatasetError, match=r"train_clauses\.json: is damaged"):
        load_clauses([str(tmp_path / "train.json")], 10**6)


def test_a_pixel_shows_the_place_that_the_agent_reaches(written: dict[str, Path]) -> None:
    """The ray of camera pose, intrinsics and pixel meets where it later stands, and nothing is before it in depth."""
    missed, hidden, beyond = [], [], []
    for row in annotations(written["streamvln"]):
        folder = written["streamvln"] / row["video"]
        steps = json.loads((folder / "steps.json").read_text())
        way = np.array(steps["pose"])[:, :3]
        for step, file in enumerate(sorted((folder / "depth").iterdir())):
            camera, depth = np.array(steps["camera_pose"][step]), picture(file) / 1000
            np.testing.assert_allclose(camera[:3, 3], way[step] + [0, 1.25, 0], atol=1e-6)
            assert np.linalg.det(camera[:3, :3]) == pytest.approx(1)
            if step and steps["action"][step - 1] == 1:
                moved = way[step] - way[step - 1]
                assert moved @ camera[:3, 2] > 0.6 * np.linalg.norm(moved)  # forward is where the camera looks
            count, column, line = steps["subgoal"][step]
            assert (count > 0) == (column >= 0) == (line >= 0)
            if count < 0:
                continue
            ray = camera[:3, :3] @ np.linalg.inv(steps["intrinsics"]) @ [column + 0.5, line + 0.5, 1.0]
            local = way[step + count] - camera[:3, 3]
            far = local @ camera[:3, 2]
            missed.append(np.linalg.norm(local - far * ray) / far)
            hidden.append(far - depth[line, column])
            beyond.append(step + count + 1 < len(way))
    assert len(missed) > 50
    assert max(missed) < 0.02  # two pixels
    assert np.quantile(hidden, 0.95) < 0.3
    assert any(beyond)
    assert not all(beyond)


def test_lerobot_files_are_what_its_reader_expects(written: dict[str, Path], tmp_path: Path) -> None:
    """Paths from info.json, times from frame numbers, tasks from their numbers, as LeRobotDataset v2.1 finds them."""
    import av
    import datasets
    import pyarrow.parquet as pq

    folder = written["lerobot"]
    info = json.loads((folder / "meta" / "info.json").read_text())
    episodes, tasks = lines(folder / "meta" / "episodes.jsonl"), lines(folder / "meta" / "tasks.jsonl")
    statistics = lines(folder / "meta" / "episodes_stats.jsonl")
    named = {one["task_index"]: one["task"] for one in tasks}
    assert info["codebase_version"] == "v2.1"
    assert (info["total_episodes"], info["total_tasks"]) == (len(episodes), len(named)) == (PATHS, 6 * PATHS)
    assert info["splits"] == {"train": f"0:{PATHS}"}
    rows = datasets.load_dataset("parquet", data_dir=str(folder / "data"), split="train", cache_dir=str(tmp_path))
    assert {*rows.column_names} | {"observation.images.rgb"} == {*info["features"]}
    assert rows["index"] == [*range(info["total_frames"])]
    begun = 0
    for episode, stats in zip(episodes, statistics, strict=True):
        place = {"episode_chunk": 0, "episode_index": episode["episode_index"]}
        table = pq.read_table(folder / info["data_path"].format(**place)).to_pandas()
        assert len(table) == episode["length"]
        assert {named[task] for task in table["task_index"]} == {episode["tasks"][0]}
        film = folder / info["video_path"].format(video_key="observation.images.rgb", **place)
        frames = list(av.open(str(film)).decode(video=0))
        np.testing.assert_allclose([frame.time for frame in frames], table["timestamp"], atol=1e-4)
        assert (frames[0].height, frames[0].width, 3) == (*info["features"]["observation.images.rgb"]["shape"],)
        assert stats["stats"]["action"]["mean"] == [pytest.approx(table["action"].mean())]
        assert stats["stats"]["observation.state"]["max"] == pytest.approx(np.stack(table["observation.state"]).max(0))
        assert np.shape(stats["stats"]["observation.images.rgb"]["std"]) == (3, 1, 1)
        begun += episode["length"]
    assert begun == info["total_frames"] == len(rows)
    for name, feature in info["features"].items():
        if name != "observation.images.rgb" and feature["dtype"] != "image":
            assert np.size(rows[0][name]) == np.prod(feature["shape"]), name


def test_lerobot_holds_the_same_walks_as_streamvln(written: dict[str, Path]) -> None:
    import av
    import pyarrow.parquet as pq

    folder, other = written["lerobot"], written["streamvln"]
    camera = "125cm_0deg"
    for index, row in enumerate(annotations(other)):
        steps = json.loads((other / row["video"] / "steps.json").read_text())
        table = pq.read_table(folder / f"data/chunk-000/episode_{index:06d}.parquet").to_pandas()
        assert table["action"].tolist() == steps["action"]
        assert table["clause_index"].tolist() == steps["clause_index"]
        np.testing.assert_allclose(np.stack(table["observation.state"]), steps["pose"], atol=1e-5)
        poses = np.stack([np.stack(one) for one in table[f"pose.{camera}"]])
        np.testing.assert_allclose(poses, steps["camera_pose"], atol=1e-5)
        assert table[f"relative_goal_frame_id.{camera}"].tolist() == [one[0] for one in steps["subgoal"]]
        assert [one.tolist() for one in table[f"goal.{camera}"]] == [one[1:] for one in steps["subgoal"]]
        film = folder / f"videos/chunk-000/observation.images.rgb/episode_{index:06d}.mp4"
        stills = sorted((other / row["video"] / "rgb").iterdir())
        for frame, still in zip(av.open(str(film)).decode(video=0), stills, strict=True):
            assert np.abs(frame.to_ndarray(format="rgb24").astype(int) - picture(still)).mean() < 9
        depths = sorted((other / row["video"] / "depth").iterdir())
        for one, file in zip(table["observation.depth"], depths, strict=True):
            assert one["bytes"] == file.read_bytes()


def test_lerobot_v3_files_are_what_its_reader_expects(written: dict[str, Path]) -> None:
    """As LeRobotDataset v3.0 reads: all rows in a row, a frame at from_timestamp + timestamp, a task by its place."""
    import av
    import pandas
    import pyarrow.parquet as pq

    folder, other = written["lerobot_v3"], written["lerobot"]
    info = json.loads((folder / "meta" / "info.json").read_text())
    tasks = pandas.read_parquet(folder / "meta" / "tasks.parquet")
    episodes = pq.read_table(folder / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    rows = pandas.concat(pandas.read_parquet(file) for file in sorted((folder / "data").glob("*/*.parquet")))
    assert (info["codebase_version"], info["total_episodes"], info["total_tasks"]) == ("v3.0", PATHS, len(tasks))
    assert {*rows.columns} | {RGB} == {*info["features"]}
    assert rows["index"].tolist() == [*range(info["total_frames"])]
    assert len({*(folder / "data").glob("*/*.parquet")}) == PATHS / 2
    for episode in episodes:
        index, begun, ended = (episode[key] for key in ("episode_index", "dataset_from_index", "dataset_to_index"))
        own = pandas.read_parquet(other / f"data/chunk-000/episode_{index:06d}.parquet")
        place = {key: episode[f"data/{key}"] for key in ("chunk_index", "file_index")}
        filed = pandas.read_parquet(folder / info["data_path"].format(**place))
        assert filed[filed["episode_index"] == index]["index"].tolist() == [*range(begun, ended)]
        pandas.testing.assert_frame_equal(rows.iloc[begun:ended].reset_index(drop=True), own)
        assert tasks.iloc[own["task_index"][0]].name == episode["tasks"][0]
        assert {*tasks.loc[episode["tasks"]]["language"]} == {"en", "zh"}
        place = {key: episode[f"videos/{RGB}/{key}"] for key in ("chunk_index", "file_index")}
        with av.open(str(folder / info["video_path"].format(video_key=RGB, **place))) as film:
            frames = {round(frame.time, 4): frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)}
        with av.open(str(other / f"videos/chunk-000/{RGB}/episode_{index:06d}.mp4")) as film:
            for frame, time_ in zip(film.decode(video=0), own["timestamp"], strict=True):
                found = frames[round(episode[f"videos/{RGB}/from_timestamp"] + time_, 4)]
                np.testing.assert_array_equal(found, frame.to_ndarray(format="rgb24"))
        assert episode[f"videos/{RGB}/to_timestamp"] == pytest.approx(
            episode[f"videos/{RGB}/from_timestamp"] + len(own) / info["fps"]
        )
    said = json.loads((folder / "meta" / "stats.json").read_text())
    for name in ("action", "observation.state", "distance_to_goal", "index"):
        values = np.stack(rows[name]).astype(float).reshape(len(rows), -1)
        for key in ("min", "max", "mean", "std"):
            np.testing.assert_allclose(said[name][key], getattr(values, key)(0), rtol=1e-4, atol=1e-5)
        assert said[name]["count"] == [len(rows)]


def test_lerobot_v3_goes_on_where_a_file_was_being_joined(
    written: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before a file's film is made, then before its table, then with one of its single episodes gone."""
    from nav_eval_extras.collecting.formats import lerobot_v3

    for name in ("splice", "write_tables", "shutil"):
        with monkeypatch.context() as patched:
            patched.setattr(lerobot_v3, name, SimpleNamespace(rmtree=_half_removed) if name == "shutil" else _stopped)
            with pytest.raises(KeyboardInterrupt):
                collect_into(LeRobotV3, tmp_path, Wish("vln-demo", WORLD))
    collect_into(LeRobotV3, tmp_path, Wish("vln-demo", WORLD))
    assert tree(tmp_path) == tree(written["lerobot_v3"])


def _stopped(*_: Any) -> None:
    raise KeyboardInterrupt


def _half_removed(folder: Path) -> None:
    next(folder.glob("*.mp4")).unlink()
    raise KeyboardInterrupt


def test_navila_reads_a_question_an_answer_and_the_frames_so_far(written: dict[str, Path]) -> None:
    """As LazyVLNCEDataset samples frames, and as its evaluation understands an answer."""
    folder, rows = written["navila"], annotations(written["navila"])
    walks = annotations(written["streamvln"])
    said: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        frames = [folder / "train" / frame for frame in row["frames"]]
        taken = [*np.linspace(0, len(frames) - 1, num=7, endpoint=False, dtype=int), -1]
        assert all(Image.open(frames[place]).size == (96, 72) for place in taken)
        actions = said.setdefault((row["video_id"], row["q"]), [])
        assert len(frames) == len(actions) + 1
        actions += understood(row["a"])
    assert len(said) == 6 * PATHS
    for (name, text), actions in said.items():
        walk = walks[int(name)]
        assert text in walk["instructions"]
        assert actions == [*walk["actions"][1:], 0]


def understood(answer: str) -> list[int]:
    if re.search(r"\bstop\b", answer):
        return [0]
    if found := re.search(r"\bis move forward\b (\d+) cm", answer):
        return [1] * (int(found[1]) // 25)
    found = re.search(r"\bis turn (left|right)\b (\d+) degree", answer)
    assert found
    return [2 if found[1] == "left" else 3] * (int(found[2]) // 15)


def film_of(folder: Path, row: dict[str, Any]) -> list[Any]:
    """As LazySupervisedDataset of NaVid and Uni-NaVid samples it with --video_fps 1: the whole film, frame by frame."""
    import av

    with av.open(str(folder / row["video"])) as film:
        stream = film.streams.video[0]
        frames = list(film.decode(stream))
        assert stream.average_rate == 1
        return frames[:: round(stream.average_rate / 1)]


HISTORY = "a video of historical observations and an image of the current observation"
"""Words by which both readers know that a question is about navigation."""


@pytest.mark.parametrize("name", ["navid", "uninavid"])
def test_a_film_ends_with_what_is_asked_about(name: str, written: dict[str, Path]) -> None:
    walks, said = annotations(written["streamvln"]), {}
    for row in annotations(written[name]):
        human, answer = row["conversations"]
        assert (human["from"], answer["from"], human["value"].count("<image>")) == ("human", "gpt", 1)
        assert HISTORY in human["value"]
        assert "NAV_ID" in row["id"]
        [walk] = [one for one in walks if row["episode_id"] in one["episode_ids"]]
        text = walk["instructions"][walk["episode_ids"].index(row["episode_id"])]
        assert f"Your assigned task is: '{text}'." in human["value"]
        actions = said.setdefault(row["episode_id"], [])
        if row["language"] == "en":
            frames = film_of(written[name], row)
            stills = sorted((written["streamvln"] / walk["video"] / "rgb").iterdir())
            assert len(frames) == len(actions) + 1
            last = frames[-1].to_ndarray(format="rgb24").astype(int)
            assert np.abs(last - picture(stills[len(actions)])).mean() < 9
        actions += heard(answer["value"]) if name == "navid" else [SPOKEN.index(one) for one in answer["value"].split()]
    whole = {one: [*walk["actions"][1:], 0] for walk in walks for one in walk["episode_ids"]}
    assert said == whole
    assert len({row["id"] for row in annotations(written[name])}) == len(annotations(written[name]))


SPOKEN = ["stop", "forward", "left", "right"]
"""Uni-NaVid's words, in the order of the actions' numbers."""


def heard(answer: str) -> list[int]:
    """As navid_agent.py understands an answer, whose full stop it takes off; turns are of 15 degrees here."""
    [kind] = [number for number, word in enumerate(SPOKEN) if word in answer[:-1]]
    assert answer[-1] == "."
    size = {0: 1, 1: 25, 2: 15, 3: 15}[kind]
    return [kind] * (int(re.search(r"\d+", answer)[0]) // size if kind else 1)


def test_a_decision_ends_at_a_mistake() -> None:
    route: Any = None
    walk = Walk(route, Lens(2, 2, 90), actions=[1, 3, 1, 2, 2, 1, 0], expert_actions=[1, 1, 1, 2, 2, 1, 0])
    assert list(decisions(walk)) == [(0, [1, 1]), (2, [1]), (3, [2, 2]), (5, [1]), (6, [0])]
    assert list(decisions(walk, 4, alike=False)) == [(0, [1, 1]), (2, [1, 2, 2, 1]), (6, [0])]


def test_webdataset_reads_whole_steps_in_order(written: dict[str, Path]) -> None:
    import webdataset

    file = written["webdataset"] / "steps-000000.tar"
    steps = list(webdataset.WebDataset(str(file), shardshuffle=False, empty_check=False))
    told = [json.loads(step["json"]) for step in steps]
    walks = annotations(written["streamvln"])
    assert [(one["episode_index"], one["step"]) for one in told] == [
        (walk["id"], step) for walk in walks for step in range(len(walk["actions"]))
    ]
    firsts = [one for one in told if one["step"] == 0]
    assert [[said["text"] for said in one["instructions"]] for one in firsts] == [one["instructions"] for one in walks]
    still = written["streamvln"] / walks[0]["video"]
    assert steps[3]["jpg"] == (still / "rgb" / "004.jpg").read_bytes()
    assert steps[3]["depth.png"] == (still / "depth" / "004.png").read_bytes()
    with tarfile.open(file) as archive:
        assert len(archive.getnames()) == 3 * len(steps)


def test_hugging_face_loads_the_folder_as_it_stands(written: dict[str, Path], tmp_path: Path) -> None:
    import datasets

    rows = datasets.load_dataset(str(written["datasets"]), split="train", cache_dir=str(tmp_path))
    walks = annotations(written["streamvln"])
    assert len(rows) == sum(len(walk["actions"]) for walk in walks)
    first = rows[1]
    assert first["instructions"] == walks[0]["instructions"]
    assert first["languages"] == walks[0]["languages"]
    assert first["clauses"] == walks[0]["clauses"]
    still = written["streamvln"] / walks[0]["video"]
    np.testing.assert_array_equal(np.array(first["rgb"]), picture(still / "rgb" / "002.jpg"))
    np.testing.assert_array_equal(np.array(first["depth"]), picture(still / "depth" / "002.png"))
    steps = json.loads((still / "steps.json").read_text())
    assert first["pose"] == steps["pose"][1]
    np.testing.assert_allclose(first["camera_pose"], steps["camera_pose"][1], atol=1e-5)


def test_a_card_says_where_the_data_come_from(written: dict[str, Path]) -> None:
    for folder in written.values():
        card = (folder / "README.md").read_text()
        frames = sum(len(walk["actions"]) for walk in annotations(written["streamvln"]))
        source = f"generator homes {GENERATOR}, seed pairs"
        for said in (source, f"| {PATHS} |", "18 en, 18 zh", f"{frames}, 96x72", "Licence"):
            assert said in card
    films = sum(film.stat().st_size for film in written["navid"].rglob("*.mp4"))
    assert f"| Pictures | {films / 1e9:.3f} GB |" in (written["navid"] / "README.md").read_text()


@pytest.mark.parametrize("name", ["lerobot", "lerobot_v3", "streamvln", "webdataset", "navid"])
def test_what_was_killed_goes_on_and_is_the_same(name: str, written: dict[str, Path], tmp_path: Path) -> None:
    kind, out = FORMATS[name], tmp_path / "killed"
    journal = out / JOURNAL
    process = Running(script=KILLED.format(kind=kind, out=str(out), world=WORLD), said=tmp_path / "said")
    until(lambda: (journal.exists() and journal.read_bytes().count(b"\n") >= 2) or process.poll() is not None)
    process.kill()
    assert process.wait(PATIENCE) == 128 + signal.SIGKILL, (tmp_path / "said").read_text()
    with journal.open("ab") as file:
        file.write(b'{"record": {"cut short')
    assert not (out / "README.md").exists()
    collect_into(kind, out, Wish("vln-demo", WORLD))
    assert tree(out) == tree(written[name])


def test_shards_share_the_paths_out_with_one_building_at_a_time_in_memory(
    written: dict[str, Path], tmp_path: Path
) -> None:
    kept: set[int] = set()
    shared_scenes().clear()
    wishes = [Wish("vln-demo", WORLD, shard=(k, 2)) for k in range(2)]
    parts = [
        collect_into(StreamVLN, tmp_path / str(wish.shard), wish, told=lambda _: kept.add(shared_scenes().nbytes))
        for wish in wishes
    ]
    found = [[row["episode_ids"] for row in annotations(part)] for part in parts]
    whole = [row["episode_ids"] for row in annotations(written["streamvln"])]
    assert found == [whole[::2], whole[1::2]]
    homes = Path(str(Effective.of(wishes[0].resolved()).simulator.scenes_dir)).glob("*.glb")
    sizes = {scene_bytes(load_scene(home)) for home in homes}
    assert len(sizes) == 2
    assert sizes <= kept <= {*sizes, 0}


def test_a_served_policy_acts_in_turns_and_the_oracle_labels(tmp_path: Path) -> None:
    (tmp_path / "turner.py").write_text(
        "class Turner:\n    def reset(self, episode):\n        assert episode['instruction']['text']\n"
        "    def act(self, observation):\n        assert observation['rgb'].shape == (72, 96, 3)\n"
        "        return 'turn_left'\n"
    )
    command = [sys.executable, "-c", "from nav_eval_sdk.cli import main; main()", "serve", "turner:Turner"]
    few = [*WORLD, "dataset.generate.scenes=1", "evaluation.max_steps=60"]
    with served([*command, "--protocol", "grpc", "--port", "0"], tmp_path, dict(os.environ)) as endpoint:
        wish = Wish("vln-demo", few, policy=f"grpc://{endpoint}", beta=0.6)
        out = [collect_into(StreamVLN, tmp_path / name, wish) for name in ("one", "two")]
    assert tree(out[0]) == tree(out[1])
    rows = [json.loads(file.read_text()) for file in sorted(out[0].glob("images/*/steps.json"))]
    acted, labels = (np.array([a for row in rows for a in row[name]]) for name in ("action", "expert_action"))
    assert len(rows) == 3
    assert {*acted[acted != labels]} == {2}
    assert 0.1 < np.mean(acted != labels) < 0.6
    assert [row["actions"][1:] for row in annotations(out[0])] == [row["expert_action"][:-1] for row in rows]


def test_the_command_writes_what_the_function_writes(
    written: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect("vln-demo", *WORLD, out=tmp_path, format="streamvln") == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(tmp_path)
    assert re.search(rf"{PATHS} of {PATHS} paths, \d+ frames, 0\.\d+ GB, about 0 s left", said.err)
    assert tree(tmp_path) == tree(written["streamvln"])


def test_the_time_left_counts_from_the_first_path(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not from when buildings were begun to be made."""
    clock = iter([0.0, 1000.0, 1010.0])
    monkeypatch.setattr(command, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    show = command._lines()
    show(Progress(done=5, total=8, frames=0, size=0, before=5))
    show(Progress(done=6, total=8, frames=40, size=0, before=5))
    assert "about 20 s left" in capsys.readouterr().err


def test_the_command_writes_npz_too(tmp_path: Path) -> None:
    small = "simulator.sensors={depth: {width: 8, height: 6}}"
    assert collect("vln-demo", *WORLD[1:], small, "dataset.limit=2", out=tmp_path / "walks", format="npz") == 0
    assert [one["depth"].shape[1:] for one in rollouts(tmp_path / "walks")] == [(6, 8, 1)] * 2
    with pytest.raises(ConfigError, match="npz takes none of"):
        collect("vln-demo", out=tmp_path / "none", format="npz", processes=2)
    for wrong in ("0/2", "3/2", "2", "a/b"):
        with pytest.raises(ConfigError, match="write INDEX/TOTAL"):
            collect("vln-demo", out=tmp_path / "none", shard=wrong)


@pytest.mark.parametrize("name", ["navila", "navid", "uninavid"])
def test_object_ids_are_not_asked_of_a_format_that_holds_none(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="only RGB and text"):
        collect("vln-demo", *WORLD, out=tmp_path, format=name, semantic=True)
    assert not any(tmp_path.iterdir())


def test_semantic_ids_are_those_of_the_sensor(tmp_path: Path) -> None:
    sensors = SENSORS[:-1] + ", semantic: {width: 96, height: 72, hfov: 79}}"
    world = [f"simulator.sensors={sensors}", *WORLD[1:-1]]
    collect_into(StreamVLN, tmp_path, Wish("vln-demo", world, semantic=True))
    row = annotations(tmp_path)[0]
    env = nav_eval.make_env("vln-demo", overrides=world)
    seen, _ = env.reset(options={"episode": (row["scene_id"], row["episode_ids"][0])})
    np.testing.assert_array_equal(picture(tmp_path / row["video"] / "semantic" / "001.png"), seen["semantic"])
    assert len(np.unique(seen["semantic"])) > 2
    env.close()


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 64)])
def test_a_16_bit_png_is_read_by_pillow(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(0).integers(0, 65536, shape).astype(np.uint16)
    np.testing.assert_array_equal(picture(io.BytesIO(png16(values))), values)


def test_what_cannot_be_collected_is_said_in_a_sentence(written: dict[str, Path], tmp_path: Path) -> None:
    other = "simulator.sensors={rgb: {width: 64, height: 48}, depth: {width: 32, height: 24}}"
    for settings, said in (
        (Wish("vln-demo", [*WORLD, other]), "must be of one camera"),
        (Wish("vln-demo", [*WORLD, "simulator.sensors={rgb: {}}"]), "there is no sensor of type depth"),
        (Wish("vln-demo", WORLD, beta=0.5), "policy and a beta"),
        (Wish("vln-demo", WORLD, policy="localhost:1", beta=0.5), "is not an address"),
        (Wish("vln-demo", [*WORLD, "simulator.sensors.rgb.width=95", "simulator.sensors.depth.width=95"]), "even"),
    ):
        with pytest.raises(ConfigError, match=said):
            collect_into(LeRobot, tmp_path / "none", settings)
    assert not (tmp_path / "none").exists()
    with pytest.raises(ConfigError, match="begun with other settings"):
        collect_into(LeRobot, written["lerobot"], Wish("vln-demo", [*WORLD, "seed=3"]))
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ConfigError, match="holds something else"):
        collect_into(StreamVLN, tmp_path, Wish("vln-demo", WORLD))


def test_a_damaged_collection_is_named(written: dict[str, Path], tmp_path: Path) -> None:
    for name in (JOURNAL, "collection.json"):
        out = tmp_path / name
        shutil.copytree(written["navila"], out)
        (out / name).write_bytes(b"{]\n" + (out / name).read_bytes())
        with pytest.raises(ConfigError, match=rf"{name}: is damaged"):
            collect_into(NaVILA, out, Wish("vln-demo", WORLD))
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file: is a file"):
        collect_into(NaVILA, tmp_path / "file", Wish("vln-demo", WORLD))


def test_without_pyarrow_the_line_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'nav-eval-extras\[collect\]'"):
        collect_into(LeRobot, tmp_path / "none", Wish("vln-demo", WORLD))
