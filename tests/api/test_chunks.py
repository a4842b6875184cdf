"""Several actions in one answer: the same on every wire, refused where they are none, and unknown to older peers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

import grpc
import msgspec
import pytest

from api.test_answers import Odd
from api.worlds import SECRETS, Silly, observation, offer
from attacks.raw_grpc import GrpcRequest, grpc_service
from attacks.raw_rest import rest_service
from nav_eval.api.connecting import connect
from nav_eval.api.local import LocalService
from nav_eval.api.process import ProcessService
from nav_eval.api.settings import Retry
from nav_eval.core.interfaces import AgentService, Decision
from nav_eval.errors import AgentError, InvalidAction
from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.protocol import grpc as pb
from nav_eval_sdk.protocol import messages as m
from patience import PATIENCE

MAX_CHUNK = 3
GRANTED = replace(offer(), limits=m.Limits(max_steps=50, max_chunk=MAX_CHUNK))
SLOW = {"linear": 0.5, "angular": -0.25, "duration": 1.0}


class Several(VLNAgent):
    """Names what it saw, moves, and stops; one answer is of one action, although it might be of more."""

    def reset(self, episode: dict[str, Any]) -> None:
        self.granted = episode["limits"].get("max_chunk", 1)
        self.step = 0

    def act(self, observation: dict[str, Any]) -> Any:
        assert self.granted == self.max_chunk
        self.step += 1
        if self.max_chunk == 1 or self.step == 2:
            return "turn_left"
        seen = {"action": "move_to", "action_args": {"viewpoint": observation["navigable"][1]["viewpoint"]}}
        return [seen, {"action": "velocity", "action_args": SLOW}, "stop"][: self.max_chunk]


WIRES = [("rest", "json"), ("rest", "msgpack"), ("grpc", "unary"), ("grpc", "stream"), ("local", ""), ("process", "")]


@pytest.fixture(scope="module")
def endpoints() -> Iterator[dict[str, str]]:
    with start(Several, protocol="rest", port=0) as rest, start(Several, protocol="grpc", port=0) as other:
        yield {"rest": rest.endpoint, "grpc": other.endpoint}


def service(endpoints: dict[str, str], protocol: str, encoding: str) -> AgentService:
    if protocol == "local":
        return LocalService(Several)
    if protocol == "process":
        return ProcessService("api.test_chunks:Several", Several)
    return connect(endpoints[protocol], protocol, encoding=encoding)


def decided(service: AgentService, granted: Any) -> list[Decision]:
    service.health_check()
    client = service.open_session()
    client.reset_episode(granted)
    found = [client.get_action(observation(step)) for step in range(3)]
    client.end_episode("stop")
    service.close()
    return found


@pytest.mark.parametrize(("protocol", "encoding"), WIRES)
def test_several_actions_travel_on_every_wire(endpoints: dict[str, str], protocol: str, encoding: str) -> None:
    first, second, third = decided(service(endpoints, protocol, encoding), GRANTED)
    assert (first.action.name, first.action.args) == ("move_to", {"viewpoint": SECRETS["other node"]})
    assert [(action.name, action.args) for action in first.rest] == [("velocity", SLOW), ("stop", {})]
    assert (second.action.name, second.rest) == ("turn_left", ())
    assert (third.action, third.rest) == (first.action, first.rest)
    alone = decided(service(endpoints, protocol, encoding), offer())
    assert [(one.action.name, one.rest) for one in alone] == [("turn_left", ())] * 3


FAST = {"linear": float("nan"), "angular": 0.0, "duration": 1.0}
BAD: list[tuple[Any, str]] = [
    ([], "actions is empty"),
    (["stop"] * (MAX_CHUNK + 1), r"actions holds 4 actions, max_chunk allows 3"),
    (["turn_left", ["stop"]], r"actions\[1\]"),
    (["turn_left", {"actions": ["stop"]}], r"actions\[1\]"),
    (["turn_left", None], r"actions\[1\]"),
    (["turn_left", 3], r"actions\[1\]"),
    (["turn_left", {"action": 3}], r"actions\[1\]"),
    (["turn_left", {"action": "stop", "action_args": [1]}], r"action_args"),
    (["turn_left", "fly"], r"actions\[1\]: action 'fly'"),
    (["turn_left", {"action": "stop", "action_args": {"why": 1}}], r"actions\[1\]: 'stop' takes"),
    (["turn_left", {"action": "move_to", "action_args": {"viewpoint": "0" * 32}}], r"actions\[1\]: viewpoint"),
    (["turn_left", {"action": "velocity", "action_args": FAST}], r"'linear'.* finite"),
]


def refused(service: AgentService, granted: Any) -> str:
    client = service.open_session()
    client.reset_episode(granted)
    with pytest.raises(InvalidAction) as caught:
        client.get_action(observation(0))
    client.close()
    return str(caught.value)


@pytest.mark.parametrize("wire", ["local", "rest", "grpc"])
def test_a_list_that_is_no_chunk_is_one_fault_that_names_the_key(wire: str) -> None:
    with start(Silly, protocol="grpc" if wire == "grpc" else "rest", port=0) as server:
        tried = LocalService(Silly) if wire == "local" else connect(server.endpoint, wire)
        for answer, words in BAD:
            for Silly.answer in (answer, {"actions": answer}):
                assert re.search(words, said := refused(tried, GRANTED)), (answer, said)
        Silly.answer = ["stop", "stop"]
        assert "actions holds 2 actions, max_chunk allows 1" in refused(tried, offer())
        Silly.answer = ["stop"]
        client = tried.open_session()
        client.reset_episode(offer())
        assert client.get_action(observation(0)).rest == ()
        tried.close()


def answered(body: Any, granted: Any = GRANTED) -> Decision:
    """Of a service that somebody else wrote: the body as it is."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    with rest_service(Odd([(200, {}, text)] * 3)) as hostile:
        tried = connect(hostile.endpoint, "rest", retry=Retry(1, 0.01))
        try:
            client = tried.open_session()
            client.reset_episode(granted)
            return client.get_action(observation(0))
        finally:
            tried.close()


def test_what_a_plain_service_answers_is_read_alike() -> None:
    for several in (["turn_left", "stop"], [{"action": "turn_left"}, {"action": "stop", "action_args": None}]):
        for body in ({"actions": several}, {"actions": several, "action": "turn_right"}):
            decision = answered(body)
            assert [decision.action.name, *(one.name for one in decision.rest)] == ["turn_left", "stop"]
    assert answered({"action": "stop", "actions": None}, offer()).action.name == "stop"
    for bad in (*(answer for answer, _ in BAD), "stop", {"action": "stop"}, 3):
        with pytest.raises(InvalidAction, match=r"actions|action_args"):
            answered({"actions": bad})
    with pytest.raises(InvalidAction, match="max_chunk allows 1"):
        answered({"actions": ["stop", "stop"]}, offer())
    for nothing in ({}, {"actions": None}):
        with pytest.raises(AgentError, match="missing required field `action`"):
            answered(nothing)


OLD_JSON = b'{"action":"stop","action_args":{},"session_id":"s","step":0,"request_id":"r","timing":{"think":0.5}}'
OLD_LIMITS = b'{"max_steps":5,"reset_timeout":null,"act_timeout":null,"episode_timeout":null,"max_moves":null}'


def old_classes() -> dict[str, Any]:
    """The messages as they were before there were chunks: what was added is taken out of the committed descriptors."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    blob = (files("nav_eval_sdk.protocol") / "inference.binpb").read_bytes()
    described = descriptor_pb2.FileDescriptorSet.FromString(blob).file[0]
    kinds = {kind.name: kind for kind in described.message_type}
    for kind, name in (("Action", "actions"), ("Limits", "max_chunk"), ("Limits", "step_seconds")):
        (field,) = [field for field in kinds[kind].field if field.name == name]
        for oneof in [one for one in kinds[kind].oneof_decl if one.name == f"_{name}"]:
            kinds[kind].oneof_decl.remove(oneof)
        kinds[kind].field.remove(field)
    described.message_type.remove(kinds["Part"])
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(described.SerializeToString())
    found = pool.FindFileByName(described.name).message_types_by_name.values()
    return {kind.name: message_factory.GetMessageClass(kind) for kind in found}


def test_without_chunks_every_byte_is_as_it_was() -> None:
    old = old_classes()
    action = m.Action("stop", {}, "s", 0, "r", {"think": 0.5})
    assert msgspec.json.encode(action) == OLD_JSON
    assert msgspec.msgpack.encode(action) == msgspec.msgpack.encode(json.loads(OLD_JSON))
    assert msgspec.json.encode(m.Limits(5)) == OLD_LIMITS
    assert pb.dump(m.Limits(5)) == old["Limits"](max_steps=5).SerializeToString()
    was = old["Action"](action="stop", session_id="s", step=0, request_id="r", timing={"think": 0.5})
    assert pb.dump_action(action) == was.SerializeToString()


def test_a_service_from_before_plays_with_an_evaluator_that_grants_chunks() -> None:
    old = old_classes()
    seen: list[Any] = []

    def answer(request: GrpcRequest, context: Any) -> bytes:
        if request.call == "ResetEpisode":
            seen.append(old["EpisodeData"].FromString(request.message))
            return old["InitialObservation"](status="ready").SerializeToString()
        if request.call == "HealthCheck":
            return b"\n\x05ready"
        if request.call != "GetAction":
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "")
        asked = old["Observation"].FromString(request.message)
        same = {"session_id": asked.session_id, "step": asked.step, "request_id": asked.request_id}
        return old["Action"](action="turn_left", **same).SerializeToString()

    with grpc_service(answer) as service:
        found = decided(connect(service.endpoint, "grpc"), GRANTED)
    assert [(one.action.name, one.rest) for one in found] == [("turn_left", ())] * 3
    assert seen[0].limits.max_steps == 50


def test_an_evaluator_from_before_plays_with_a_service_that_could_answer_chunks(endpoints: dict[str, str]) -> None:
    old = old_classes()
    specs = {"navigable": old["Spec"](kind="text")}
    data = old["EpisodeData"](episode_id="e", scene_id="s", session_id="old", protocol=1, observation_spec=specs)
    for name in ("turn_left", "stop"):
        data.action_space[name].SetInParent()
    asked = old["Observation"](session_id="old", step=0, request_id="r")
    asked.observation["navigable"].text = "n"
    with grpc.insecure_channel(endpoints["grpc"]) as channel:
        call = {
            name: channel.unary_unary(f"/{pb.SERVICE}/{name}") for name in ("ResetEpisode", "GetAction", "EndEpisode")
        }
        call["ResetEpisode"](data.SerializeToString(), timeout=PATIENCE)
        answer = call["GetAction"](asked.SerializeToString(), timeout=PATIENCE)
        call["EndEpisode"](old["EpisodeEnd"](session_id="old").SerializeToString(), timeout=PATIENCE)
    parsed = old["Action"].FromString(answer)
    assert parsed.action == "turn_left"
    assert parsed.SerializeToString() == answer  # nothing in it that it does not know
