"""nav-eval annotate as people meet it: texts written and followed by keys, kills, attacks, and what is exported."""

from __future__ import annotations

import csv
import gzip
import json
import re
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from extras.playing import (
    Client,
    Hosted,
    Person,
    Window,
    annotate_all,
    asked,
    hosted,
    image,
    lines,
    looks,
    middle,
    nav_eval,
    said,
    same_words,
)
from graphs import write_r2r, write_skyboxes
from nav_eval.core.types import AgentState
from nav_eval.dataset.registry import load_dataset
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.geometry import yaw_rotation
from nav_eval.runs.effective import generated_data
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval_extras.annotate import people
from nav_eval_extras.annotate.checks import faults, questions, turns_of
from nav_eval_extras.annotate.command import annotate
from nav_eval_extras.annotate.consent import Consent
from nav_eval_extras.annotate.desk import Desk, Job
from nav_eval_extras.annotate.export import export_texts
from nav_eval_extras.annotate.film import Film
from nav_eval_extras.annotate.invitations import TEXTS, Invitations
from nav_eval_extras.annotate.journal import Followed, Journal, Pose, Withdrawn, Written
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.annotate.payment import payment_code
from nav_eval_extras.annotate.session import Wish, annotate_benchmark, studio_of
from nav_eval_extras.human.command import human
from once import once, once_folder
from patience import until

SIZE = "{width: 64, height: 48, hfov: 90}"
SMALL = f"simulator.sensors={{rgb: {SIZE}, semantic: {SIZE}, objects: {SIZE}, gps: {{}}, compass: {{}}}}"
ONE = ["vln-demo", "dataset.limit=1", SMALL]
KEYS = {"move_forward": "ArrowUp", "turn_left": "ArrowLeft", "turn_right": "ArrowRight"}
ENGLISH = "Leave through the door, keep going and wait where the film ends, please."
BETTER = "Leave through the door, keep going to the very end and wait there, please."
CONSENT = Consent.read(None)
CHINESE = "从门口出去，一直往前走，走到最后停下来等我。"


def annotating(*arguments: object, out: Path, people: int) -> Any:
    """`nav-eval annotate` in a process of its own."""
    return hosted(*arguments, out=out, people=people, command=("annotate",))


class Annotator(Window):
    """A person at the page, by keys alone."""

    def agree(self) -> None:
        self.page.wait_for_selector("#agree:visible")
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")

    def watch(self) -> list[str]:
        """The film to its end, step by step; the actions that it shows."""
        self.page.wait_for_selector("#film img")
        seen = []
        for place in range(1, self.page.evaluate("state.frames") + 1):
            self.page.wait_for_function("n => state.frame === n - 1 && !busy", arg=place)
            seen.append(self.page.evaluate("state.next"))
            self.page.keyboard.press("ArrowRight")
        return seen

    def write(self, text: str) -> None:
        self.page.focus("#words")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Control+Enter")

    def attend(self) -> None:
        """Pass the check of attention: the button that it names, reached by the key Tab."""
        self.page.wait_for_selector("#attention:visible")
        names = self.page.locator("#attention-choices button").evaluate_all("all => all.map(one => one.value)")
        for _ in range(1 + names.index(self.page.evaluate("state.wanted"))):
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")

    def follow(self, actions: Sequence[str]) -> None:
        """From the start to the question at the end."""
        self.start()
        for action in actions:
            if action != "stop":
                self.press(KEYS[action])
        self.stop()
        self.page.wait_for_selector("#note:visible")

    def judge(self, button: str, note: str = "") -> None:
        self.page.focus("#note-words")
        self.page.keyboard.insert_text(note)
        self.page.keyboard.press("Tab")
        if button == "unclear":
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")


@pytest.fixture(scope="module")
def written(browser: Any) -> tuple[Path, list[str], list[str]]:
    return once("annotated", lambda: written_and_followed(browser, once_folder("texts", lambda _: None)))


def written_and_followed(browser: Any, folder: Path) -> tuple[Path, list[str], list[str]]:
    """A folder with an English and a Chinese text of one path, the path's actions, and what went wrong in browsers."""
    out, windows = folder / "texts", []

    def person(game: Hosted, number: int, **settings: Any) -> Annotator:
        windows.append(Annotator(browser, game.links[number], **settings))
        return windows[-1]

    with annotating(*ONE, out=out, people=3) as game:
        progress, guide = person(game, 0), person(game, 1)
        guide.agree()
        actions = guide.watch()
        guide.write(ENGLISH)
        guide.attend()
        lost = person(game, 2)
        lost.agree()
        lost.follow(["move_forward"])
        lost.judge("clear", "No door\nanywhere.")
        guide.page.wait_for_selector("#back:visible")
        assert guide.page.inner_text("#back-note") == "No door\nanywhere."
        assert "got lost after picture" in guide.page.inner_text("#back-text")
        assert guide.page.input_value("#words") == ENGLISH
        guide.write(BETTER)
        third = person(game, 3, locale="zh-CN", width=360)
        third.agree()
        third.follow(actions)
        third.judge("clear")
        third.page.wait_for_selector("text=全部完成")
        guide.page.wait_for_selector("text=All done")
        assert "1" in progress.page.inner_text("#progress-rows tr:first-child td:last-child")
        assert game.end() == 0
    with annotating(*ONE, "--language", "zh", out=out, people=5) as game:
        guide, early = person(game, 4), person(game, 1)
        early.page.wait_for_selector("text=Nothing to do just now")
        guide.agree()
        guide.watch()
        guide.write(CHINESE)
        follower = person(game, 5)
        follower.agree()
        follower.start()
        follower.press(KEYS[actions[0]])
        follower.press(KEYS[actions[1]])
        game.end(signal.SIGKILL)
    with (out / "annotations.jsonl").open("a") as file:
        file.write('{"type":"Written","person":4,"pa')
    with annotating(*ONE, "--language", "zh", out=out, people=5) as game:
        follower = person(game, 5)
        assert not follower.page.is_visible("#consent")
        follower.page.wait_for_selector("text=at step 2")
        follower.follow(actions[2:])
        follower.judge("clear")
        follower.page.wait_for_selector("text=All done")
        assert game.end() == 0
    gone = "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE"
    wrong = [text for window in windows for text in window.wrong if not any(why in text for why in gone)]
    for window in windows:
        window.page.context.close()
    return out, actions, wrong


def test_two_texts_are_written_and_followed_by_keys(written: Any) -> None:
    out, actions, wrong = written
    assert wrong == []
    events = lines(out / "annotations.jsonl")
    texts = [event for event in events if event["type"] == "Written"]
    walks = [event for event in events if event["type"] == "Followed"]
    assert [text["words"] for text in texts] == [ENGLISH, BETTER, CHINESE]
    assert [(text["person"], text["round"], text["language"]) for text in texts] == [
        (1, 1, "en"), (1, 2, "en"), (4, 1, "zh"),
    ]  # fmt: skip
    assert [(walk["person"], walk["accepted"]) for walk in walks] == [(2, False), (3, True), (5, True)]
    assert walks[0]["note"] == "No door\nanywhere."
    assert walks[0]["lost"] < walks[1]["lost"] == len(actions) - 1
    assert walks[2]["actions"] == actions
    assert walks[2]["metrics"]["ndtw"] > 0.9
    given = [(event["person"], event["path"]) for event in events if event["type"] == "Given"]
    assert len(set(given)) == len(given) == 5


@pytest.fixture(scope="module")
def exported(written: Any) -> Path:
    return once_folder("exported", lambda folder: export(written[0], folder))


def export(out: Path, folder: Path) -> None:
    config = benchmark_config("vln-demo", overrides=ONE[1:])
    export_texts(config, out, Wish("en", 1, 1, "", CONSENT), folder)


@pytest.mark.parametrize("name", ["r2r-ce/train", "rxr-ce/train_guide", "rxr-ce/train_follower"])
def test_an_export_is_read_and_valid(exported: Path, written: Any, name: str) -> None:
    file = exported / f"{name}.json.gz"
    assert nav_eval("validate", file) == 0
    english, chinese = sorted(load_dataset(name.partition("/")[0], str(file)), key=lambda one: one.instruction.language)
    assert (english.instruction.text, chinese.instruction.text) == (BETTER, CHINESE)
    assert (english.instruction.language, chinese.instruction.language) == ("en", "zh")
    assert list(english.gt_actions or ()) == written[1]
    steps = written[1].count("move_forward")
    assert len(english.gt_locations or ()) == steps + 1
    source = next(iter(load_dataset("r2r-ce", source_file())))
    assert (english.start_position, english.goals) == (source.start_position, source.goals)
    if "follower" in name:
        assert english.reference_path == english.gt_locations
    else:
        assert english.reference_path == source.reference_path


def source_file() -> str:
    with opened(benchmark_config("vln-demo", overrides=ONE[1:])) as plan:
        return str(plan.episodes.dataset.files[0])


EPISODE = (
    "episode_id", "trajectory_id", "scene_id", "start_position", "start_rotation", "info", "goals", "instruction",
    "reference_path",
)  # fmt: skip
"""What VLN-CE takes, and no other key."""


def records(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file) as stream:
        return list(json.load(stream)["episodes"])


def test_an_export_has_the_fields_of_rxr_and_vln_ce(exported: Path) -> None:
    guides, followers = (records(exported / "rxr-ce" / f"train_{role}.json.gz") for role in ("guide", "follower"))
    for guide, follower in zip(guides, followers, strict=True):
        told = guide["instruction"]
        assert told.keys() == {
            "instruction_id", "instruction_text", "language", "annotator_id", "timed_instruction", "edit_distance",
        }  # fmt: skip
        assert follower["instruction"] | {"annotator_id": 0} == told | {"annotator_id": 0}
        assert follower["info"]["metrics"].keys() == {"ne", "sr", "spl", "dtw", "ndtw", "sdtw"}
        assert follower["info"]["metrics"]["sr"] == 1.0
        assert follower.keys() == guide.keys() == set(EPISODE)
    assert len({one["instruction"]["annotator_id"] for one in (*guides, *followers)}) == 4
    with gzip.open(exported / "r2r-ce" / "train.json.gz") as stream:
        content = json.load(stream)
    listed = content["instruction_vocab"]["word_list"]
    for episode in content["episodes"]:
        spelled = [listed[number] for number in episode["instruction"]["instruction_tokens"] if number]
        assert "".join(spelled) == "".join(episode["instruction"]["instruction_text"].lower().split())
        assert type(episode["episode_id"]) is type(episode["trajectory_id"]) is int


def test_pose_traces_are_of_whoever_wrote_and_walked(exported: Path, written: Any) -> None:
    events = {event["words"]: event for event in lines(written[0] / "annotations.jsonl") if event["type"] == "Written"}
    for row in records(exported / "rxr-ce" / "train_guide.json.gz"):
        stem = exported / "pose_traces" / "rxr_train" / f"{row['instruction']['instruction_id']:06}"
        guide, follower = (np.load(f"{stem}_{role}_pose_trace.npz") for role in ("guide", "follower"))
        trace = events[row["instruction"]["instruction_text"]]["trace"]
        assert guide["time"][:, 0] == pytest.approx([pose[0] for pose in trace])
        assert follower["extrinsic_matrix"].shape == (len(written[1]) + 1, 16)
        assert (np.diff(follower["time"][:, 0]) >= 0).all()
        matrices = follower["extrinsic_matrix"].reshape(-1, 4, 4)
        start = [*row["start_position"]]
        assert matrices[0, :3, 3] == pytest.approx([start[0], start[1] + 1.25, start[2]], abs=1e-4)
        assert np.linalg.det(matrices[:, :3, :3]) == pytest.approx(1.0, abs=1e-4)
        assert guide["intrinsic_matrix"][0].reshape(4, 4)[0] == pytest.approx([32, 0, 32, 0])


def test_an_export_leads_nobody_back(exported: Path, written: Any, tmp_path: Path) -> None:
    raw = b"".join(gzip.decompress(file.read_bytes()) for file in exported.rglob("*.json.gz"))
    for secret in (b"person", b"Person", b"2026", *(event["text"].encode() for event in texts_of(written[0]))):
        assert secret not in raw
    orders: set[tuple[int, ...]] = set()
    for number in range(12):
        if len(orders) < 2:
            export(written[0], tmp_path / str(number))
            rows = records(tmp_path / str(number) / "rxr-ce" / "train_guide.json.gz")
            orders.add(tuple(row["instruction"]["annotator_id"] for row in rows))
    assert len(orders) > 1, "twelve times the same of twelve possible pairs"


def texts_of(out: Path) -> list[dict[str, Any]]:
    return [event for event in lines(out / "annotations.jsonl") if event["type"] == "Written"]


def test_statistics_stand_beside_the_texts_of_the_data_set(exported: Path) -> None:
    found = json.loads((exported / "statistics.json").read_text())
    assert found["en"]["written"] == {"texts": 1, "mean_length": 17.0, "word_types": 15, "share_accepted": 0.5}
    assert found["zh"]["written"]["share_accepted"] == 1.0
    assert found["en"]["given"]["texts"] + found["zh"]["given"]["texts"] == 1


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Hosted, Path, list[Person]]]:
    """Two people of whom the first has written."""
    out = tmp_path / "texts"
    with annotating(*ONE, out=out, people=2) as game:
        people = [Person(link) for link in game.links[1:]]
        people[0].agree()
        people[0].write(ENGLISH)
        yield game, out, people


def test_a_follower_is_sent_neither_goal_nor_path_nor_the_guide_who_is_sent_no_name(two: Any) -> None:
    """Nobody follows their own text or sees a path twice; and a foreign key opens nothing."""
    _, out, (guide, follower) = two
    for key in ("", "x" * 32, guide.key[:-1], guide.key + "x"):
        assert guide.ask("POST", "/wait", b'{"page":"client","seen":-1}', key=key)[0] == 401
    for path in ("/annotations.jsonl", "/invitations.json", "/../annotations.jsonl"):
        assert guide.ask("GET", path)[0] == 404
    guide.state("idle")
    follower.agree()
    shown = follower.state("ready")
    assert shown["instruction"]["text"] == ENGLISH
    assert follower.send("at:3") == 400
    assert follower.send("check", "where?") == 400
    follower.play(["move_forward", "turn_left", "stop"])
    follower.state("note")
    assert follower.send("send", "x") == 400
    assert follower.send("unclear", "nothing fits") == 204
    shown = guide.state("write")
    assert shown["back"]["text"] == ENGLISH
    assert shown["frame"] == shown["back"]["lost"] < shown["frames"] // 2
    guide.write(BETTER)
    assert [guide.state("idle")["phase"], follower.state("idle")["phase"]] == ["idle", "idle"]
    assert b'"person"' not in guide.heard
    texts = texts_of(out)
    assert [text["round"] for text in texts] == [1, 2]
    source = next(iter(load_dataset("r2r-ce", source_file())))
    points = {f"{number:.3f}" for point in (*source.reference_path, source.goals[0].position) for number in point}
    heard = re.sub(rb'"data:[^"]*"', b"", bytes(follower.heard)).decode()
    assert not [one for one in (*points, source.scene_id, texts[0]["text"], texts[0]["path"]) if one in heard]
    assert set(re.findall(r'"(\w+)":', heard)) <= {
        "phase", "turn", "version", "consent", "texts", "en", "zh", "episode", "episodes", "practice", "instruction",
        "text", "language", "limit", "step", "actions", "ways", "pictures", "name", "data", "goal", "error",
        "code", "wanted", "around", "writes", "said",
    }  # fmt: skip


def codes(out: Path) -> list[dict[str, str]]:
    with (out / "codes.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_whoever_has_worked_is_told_a_code_and_withdrawing_voids_it(two: Any, tmp_path: Path) -> None:
    game, out, (guide, follower) = two
    code = guide.state("idle")["code"]
    assert re.fullmatch(r"(?:[A-Z2-7]{4}-){2}[A-Z2-7]{4}", code)
    assert (out / "codes.csv").stat().st_mode & 0o777 == 0o600
    until(lambda: [row["state"] for row in codes(out)] == ["valid", "open"])
    follower.agree()
    follower.state("ready")
    assert codes(out)[1]["code"].encode() not in follower.heard
    assert codes(out)[0]["code"] == code
    assert game.end(signal.SIGKILL) != 0
    with annotating(*ONE, out=out, people=2) as game:
        guide = Person(game.links[1])
        assert guide.state("idle")["code"] == code
        assert guide.send("withdraw") == 204
        assert guide.state("withdrawn")["code"] is None
        until(lambda: codes(out)[0]["state"] == "void")
        assert (codes(out)[0]["code"], codes(out)[0]["texts"]) == (code, "0")


def test_codes_cannot_be_made_without_the_organisers_secret() -> None:
    made = {payment_code("secret", person) for person in range(1, 1001)}
    assert len(made) == 1000
    assert made.isdisjoint(payment_code("another", person) for person in range(1, 1001))
    assert payment_code("secret", 7) == payment_code("secret", 7)


def test_a_check_that_is_failed_and_work_that_nobody_can_do_are_seen(two: Any) -> None:
    game, out, (guide, follower) = two
    guide.state("idle")
    follower.attends = False
    follower.agree()
    follower.play(["move_forward"] * 3 + ["stop"])
    assert follower.state("note")["instruction"]["text"] == texts_of(out)[0]["words"], "to be read again"
    follower.send("unclear")
    wanted = follower.state("attention")["wanted"]
    assert follower.send("unclear") == 400
    follower.send("stop" if wanted != "stop" else "turn_left")
    follower.state("idle")
    until(lambda: codes(out)[1]["failed"] == "1")
    asked = [
        (event["person"], event["passed"]) for event in lines(out / "annotations.jsonl") if event["type"] == "Attended"
    ]
    assert asked == [(1, True), (2, False)]
    told = Client(game.links[0])
    told.call("claim")
    remarks = told.state("progress")["remarks"]
    assert remarks == [
        {"person": 1, "checks": 1, "failed": 0, "hasty": 1, "only_forward": 0},
        {"person": 2, "checks": 1, "failed": 1, "hasty": 1, "only_forward": 1},
    ]
    assert [codes(out)[1][name] for name in ("checks", "failed", "hasty", "only_forward")] == ["1"] * 4


def test_who_withdraws_is_deleted_and_does_nothing_more(two: Any, tmp_path: Path) -> None:
    game, out, (guide, follower) = two
    follower.agree()
    follower.state("ready")
    follower.press("start")
    follower.state("play")
    assert follower.send("move_forward") == 204
    until(lambda: (out / "decisions" / "2").exists())
    assert guide.send("withdraw") == 204
    guide.state("withdrawn")
    assert guide.send("send", BETTER) == 409
    assert ENGLISH not in (out / "annotations.jsonl").read_text()
    follower.state("play")
    assert follower.send("stop") == 204
    follower.state("note")
    assert follower.send("clear") == 204
    follower.state("idle")
    assert follower.send("withdraw") == 204
    follower.state("withdrawn")
    assert not (out / "decisions" / "2").exists()
    assert [(event["type"], event["person"]) for event in lines(out / "annotations.jsonl")] == [
        ("Withdrawn", 1), ("Withdrawn", 2),
    ]  # fmt: skip
    assert game.end(signal.SIGTERM) == 143
    with annotating(*ONE, out=out, people=2) as game:
        again = Person(game.links[1])
        assert again.key == guide.key
        again.state("withdrawn")
        assert again.send("agree") == 409


def test_what_is_faulty_is_not_taken_and_what_is_asked_back_is(tmp_path: Path) -> None:
    out = tmp_path / "texts"
    with annotating(*ONE, out=out, people=1) as game:
        guide = Person(game.links[1])
        guide.agree()
        turn = guide.state("write")["turn"]
        guide.send("send", ENGLISH)
        shown = guide.state("write", turn)
        assert [one["key"] for one in shown["faults"]] == ["not_watched"]
        guide.send(f"at:{shown['frames'] - 1}")
        turn = guide.state("write", shown["turn"])["turn"]
        for text, key in (("Go on.", "too_short"), ("word " * 350, "too_long"), (CHINESE, "not_en")):
            assert guide.send("send", text) == 204
            shown = guide.state("write", turn)
            assert [one["key"] for one in shown["faults"]] == [key]
            turn = shown["turn"]
        assert guide.send("at:100000") == 400
        assert guide.send("send", "Turn left, turn right, turn left, turn right, turn left at the teddy bear.") == 204
        guide.state("idle")
    assert texts_of(out)[0]["asked"] == ["turns_right", "unseen"] or texts_of(out)[0]["asked"][0].startswith("turns_")


def followed(out: Path) -> list[dict[str, Any]]:
    return [event for event in lines(out / "annotations.jsonl") if event["type"] == "Followed"]


def test_an_agent_that_follows_first_accepts_or_leaves_it_to_people(tmp_path: Path) -> None:
    source = next(one for one in load_dataset("r2r-ce", source_file()) if one.episode_id == "2")
    assert source.instruction is not None
    for text, accepted in ((source.instruction.text, True), ("Xyzzy plugh foo bar baz qux.", False)):
        out = tmp_path / str(accepted)
        arguments = ["vln-demo", "dataset.episodes=[2]", "--sieve", "grounded"]
        with annotating(*arguments, "--language", source.instruction.language, out=out, people=2) as game:
            guide = Person(game.links[1])
            guide.agree()
            guide.write(text)
            until(lambda out=out: followed(out))
            [walk] = followed(out)
            assert (walk["agent"], walk["person"], walk["accepted"]) == ("grounded", 0, accepted)
            if accepted:
                assert game.end() == 0
            else:
                other = Person(game.links[2])
                other.agree()
                assert other.state("ready")["instruction"]["text"] == text


def test_several_people_work_at_once_until_every_path_has_its_text(tmp_path: Path) -> None:
    """Four, where nobody says how many."""
    out = tmp_path / "texts"
    with hosted("vln-demo", SMALL, out=out, command=("annotate",)) as game:
        until(lambda: len(game.links) == 5)
        annotate_all(game.links[1:])
        assert game.end() == 0
    assert "3 texts accepted, 0 paths dropped" in game.said
    given = [(event["person"], event["path"]) for event in lines(out / "annotations.jsonl") if event["type"] == "Given"]
    assert len(set(given)) == len(given) == 6


@pytest.mark.parametrize(
    ("own", "sieve", "told"),
    [
        (["task.actions=[stop,velocity]"], "", "not for stop, velocity"),
        (["simulator.sensors={gps: {}}"], "", "a person needs a picture"),
        ([], "shortest_path", "knows the goal"),
        (["hidden"], "", "has no goal"),
    ],
)
def test_what_nobody_can_annotate_is_refused(tmp_path: Path, own: list[str], sieve: str, told: str) -> None:
    own = hidden(tmp_path) if own == ["hidden"] else own
    config = benchmark_config("vln-demo", overrides=[*ONE[1:], *own])
    wish = Wish("en", 1, 1, sieve, CONSENT)
    with pytest.raises(ConfigError, match=told):
        annotate_benchmark(config, tmp_path / "texts", wish, "127.0.0.1", 0, pytest.fail)


def hidden(folder: Path) -> list[str]:
    """The episodes as a split of test has them, in the home that the others are played in."""
    source = Path(source_file())
    content = json.loads(gzip.decompress(source.read_bytes()))
    for episode in content["episodes"]:
        del episode["info"], episode["goals"], episode["reference_path"]
    file = folder / "test.json.gz"
    file.write_bytes(gzip.compress(json.dumps(content).encode()))
    scenes = generated_data(benchmark_config("vln-demo")).simulator.scenes_dir
    return [f"dataset.data_path={file}", f"simulator.scenes_dir={scenes}"]


def test_texts_on_a_graph_are_r2rs_own_file(tmp_path: Path) -> None:
    own = [*write_r2r(tmp_path), f"simulator.skybox_dir={tmp_path}", "+simulator.sensors.skybox={width: 8}"]
    config, out, wish = benchmark_config("r2r", overrides=own), tmp_path / "texts", Wish("en", 2, 1, "", CONSENT)
    with studio_of(config, out, wish) as (studio, _):
        for path in studio.episodes:
            studio.desk.take(1)
            told = text(studio.desk, 1, path)
            studio.desk.take(2)
            walk(studio.desk, 2, told, accepted=True)
    with studio_of(config, out, replace(wish, language="zh")) as (studio, _):
        path, *_ = studio.episodes
        studio.desk.take(3)
        told = text(studio.desk, 3, path, 2, "zh")
        studio.desk.take(4)
        walk(studio.desk, 4, told, accepted=True)
    english, chinese, _ = export_texts(config, out, wish, tmp_path / "exported")
    assert (english.name, chinese.name) == ("R2R_train.json", "R2R_train_zh.json")
    original = json.loads((tmp_path / "R2R_val.json").read_text())
    told_of = [path | {"instructions": ["w"]} for path in original]
    assert json.loads(english.read_text()) == told_of
    assert json.loads(chinese.read_text()) == told_of[:1]


def test_a_film_on_a_graph_looks_along_the_path(tmp_path: Path) -> None:
    """East by three steps; south by two, then east. Episodes begin at the heading of the data set, 30 degrees."""
    own = [*write_r2r(tmp_path), *write_skyboxes(tmp_path)]
    config = benchmark_config("r2r", overrides=own)
    with studio_of(config, tmp_path / "texts", Wish("en", 1, 1, "", CONSENT)) as (studio, _):
        films = [studio.film(path) for path in studio.episodes]
    headings = [[middle(image(one["data"])) % 360 for (one,) in film.frames] for film in films]
    assert headings[0] == pytest.approx([30, 90, 90, 90], abs=4)
    assert headings[1] == pytest.approx([30, 180, 180, 90], abs=4)
    assert [films[1].way_on(frame) for frame in range(4)] == [-150, 0, 90, None]
    assert [turns_of(film.states) for film in films] == [["right"], ["right", "left"]]


def test_paths_that_r2r_cannot_hold_are_refused(tmp_path: Path) -> None:
    own = [*write_r2r(tmp_path), f"simulator.skybox_dir={tmp_path}", "+simulator.sensors.skybox={width: 8}"]
    items = json.loads((tmp_path / "R2R_val.json").read_text())
    fine = [one | {"new_instructions": "[]", "chunk_view": []} for one in items]
    (tmp_path / "R2R_val.json").write_text(json.dumps(fine))
    config = benchmark_config("r2r", overrides=[*own, "dataset.type=fgr2r"])
    with pytest.raises(ConfigError, match="fgr2r: on a navigation graph"):
        export_texts(config, tmp_path / "texts", Wish("en", 2, 1, "", CONSENT), tmp_path / "exported")


def test_an_export_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no text of these paths was accepted"):
        export(tmp_path / "texts", tmp_path / "exported")


def test_the_pages_fit_speak_and_can_be_used_by_all(browser: Any, axe: str, tmp_path: Path) -> None:
    with annotating(*ONE, "--language", "zh", out=tmp_path / "texts", people=2) as game:
        progress, guide = (Annotator(browser, link, locale="zh-CN", width=360) for link in game.links[:2])
        progress.page.wait_for_selector("#progress-rows td")
        looks(progress, axe)
        guide.page.wait_for_selector("#agree:visible")
        looks(guide, axe)
        guide.agree()
        guide.watch()
        guide.page.keyboard.press("1")
        guide.page.wait_for_function("() => state.frame === 0 && !busy")
        guide.page.keyboard.press("Space")
        guide.page.wait_for_function("() => state.frame > 1")
        guide.page.keyboard.press("Space")
        guide.page.wait_for_function("() => !playing && !busy")
        guide.write("往右转，往左转，往右转，往左转，走到泰迪熊旁边。")
        guide.page.wait_for_selector("#sure[open]")
        looks(guide, axe)
        guide.page.keyboard.press("Escape")
        guide.page.reload()
        guide.page.wait_for_selector("#film img")
        assert guide.page.input_value("#words").endswith("泰迪熊旁边。")
        looks(guide, axe)
        guide.page.click("#language")  # so that it is asked back in English too
        guide.page.keyboard.press("Control+Enter")
        guide.page.wait_for_selector("#sure[open]")
        looks(guide, axe)
        guide.page.keyboard.press("Tab")
        guide.page.keyboard.press("Enter")
        guide.page.wait_for_selector("#attention:visible")
        looks(guide, axe)
        follower = Annotator(browser, game.links[2], width=360)
        follower.agree()
        follower.follow([])
        looks(follower, axe)
        follower.page.click("#withdraw")
        follower.page.wait_for_selector("#leave[open]")
        looks(follower, axe)
        follower.page.keyboard.press("Tab")
        follower.page.keyboard.press("Enter")
        follower.page.wait_for_selector("text=You have withdrawn")
        assert [*progress.wrong, *guide.wrong, *follower.wrong] == []


HEARS = """() => {
  class Recognition extends EventTarget {
    start() { window.heard = this; }
    stop() { this.dispatchEvent(new Event("end")); }
    say(text) {
      const result = Object.assign([{ transcript: text }], { isFinal: true });
      this.dispatchEvent(Object.assign(new Event("result"), { resultIndex: 0, results: [result] }));
    }
    fail(error) { this.dispatchEvent(Object.assign(new Event("error"), { error })); this.stop(); }
  }
  delete window.SpeechRecognition;
  window.webkitSpeechRecognition = %s;
}"""
"""A browser that hears what it is told; the real one needs a microphone and its maker's service."""


@pytest.mark.parametrize(
    ("language", "code", "text"),
    [("en", "en-US", "Leave through the door. turn left"), ("zh", "zh-CN", "从门口出去。向左转")],
)
def test_a_text_can_be_dictated_and_stays_editable(
    browser: Any, axe: str, tmp_path: Path, language: str, code: str, text: str
) -> None:
    with annotating(*ONE, "--language", language, out=tmp_path / "texts", people=1) as game:
        guide = Annotator(browser, game.links[1], width=360)
        guide.page.add_init_script(f"({HEARS % 'undefined'})()")
        guide.page.reload()
        guide.agree()
        guide.page.wait_for_selector("#film img")
        assert not guide.page.is_visible("#dictate"), "where a browser hears nothing there is no button"
        guide.page.add_init_script(f"({HEARS % 'Recognition'})()")
        guide.page.reload()
        guide.page.wait_for_selector("#film img")
        guide.page.focus("#dictate")
        guide.page.keyboard.press("Enter")
        guide.page.wait_for_function("() => Boolean(window.heard)")
        assert guide.page.evaluate("heard.lang") == code
        looks(guide, axe)
        typed, spoken = text.split(" ", 1) if language == "en" else (text[:6], text[6:])
        for part in (typed, spoken):
            guide.page.evaluate("part => heard.say(part)", part)
        assert guide.page.input_value("#words") == text
        guide.page.focus("#words")
        guide.page.keyboard.press("End")
        guide.page.keyboard.insert_text("!")
        assert guide.page.input_value("#words") == text + "!"
        guide.page.click("#dictate")
        assert "Dictate" in guide.page.inner_text("#dictate")
        guide.page.click("#dictate")
        guide.page.evaluate("heard.fail('not-allowed')")
        assert "Please type" in guide.page.inner_text("#dictate-text")
        assert guide.wrong == []


def test_both_languages_say_the_same() -> None:
    page = files("nav_eval_extras.annotate") / "page"
    english, chinese = said(page / "annotate-words.js", "Object.assign(WORDS.zh", 2)
    same_words(english, chinese)
    theirs, _ = said(files("nav_eval_extras.human") / "page" / "words.js", "  zh: {", 4)
    assert asked(page / "annotate.js", page / "page.html") <= english.keys() | theirs.keys()
    told = {f"state_{name}" for name in ("accepted", "waiting", "returned", "writing", "open", "dropped")}
    assert told <= english.keys()
    content = (page / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?! src=\"[a-z.-]+\" defer></script>)|<style| style=| on[a-z]+=|https?:", content)


def text(desk: Desk, person: int, path: str, number: int = 1, language: str = "en") -> Written:
    written = Written(
        person=person, path=path, language=language, text=f"{path}{number}", words="w", round=number, seconds=60.0
    )
    desk.record(written)
    return written


def walk(desk: Desk, person: int, told: Written, *, accepted: bool, agent: str = "") -> None:
    metrics = {"success": float(accepted), "ndtw": 0.9 if accepted else 0.2}
    verdict = {"metrics": metrics, "clear": True, "lost": 3, "accepted": accepted, "seconds": 30.0, "agent": agent}
    desk.record(Followed(person=person, path=told.path, text=told.text, **verdict))


def test_a_path_is_dropped_after_its_rounds(tmp_path: Path) -> None:
    desk = Desk(Journal(tmp_path), ["a"], "en", rounds=2)
    assert desk.take(1) == Job("guide", "a")
    assert desk.take(2) is None
    first = text(desk, 1, "a")
    assert desk.take(2) == desk.take(2) == Job("follower", "a", first)
    assert desk.take(3) is None, "one follower at a time"
    walk(desk, 2, first, accepted=False)
    returned = desk.take(1)
    assert returned is not None
    assert (returned.role, returned.text, returned.verdict and returned.verdict.lost) == ("guide", first, 3)
    second = text(desk, 1, "a", 2)
    assert desk.take(2) is None, "the path was seen"
    assert desk.take(3) == Job("follower", "a", second)
    walk(desk, 3, second, accepted=False)
    assert (desk.state("a"), desk.done, desk.take(1)) == ("dropped", True, None)
    progress = desk.progress()
    assert (progress["rejected"], progress["hours"], progress["reached"], progress["ndtw"]) == (2, None, 0.0, 0.2)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> float:
    """Seconds after which a page that nobody looks at is left for good."""
    monkeypatch.setattr(people, "AWAY_SECONDS", 0.4)
    return 0.4


def test_what_somebody_left_lying_goes_to_another(tmp_path: Path, impatient: float) -> None:
    desk = Desk(Journal(tmp_path), ["a"], "en", rounds=3)
    games = {person: OwnGame() for person in range(1, 6)}
    for person, game in games.items():
        desk.meet(person, game)

    def take(person: int) -> Any:
        """At a page that asks for news."""
        games[person].claim("page")
        games[person].wait("page", -1, 0)
        return desk.take(person)

    assert desk.take(1) is None, "nobody is at the page"
    assert take(1) == Job("guide", "a")
    assert take(2) is None
    time.sleep(impatient)
    assert take(1) == Job("guide", "a"), "goes on, for nobody has it yet"
    time.sleep(impatient)
    assert take(2) == Job("guide", "a")
    assert (games[1].taken, take(1), desk.state("a")) == (True, None, "writing")
    text(desk, 1, "a")
    assert desk.state("a") == "writing", "who comes back with a text is too late"
    told = text(desk, 2, "a")
    assert take(3) == Job("follower", "a", told)
    assert take(4) is None
    time.sleep(impatient)
    assert take(4) == Job("follower", "a", told)
    walk(desk, 3, told, accepted=True)
    assert desk.state("a") == "waiting"
    walk(desk, 4, told, accepted=False)
    assert take(2).text == told, "its guide may write again"
    assert take(5) is None
    time.sleep(impatient)
    assert take(5) == Job("guide", "a", round=2), "from the start, not the other's text"
    text(desk, 5, "a", 2)
    assert desk.state("a") == "waiting"


def test_a_guide_who_comes_back_too_late_is_given_something_else(tmp_path: Path, impatient: float) -> None:
    links: list[str] = []
    config = benchmark_config(ONE[0], overrides=ONE[1:])
    wish = Wish("en", 3, 1, "", Consent.read(None))
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(annotate_benchmark, config, tmp_path, wish, "127.0.0.1", 0, links.extend)
        until(lambda: links)
        early, late, follower = map(Person, links[1:])
        early.agree()
        turn = early.state("write")["turn"]
        time.sleep(impatient)
        late.agree()
        late.state("write")
        early.state("idle")
        assert early.call("choose", turn=turn, choice="send", text=ENGLISH)[0] == 409
        late.write(BETTER)
        follower.agree()
        follower.play(["stop"])
        follower.state("note")
        follower.send("clear")
        assert done.result()["states"]["dropped"] == 1
    assert [one["words"] for one in texts_of(tmp_path)] == [BETTER]


def test_a_second_start_knows_all_that_was_sent(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    desk = Desk(journal, ["a", "b"], "en", rounds=2)
    desk.take(1)
    told = text(desk, 1, "a")
    desk.take(2)
    walk(desk, 2, told, accepted=True)
    with pytest.raises(RunDirectoryError, match="another nav-eval run is writing here"):
        Journal(tmp_path)
    journal.close()
    again = Desk(Journal(tmp_path), ["a", "b"], "en", rounds=2)
    assert [one.text for one, _ in again.accepted()] == [told.text]
    assert again.progress() == desk.progress()
    assert again.progress()["hours"] == pytest.approx(90 / 3600)
    assert (again.take(1), again.done) == (Job("guide", "b"), False)


def test_a_text_waits_for_the_sieve_and_whoever_withdraws_frees_the_path(tmp_path: Path) -> None:
    desk = Desk(Journal(tmp_path), ["a"], "en", rounds=2, sieve="grounded")
    desk.take(1)
    told = text(desk, 1, "a")
    assert (desk.to_sieve(), desk.take(2)) == (told, None)
    walk(desk, 0, told, accepted=False, agent="grounded")
    assert (desk.to_sieve(), desk.take(2)) == (None, Job("follower", "a", told))
    desk.withdraw(1)
    assert desk.state("a") == "open"
    assert desk.record(Withdrawn(person=1)) is False
    walk(desk, 2, told, accepted=True)
    assert desk.state("a") == "open", "a walk by a text that is gone counts for nothing"
    assert desk.take(3) == Job("guide", "a")


def test_who_comes_back_after_the_end_is_deleted_by_command(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    desk = Desk(journal, ["a"], "en", rounds=2)
    desk.take(1)
    told = text(desk, 1, "a")
    desk.take(2)
    walk(desk, 2, told, accepted=True)
    journal.close()
    with pytest.raises(ConfigError, match="nobody was invited"):
        annotate(out=tmp_path, withdraw=1)
    Invitations.of(tmp_path, TEXTS, 2)
    with pytest.raises(ConfigError, match="2 people were invited"):
        annotate(out=tmp_path, withdraw=3)
    with pytest.raises(ConfigError, match="was begun by nav-eval annotate"):
        human(out=tmp_path, withdraw=1)
    assert annotate(out=tmp_path, withdraw=1) == 0
    assert texts_of(tmp_path) == []
    assert [row["state"] for row in codes(tmp_path)] == ["void", "valid"]
    assert Desk(Journal(tmp_path), ["a"], "en", rounds=2).state("a") == "open"


def states(*yaws: float, step: float = 0.5) -> list[AgentState]:
    """A walk that looks this way (degrees) at each step."""
    return [AgentState((step * index, 0.0, 0.0), yaw_rotation(np.radians(yaw))) for index, yaw in enumerate(yaws)]


def test_the_turns_of_a_walk_are_those_that_somebody_would_tell() -> None:
    assert turns_of(states(0, 0, 0, 0)) == []
    assert turns_of(states(0, 15, 0, 15, 0, 0, 0, 0)) == []
    assert turns_of(states(0, 30, 60, 90, 90, 90, 90, 60, 30, 0)) == ["left", "right"]
    assert turns_of(states(0, -45, -90, -135, -170, -170, -170)) == ["both"]
    assert turns_of(states(0, 45, 90, 90, 135, 135, 90, 90, 45, 0)) == ["left", "right"], "no metre straight between"


NAMES = {
    "bed": ["bed"],
    "stand": ["stand"],
    "tree": ["coat stand"],
    "nightstand": ["nightstand", "bedside table"],
    "table": ["table"],
    "sofa": ["couch", "sofa"],
    "bag": ["bag"],
    "bin": ["garbage can"],
}


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("Turn left at the table and then turn right.", []),
        ("Go to the right.", []),
        ("The lamp on your right stays there.", []),
        ("Turn right, then take a sharp left.", ["turns_left"]),
        ("Turn left, turn left.", ["turns_left"]),
        ("Pass both tables and the couches.", ["unseen couch"]),
        ("Stop at the bedside table.", ["unseen bedside table"]),
        ("Stop at the tablet.", []),
        ("Stop at the stand.", []),
        ("Stop at the bag.", ["unseen bag"]),
    ],
)
def test_sides_and_things_are_asked_back(words: str, keys: list[str]) -> None:
    found = questions(words, "en", ["left", "right"], NAMES, {"table", "bed", "tree", "bin"})
    assert [" ".join(filter(None, (one["key"], one.get("name")))) for one in found] == keys


def test_chinese_is_asked_back_too() -> None:
    names = {"sofa": ["沙发"], "table": ["桌子"], "coats": ["衣架"], "rack": ["挂衣架"]}
    found = questions("左转，经过沙发和桌子，再往右拐到衣架。", "zh", ["left"], names, {"table", "rack"})
    assert found == [{"key": "turns_right", "words": "右拐"}, {"key": "unseen", "name": "沙发"}]
    names = {"bed": ["床"], "nightstand": ["床头柜"], "bag": ["包"], "backpack": ["背包"]}
    found = questions("走到床和包的旁边停下。", "zh", [], names, {"nightstand", "backpack"})
    assert found == [{"key": "unseen", "name": "床"}], "a backpack is a bag, and a bedside table no bed"
    assert [one["key"] for one in faults("Go to the kitchen and stop there.", "zh")] == ["not_zh"]
    assert faults(CHINESE, "zh") == faults(ENGLISH, "en") == []


def test_the_place_where_a_follower_got_lost() -> None:
    film = Film(states=states(*[0.0] * 20))
    places = ((0, 0), (1, 0.2), (2, 0.5), (2, 3), (9, 3), (9, 0))
    poses = [Pose(0.0, (x, 0.0, z), (0.0, 0.0, 0.0, 1.0)) for x, z in places]
    assert film.kept_until(poses[:1]) == 2
    assert film.kept_until(poses) == 5
    assert film.kept_until([Pose.of(state, 0.0) for state in film.states]) == 19


def test_another_consent_is_asked_for_anew(tmp_path: Path) -> None:
    own = tmp_path / "consent.txt"
    own.write_text("Do you agree?")
    assert Consent.read(own).version != Consent.read(None).version
    own.write_text(" ")
    with pytest.raises(ConfigError, match="is empty"):
        Consent.read(own)
    with pytest.raises(ConfigError, match="cannot be read"):
        Consent.read(tmp_path / "nothing")
