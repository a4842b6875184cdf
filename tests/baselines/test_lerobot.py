"""The agent that asks LeRobot's policy server, against a gRPC server that reads it as lerobot 0.4.4 does.

The reply is one of that server's own, with a tiny ACT policy of random weights; the proto and the classes of its
pickles are written down from its code, and protobuf and pickle read them here.
"""

from __future__ import annotations

import io
import pickle
import struct
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

import grpc
import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from nav_eval_baselines.bridges import LeRobotAgent, PolicyServerError
from nav_eval_baselines.bridges import lerobot as bridge
from nav_eval_baselines.bridges.lerobot import LeRobotOptions
from policy_servers import message

NAME = "lerobot.async_inference.helpers"
SPEC = {
    "rgb": {"shape": [2, 2, 3], "dtype": "uint8"},
    "gps": {"shape": [2], "dtype": "float32"},
    "compass": {"shape": [1], "dtype": "float32"},
}
SEEN = {
    "rgb": np.arange(12, dtype=np.uint8).reshape(2, 2, 3),
    "gps": np.array([1, -2], np.float32),
    "compass": np.array([0.5], np.float32),
}
RECORDED = (1700000000.25, 77)
"""Time and number of the observation that the recorded reply answers."""
PREDICTED = [(0.3649, 0.0427), (0.3436, 0.0450)]
"""What the policy itself said to that observation, called without a server."""


@dataclass
class RemotePolicyConfig:
    policy_type: str
    pretrained_name_or_path: str
    lerobot_features: dict[str, Any]
    actions_per_chunk: int
    device: str = "cpu"
    rename_map: dict[str, str] = field(default_factory=dict)


@dataclass
class TimedObservation:
    timestamp: float
    timestep: int
    observation: dict[str, Any]
    must_go: bool = False


def messages() -> dict[str, Any]:
    """services.proto of lerobot/src/lerobot/transport, as classes of protobuf."""
    file = descriptor_pb2.FileDescriptorProto(name="services.proto", package="transport", syntax="proto3")
    states = file.enum_type.add(name="TransferState")
    for number, name in enumerate(("UNKNOWN", "BEGIN", "MIDDLE", "END")):
        states.value.add(name=f"TRANSFER_{name}", number=number)
    for name in ("PolicySetup", "Observation", "Actions"):
        kind, number = file.message_type.add(name=name), 1
        if name == "Observation":
            kind.field.add(name="transfer_state", number=1, type=14, label=1, type_name=".transport.TransferState")
            number = 2
        kind.field.add(name="data", number=number, type=12, label=1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = (pool.FindMessageTypeByName(f"transport.{one.name}") for one in file.message_type)
    return {one.name: message_factory.GetMessageClass(one) for one in found}


MESSAGES = messages()


class Server(grpc.GenericRpcHandler):
    """Keeps what it is told. `reply`: the data of its actions; None: the recorded one, marked as an answer to ours."""

    def __init__(self) -> None:
        self.setups: list[RemotePolicyConfig] = []
        self.seen: list[TimedObservation] = []
        self.states: list[list[int]] = []
        self.reply: bytes | None = None

    def service(self, details: Any) -> Any:
        name = details.method.removeprefix("/transport.AsyncInference/")
        if name == "SendObservations":
            return grpc.stream_unary_rpc_method_handler(self._observe)
        return grpc.unary_unary_rpc_method_handler(getattr(self, f"_{name.lower()}"))

    def _ready(self, data: bytes, context: Any) -> bytes:
        return b""

    def _sendpolicyinstructions(self, data: bytes, context: Any) -> bytes:
        self.setups.append(pickle.loads(MESSAGES["PolicySetup"].FromString(data).data))
        return b""

    def _observe(self, parts: Iterator[bytes], context: Any) -> bytes:
        told = [MESSAGES["Observation"].FromString(part) for part in parts]
        self.states.append([one.transfer_state for one in told])
        self.seen.append(pickle.loads(b"".join(one.data for one in told)))
        return b""

    def _getactions(self, data: bytes, context: Any) -> bytes:
        if self.reply is not None:
            return MESSAGES["Actions"](data=self.reply).SerializeToString() if self.reply else b""
        answer: bytes = message("lerobot", "reply")
        (time, number), last = RECORDED, self.seen[-1]
        answer = answer.replace(struct.pack(">d", time), struct.pack(">d", last.timestamp))
        return answer.replace(b"K" + bytes([number]), b"K" + bytes([last.timestep]), 1)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, str]]:
    for name in ("lerobot", "lerobot.async_inference", NAME):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for kind in (RemotePolicyConfig, TimedObservation):
        monkeypatch.setattr(kind, "__module__", NAME)
        setattr(sys.modules[NAME], kind.__name__, kind)
    played = Server()
    with served(played) as url:
        yield played, url


@contextmanager
def served(handler: Server) -> Iterator[str]:
    with ThreadPoolExecutor(4) as threads:
        found = grpc.server(threads, [handler], options=[("grpc.max_receive_message_length", -1)])
        port = found.add_insecure_port("127.0.0.1:0")
        found.start()
        yield f"grpc://127.0.0.1:{port}"
        found.stop(None).wait()


def agent(url: str, **given: Any) -> LeRobotAgent:
    driven = {"mode": "velocity", "columns": "linear,angular", "duration": 0.1}
    told = {"url": url, "policy": "act", "checkpoint": "me/act", "device": "cpu", "connect_within": 0.0, **driven}
    made = LeRobotAgent(LeRobotOptions(**{**told, **given}))
    made.max_chunk = 4
    return made


def episode(spec: Any = None, **more: Any) -> dict[str, Any]:
    given = {"instruction": {"text": "Walk to the door."}, "action_space": {"velocity": {}, "stop": {}}}
    return {**given, "limits": {"act_timeout": 20.0}, "observation_spec": spec or SPEC, **more}


def driven(answer: dict[str, Any]) -> list[tuple[float, float]]:
    return [(one["action_args"]["linear"], one["action_args"]["angular"]) for one in answer["actions"]]


def test_it_is_told_what_its_own_client_tells_and_its_chunk_is_driven(server: tuple[Server, str]) -> None:
    played, url = server
    player = agent(url)
    player.reset(episode())
    answer = player.act(SEEN)
    assert driven(answer) == [pytest.approx(pair, abs=5e-5) for pair in PREDICTED]
    (setup,), (seen,) = played.setups, played.seen
    assert setup.lerobot_features == {
        "observation.state": {"dtype": "float32", "shape": (3,), "names": ["gps.0", "gps.1", "compass.0"]},
        "observation.images.front": {"dtype": "image", "shape": (2, 2, 3), "names": ["height", "width", "channels"]},
    }
    assert (setup.policy_type, setup.pretrained_name_or_path, setup.device) == ("act", "me/act", "cpu")
    assert seen.must_go is True
    told = dict(seen.observation)
    assert told.pop("front").tolist() == SEEN["rgb"].tolist()
    assert told == {"gps.0": 1.0, "gps.1": -2.0, "compass.0": 0.5, "task": "Walk to the door."}
    player.close()


def test_the_policy_is_loaded_once_and_again_for_another_camera(server: tuple[Server, str]) -> None:
    played, url = server
    player = agent(url, rows=1)
    for _ in range(2):
        player.reset(episode())
        assert player.act(SEEN)["action"] == "velocity"
    assert [setup.actions_per_chunk for setup in played.setups] == [1]
    player.reset(episode({**SPEC, "rgb": {"shape": [4, 4, 3], "dtype": "uint8"}}))
    assert len(played.setups) == 2
    player.close()


def test_a_large_picture_comes_in_pieces_that_are_marked(server: tuple[Server, str]) -> None:
    played, url = server
    large = np.random.default_rng(1).integers(0, 255, (1200, 1600, 3), np.uint8)
    player = agent(url)
    player.reset(episode({**SPEC, "rgb": {"shape": [*large.shape], "dtype": "uint8"}}))
    player.act({**SEEN, "rgb": large})
    assert np.array_equal(played.seen[0].observation["front"], large)
    assert played.states == [[1, 2, 3]]
    player.close()


class Evil:
    def __reduce__(self) -> Any:
        return print, ("this must never be printed",)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (pickle.dumps([Evil()]), "names builtins.print, which is no part of a chunk"),
        (pickle.dumps([]), "answers another session's observation"),
        (pickle.dumps({"actions": 1}), "is no list of actions"),
        (b"\x80", "cannot be read"),
        (b"", "it answers nothing: its log says why"),
        (message("lerobot", "reply")[3:], "answers another session's observation"),
    ],
)
def test_no_reply_runs_anything_and_each_is_told(
    server: tuple[Server, str], capfd: pytest.CaptureFixture[str], reply: bytes, told: str
) -> None:
    played, url = server
    played.reply = reply
    player = agent(url)
    player.reset(episode())
    with pytest.raises(PolicyServerError, match=told):
        player.act(SEEN)
    assert "never" not in capfd.readouterr().out
    played.reply = None
    player.reset(episode())
    assert len(driven(player.act(SEEN))) == 2
    player.close()


def test_storages_of_every_kind_are_read_and_no_other_name() -> None:
    """torch.save's older form, written by hand: five pickles, a length, the bytes."""
    from nav_eval_baselines.bridges.pickles import _storage

    for kind, data in (("FloatStorage", "<f4"), ("DoubleStorage", "<f8"), ("HalfStorage", "<f2")):
        assert _storage(saved("torch", kind, np.array([1.5, -2.0], data).tobytes())).tolist() == [1.5, -2.0]
    half = (np.array([1.5, -2.0], "<f4").view("<u4") >> 16).astype("<u2")
    assert _storage(saved("torch", "BFloat16Storage", half.tobytes())).tolist() == [1.5, -2.0]
    for module, name in (("builtins", "print"), ("torch", "LongStorage")):
        with pytest.raises(pickle.UnpicklingError, match="no kind of numbers"):
            _storage(saved(module, name, bytes(8)))


def saved(module: str, kind: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    for one in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}):
        pickle.dump(one, stream, protocol=2)
    stream.write(b"\x80\x02(X\x07\x00\x00\x00storage" + f"c{module}\n{kind}\n".encode())
    stream.write(b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02NtQ.")
    pickle.dump(["0"], stream, protocol=2)
    stream.write(struct.pack("<q", 2) + data)
    return stream.getvalue()


def test_nobody_listening_and_a_late_server_are_told(
    server: tuple[Server, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played, url = server
    player = agent("grpc://127.0.0.1:9")
    with pytest.raises(PolicyServerError, match="nobody listens there"):
        player.reset(episode())
    player.close()
    go, late = threading.Event(), agent(url, timeout=0.5)
    monkeypatch.setattr(played, "_getactions", lambda data, context: bytes(0 * go.wait(20)))
    late.reset(episode())
    with pytest.raises(PolicyServerError, match=r"no answer within 0\.(4\d*|5) s; raise --timeout"):
        late.act(SEEN)
    go.set()
    late.close()


def test_what_cannot_be_played_is_refused_before(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="--checkpoint is missing"):
        LeRobotOptions()
    with pytest.raises(PolicyServerError, match="the server needs a state"):
        bridge.features_of({"front": SEEN["rgb"]})
    monkeypatch.setattr(bridge, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="this server speaks gRPC"):
        LeRobotOptions(checkpoint="x")


def test_its_own_fields_are_those_of_protocol_buffers() -> None:
    for size in (0, 1, 127, 128, 16_383, 16_384, 1 << 21):
        data = bytes(size)
        whole = MESSAGES["Actions"](data=data).SerializeToString()
        assert not data or bridge.field(1, data) == whole
        assert not data or bridge.content(whole) == data


def test_numbers_of_a_state_keep_their_order_and_single_precision() -> None:
    assert asdict(TimedObservation(*RECORDED, bridge.values_of({"a": np.float32([0.1, 2])})))["observation"] == {
        "a.0": pytest.approx(float(np.float32(0.1)), abs=0),
        "a.1": 2.0,
    }
