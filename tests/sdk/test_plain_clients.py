"""Clients written from the specification alone, and what they are told when they get a request wrong."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.protocol.grpc import SERVICE, message_class
from nav_eval_sdk.server.serving import Server
from patience import PATIENCE

GPS = {"kind": "tensor", "shape": [2], "dtype": "float32"}
RESET = {
    "episode_id": "1",
    "scene_id": "house",
    "instruction": {"text": "Walk to the sofa.", "tokens": ["walk", "to", "the", "sofa"]},
    "start_position": [1.0, 0.0, 2.0],
    "start_rotation": [0.0, 0.0, 0.0, 1.0],
}
DECLARED = RESET | {"observation_spec": {"gps": GPS}}


class Forward(VLNAgent):
    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing."""

    def act(self, observation: dict[str, Any]) -> str:
        return "move_forward"


@pytest.fixture(scope="module")
def rest() -> Iterator[Server]:
    with start(Forward, port=0).wait_loaded() as server:
        yield server


def post(server: Server, path: str, body: object) -> tuple[int, str, dict[str, Any]]:
    connection = http.client.HTTPConnection(server.endpoint, timeout=PATIENCE)
    connection.request("POST", f"/api/v1/{path}", json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.headers.get_content_type(), json.loads(answer.read())


def test_the_specifications_fields_are_enough_over_rest(rest: Server) -> None:
    assert post(rest, "episode/reset", RESET)[0] == 200
    status, _, action = post(rest, "agent/act", {"observation": {}})
    assert (status, action["action"], action["session_id"]) == (200, "move_forward", "default")


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("agent/act", {"gps": [0.0, 1.0]}, ("`observation`", "session_id, step, request_id, observation")),
        ("agent/act", {}, ("`observation`", "session_id, step, request_id, observation")),
        ("agent/act", {"observations": {"gps": [0.0, 1.0]}}, ("`observation`",)),
        ("agent/act", {"observation": {"gps": [0.0, 1.0]}, "sesion_id": "default"}, ("'sesion_id'", "'session_id'")),
        ("agent/act", {"observation": {"gps": [0.0, 1.0]}, "stpe": 3}, ("'stpe'", "'step'")),
        ("agent/act", {"observation": {"gsp": [0.0, 1.0]}}, ("'gsp'", "observation_spec")),
        ("agent/act", {"observation": {}}, ("gps", "missing")),
        ("agent/act", [1], ("object", "observation")),
        ("episode/reset", {"episode": "1", "scene_id": "x"}, ("`episode_id`", "scene_id, instruction")),
        ("episode/reset", RESET | {"observaton_spec": {"gps": GPS}}, ("'observaton_spec'", "'observation_spec'")),
        ("episode/end", {"sesion_id": "default"}, ("'sesion_id'", "'session_id'")),
    ],
)
def test_a_request_that_is_none_is_told_what_was_expected(rest: Server, path: str, body: Any, words: Any) -> None:
    assert post(rest, "episode/reset", DECLARED)[0] == 200
    status, kind, answer = post(rest, path, body)
    assert (status, kind, answer["code"]) == (400, "application/problem+json", "bad_request")
    assert all(word in answer["detail"] for word in words), answer["detail"]


def test_keys_of_a_newer_evaluator_are_passed_over(rest: Server) -> None:
    assert post(rest, "episode/reset", DECLARED | {"weather": "rain", "observation_specs": 1})[0] == 200
    whole = {"session_id": "default", "step": 0, "request_id": "r", "observation": {"gps": [0.0, 1.0]}}
    assert post(rest, "agent/act", whole | {"steps": 3, "urgency": 1})[0] == 200


def test_the_specifications_fields_are_enough_over_grpc() -> None:
    episode = message_class("nav_eval.v1.EpisodeData")(
        episode_id="1", scene_id="house", start_position=[1, 0, 2], start_rotation=[0, 0, 0, 1]
    )
    episode.instruction.text = "Walk to the sofa."
    with (
        start(Forward, protocol="grpc", port=0).wait_loaded() as server,
        grpc.insecure_channel(server.endpoint) as line,
    ):

        def call(method: str, message: Any, answer: str) -> Any:
            ask = line.unary_unary(f"/{SERVICE}/{method}")
            return message_class(f"nav_eval.v1.{answer}").FromString(ask(message.SerializeToString(), timeout=PATIENCE))

        assert call("ResetEpisode", episode, "InitialObservation").status == "ready"
        for step in range(2):
            answer = call("GetAction", message_class("nav_eval.v1.Observation")(), "Action")
            assert (answer.action, answer.session_id, answer.step) == ("move_forward", "default", step)
