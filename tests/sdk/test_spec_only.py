"""Both ends written from the specification's document alone: what the SDK makes of them."""

from __future__ import annotations

import base64
import http.client
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import grpc
import numpy as np
import pytest

from attacks.raw_rest import answer, rest_service
from nav_eval_sdk import VLNAgent, cli, start
from nav_eval_sdk.conformance import Target, check
from nav_eval_sdk.protocol.grpc import SERVICE, message_class
from patience import PATIENCE
from spec_only.messages import classes
from spec_only.service import serving

INSTRUCTION = {
    "text": "Walk down the hallway and enter the kitchen",
    "tokens": ["walk", "down", "the", "hallway", "and", "enter", "the", "kitchen"],
}
RESET = {
    "episode_id": "ep_001",
    "scene_id": "scene_123",
    "instruction": INSTRUCTION,
    "start_position": [1.5, 0.0, 2.3],
    "start_rotation": [0.0, 0.0, 0.0, 1.0],
}
RGB = np.random.default_rng(0).integers(0, 256, (480, 640, 3), np.uint8)
DEPTH = np.random.default_rng(1).random((480, 640, 1), np.float32)
OBSERVATION: dict[str, Any] = {
    "rgb": base64.b64encode(RGB.tobytes()).decode(),
    "depth": base64.b64encode(DEPTH.tobytes()).decode(),
    "instruction": INSTRUCTION,
    "gps": [0.0, 0.0],
    "compass": 0.0,
}
"""Section 4.1's, at section 9's size."""
PLAYS = "The service plays; without protection against lost answers."


class Watcher(VLNAgent):
    """Keeps what it is shown."""

    seen: ClassVar[list[dict[str, Any]]] = []

    def reset(self, episode: dict[str, Any]) -> None:
        assert episode["instruction"]["tokens"] == INSTRUCTION["tokens"]

    def act(self, observation: dict[str, Any]) -> str:
        self.seen.append(observation)
        return "move_forward"


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    Watcher.seen.clear()


@pytest.fixture(scope="module")
def rest() -> Iterator[str]:
    with start(Watcher, port=0).wait_loaded() as server:
        yield server.endpoint


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    with (
        start(Watcher, protocol="grpc", port=0).wait_loaded() as server,
        grpc.insecure_channel(server.endpoint) as made,
    ):
        yield made


def ask(channel: grpc.Channel, method: str, message: Any) -> bytes:
    answer: bytes = channel.unary_unary(f"/{SERVICE}/{method}")(message.SerializeToString(), timeout=PATIENCE)
    return answer


def post(endpoint: str, path: str, body: object) -> tuple[int, str, dict[str, Any]]:
    text = body if isinstance(body, str) else json.dumps(body)
    connection = http.client.HTTPConnection(endpoint, timeout=PATIENCE)
    connection.request("POST", f"/api/v1/{path}", text, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.headers.get_content_type(), json.loads(answer.read())


def test_a_rest_client_that_declares_nothing_plays(rest: str) -> None:
    assert post(rest, "episode/validate", {})[2]["status"] == "ready"
    assert post(rest, "episode/reset", RESET)[2]["status"] == "ready"
    for step, shown in enumerate((OBSERVATION, OBSERVATION, {})):
        status, _, answer = post(rest, "agent/act", {"observation": shown})
        assert (status, answer["action"], answer["action_args"]) == (200, "move_forward", {})
        assert (answer["session_id"], answer["step"]) == ("default", step)
    assert Watcher.seen == [OBSERVATION, OBSERVATION, {}]


GPS = {"kind": "tensor", "shape": [2], "dtype": "float32"}
DECLARED = RESET | {"observation_spec": {"gps": GPS}}
HERE = {"observation": {"gps": [0.0, 1.0]}}


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("agent/act", {"gps": [0.0, 1.0]}, ("`observation`", "session_id, step, request_id, observation")),
        ("agent/act", {}, ("`observation`", "session_id, step, request_id, observation")),
        ("agent/act", {"observations": {"gps": [0.0, 1.0]}}, ("`observation`",)),
        ("agent/act", HERE | {"sesion_id": "default"}, ("'sesion_id'", "'session_id'")),
        ("agent/act", HERE | {"stpe": 3}, ("'stpe'", "'step'")),
        ("agent/act", {"observation": {"gsp": [0.0, 1.0]}}, ("'gsp'", "observation_spec")),
        ("agent/act", {"observation": {}}, ("gps", "missing")),
        ("agent/act", [1], ("object", "observation")),
        ("episode/reset", {"episode": "1", "scene_id": "x"}, ("`episode_id`", "scene_id, instruction")),
        ("episode/reset", RESET | {"observaton_spec": {"gps": GPS}}, ("'observaton_spec'", "'observation_spec'")),
        ("episode/end", {"sesion_id": "default"}, ("'sesion_id'", "'session_id'")),
    ],
)
def test_a_request_that_is_none_is_told_what_was_expected(rest: str, path: str, body: Any, words: Any) -> None:
    assert post(rest, "episode/reset", DECLARED)[0] == 200
    status, kind, answer = post(rest, path, body)
    assert (status, kind, answer["code"]) == (400, "application/problem+json", "bad_request")
    assert all(word in answer["detail"] for word in words), answer["detail"]


def test_keys_of_a_newer_evaluator_are_passed_over(rest: str) -> None:
    assert post(rest, "episode/reset", DECLARED | {"weather": "rain", "observation_specs": 1})[0] == 200
    whole = HERE | {"session_id": "default", "step": 0, "request_id": "r"}
    assert post(rest, "agent/act", whole | {"steps": 3, "urgency": 1})[0] == 200


def test_a_grpc_client_that_declares_nothing_plays(channel: grpc.Channel) -> None:
    made = classes()
    episode = made["EpisodeData"](**RESET)
    value = made["Value"]
    tokens = made["List"](items=[value(text=word) for word in INSTRUCTION["tokens"]])
    instruction = made["Struct"](fields={"text": value(text=INSTRUCTION["text"]), "tokens": value(list=tokens)})
    rgb = made["Tensor"](dtype="uint8", shape=RGB.shape, encoding="raw", data=RGB.tobytes())
    depth = made["Tensor"](dtype="float32", shape=DEPTH.shape, data=DEPTH.tobytes())
    gps = made["List"](items=[value(number=0.0)] * 2)
    sensors = {
        "rgb": value(tensor=rgb),
        "depth": value(tensor=depth),
        "instruction": value(struct=instruction),
        "gps": value(list=gps),
        "compass": value(number=0.0),
    }
    assert made["ServiceStatus"].FromString(ask(channel, "HealthCheck", made["Empty"]())).status == "ready"
    assert made["InitialObservation"].FromString(ask(channel, "ResetEpisode", episode)).status == "ready"
    for step, shown in enumerate((sensors, {})):
        said = ask(channel, "GetAction", made["Observation"](observation=shown))
        answer = message_class("nav_eval.v1.Action").FromString(said)
        assert (answer.action, answer.session_id, answer.step) == ("move_forward", "default", step)
    seen = Watcher.seen[0]
    assert np.array_equal(seen.pop("rgb"), RGB)
    assert np.array_equal(seen.pop("depth"), DEPTH)
    assert seen == {name: OBSERVATION[name] for name in ("instruction", "gps", "compass")}


@pytest.mark.parametrize("bad", ['{"rgb": "\\ud800"}', '{"gps": ' + "[" * 100_000 + "]" * 100_000 + "}"])
def test_what_no_json_holds_is_refused_where_nothing_is_declared_too(rest: str, bad: str) -> None:
    post(rest, "episode/reset", RESET)
    assert post(rest, "agent/act", f'{{"observation": {bad}}}')[0] == 400
    assert Watcher.seen == []


@pytest.mark.parametrize("encoding", ["zstd", "png"])
def test_a_tensor_that_nobody_declared_is_not_unpacked(channel: grpc.Channel, encoding: str) -> None:
    """What a few bytes may grow into is known from the declaration alone."""
    made = classes()
    bomb = made["Tensor"](dtype="uint8", shape=[1 << 14, 1 << 14], encoding=encoding, data=b"\x28\xb5\x2f\xfd")
    ask(channel, "ResetEpisode", made["EpisodeData"](**RESET))
    with pytest.raises(grpc.RpcError) as refused:
        ask(channel, "GetAction", made["Observation"](observation={"rgb": made["Value"](tensor=bomb)}))
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "rgb" in (refused.value.details() or "")


SERVICES = {
    "rest": ("rest", '{"status": "ready"}'),
    "rest, another word": ("rest", '{"status": "ok"}'),
    "rest, no word": ("rest", "{}"),
    "rest, a text": ("rest", "OK"),
    "grpc": ("grpc", "ready"),
    "grpc, another word": ("grpc", "SERVING"),
    "grpc, no word": ("grpc", ""),
}


def checked(
    endpoint: str, wire: str, capsys: pytest.CaptureFixture[str], command: str = "check"
) -> tuple[int, str, float]:
    """Exit code of `nav-eval-agent check`, what it printed, and its seconds."""
    begun = time.monotonic()
    with pytest.raises(SystemExit) as ended:
        cli.main([command, endpoint, "--protocol", wire])
    return int(ended.value.code or 0), capsys.readouterr().out, time.monotonic() - begun


@pytest.mark.parametrize(("wire", "health"), SERVICES.values(), ids=SERVICES)
def test_check_says_that_a_service_of_the_three_calls_plays(
    wire: str, health: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, _ = checked(f"127.0.0.1:{serving(wire, health)}", wire, capsys)
    assert code == 0, said
    assert said.splitlines()[-1] == PLAYS
    assert "FAULT" not in said


def test_a_service_with_one_answer_for_every_address_plays(capsys: pytest.CaptureFixture[str]) -> None:
    """A participant who looks at no address: whatever is asked is answered with a status and an action."""
    with rest_service(lambda request: answer({"status": "ready", "action": "stop", "action_args": {}})) as service:
        code, said, _ = checked(service.endpoint, "rest", capsys)
    assert (code, said.splitlines()[-1]) == (0, PLAYS), said


@pytest.mark.parametrize("status", ["loading", "broken"])
def test_a_service_of_the_three_calls_that_is_not_ready_is_none_that_plays(
    status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint = f"127.0.0.1:{serving('rest', json.dumps({'status': status}))}"
    assert checked(endpoint, "rest", capsys, "health")[:2] == (1, f"{status}\n")


@pytest.fixture
def others() -> Iterator[str]:
    """Neither the service nor its calls have the specification's names."""
    server = grpc.server(ThreadPoolExecutor(2))
    act = grpc.unary_unary_rpc_method_handler(lambda request, context: b"")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("VLNService", {"Act": act}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(0).wait(5)


@pytest.mark.parametrize("prefix", ["", "vln.", None])
def test_check_names_the_expected_service_where_another_is_registered(
    prefix: str | None, others: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = others if prefix is None else f"127.0.0.1:{serving('grpc', 'ready', prefix)}"
    code, said, seconds = checked(place, "grpc", capsys)
    assert code == 3, said
    assert SERVICE in said
    assert prefix is None or ("inference.proto" in said and len(said.splitlines()) < 3)
    assert seconds < 5


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary"])
def test_a_service_that_tells_of_itself_is_held_to_the_whole_protocol(wire: str) -> None:
    class Forgetful(Watcher):
        def reset(self, episode: dict[str, Any]) -> None:
            """Nothing."""

    with start(Forgetful, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        found = [finding.check for finding in check(Target(server.endpoint, wire))]
    assert {"decides once", "keeps the order of steps", "knows its sessions", "resets once"} < set(found)
