"""nav-eval human --people as its people meet it: each episode to so many, no path twice; kills, withdrawal."""

from __future__ import annotations

import csv
import json
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import eq
from pathlib import Path
from typing import Any

import pytest

from extras.playing import Client, Hosted, Person, Window, actions, hosted, lines, looks, nav_eval, small_room
from nav_eval.errors import ConfigError
from nav_eval.runs.registry import benchmark_config
from nav_eval_extras.annotate.consent import PLAYING, Consent
from nav_eval_extras.annotate.journal import Journal
from nav_eval_extras.annotate.playing import Crowd, play_together
from nav_eval_extras.annotate.plays import Plays
from nav_eval_extras.human.play import for_people
from patience import PATIENCE, until

MOVES = {1: ["turn_left", "stop"], 2: ["turn_right", "move_forward", "stop"], 3: ["move_forward", "stop"]}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return small_room(tmp_path_factory.mktemp("room"), 3)


def playing(room: list[str], out: Path, *more: object) -> Any:
    return hosted(*room, "--each", 2, *more, out=out, people=3)


def met(game: Hosted) -> list[Person]:
    return [Person(link) for link in game.links[1:]]


def codes(out: Path) -> list[dict[str, str]]:
    with (out / "codes.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_episode_is_played_by_so_many_and_runs_hold_what_they_did(room: list[str], tmp_path: Path) -> None:
    out, more = tmp_path / "study", ("--practice", 1, "--show-results")
    with playing(room, out, *more) as game:
        first = met(game)[0]
        first.agree()
        assert first.state("ready")["practice"]
        first.play(["move_forward", "stop"])
        ready = first.state("ready", first.answered + 1)
        assert not ready["practice"]
        first.press("start")
        first.state("play", ready["turn"])
        first.send("turn_left")
        until((out / "decisions" / "1" / "decisions.jsonl").exists)
        game.end(signal.SIGKILL)
    with playing(room, out, *more) as game, ThreadPoolExecutor(3) as pool:
        people = met(game)
        assert people[0].state("ready")["step"] == 1, "goes on within the episode"
        people[0].play(["stop"])
        working = [pool.submit(person.play_on, MOVES[place]) for place, person in enumerate(people, 1)]
        told = [done.result(PATIENCE) for done in working]
        assert game.end() == 0
    events = lines(out / "annotations.jsonl")
    given = [(event["person"], event["path"]) for event in events if event["type"] == "Given"]
    assert len(set(given)) == len(given) == 6
    assert set(Counter(path for _, path in given).values()) == {2}
    practised = [(event["person"], event["episode"]) for event in events if event["type"] == "Practised"]
    assert sorted(person for person, _ in practised) == [1, 2, 3], "not again after the kill"
    assert len({episode for _, episode in practised}) == 1
    assert not {episode for _, episode in practised} & {path for _, path in given}
    plays = [event for event in events if event["type"] == "Played"]
    assert all(play["actions"] == MOVES[play["person"]] for play in plays)
    of_runs = [acts for number in (1, 2) for acts in actions(out / f"run-{number}")]
    assert sorted(of_runs) == sorted(play["actions"] for play in plays)
    won: list[list[bool]] = []
    for number in (1, 2):
        run = out / f"run-{number}"
        won.append([bool(episode["metrics"]["success"]) for episode in lines(run / "episodes.jsonl")])
        results = json.loads((run / "results.json").read_text())
        assert (results["n_episodes"], results["n_failed"]) == (3, 0)
        assert any("each episode by 2 (consent" in note for note in results["notes"])
        agreed = next(note for note in results["notes"] if "both succeeded or both failed" in note)
        assert len(lines(run / "decisions.jsonl")) == sum(map(len, actions(run)))
        assert nav_eval("replay", run) == 0
    alike = sum(map(eq, *won)) / 3
    assert f"episode, {alike:.0%} both" in agreed, "as the replayed runs have it"
    rows = codes(out)
    assert [row["state"] for row in rows] == ["valid"] * 3
    assert sum(int(row["plays"]) for row in rows) == 6
    assert [row["code"] for row in rows] == [one["code"] for one in told]
    assert [one["reached"] for one in told] == [
        [play["success"] for play in plays if play["person"] == person] for person in (1, 2, 3)
    ]
    (out / "run-1-kept").mkdir()
    (out / "run-1.html").touch()
    assert nav_eval("human", "--out", out, "--withdraw", 2) == 0
    assert {event["type"] for event in lines(out / "annotations.jsonl") if event["person"] == 2} == {"Withdrawn"}
    assert not [one for one in (out / "decisions" / "2", out / "run-1", out / "run-2") if one.exists()]
    (out / "run-1").mkdir()
    Journal(out).close()
    kept = {one.name for one in out.glob("run-*")}
    assert kept == {"run-1", "run-1-kept", "run-1.html"}, "at a later start what others played is left alone"
    assert (out / "decisions" / "1" / "decisions.jsonl").exists()
    assert [row["state"] for row in codes(out)] == ["valid", "void", "valid"]


def test_whoever_withdraws_is_deleted_and_somebody_else_plays(room: list[str], tmp_path: Path) -> None:
    out = tmp_path / "study"
    with playing(room, out) as game:
        person, other, _ = met(game)
        person.agree()
        assert other.state("consent")["phase"] == "consent", "a link of one opens nothing of another"
        assert Client(game.links[1].partition("#")[0] + "#" + "x" * 32).call("claim")[0] == 401
        person.play(["stop"])
        person.state("ready", 3)
        assert person.send("withdraw") == 204
        person.state("withdrawn")
        assert not (out / "decisions" / "1").exists()
        assert [event["type"] for event in lines(out / "annotations.jsonl")] == ["Withdrawn"]
        until(lambda: "void" in (out / "codes.csv").read_text())
        heard = bytes(person.heard)
        assert not [word for word in (b'"success"', b'"position"', b'"path"', b"distance_to_goal") if word in heard]


def test_the_pages_of_players_and_of_the_progress(room: list[str], browser: Any, axe: str, tmp_path: Path) -> None:
    with playing(room, tmp_path / "study", "--show-results") as game:
        player = Window(browser, game.links[1], locale="zh-CN", width=360)
        player.page.wait_for_selector("#agree:visible")
        looks(player, axe)
        player.page.keyboard.press("Tab")
        player.page.keyboard.press("Enter")
        player.start()
        for _ in range(8):
            player.press("ArrowUp")
        stuck = player.page.evaluate("[WORDS.en.stuck, WORDS.zh.stuck]")
        looks(player, axe, {"#steps": stuck})  # at the wall
        player.press("ArrowLeft")
        assert not [words for words in stuck if words in player.page.inner_text("#steps")]
        player.stop()
        player.page.wait_for_selector("#attention:visible")
        player.page.click(f"#attention-choices [value={player.page.evaluate('state.wanted')}]")
        for _ in range(2):
            player.start()
            player.stop()
        player.page.wait_for_selector("#results li:nth-child(3)")
        looks(player, axe)
        board = Window(browser, game.links[0], width=360)
        board.page.wait_for_selector("#progress-rows td")
        assert board.page.locator("#progress-rows td").all_inner_texts()[1:4:2] == ["3", "6"]
        looks(board, axe)
        assert player.wrong + board.wrong == []


@pytest.mark.parametrize(
    ("people", "each", "own", "told"),
    [(2, 3, [], "Invite 3 people"), (2, 1, ["task.actions=[stop,velocity]"], "not for stop, velocity")],
)
def test_a_plan_that_cannot_be_kept_is_refused(
    room: list[str], tmp_path: Path, people: int, each: int, own: list[str], told: str
) -> None:
    config = for_people(benchmark_config("pointnav", overrides=[*room[1:], *own]))
    crowd = Crowd(people, each, Consent.read(None, PLAYING))
    with pytest.raises(ConfigError, match=told):
        play_together(config, tmp_path / "study", crowd, "127.0.0.1", 0, pytest.fail)


class Counting(Journal):
    """Counts how often it is read from its beginning."""

    read = 0

    def __iter__(self) -> Iterator[Any]:
        self.read += 1
        return super().__iter__()


def test_the_progress_of_many_people_reads_the_journal_no_more_often_than_that_of_few(tmp_path: Path) -> None:
    reads = []
    for people in (2, 20):
        journal = Counting(tmp_path / str(people))
        desk = Plays(journal, {str(number): str(number) for number in range(people)}, each=1)
        for person in range(1, people + 1):
            job = desk.take(person)
            assert job is not None
        journal.read = 0
        assert desk.progress()["people"] == people
        reads.append(journal.read)
    assert reads[0] == reads[1]
