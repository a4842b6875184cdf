"""nav-eval human as a person meets it: two episodes by keys to a run directory; kills, second tabs, bad requests."""

from __future__ import annotations

import json
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclopts import App

from extras.playing import (
    BUTTON,
    FRAME,
    Client,
    Window,
    actions,
    asked,
    hosted,
    image,
    lines,
    looks,
    middle,
    nav_eval,
    said,
    same_words,
    small_room,
)
from graphs import write_r2r, write_skyboxes
from nav_eval.cli.report import make_context
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError
from nav_eval.report.document import make_document
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval_extras.annotate.command import annotate
from nav_eval_extras.annotate.invitations import ALONE, TEXTS, TOGETHER, Invitations, check_owner
from nav_eval_extras.human.attention import hasty
from nav_eval_extras.human.command import human
from nav_eval_extras.human.decisions import Decisions
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.play import Options, check_playable, for_people, play_benchmark, to_practise
from nav_eval_extras.human.web import serving
from patience import PATIENCE, until

SMALL = "simulator.sensors={rgb: {width: 64, height: 48, hfov: 90}, gps: {}, compass: {}}"
DEMO = ["vln-demo", "dataset.limit=2", SMALL]
FIRST, SECOND = ["turn_left", "move_forward", "move_forward", "stop"], ["turn_right", "move_forward", "stop"]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return small_room(tmp_path_factory.mktemp("room"), 2)


@pytest.fixture(scope="module")
def played(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, list[str]]:
    """A run of two episodes by keys, what the command said, and what went wrong in the browser."""
    folder = tmp_path_factory.mktemp("played")
    with hosted(*DEMO, out=folder / "run") as game:
        window = Window(browser, game.link)
        for keys, start, stop in ((("ArrowLeft", "ArrowUp", "w"), "Enter", "Space"), (("D", "W"), "Space", "Enter")):
            window.start(start)
            for key in keys:
                window.press(key)
            window.stop(stop)
        window.page.wait_for_selector("text=All done")
        assert "Goal" not in window.page.inner_text("main")
        assert game.end() == 0
        window.page.context.close()
        return folder / "run", game.said, window.wrong


def test_two_episodes_by_keys_are_a_run_as_any_agents(played: Any, tmp_path: Path) -> None:
    run, said, wrong = played
    assert actions(run) == [FIRST, SECOND]
    assert wrong == []
    assert nav_eval("replay", run) == 0
    manifest, results = (json.loads((run / name).read_text()) for name in ("manifest.json", "results.json"))
    assert (manifest["agent"], manifest["service"]["name"], manifest["privileged"]) == ("people", "people", False)
    assert (results["n_episodes"], results["n_failed"]) == (2, 0)
    assert re.search(r"Played by a person in a browser: 7 decisions in 2 episodes, \d+\.\d s each", said)
    assert str(run) in said
    assert nav_eval("report", run, "--out", tmp_path / "report.html") == 0
    assert nav_eval("verify", run) == 0
    kept = lines(run / "decisions.jsonl")
    assert [one["action"] for one in kept] == FIRST + SECOND
    assert all(0 < one["seconds"] < 600 for one in kept)


def test_a_person_is_compared_and_ranked_with_an_agent(played: Any, tmp_path: Path, capsys: Any) -> None:
    run, _, _ = played
    assert nav_eval("run", *DEMO, "agent_service.agent=forward", "--out", tmp_path / "forward", "-q") == 0
    assert nav_eval("compare", run, tmp_path / "forward") == 0
    assert nav_eval("rank", run, tmp_path / "forward") == 0
    told = capsys.readouterr()
    assert "2 shared episodes" in told.out or "2 episodes" in told.out
    assert "differ" not in told.err
    document = make_document([run, tmp_path / "forward"], make_context())
    assert [one["agent"] for one in document["runs"]] == ["people", "forward"]


def test_a_finished_run_is_not_played_again(played: Any, tmp_path: Path) -> None:
    run, _, _ = played
    before = (run / "results.json").read_bytes(), (run / "episodes.jsonl").read_bytes()
    config = for_people(benchmark_config("vln-demo", overrides=DEMO[1:]))
    play_benchmark(config, run, Game(), "key", Options(notes=check_playable(config)))
    after = json.loads((run / "results.json").read_bytes()), (run / "episodes.jsonl").read_bytes()
    assert after[1] == before[1]
    assert after[0]["notes"] == json.loads(before[0])["notes"]


class Looker:
    """Plays FIRST and SECOND as an agent, and keeps what it saw."""

    frames: list[np.ndarray] = []  # noqa: RUF012 - of all sessions
    episodes = 0

    def reset(self, episode: dict[str, Any]) -> None:
        self._plan = iter((FIRST, SECOND)[Looker.episodes])
        Looker.episodes += 1

    def act(self, observation: dict[str, Any]) -> str:
        Looker.frames.append(np.array(observation["rgb"]))
        return next(self._plan)


def test_nothing_that_an_agent_must_not_know_is_sent_and_the_frames_are_an_agents(tmp_path: Path) -> None:
    """Every byte of a game, from the page's files to its end; frames against those of an agent in this process."""
    with hosted(*DEMO, out=tmp_path / "run") as game:
        client = Client(game.link)
        for name in ("", "page.js", "page.css", "words.js"):
            assert client.ask("GET", f"/{name}")[0] == 200
        files = len(client.heard)
        assert client.call("claim") == (204, None)
        frames = client.play(FIRST) + client.play(SECOND)
        client.state("done")
        assert game.end() == 0
    config = benchmark_config("vln-demo", overrides=DEMO[1:])
    run_benchmark(config, tmp_path / "agent", agent=Looker)
    assert len(frames) == len(Looker.frames) == 7
    for shown, seen in zip(frames, Looker.frames, strict=True):
        assert shown.shape == seen.shape == (48, 64, 3)
        assert np.abs(shown.astype(int) - seen.astype(int)).mean() < 2
    heard = bytes(client.heard)
    words, numbers = secrets(config, tmp_path / "run")
    assert [text for text in words if re.search(rf"\b{text}\b".encode(), heard)] == []
    assert [text for text in numbers if text.encode() in heard[files:]] == []
    assert min(len(words), len(numbers)) > 15
    with opened(config) as plan:
        assert all(json.dumps(told(one))[1:-1].encode() in heard for one in plan.episodes)
    assert len(heard) > 20_000


def told(episode: Episode) -> str:
    assert episode.instruction is not None
    return episode.instruction.text


def secrets(config: Any, run: Path) -> tuple[set[str], set[str]]:
    """Ids and words, and numbers, that tell of the goal, the path, poses or the result."""
    words = {"success", "geodesic", "val_unseen", "trajectory", "viewpoint", "gps", "compass", "position", "rotation"}
    words |= {"spl", "ndtw", "collision", "scene", "secret"}
    words |= {line["episode"] for line in lines(run / "decisions.jsonl")}
    measured: list[float] = []
    with opened(config) as plan:
        for episode in plan.episodes:
            words |= {re.escape(episode.scene_id), re.escape(episode.scene_id.partition(".")[0])}
            points = [goal.position for goal in episode.goals] + [*episode.reference_path, *episode.gt_locations]
            measured += [value for point in points if point for value in point]
    for line in lines(run / "trajectories.jsonl"):
        measured += [value for step in line["steps"] for key in ("position", "rotation") for value in step[key]]
    for line in lines(run / "episodes.jsonl"):
        measured += line["metrics"].values()
    return words, {f"{abs(value):.2f}" for value in measured}


def test_a_killed_evaluation_goes_on_at_its_step_in_the_open_page(
    room: list[str], browser: Any, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with hosted(*room, out=run) as game:
        window = Window(browser, game.link)
        window.start()
        for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
            window.press(key)
        port = Client(game.link).port
        game.end(signal.SIGKILL)
        window.page.wait_for_selector("text=No connection")
    with (run / "decisions.jsonl").open("ab") as file:
        file.write(b'{"episode":"half')  # killed while it wrote
    with hosted(*room, out=run, port=port) as game:
        window.page.wait_for_selector("text=you go on at step 3")
        window.start()
        assert window.page.inner_text("#steps") == "Step 3 of 40"
        window.press("d")
        window.stop()
        window.start()
        window.stop()
        window.page.wait_for_selector("text=All done")
        assert game.end() == 0
    assert actions(run) == [["turn_left", "move_forward", "move_forward", "turn_right", "stop"], ["stop"]]
    assert [one["resumed"] for one in lines(run / "decisions.jsonl")] == [False] * 3 + [True] + [False] * 2
    assert json.loads((run / "results.json").read_text())["n_resumed"] == 1
    assert "3 decisions from before an interruption" in game.said
    assert nav_eval("replay", run) == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_a_finished_episode_is_kept(
    room: list[str], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    run = tmp_path / "run"
    with hosted(*room, out=run) as game:
        client = Client(game.link)
        client.call("claim")
        client.play(["move_forward", "stop"])
        client.state("ready", 3)
        assert game.end(number) == code
    kept = (run / "episodes.jsonl").read_bytes()
    with hosted(*room, out=run) as game:
        assert Client(game.link).key == client.key
        client = Client(game.link)
        client.call("claim")
        assert client.state("ready")["episode"] == 2
        client.play(["stop"])
        assert game.end() == 0
    assert (run / "episodes.jsonl").read_bytes().startswith(kept)


def test_of_two_tabs_the_first_is_told_and_may_take_it_back_and_no_fault_of_a_page_ends_the_game(
    room: list[str], browser: Any, tmp_path: Path
) -> None:
    with hosted(*room, out=tmp_path / "run") as game:
        first = Window(browser, game.link)
        first.start()
        first.press("ArrowUp")
        second = Window(browser, game.link)
        second.page.wait_for_selector(FRAME)
        assert second.page.inner_text("#steps") == "Step 1 of 40"
        first.page.wait_for_selector("text=Another page plays")
        first.page.keyboard.press("ArrowUp")
        second.press("ArrowUp")
        assert second.page.inner_text("#steps").startswith("Step 2 of 40")  # perhaps before a wall, as the page says
        first.page.click("text=Play here")
        first.page.wait_for_selector(FRAME)
        second.page.wait_for_selector("text=Another page plays")
        first.page.reload()
        first.page.wait_for_selector(FRAME)
        first.press("ArrowLeft")
        assert first.page.inner_text("#steps") == "Step 3 of 40"
        an_error_is_not_taken_for_a_lost_connection(first.page)
        assert first.page.inner_text("#steps").startswith("Step 4 of 40")
        first.stop()
        a_page_is_shown_without_storage(first.page)
        (told,) = (one for one in first.wrong + second.wrong if "409" not in one)  # as the other page has the game
        assert "nothing there" in told
    names = [one["action"] for one in lines(tmp_path / "run" / "decisions.jsonl")]
    assert names == ["move_forward", "move_forward", "turn_left", "move_forward", "stop"]


def an_error_is_not_taken_for_a_lost_connection(page: Any) -> None:
    page.evaluate("void (PANELS.play = () => { throw new Error('nothing there'); })")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("text=This page has an error")
    assert "nothing there" in page.inner_text("#notice-text")
    assert "No connection" not in page.inner_text("body")
    page.click("text=Load again")
    page.wait_for_selector(FRAME)


FORBIDDEN = """Object.defineProperty(window, "sessionStorage", {
  get() { throw new DOMException("forbidden", "SecurityError"); }
});"""


def a_page_is_shown_without_storage(page: Any) -> None:
    page.add_init_script(FORBIDDEN)
    page.reload()
    page.click("#language")
    page.wait_for_selector("text=请先阅读任务")
    page.click(BUTTON)
    page.wait_for_selector(FRAME)


@pytest.fixture
def served() -> Any:
    """A game that asks for one of two actions, at a page of its own."""
    game = Game()
    with serving({"k" * 32: game}, "127.0.0.1", 0) as (link,), ThreadPoolExecutor() as pool:
        asked = pool.submit(game.ask, ["move_forward", "stop"], phase="play", episode=1)
        client = Client(link)
        assert client.call("claim") == (204, None)
        until(lambda: client.call("wait", seen=-1)[1]["phase"] == "play")
        yield client, asked
        game.close()


CHOICE = {"page": "client", "turn": 1, "choice": "stop"}


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("POST", "/choose", CHOICE, {"key": "wrong"}, 401),
        ("POST", "/choose", CHOICE, {"Authorization": ""}, 401),
        ("POST", "/choose", CHOICE, {"Authorization": "Bearer é"}, 401),
        ("POST", "/wait", {"page": "client", "seen": -1}, {"key": ""}, 401),
        ("POST", "/claim", {"page": "thief"}, {"key": "K" * 32}, 401),
        ("POST", "/choose", CHOICE, {"Host": "evil.example:80"}, 403),
        ("POST", "/choose", CHOICE, {"Host": "localhost.evil.example"}, 403),
        ("POST", "/choose", CHOICE, {"Origin": "http://evil.example"}, 403),
        ("POST", "/choose", CHOICE, {"Origin": "null"}, 403),
        ("GET", "/", None, {"Host": "evil.example"}, 403),
        ("GET", "/choose", None, {}, 405),
        ("PUT", "/choose", CHOICE, {}, 405),
        ("DELETE", "/", None, {}, 405),
        ("GET", "/../web.py", None, {}, 404),
        ("GET", "/decisions.jsonl", None, {}, 404),
        ("POST", "/choose", {**CHOICE, "choice": "fly"}, {}, 400),
        ("POST", "/choose", {**CHOICE, "choice": ["stop"]}, {}, 400),
        ("POST", "/choose", {**CHOICE, "turn": True}, {}, 400),
        ("POST", "/choose", {**CHOICE, "turn": 10**400}, {}, 409),
        ("POST", "/choose", {**CHOICE, "more": 1}, {}, 400),
        ("POST", "/choose", {**CHOICE, "text": 1}, {}, 400),
        ("POST", "/choose", {"page": "client"}, {}, 400),
        ("POST", "/choose", {**CHOICE, "turn": 0}, {}, 409),
        ("POST", "/choose", {**CHOICE, "turn": 2}, {}, 409),
        ("POST", "/choose", {**CHOICE, "page": "other"}, {}, 409),
        ("POST", "/choose", {**CHOICE, "page": ""}, {}, 409),
        ("POST", "/choose", {**CHOICE, "choice": "x" * 7000}, {}, 413),
        ("POST", "/claim", b"{not json", {}, 400),
        ("POST", "/claim", b"\xff\xfe", {}, 400),
        ("POST", "/claim", b"[" * 4000, {}, 400),
        ("POST", "/claim", b"", {}, 400),
    ],
)
def test_a_bad_request_is_refused_and_changes_nothing(
    served: Any, method: str, path: str, body: Any, headers: dict[str, str], status: int
) -> None:
    client, asked = served
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    code, answer = client.ask(method, path, content, **headers)
    assert code == status
    assert client.key.encode() not in answer
    assert not asked.done()
    assert client.call("choose", turn=1, choice="move_forward") == (204, None)
    assert asked.result(PATIENCE).name == "move_forward"


def test_a_request_that_comes_twice_counts_once(served: Any) -> None:
    client, asked = served
    answers = [client.call("choose", turn=1, choice="move_forward") for _ in range(3)]
    assert answers == [(204, None), (409, {"error": "not asked"}), (409, {"error": "not asked"})]
    assert asked.result(PATIENCE).name == "move_forward"


@pytest.mark.parametrize("host", ["localhost", "localhost:9999", "127.0.0.1:1", "[::1]:8090", "192.0.2.7:8090"])
def test_this_machine_may_be_called_by_address_or_through_a_tunnel(served: Any, host: str) -> None:
    client, _ = served
    assert client.ask("POST", "/wait", b'{"page":"client","seen":-1}', Host=host, Origin=f"http://{host}")[0] == 200


def test_every_answer_forbids_foreign_scripts_and_frames(served: Any) -> None:
    client, _ = served
    for method, path in (("GET", "/"), ("GET", "/page.js"), ("GET", "/nothing"), ("POST", "/wait")):
        client.heard.clear()
        client.ask(method, path)
        head = bytes(client.heard).partition(b"\r\n\r\n")[0].decode()
        assert "default-src 'none'; script-src 'self';" in head
        assert "unsafe" not in head
        assert "frame-ancestors 'none'" in head
    page = (files("nav_eval_extras.human") / "page" / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?! src=\"[a-z.]+\" defer></script>)|<style| style=| on[a-z]+=|https?:", page)


def test_the_page_fits_speaks_and_can_be_used_by_all(room: list[str], browser: Any, axe: str, tmp_path: Path) -> None:
    with hosted(*room, "--practice", 1, "--show-results", out=tmp_path / "run") as game:
        window = Window(browser, game.link, locale="zh-CN", width=360)
        page = window.page
        page.wait_for_selector("#notice-title:has-text('练习')")
        looks(window, axe, {"#notice-title": ("Practice", "练习")})
        window.start()
        assert re.search(r"\d\.\d 米", page.inner_text("#goal"))
        looks(window, axe, {"#goal": (" m away", " 米")})
        page.locator("[data-action=turn_left]").tap()
        page.wait_for_selector("#steps:has-text('1')")
        page.keyboard.press("Space")
        page.keyboard.press("Escape")
        assert page.is_visible("#view")
        page.keyboard.press("Space")
        looks(window, axe)
        page.keyboard.press("Enter")
        for _ in range(2):
            window.start()
            window.stop()
        page.wait_for_selector("text=未到达目标")
        assert page.locator("#results li").all_inner_texts() == ["未到达目标"] * 2
        looks(window, axe, {f"#results li:nth-child({place})": ("Goal missed", "未到达目标") for place in (1, 2)})
        assert game.end() == 0
    assert window.wrong == []
    parts = (tmp_path / part / "episodes.jsonl" for part in ("run", "run/practice"))
    run, practice = ({line["episode_id"] for line in lines(part)} for part in parts)
    assert (len(run), len(practice), run & practice) == (2, 1, set())
    assert nav_eval("replay", tmp_path / "run" / "practice") == 0


def test_both_languages_say_the_same() -> None:
    page = files("nav_eval_extras.human") / "page"
    english, chinese = said(page / "words.js", "  zh: {", 4)
    same_words(english, chinese)
    assert len(english) > 50
    assert asked(page / "page.js", page / "page.html") <= english.keys()


def test_a_graph_without_pictures_is_walked_by_its_directions(browser: Any, tmp_path: Path) -> None:
    """By number keys and buttons; a viewpoint's id is not sent, not even the run's opaque one."""
    with hosted("r2r", *write_r2r(tmp_path / "data"), "dataset.limit=1", out=tmp_path / "run") as game:
        window = Window(browser, game.link)
        window.page.wait_for_selector(BUTTON)
        window.page.keyboard.press("Enter")
        window.page.wait_for_selector("text=no pictures here")
        window.press("1")
        window.page.locator("#ways button").first.click()
        window.page.wait_for_selector("text=Step 2")
        assert window.page.locator("#ways button").count() > 1
        shown = window.page.evaluate("JSON.stringify(state)")
        window.stop()
        window.page.wait_for_selector("text=All done")
        assert game.end() == 0
    assert window.wrong == []
    assert actions(tmp_path / "run") == [["move_to", "move_to", "stop"]]
    moves = [one["action_args"]["viewpoint"] for one in lines(tmp_path / "run" / "decisions.jsonl")[:2]]
    assert all(len(move) == 32 and move not in shown for move in moves)
    assert nav_eval("replay", tmp_path / "run") == 0


def test_on_a_graph_the_picture_and_the_ways_turn_with_the_person(tmp_path: Path) -> None:
    """The middle of each picture by its colours, which tell the direction in the world."""
    own = [*write_r2r(tmp_path), *write_skyboxes(tmp_path), "dataset.limit=1"]
    with hosted("r2r", *own, out=tmp_path / "run") as game:
        client = Client(game.link)
        client.call("claim")
        client.state("ready")
        client.press("start")
        turn, seen = 1, []
        for choice in ("turn_right", "turn_right", "move_to:1", "turn_left", "move_to:0", "stop"):
            shown = client.state("play", turn)
            turn = shown["turn"]
            seen.append((middle(image(shown["pictures"][0]["data"])), [way["heading"] for way in shown["ways"]]))
            client.press(choice)
        assert game.end() == 0
    headings, ways = zip(*seen, strict=True)
    assert headings == pytest.approx([30, 60, 90, 0, -30, 0], abs=4), "R2R's, to the right; north is 0"
    assert ways == ([30, -60], [-30, 60], [0, 90], [0, -90, 180], [-30, -120, 150], [-90, 180])
    assert nav_eval("replay", tmp_path / "run") == 0


GOAT = "simulator.sensors={rgb: {width: 32, height: 24}, imagegoal: {width: 32, height: 24}}"


def test_goals_in_order_are_told_each_in_its_way_and_found_is_asked_back(browser: Any, tmp_path: Path) -> None:
    with opened(benchmark_config("goat-demo", overrides=["dataset.limit=1", GOAT])) as plan:
        goals = next(iter(plan.episodes)).goals
    with hosted("goat-demo", "dataset.limit=1", GOAT, out=tmp_path / "run") as game:
        window = Window(browser, game.link)
        window.start()
        for goal in goals[:3]:
            told = goal.category or goal.description
            expected = f"Find: {told}" if told else "Go to where the goal picture was taken."
            assert window.page.inner_text("#goal") == expected
            shown = ["rgb"] if told else ["rgb", "imagegoal"]
            assert window.page.evaluate("state.pictures.map((one) => one.name)") == shown
            assert window.page.locator("#view img").count() == len(shown)
            window.page.keyboard.press("g")
            window.page.wait_for_selector("#confirm[open] >> text=Is it here?")
            window.page.keyboard.press("Escape")
            window.press("ArrowLeft")
            window.page.click("[data-action=found]")
            window.page.click("#confirm-yes:has-text('Found it')")
            window.page.wait_for_function("step => state.step === step", arg=2 * goals.index(goal) + 2)
        window.press("ArrowLeft")
        window.stop()
        assert game.end() == 0
    assert window.wrong == []
    assert len({bool(goal.category) + 2 * bool(goal.description) for goal in goals[:3]}) == 3
    assert actions(tmp_path / "run") == [["turn_left", "found"] * 3 + ["turn_left", "stop"]]


def test_who_ended_an_episode_by_a_wrong_call_is_not_asked_to_start_it_again(tmp_path: Path) -> None:
    """Killed between the decision and the result: as if nothing were written of the run but what was decided."""
    run = tmp_path / "run"
    arguments = ["multi-objectnav-demo", "dataset.limit=2", "simulator.sensors={rgb: {width: 32, height: 24}}"]
    with hosted(*arguments, out=run) as game:
        client = Client(game.link)
        client.call("claim")
        client.play(["found"])
        client.state("ready", 2)
        game.end(signal.SIGKILL)
    for name in ("episodes.jsonl", "trajectories.jsonl"):
        (run / name).write_bytes(b"")
    with hosted(*arguments, out=run) as game:
        client = Client(game.link)
        client.call("claim")
        assert client.state("ready")["episode"] == 2
        client.play(["found"])
        assert game.end() == 0
    assert actions(run) == [["found"], ["found"]]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (["agent_service.type=remote"], "agent_service.type: a person plays here"),
        (["evaluation.parallel.sessions=2"], "evaluation.parallel: a person plays one episode at a time"),
        (["task.actions=[stop,velocity]"], "not for stop, velocity"),
        (["simulator.sensors={gps: {}}"], "a person needs a picture"),
        (["--practice", 9, "--port", 0], "--practice 9: no building has so many"),
        (["--port", 1_000_000], "--port"),
    ],
)
def test_what_no_person_can_play_is_refused_at_once(room: list[str], tmp_path: Path, own: list[Any], said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        human_here(*room, *own, "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def human_here(*arguments: object) -> Any:
    """The command in this process."""
    app = App(result_action="return_value", exit_on_error=False, print_error=False)
    app.default(human)
    return app([str(one) for one in arguments])


def test_a_folder_of_another_command_is_refused_and_left_as_it_is(played: Any, tmp_path: Path) -> None:
    """A finished run of one person, and folders that several people were invited to."""
    run, _, _ = played
    folders = {ALONE: run, TOGETHER: tmp_path / "together", TEXTS: tmp_path / "texts"}
    for owner in (TOGETHER, TEXTS):
        folders[owner].mkdir()
        Invitations.of(folders[owner], owner, 2)
    commands = {
        ALONE: lambda out: human_here(*DEMO, "--out", out, "--port", 0),
        TOGETHER: lambda out: human_here(*DEMO, "--out", out, "--port", 0, "--people", 2),
        TEXTS: lambda out: annotate(*DEMO, out=out, port=0),
    }
    for owner, folder in folders.items():
        before = sorted(folder.rglob("*"))
        for command in commands.keys() - {owner}:
            with pytest.raises(ConfigError, match=f"was begun by {owner}, not by {command}[.]") as refused:
                commands[command](folder)
            assert refused.value.exit_code == 2
        assert sorted(folder.rglob("*")) == before


def test_a_folder_of_an_earlier_version_goes_on_with_its_links(tmp_path: Path) -> None:
    """It did not say whose it was; either command may go on there, as before."""
    (tmp_path / "invitations.json").write_text('{"progress":"p","people":["a","b"],"codes":"c"}')
    for command in (TEXTS, TOGETHER):
        check_owner(tmp_path, command)
        keys = Invitations.of(tmp_path, command, 3)
        assert (keys.progress, keys.people[:2], keys.codes, len(keys.people)) == ("p", ["a", "b"], "c", 3)


@pytest.mark.parametrize(
    "content", [b"", b'{"command":"nav-eval hum', b"[]", b'{"progress":"p\xff","people":[]}', b"{}"]
)
def test_damaged_invitations_are_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "invitations.json"
    file.write_bytes(content)
    for people in (1, 2):
        with pytest.raises(ConfigError, match=re.escape(f"{file}: is damaged. Choose another folder.")):
            human_here(*DEMO, "--out", tmp_path, "--port", 0, "--people", people)
    assert file.read_bytes() == content


def test_a_long_task_leaves_the_buttons_in_sight_and_one_that_is_held_goes_on(browser: Any, tmp_path: Path) -> None:
    with hosted(*DEMO, out=tmp_path / "run") as game:
        window = Window(browser, game.link, width=360)
        page = window.page
        page.click("#language")
        page.reload()
        page.wait_for_selector("text=请先阅读任务")
        page.click("#language")
        page.click(BUTTON)
        page.wait_for_selector(FRAME)
        page.evaluate("state.instruction.text = 'It is a long way to the kitchen. '.repeat(40); drawTask()")
        edges = page.evaluate(
            "[...document.querySelectorAll('#view img, #actions button')].map(box)".replace("box", BOX)
        )
        assert all(0 <= top < bottom <= 740 and bottom - top >= 44 for top, bottom in edges), edges
        box = page.locator("[data-action=turn_left]").bounding_box()
        page.mouse.move(box["x"] + 9, box["y"] + 9)
        for button in ("right", "middle"):
            page.mouse.down(button=button)
            assert page.evaluate("holding") == 0, button
            page.mouse.up(button=button)
        page.mouse.down()
        page.wait_for_function("() => state.step >= 4")
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        page.wait_for_function("() => !busy")
        walked = page.evaluate("state.step")
        page.evaluate("new Promise((wake) => setTimeout(wake, 4 * REPEAT_MS))")
        page.mouse.up()
        assert page.evaluate("!busy && state.step") == walked
        page.click("[data-action=move_forward]")
        page.wait_for_function("walked => state.step > walked && !busy", arg=walked)
        assert page.evaluate("state.step") == walked + 1
    names = [one["action"] for one in lines(tmp_path / "run" / "decisions.jsonl")]
    assert names == ["turn_left"] * walked + ["move_forward"]
    assert window.wrong == []


BOX = "(one) => { const { top, bottom } = one.getBoundingClientRect(); return [top, bottom]; }"


def test_a_taken_port_is_named(room: list[str], tmp_path: Path) -> None:
    with serving({"k": Game()}, "127.0.0.1", 0) as (link,), pytest.raises(ConfigError, match="nothing can listen"):
        human_here(*room, "--port", Client(link).port, "--out", tmp_path / "run")


def test_who_presses_nothing_but_forward_is_seen(tmp_path: Path) -> None:
    kept = Decisions(tmp_path)
    for episode, names in (("a", ["move_forward"] * 3 + ["stop"]), ("b", ["move_forward", "turn_left", "stop"])):
        for name in names:
            kept.add(episode, name, {}, 0.5)
    notes = Decisions(tmp_path).notes()
    assert notes[1:] == ["In 1 of 2 episodes nothing but forward was pressed."]
    assert notes[0].startswith("Played by a person in a browser: 7 decisions in 2 episodes, 0.5 s each")


def test_decisions_that_nobody_can_take_so_fast_are_seen(tmp_path: Path) -> None:
    kept = Decisions(tmp_path)
    for episode, seconds in (("a", (0.01, 0.02, 9.0)), ("b", (0.01, 0.3, 0.3))):
        for one, action in zip(seconds, ("turn_left", "move_forward", "stop"), strict=True):
            kept.add(episode, action, {}, one)
    assert kept.notes()[1:] == ["In 1 of 2 episodes decisions were faster than anybody can look."]


def test_a_key_that_is_held_down_is_not_taken_for_haste(tmp_path: Path) -> None:
    """While a key is held, decisions follow as fast as frames come: about 0.08 s each, measured by hand."""
    walk = [("turn_left", 1.2), *[("turn_left", 0.08)] * 6, ("move_forward", 0.9), *[("move_forward", 0.08)] * 12]
    assert not hasty(*zip(*walk, ("stop", 1.5), strict=True))
    assert hasty(*zip(*[("turn_left", 0.05), ("move_forward", 0.05)] * 10, ("stop", 0.05), strict=True))


def test_episodes_along_one_path_are_told_of() -> None:
    config = benchmark_config("vln-demo", overrides=["dataset.limit=3", SMALL])
    assert check_playable(config)[0].startswith("2 of 3 episodes have start and goal of an earlier one")
    single = benchmark_config("vln-demo", overrides=["dataset.limit=1", SMALL])
    assert check_playable(single) == []


def test_what_a_person_has_no_button_for_is_told_of() -> None:
    actions = "task.actions=[stop,move_forward,turn_left,turn_right,velocity]"
    driving = benchmark_config("vln-demo", overrides=["dataset.limit=1", SMALL, actions])
    assert check_playable(driving) == ["task.actions: a person has no button for velocity, and plays without."]


def test_nobody_practises_on_a_path_of_the_run() -> None:
    """vln-demo has a building with three paths, six episodes along each."""
    first = benchmark_config("vln-demo", overrides=["dataset.limit=3", SMALL])
    assert to_practise(first, 1).dataset.episodes == ("7",)
    every = benchmark_config("vln-demo", overrides=["dataset.limit=13", SMALL])
    with pytest.raises(ConfigError, match="--practice 1: no building"):
        to_practise(every, 1)
