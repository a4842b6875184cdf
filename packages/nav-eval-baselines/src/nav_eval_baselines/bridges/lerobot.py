"""LeRobot's asynchronous policy server: gRPC, an observation and a chunk of actions as pickles.

As of huggingface/lerobot, src/lerobot/transport (services.proto, utils.py) and async_inference (policy_server.py,
helpers.py, robot_client.py): Ready, SendPolicyInstructions with the policy to load, then for each answer one
TimedObservation through SendObservations, in pieces of 2 MiB, and GetActions. The server takes what it predicts from
one observation alone and keeps no history; it never resets a policy. It marks actions with the observation's own time
and number, by which an answer to somebody else is told. It says nothing but an empty message where it fails.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.bridges.base import (
    Actions,
    PolicyAgent,
    PolicyOptions,
    PolicyServerError,
    actions_of,
    chosen,
    prepared,
    sensor,
)
from nav_eval_baselines.bridges.link import MAX_REPLY
from nav_eval_baselines.bridges.pickles import chunk_of, made
from nav_eval_sdk.options import option
from nav_eval_sdk.protocol.usage import Usage

SERVICE, MODULE = "/transport.AsyncInference/", "lerobot.async_inference.helpers"
PIECE, BEGIN, MIDDLE, END = 1 << 21, 1, 2, 3
"""Bytes of one message of an observation, and the numbers that say where in it a piece lies."""
ALL = 1 << 16
"""More actions than any policy predicts at once."""


@dataclass(frozen=True)
class LeRobotOptions(PolicyOptions):
    """`LeRobotOptions(policy="act", checkpoint="me/my_act", mode="velocity", ...)`: pictures and a state."""

    schemes: ClassVar[tuple[str, str]] = ("grpc://", "dns:")

    url: str = option("grpc://localhost:8080", "the server's address")
    policy: str = option("act", "the kind of policy (policy_type)")
    checkpoint: str = option("", "its checkpoint at the server (pretrained_name_or_path)")
    device: str = option("cuda", "where the server runs it (policy_device)")
    load_within: float = option(600.0, "seconds for the server to load the model")
    observations: str = option(
        "front=rgb,gps=gps,compass=compass",
        "what is sent, as KEY=SENSOR, parted by commas; a picture's is its camera, numbers become the state in this "
        "order",
    )
    instruction_key: str = option("task", "the key of the instruction")
    picture_size: str = option("", "pictures become WIDTHxHEIGHT, with black borders; empty: as the sensor has it")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.checkpoint:
            raise ValueError("--checkpoint is missing: name what the server shall load.")
        if find_spec("grpc") is None:
            raise ValueError('this server speaks gRPC: pip install "nav-eval-baselines[lerobot]"')


class LeRobotAgent(PolicyAgent):
    """Asks a policy that LeRobot serves: `LeRobotAgent(LeRobotOptions(url="grpc://gpu:8080", ...))`."""

    name = "lerobot"
    version = "1"
    Options = LeRobotOptions

    def __init__(self, options: LeRobotOptions | None = None) -> None:
        import grpc

        super().__init__(options)
        limits = [("grpc.max_receive_message_length", MAX_REPLY)]
        self._channel = grpc.insecure_channel(self.options.url.removeprefix("grpc://"), limits)
        self._loaded: Any = None
        self._number = 0

    def start(self, episode: Mapping[str, Any]) -> None:
        given, spec = self.options, episode.get("observation_spec") or {}
        blank = {key: np.zeros(sensor(spec, name)["shape"], spec[name]["dtype"]) for key, name in given.sent.items()}
        features = features_of({key: prepared(value, given.size) for key, value in blank.items()})
        self._call("Ready", b"", max(given.connect_within, 1.0))
        if features != self._loaded:
            told = (given.policy, given.checkpoint, features, given.rows or ALL, given.device)
            self._call("SendPolicyInstructions", field(1, made(MODULE, "RemotePolicyConfig", *told)), given.load_within)
            self._loaded = features

    def ask(self, observation: Mapping[str, Any]) -> tuple[Actions, Usage]:
        options, until = self.options, time.monotonic() + self.seconds
        sent = chosen(observation, options)
        self._number += 1
        stamp = (time.time(), self._number)
        told = made(
            MODULE, "TimedObservation", *stamp, {**values_of(sent), options.instruction_key: self.instruction}, True
        )
        self._call("SendObservations", pieces(told), self.seconds)
        reply = self._call("GetActions", b"", until - time.monotonic())
        if not reply:
            raise self._fault("it answers nothing: its log says why, or another session has reset it")
        chunk = chunk_of(content(reply), MODULE)
        if not chunk or (chunk[0].timestamp, chunk[0].timestep) != stamp:
            raise self._fault("it answers another session's observation: it plays one episode at a time")
        return actions_of({"actions": [one.action for one in chunk]}, options, self.space), Usage(requests=1)

    def _call(self, name: str, message: bytes | Iterator[bytes], seconds: float) -> bytes:
        import grpc

        kind = self._channel.unary_unary if isinstance(message, bytes) else self._channel.stream_unary
        try:
            reply: bytes = kind(SERVICE + name)(message, timeout=max(seconds, 0.001), wait_for_ready=name == "Ready")
        except grpc.RpcError as error:
            late = error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            if late and name == "Ready":
                raise self._fault("nobody listens there; start the server, or check --url") from None
            if late:
                key = "--load-within" if name == "SendPolicyInstructions" else "--timeout and agent_service.timeout"
                raise self._fault(f"no answer within {seconds:.2g} s; raise {key}") from None
            raise self._fault(f"{name}: {error.details()}") from None
        return reply

    def _fault(self, said: str) -> PolicyServerError:
        self._loaded = None
        return PolicyServerError(f"the policy server at {self.options.url}: {said}."[:400])

    def close(self) -> None:
        self._channel.close()


# -- what LeRobot's robots tell: pictures by camera, a state of named numbers


def features_of(sent: Mapping[str, Any]) -> dict[str, Any]:
    """What is in an observation, as LeRobot's data sets say it; raises PolicyServerError."""
    state = [name for name, value in values_of(sent).items() if isinstance(value, float)]
    if not state:
        raise PolicyServerError("the server needs a state: name a sensor of numbers in --observations.")
    pictures = {
        f"observation.images.{key}": {"dtype": "image", "shape": value.shape, "names": ["height", "width", "channels"]}
        for key, value in sent.items()
        if value.ndim == 3
    }
    return {"observation.state": {"dtype": "float32", "shape": (len(state),), "names": state}, **pictures}


def values_of(sent: Mapping[str, Any]) -> dict[str, Any]:
    """A picture under its camera's name, each number of a state under its own: gps.0, gps.1."""
    found: dict[str, Any] = {key: value for key, value in sent.items() if value.ndim == 3}
    for key, value in sent.items():
        if value.ndim < 3:
            found |= {f"{key}.{index}": float(number) for index, number in enumerate(value.ravel())}
    return found


# -- protocol buffers with one field of bytes


def field(number: int, data: bytes) -> bytes:
    length, size = b"", len(data)
    while size > 0x7F:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def content(message: bytes) -> bytes:
    """Of field 1, the only one; raises PolicyServerError."""
    start = next((place for place in range(1, len(message)) if message[place] < 0x80), 0) + 1
    data = message[start:]
    if field(1, data) != message:
        raise PolicyServerError("the server's reply is no message of actions; is it LeRobot's policy server?")
    return data


def pieces(data: bytes) -> Iterator[bytes]:
    last = (len(data) - 1) // PIECE
    for number in range(last + 1):
        state = END if number == last else MIDDLE if number else BEGIN
        yield bytes([1 << 3, state]) + field(2, data[number * PIECE : (number + 1) * PIECE])
