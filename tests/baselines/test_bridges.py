"""The agents that ask policy servers, against real ones on loopback that behave, and misbehave, as the published do."""

from __future__ import annotations

import argparse
import math
import pickle
import re
import threading
import time
from typing import Any

import msgpack
import numpy as np
import pytest
from websockets.sync.server import Server, serve

import nav_eval
from nav_eval_baselines.bridges import InternNavAgent, LeRobotAgent, OpenpiAgent, PolicyServerError, VlaEvalAgent
from nav_eval_baselines.bridges import base as bridges
from nav_eval_baselines.bridges.base import PolicyOptions, actions_of
from nav_eval_baselines.bridges.internnav import InternNavOptions
from nav_eval_baselines.bridges.vla_eval import VlaEvalOptions
from nav_eval_sdk import cli, options
from nav_eval_sdk.chinese import of_packages
from policy_servers import EXCHANGES, InternNav, Openpi, Play, VlaEval, array, internnav, listening, message, plain
from served import free_port

DISCRETE: dict[str, Any] = {name: {"arguments": {}} for name in ("stop", "move_forward", "turn_left", "turn_right")}
SPACE = {**DISCRETE, "velocity": {}, "waypoint": {}}
PICTURE = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
SEEN = {
    "rgb": PICTURE,
    "depth": np.array([0.0, 2.5, 20.0, np.nan], np.float32).reshape(2, 2, 1),
    "gps": np.array([1.0, -2.0], np.float32),
}
DRIVEN: dict[str, Any] = {"mode": "velocity", "columns": "linear,angular,...", "duration": 0.5}
FIRST = {"linear": 0.5, "angular": 0.25, "duration": 0.5}
"""What the exchanges' reply means."""


def episode(**more: Any) -> dict[str, Any]:
    given = {"instruction": {"text": "Walk to the door."}, "action_space": SPACE, "task": "vln"}
    return {**given, "limits": {"act_timeout": 60.0}, **more}


def openpi(url: str, chunk: int = 1, **given: Any) -> OpenpiAgent:
    made = OpenpiAgent(PolicyOptions(url=url, **{**DRIVEN, "connect_within": 0.0, **given}))
    made.max_chunk = chunk
    made.reset(episode())
    return made


def vla_eval(url: str, **given: Any) -> VlaEvalAgent:
    made = VlaEvalAgent(VlaEvalOptions(url=url, **{**DRIVEN, "observations": "front=rgb,states=gps", **given}))
    made.reset(episode())
    return made


def at_internnav(server: InternNav, **given: Any) -> InternNavAgent:
    made = InternNavAgent(InternNavOptions(url=server.url, settings='{"device": "cpu"}', **given))
    made.reset(episode())
    return made


def done(answer: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return answer["action"], answer["action_args"]


# -- openpi


def test_openpi_is_spoken_to_as_its_client_does_and_a_chunk_is_carried_out_before_it_is_asked_again() -> None:
    server = Openpi()
    with listening(server) as url:
        player = openpi(url, observations="observation/image=rgb,observation/state=gps", picture_size="")
        assert player.metadata["robot"] == "a"
        assert player.metadata["reset_pose"].tolist() == [0.0, 0.0, 0.0]
        answers = [player.act(SEEN) for _ in range(3)]
        player.close()
    again = {"linear": 0.25, "angular": -0.5, "duration": 0.5}
    assert [done(answer) for answer in answers] == [("velocity", FIRST), ("velocity", again), ("velocity", FIRST)]
    assert [answer["usage"].requests for answer in answers] == [1, 0, 1]
    assert answers[0]["usage"].accelerator_seconds == 0.0125
    assert server.seen == [plain(message("openpi", "observation"))] * 2


def test_openpi_pictures_have_the_wanted_size_and_black_borders_and_the_key_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POLICY_API_KEY", "very-secret")
    server = Openpi()
    with listening(server) as url:
        openpi(url, picture_size="8x6").act({"rgb": np.full((4, 8, 3), 200, np.uint8)})
    sent = array(server.seen[0]["observation/image"])
    assert sent.shape == (6, 8, 3)
    assert sorted({int(row[0, 0]) for row in sent}) == [0, 200]
    assert sent[0].max() == sent[-1].max() == 0
    assert server.keys == ["Api-Key very-secret"]


def test_several_actions_go_back_at_once_where_the_rules_allow_them_and_rows_limits_them() -> None:
    server = Openpi()
    with listening(server) as url:
        assert [part["action"] for part in openpi(url, chunk=4).act(SEEN)["actions"]] == ["velocity"] * 2
        short = openpi(url, chunk=4, rows=1)
        assert [done(short.act(SEEN)) for _ in range(2)] == [("velocity", FIRST)] * 2


FAULTS: list[tuple[Any, str]] = [
    (EXCHANGES["openpi"]["failure"], "the policy server failed: KeyError: 'observation/wrist_image'"),
    (b"\xc1", "the server's reply cannot be read"),
    ([1], "answers a list: is this an openpi server"),
    ({"action": 1}, "the server's reply has no 'actions'; it has action"),
    ({"actions": "left"}, "'actions' are no numbers"),
    ({"actions": np.zeros((2, 1))}, r"have the shape \(2, 1\): --columns names linear, angular"),
    ({"actions": np.zeros((0, 3))}, r"have the shape \(0, 3\)"),
    ({"actions": np.zeros((1, 2, 3))}, r"have the shape \(1, 2, 3\)"),
    ({"actions": np.array([[np.nan, 0.0]])}, "are not finite"),
    ({"actions": {b"__ndarray__": True, b"data": b"", b"dtype": "|O", b"shape": [0]}}, "cannot be read"),
    ({"actions": {b"__ndarray__": True, b"data": b"1234", b"dtype": "<f4", b"shape": [7]}}, "cannot be read"),
]


@pytest.mark.parametrize(("reply", "said"), FAULTS, ids=[said[:40] for _, said in FAULTS])
def test_a_reply_that_is_no_action_is_one_message(reply: Any, said: str) -> None:
    with listening(Openpi(lambda observation: reply)) as url:
        player = openpi(url)
        with pytest.raises(PolicyServerError, match=said) as caught:
            player.act(SEEN)
        assert "\n" not in str(caught.value)
        player.close()


def closing(connection: Any) -> None:
    connection.close()


def closing_later(connection: Any) -> None:
    connection.send(message("openpi", "metadata"))
    connection.recv()
    connection.close(1011, "out of memory")


def late(connection: Any) -> None:
    connection.send(message("openpi", "metadata"))
    connection.recv()
    time.sleep(0.4)
    connection.send(message("openpi", "reply"))


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (closing, "it closed the connection"),
        (closing_later, "it closed the connection: .*out of memory"),
        (late, "no answer within 0.1 s; raise --timeout"),
    ],
    ids=["at once", "in an episode", "late"],
)
def test_a_server_that_closes_or_is_late_is_one_message_and_the_next_episode_connects_anew(
    play: Play, said: str
) -> None:
    plays: list[Play] = [play, Openpi()]
    with listening(lambda connection: plays.pop(0)(connection)) as url:
        player = OpenpiAgent(PolicyOptions(url=url, **DRIVEN))
        with pytest.raises(PolicyServerError, match=said):  # noqa: PT012 - some close before they are asked
            player.reset(episode())
            player.seconds = 0.1
            player.act(SEEN)
        player.reset(episode())
        assert done(player.act(SEEN)) == ("velocity", FIRST)
        player.close()


def test_the_seconds_of_an_answer_are_the_smaller_of_ones_own_and_nine_tenths_of_the_evaluators() -> None:
    with listening(Openpi()) as url:
        player = openpi(url, timeout=25.0)
        assert player.seconds == 25.0
        player.reset(episode(limits={"act_timeout": 10.0}))
        assert player.seconds == 9.0
        player.reset(episode(limits={}))
        assert player.seconds == 25.0
        player.close()


def test_a_server_that_is_not_there_is_one_message_and_one_that_starts_is_waited_for() -> None:
    url = f"ws://127.0.0.1:{free_port()}"
    with pytest.raises(PolicyServerError, match=f"{url}: nobody listens there; start the server, or check --url"):
        openpi(url)
    with pytest.raises(PolicyServerError, match="/agent/init: nobody listens there; start the server"):
        InternNavAgent(InternNavOptions(url=url.replace("ws", "http"), connect_within=0.0))
    started: list[Server] = []

    def later() -> None:
        time.sleep(1.0)
        with serve(Openpi(), "127.0.0.1", int(url.rpartition(":")[2])) as server:
            started.append(server)
            server.serve_forever()

    thread = threading.Thread(target=later)
    thread.start()
    openpi(url, connect_within=60.0).close()
    started[0].shutdown()
    thread.join()


def test_something_that_speaks_no_websocket_is_one_message() -> None:
    with internnav() as server, pytest.raises(PolicyServerError, match=r"InvalidMessage|InvalidStatus"):
        openpi(server.url.replace("http", "ws"))


# -- what numbers mean


def read(rows: Any, **given: Any) -> list[tuple[str, dict[str, Any]]]:
    return [done(one) for one in actions_of({"actions": rows}, PolicyOptions(**given), SPACE)]


def test_a_number_is_the_action_that_the_table_names_and_no_other() -> None:
    assert read([[1], [3.0], [0]]) == [("move_forward", {}), ("turn_right", {}), ("stop", {})]
    assert read(np.array([7.0], np.float32), table="7=turn_left") == [("turn_left", {})]
    for rows, said in (([4], "answers 4, which"), ([1.5], "answers 1.5"), ([-1], "answers -1"), ([0, 1], "one number")):
        with pytest.raises(PolicyServerError, match=said):
            read(rows)
    with pytest.raises(PolicyServerError, match="wants look_up, which this task does not offer: it has stop"):
        read([5], table="5=look_up")


def test_velocities_waypoints_and_stop_come_from_named_columns() -> None:
    columns = "_,angular,linear,duration,stop"
    rows = [[9, 0.5, 1.0, 2.0, 0.49], [9, 0, 0, 0, 0.5], [9, 0, 0, 0, 0]]
    assert read(rows, mode="velocity", columns=columns) == [
        ("velocity", {"linear": 1.0, "angular": 0.5, "duration": 2.0}),
        ("stop", {}),
    ]
    assert read([[2.0, -0.5]], mode="waypoint", columns="range,heading") == [
        ("waypoint", {"range": 2.0, "heading": -0.5})
    ]


def walked(moves: list[tuple[str, dict[str, Any]]]) -> list[tuple[float, float]]:
    x = y = heading = 0.0
    points = []
    for _, args in moves:
        heading += args["heading"]
        x, y = x + args["range"] * math.cos(heading), y + args["range"] * math.sin(heading)
        points.append((x, y))
    return points


def test_a_path_is_measured_from_the_row_before_or_from_the_picture() -> None:
    path = [(1.0, 0.0), (1.0, 1.0), (0.5, 1.0), (0.5, 1.0), (-1.0, -2.0)]
    assert np.allclose(walked(read(path, mode="waypoint", columns="x,y", frame="observation")), path)
    assert (
        read([(0.0, 1.0)] * 2, mode="waypoint", columns="x,y")
        == [("waypoint", {"range": 1.0, "heading": pytest.approx(math.pi / 2)})] * 2
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"url": "http://localhost"}, "does not begin with ws:// or wss://"),
        ({"timeout": 0.0}, "--timeout must be more than 0"),
        ({"table": "0=stop,0=move_forward"}, "each key once"),
        ({"table": "zero=stop"}, "'zero' is no whole number"),
        ({"mode": "velocity", "duration": 1.0}, "does not fit --mode velocity"),
        ({"mode": "velocity", "columns": "linear,linear,angular", "duration": 1.0}, "does not fit"),
        ({"mode": "velocity", "columns": "linear,angular"}, "needs either --duration or a column"),
        ({"mode": "velocity", "columns": "linear,angular,duration", "duration": 1.0}, "needs either"),
        ({"mode": "waypoint", "columns": "x,heading"}, "does not fit --mode waypoint"),
        ({"mode": "waypoint", "columns": "...,x,y"}, "does not fit"),
        ({"mode": "waypoint", "columns": "range,heading", "frame": "observation"}, "needs the columns x and y"),
        ({"columns": "x,y"}, "does not fit --mode table"),
        ({"picture_size": "big"}, "is not like 224x224"),
        ({"observations": "image"}, "is not like KEY=VALUE"),
        ({"observations": ""}, "--observations not empty"),
    ],
)
def test_options_that_make_no_sense_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        PolicyOptions(**given)


def test_a_sensor_that_is_not_there_or_cannot_be_sent_is_one_message() -> None:
    with listening(Openpi()) as url:
        player = openpi(url, observations="image=panorama")
        with pytest.raises(
            PolicyServerError, match="no sensor 'panorama' to send; the observation has rgb, depth, gps"
        ):
            player.act(SEEN)
        with pytest.raises(PolicyServerError, match="a sensor of dict cannot be sent"):
            player.act({"panorama": {"a": 1}})
        player.close()


# -- the vla-evaluation-harness


def unstamped(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "timestamp": 0.0} for one in messages]


def test_vla_eval_is_spoken_to_as_its_client_does() -> None:
    server = VlaEval()
    with listening(server) as url:
        player = vla_eval(url)
        assert player.server["model_server"] == "M"
        assert done(player.act(SEEN)) == ("velocity", FIRST)
        assert player.act(SEEN)["usage"].requests == 0
        player.reset(episode())
        player.act(SEEN)
        player.close()
    kinds = ["hello", "episode_start", "observation", "episode_end", "episode_start", "observation", "episode_end"]
    assert [one["type"] for one in server.seen] == kinds
    assert [one["seq"] for one in server.seen] == list(range(1, 8))
    assert all(isinstance(one["timestamp"], float) for one in server.seen)
    written = [plain(message("vla_eval", kind)) for kind in kinds[:4]]
    assert server.seen[0]["payload"].pop("harness_version").startswith("nav-eval-baselines ")
    written[0]["payload"].pop("harness_version")
    assert unstamped(server.seen[:4]) == unstamped(written)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (message("vla_eval", "error"), "the policy server failed: observation_failed: KeyError: 'wrist'"),
        (("hello", {}), "answers with 'hello' to message 3, not with 'action' to message 3"),
        (("action", {}), "the server's reply has no 'actions'; it has nothing"),
        (msgpack.packb({"actions": [1]}), "is this a vla-eval model server"),
        (b"{}", "cannot be read"),
    ],
)
def test_a_fault_of_a_model_server_is_one_message(answer: Any, said: str) -> None:
    with listening(VlaEval(lambda payload: answer)) as url:
        player = vla_eval(url)
        with pytest.raises(PolicyServerError, match=said):
            player.act(SEEN)
        player.close()


def test_a_reply_to_another_message_and_another_protocol_are_refused() -> None:
    server = VlaEval()
    server.skew = -1
    said = "'action' to message 2, not with 'action' to message 3"
    with listening(server) as url, pytest.raises(PolicyServerError, match=said):
        vla_eval(url).act(SEEN)
    with (
        listening(VlaEval(protocol_version=2)) as url,
        pytest.raises(PolicyServerError, match="speaks protocol 2; this agent speaks 1"),
    ):
        vla_eval(url)


# -- InternNav


def test_internnav_is_spoken_to_as_its_client_does() -> None:
    with internnav() as server:
        player = at_internnav(server)
        answer = player.act(SEEN)
    assert done(answer) == ("turn_left", {})
    assert answer["usage"].requests == 1
    written = EXCHANGES["internnav"]
    assert server.asked[:2] == [(written[part]["path"], written[part]["body"]) for part in ("init", "reset")]
    path, (seen,) = server.asked[2]
    assert path == written["step"]["path"]
    known = {key: [v.dtype.str, list(v.shape)] if hasattr(v, "shape") else v for key, v in seen.items()}
    assert known == written["step"]["observation"]
    assert seen["rgb"].tolist() == PICTURE.tolist()
    assert seen["depth"].ravel().tolist() == [0.0, 0.25, 1.0, 1.0]
    seen["depth"] *= 2  # the server may write to it


def test_depth_that_is_not_in_metres_is_refused_since_its_scale_is_not_known() -> None:
    with internnav() as server:
        player = at_internnav(server)
        player.reset(episode(observation_spec={"depth": {"unit": "m"}}))
        with pytest.raises(PolicyServerError, match=r"simulator\.sensors\.depth\.normalize=false"):
            player.reset(episode(observation_spec={"depth": {"unit": ""}}))


def test_what_internnav_unpickles_names_nothing_that_one_numpy_has_and_another_lacks() -> None:
    import pickletools

    from nav_eval_baselines.bridges.pickles import pickled

    data = pickled([{"rgb": PICTURE}])
    assert pickle.loads(data)[0]["rgb"].tolist() == PICTURE.tolist()
    named = {argument for code, argument, _ in pickletools.genops(data) if code.name in ("SHORT_BINUNICODE", "GLOBAL")}
    assert named == {"rgb", "numpy", "ndarray", "|u1", "builtins", "bytearray"}


def test_a_server_that_stands_still_is_asked_again_but_not_for_ever() -> None:
    still = EXCHANGES["internnav"]["still"]
    with internnav() as server:
        player = at_internnav(server)
        server.plan = [still, still]
        assert player.act(SEEN)["usage"].requests == 3
        server.plan = [still] * 8
        with pytest.raises(PolicyServerError, match="stood still 8 times in a row"):
            player.act(SEEN)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"action": [{"action": [7], "ideal_flag": True}]}, "the server answers 7, which --table"),
        ({"action": [{"action": [[0.5, 0.1]], "ideal_flag": False}]}, "is no discrete action of one robot"),
        ({"action": [{"action": [1], "ideal_flag": True}] * 2}, "is no discrete action of one robot"),
        ({"action": [{"action": [True], "ideal_flag": True}]}, "is no discrete action of one robot"),
        ({}, "is no discrete action of one robot"),
        ([1], "this is no JSON object; is it InternNav's agent server"),
        ("<html>", "JSONDecodeError"),
        ((500, {"detail": "CUDA out of memory"}), "it answers 500: .*CUDA out of memory"),
        ((404, EXCHANGES["internnav"]["lost"]["reply"]), "it answers 404: .*Agent not found"),
    ],
)
def test_a_fault_of_internnav_is_one_message(reply: Any, said: str) -> None:
    with internnav() as server:
        player = at_internnav(server)
        server.plan = [reply]
        with pytest.raises(PolicyServerError, match=said):
            player.act(SEEN)


def test_internnav_that_is_late_is_one_message_and_two_sessions_do_not_share_its_memory() -> None:
    with internnav() as server:
        first = at_internnav(server)
        first.seconds = 0.1
        server.plan = [lambda: time.sleep(0.4)]
        with pytest.raises(PolicyServerError, match="no answer in time; raise --timeout"):
            first.act(SEEN)
        second = at_internnav(server)
        with pytest.raises(PolicyServerError, match="another session has reset this server"):
            first.act(SEEN)
        assert done(second.act(SEEN)) == ("turn_left", {})


# -- as users start them


def test_an_evaluation_asks_the_server_and_tells_what_it_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(observation: dict[str, Any]) -> Any:
        asked.append(array(observation["observation/image"]).shape)
        return {"actions": np.array([[1.0], [2.0], [0.0]])}

    with listening(Openpi(answer)) as url:
        monkeypatch.setenv("POLICY_OPTIONS", f"--url {url} --rows 3 --picture-size 64x64")
        which = "agent_service.agent=nav_eval_baselines.bridges:OpenpiAgent"
        results = nav_eval.evaluate("vln-demo", overrides=["dataset.limit=2", which])
    assert dict(results.statuses) == {"ok": 2}
    assert asked == [(64, 64, 3)] * 2
    assert results.usage[0].requests == 2


def test_the_names_are_registered_and_a_bad_option_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    known = {"openpi": OpenpiAgent, "internnav": InternNavAgent, "vla_eval": VlaEvalAgent, "lerobot": LeRobotAgent}
    assert {name: cli.load_agent(name) for name in known} == known
    with pytest.raises(SystemExit, match="2"):
        cli.main(["serve", "openpi", "--url", "gpu:8000"])
    assert capsys.readouterr().err == ("nav-eval-agent: --url: 'gpu:8000' does not begin with ws:// or wss://.\n")


def test_without_the_websocket_package_its_pip_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=re.escape('pip install "nav-eval-baselines[bridges]"')):
        PolicyOptions()
    assert InternNavOptions().model == "internvla_n1"


@pytest.mark.parametrize("agent", [OpenpiAgent, InternNavAgent, VlaEvalAgent, LeRobotAgent])
def test_every_option_is_explained_in_chinese(agent: Any) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    options.add_to(parser, agent.Options)
    chinese = of_packages("nav_eval_baselines", "nav_eval_sdk")
    texts = [str(action.help).partition("; default:")[0] for action in parser._actions]
    assert len(texts) > 5
    assert [text for text in texts if chinese.translate(text) == text] == []
