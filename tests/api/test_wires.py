"""The same agent decides the same on every wire, because it is told and shown the same, to the bit."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest
from PIL import Image

from api.worlds import SECRETS, Fingerprinting, Silly, observation, offer
from attacks.raw_rest import accept, listening
from nav_eval.api.connecting import connect
from nav_eval.api.local import LocalService
from nav_eval.api.settings import Encoding
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import AgentService
from nav_eval.errors import AgentError, ConfigError, InvalidAction, ServiceUnavailable
from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.server.serving import Server
from patience import PATIENCE

SECRET = b"the run's own"
STEPS = 12
FORMS = [
    ("rest", "json"),
    ("rest", "msgpack"),
    ("rest", "auto"),
    ("rest", "json+png"),
    ("rest", "msgpack+zstd"),
    ("grpc", "unary"),
    ("grpc", "stream"),
    ("grpc", "auto"),
    ("grpc", "unary+zstd"),
    ("grpc", "stream+png"),
]


def taken(service: AgentService) -> list[Action]:
    """In two episodes of one session."""
    client = service.open_session()
    found = []
    for index in range(2):
        client.reset_episode(offer(index))
        found += [client.get_action(observation(step)).action for step in range(STEPS)]
        client.end_episode("limit")
    client.close()
    return found


def decisions(service: AgentService) -> list[Action]:
    found = taken(service)
    service.close()
    return found


@cache
def locally(disclosure: Any = "competition") -> list[Action]:
    return decisions(LocalService(Fingerprinting, disclosure=disclosure, secret=SECRET))


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Server]]:
    with (
        start(Fingerprinting, protocol="rest", port=0, max_sessions=4) as rest,
        start(Fingerprinting, protocol="grpc", port=0, max_sessions=4) as grpc,
    ):
        yield {"rest": rest, "grpc": grpc}


@pytest.mark.parametrize("disclosure", ["competition", "full"])
@pytest.mark.parametrize(("protocol", "encoding"), FORMS)
def test_decisions_are_the_same_on_every_wire(
    servers: dict[str, Server], protocol: str, encoding: str, disclosure: Any
) -> None:
    local = locally(disclosure)
    endpoint = servers[protocol].endpoint
    service = connect(endpoint, protocol, encoding=encoding, disclosure=disclosure, secret=SECRET)
    assert service.health_check().name == "fingerprinting"
    assert decisions(service) == local
    assert {"move_to", "velocity"} < {action.name for action in local}
    nodes = {action.args["viewpoint"] for action in local if action.name == "move_to"}
    assert nodes <= {SECRETS["start node"], SECRETS["other node"]}


def test_the_secret_changes_what_the_agent_sees() -> None:
    first = decisions(LocalService(Fingerprinting, secret=b"a"))
    assert first != decisions(LocalService(Fingerprinting, secret=b"b"))
    assert first == decisions(LocalService(Fingerprinting, secret=b"a"))


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_sessions_run_side_by_side(servers: dict[str, Server], protocol: str) -> None:
    service = connect(servers[protocol].endpoint, protocol, secret=SECRET)
    assert service.health_check().max_sessions == 4
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: taken(service), range(4), timeout=PATIENCE))
    service.close()
    assert answers == [locally()] * 4


BAD = [
    ("fly", InvalidAction),
    ("", InvalidAction),
    (None, InvalidAction),
    (3, InvalidAction),
    ({}, InvalidAction),
    ({"action": "stop", "action_args": {"why": 1}}, InvalidAction),
    ({"action": "stop", "action_args": [1]}, InvalidAction),
    ({"action": "move_to"}, InvalidAction),
    ({"action": "move_to", "action_args": {"viewpoint": 3}}, InvalidAction),
    ({"action": "move_to", "action_args": {"viewpoint": "0" * 32}}, InvalidAction),
    ({"action": "move_to", "action_args": {"viewpoint": SECRETS["start node"]}}, InvalidAction),
    ({"action": "velocity", "action_args": {"linear": float("nan"), "angular": 0.0, "duration": 1.0}}, InvalidAction),
    ({"action": "velocity", "action_args": {"linear": 1.0, "angular": 0.0, "duration": float("inf")}}, InvalidAction),
    ({"action": "velocity", "action_args": {"linear": 1.0, "angular": 0.0, "duration": -1.0}}, InvalidAction),
    ({"action": "velocity", "action_args": {"linear": "1", "angular": 0.0, "duration": 1.0}}, InvalidAction),
    ({"action": "velocity", "action_args": {"linear": 1 << 70, "angular": 0.0, "duration": 1.0}}, InvalidAction),
    (ValueError("the model broke\nbadly " + "x" * 10_000), AgentError),
]


@pytest.mark.parametrize("wire", ["local", "rest", "grpc"])
def test_bad_answers_are_never_repaired(wire: str) -> None:
    with start(Silly, protocol="grpc" if wire == "grpc" else "rest", port=0) as server:
        service = LocalService(Silly) if wire == "local" else connect(server.endpoint, wire)
        client = service.open_session()
        for index, (answer, error) in enumerate(BAD):
            Silly.answer = answer
            client.reset_episode(offer(index))
            with pytest.raises(error) as caught:
                client.get_action(observation(0))
            told = str(caught.value)
            assert type(caught.value) is error, answer
            assert ("\n" in told, len(told) < 500, "ValueError" in told) == (False, True, error is AgentError), answer
            client.end_episode("invalid_action")
        service.close()


@pytest.mark.parametrize(("protocol", "encoding"), [("rest", "json+png"), ("rest", "msgpack"), ("grpc", "stream+zstd")])
def test_images_lose_detail_only_where_the_rules_say_so(protocol: str, encoding: str) -> None:
    seen: list[dict[str, Any]] = []

    class Watcher(VLNAgent):
        def reset(self, episode: dict[str, Any]) -> None:
            pass

        def act(self, observation: dict[str, Any]) -> str:
            seen.append(observation)
            return "stop"

    sent = observation(0)
    y, x = np.mgrid[0:12, 0:16]
    sent["rgb"] = sent["goal_image"] = np.stack([10 * y, 10 * x, 5 * (x + y)], axis=-1).astype(np.uint8)
    with start(Watcher, protocol=protocol, port=0) as server:
        client = connect(server.endpoint, protocol, encoding=encoding, jpeg=["rgb", "depth"]).open_session()
        client.reset_episode(offer())
        client.get_action(sent)
        client.close()
    as_jpeg = io.BytesIO()
    Image.fromarray(sent["rgb"]).save(as_jpeg, "jpeg", quality=90)
    assert 0 < np.abs(seen[0]["rgb"].astype(int) - sent["rgb"]).max() < 30
    assert np.abs(seen[0]["rgb"].astype(int) - np.asarray(Image.open(as_jpeg))).max() == 0
    for whole in ("goal_image", "depth", "semantic"):
        assert np.array_equal(seen[0][whole], sent[whole])


@pytest.mark.parametrize("text", ["", "xml", "json+msgpack", "jpeg", "png+zstd", "json+", "JSON"])
def test_an_encoding_that_is_none(text: str) -> None:
    with pytest.raises(ConfigError, match=r"agent_service\.encoding"):
        Encoding.parse(text)


@pytest.mark.parametrize(
    ("endpoint", "protocol", "encoding"),
    [("localhost", "soap", "auto"), ("", "rest", "auto"), ("ftp://x", "rest", "auto"), ("x:1", "grpc", "json")],
)
def test_settings_that_do_not_fit(endpoint: str, protocol: str, encoding: str) -> None:
    with pytest.raises(ConfigError):
        connect(endpoint, protocol, encoding=encoding)


def test_a_service_of_another_protocol(servers: dict[str, Server]) -> None:
    with start(Fingerprinting, port=0) as server:
        server.service.info = server.service.info.__class__(protocols=(7,))
        with pytest.raises(ServiceUnavailable, match="speaks protocol"):
            connect(server.endpoint, "rest").health_check()


@pytest.mark.parametrize(("spoken", "asked", "said"), [("rest", "grpc", "REST"), ("grpc", "rest", "gRPC")])
def test_the_other_protocol_is_told_at_once(spoken: str, asked: str, said: str) -> None:
    with start(Fingerprinting, protocol=spoken, port=0) as server:
        service = connect(server.endpoint, asked, deadlines=Deadlines(ready=PATIENCE))
        with pytest.raises(ServiceUnavailable, match=rf"^\S+: no .*perhaps it speaks {said}"):
            service.health_check()


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_proxy_whose_service_is_not_there_yet_is_waited_for(protocol: str) -> None:
    def unavailable(sock: socket.socket) -> None:
        sock.recv(1 << 16)
        sock.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        sock.close()

    with listening() as server:
        accept(server, unavailable)
        service = connect(f"127.0.0.1:{server.getsockname()[1]}", protocol, deadlines=Deadlines(ready=1.5))
        with pytest.raises(ServiceUnavailable, match="was not ready within"):
            service.health_check()


def test_what_a_service_says_of_itself_is_cut_to_a_line() -> None:
    with start(Fingerprinting, port=0) as server:
        server.service.info = server.service.info.__class__(name="a\nb" * 10_000, max_sessions=-5)
        status = connect(server.endpoint, "rest").health_check()
    assert (status.name[:7], len(status.name), status.max_sessions) == ("a ba ba", 100, 1)


class Particular(Fingerprinting):
    """Needs what the episodes of these tests do not have."""

    sensors = {"lidar": (0, 0), "rgb": (640, 480)}  # noqa: RUF012


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
@pytest.mark.parametrize(("agent", "warnings"), [(Particular, 1), (Fingerprinting, 0)])
def test_what_a_service_lacks_is_told_once_and_decides_nothing(
    protocol: str, agent: type[VLNAgent], warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    with start(agent, protocol=protocol, port=0) as server:
        service = connect(server.endpoint, protocol, secret=SECRET)
        assert decisions(service) == locally()
    said = lacks(caplog)
    assert len(said) == warnings
    assert all("'lidar'" in text and "640 x 480, the episode has 16 x 12" in text for text in said)
    decisions(LocalService(agent, secret=SECRET))
    assert lacks(caplog) == said * 2  # in the evaluator's own process it is told as of a service


def lacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What agents said that episodes do not have, without their names."""
    told = (record.getMessage().partition(" says that it cannot play such episodes: ") for record in caplog.records)
    return [text for _, said, text in told if said]
