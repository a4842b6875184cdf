"""Every message survives every encoding, and nothing that was not declared is taken in."""

from __future__ import annotations

import struct
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from msgspec.structs import replace

from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol import grpc as pb
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol import tensors
from nav_eval_sdk.protocol.values import Reader, canonical, message_limit, outgoing

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = TEXT.filter(bool)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
BOUND = st.none() | FINITE
COMMON = {"description": TEXT, "unit": TEXT, "optional": st.booleans()}
DTYPE = st.sampled_from(sorted(tensors.DTYPES))
SHAPE = st.lists(st.integers(0, 4), max_size=3).map(tuple)
TENSOR = st.builds(m.TensorSpec, shape=SHAPE, dtype=DTYPE, low=BOUND, high=BOUND, **COMMON)
LEAF = st.one_of(
    TENSOR,
    st.builds(m.TextSpec, max_length=st.integers(20, 2**40), is_node=st.booleans(), **COMMON),
    st.builds(m.NumberSpec, low=BOUND, high=BOUND, **COMMON),
)
SPEC = st.recursive(
    LEAF,
    lambda inner: (
        st.builds(m.StructSpec, parts=st.dictionaries(TEXT, inner, max_size=3), **COMMON)
        | st.builds(m.ListSpec, item=inner, max_items=st.integers(3, 2**40), **COMMON)
    ),
    max_leaves=5,
)
SPECS = st.dictionaries(TEXT, SPEC, max_size=3)
ARGUMENT = st.builds(m.Argument, kind=NAME, unit=TEXT, low=BOUND, high=BOUND)
ACTIONS = st.dictionaries(
    TEXT, st.builds(m.ActionSpec, arguments=st.dictionaries(TEXT, ARGUMENT, max_size=2)), max_size=3
)
VEC3 = st.none() | st.tuples(FINITE, FINITE, FINITE)
ARGS = st.dictionaries(TEXT, TEXT | FINITE | st.booleans() | st.integers(-(2**63), 2**63 - 1), max_size=3)
MESSAGES: dict[str, st.SearchStrategy[Any]] = {
    "EpisodeData": st.builds(
        m.EpisodeData,
        episode_id=NAME,
        scene_id=NAME,
        instruction=st.none() | st.builds(m.Instruction, text=NAME, tokens=st.lists(TEXT).map(tuple), language=NAME),
        start_position=VEC3,
        start_rotation=st.none() | st.tuples(FINITE, FINITE, FINITE, FINITE),
        session_id=NAME,
        request_id=TEXT,
        protocol=st.integers(1, 2**31 - 1),
        seed=st.integers(0, 2**63 - 1),
        task=TEXT,
        observation_spec=SPECS,
        action_space=ACTIONS,
        limits=st.builds(
            m.Limits,
            max_steps=st.none() | st.integers(0, 2**40),
            reset_timeout=BOUND,
            act_timeout=BOUND,
            episode_timeout=BOUND,
            max_moves=st.none() | st.integers(0, 2**40),
        ),
    ),
    "InitialObservation": st.builds(m.InitialObservation, status=NAME),
    "EpisodeEnd": st.builds(m.EpisodeEnd, session_id=NAME, reason=TEXT),
    "EndStatus": st.builds(m.EndStatus, status=NAME),
    "ServiceStatus": st.builds(m.ServiceStatus, status=NAME, detail=TEXT),
    "Validation": st.builds(m.Validation, status=NAME, ok=st.booleans(), reasons=st.lists(TEXT, max_size=3).map(tuple)),
    "Info": st.builds(
        m.Info,
        protocols=st.lists(st.integers(0, 9), min_size=1).map(tuple),
        name=TEXT,
        version=TEXT,
        sdk=NAME,
        content_types=st.lists(TEXT, min_size=1).map(tuple),
        encodings=st.lists(TEXT, min_size=1).map(tuple),
        streaming=st.booleans(),
        sensors=st.lists(st.builds(m.SensorWish, name=NAME, width=st.integers(0, 9999))).map(tuple),
        action_space=st.lists(TEXT).map(tuple),
        max_sessions=st.integers(1, 9999),
        max_batch=st.integers(1, 9999),
    ),
    "Action": st.builds(
        m.Action,
        action=TEXT,
        action_args=ARGS,
        session_id=st.none() | NAME,
        step=st.none() | st.integers(0, 2**40),
        request_id=st.none() | NAME,
        timing=st.dictionaries(TEXT, FINITE, max_size=2),
    ),
    "Problem": st.builds(m.Problem, code=NAME, title=TEXT, status=st.integers(100, 599), detail=TEXT),
}


def through_grpc(message: m.Message) -> m.Message:
    if isinstance(message, m.Action):
        return pb.load_action(pb.dump_action(message))
    return pb.load(pb.dump(message), type(message))


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_survive_every_wire(name: str) -> None:
    """That none is left out, api/test_every_field knows."""

    @given(MESSAGES[name])
    @settings(max_examples=80 if name == "Action" else 30, deadline=None)
    def holds(message: m.Message) -> None:
        kind = type(message)
        assert msgspec.json.decode(msgspec.json.encode(message), type=kind) == message
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=kind) == message
        assert through_grpc(message) == message

    holds()


def value_of(spec: m.Spec) -> st.SearchStrategy[Any]:
    if isinstance(spec, m.TensorSpec):
        return arrays.arrays(spec.dtype, spec.shape)
    if isinstance(spec, m.TextSpec):
        return TEXT
    if isinstance(spec, m.NumberSpec):
        return FINITE
    if isinstance(spec, m.ListSpec):
        return st.lists(value_of(spec.item), max_size=3)
    return st.fixed_dictionaries({name: value_of(part) for name, part in spec.parts.items()})


@st.composite
def observed(draw: st.DrawFn) -> tuple[dict[str, m.Spec], dict[str, Any]]:
    specs = draw(SPECS)
    present = {name: spec for name, spec in specs.items() if not spec.optional or draw(st.booleans())}
    return specs, {name: draw(value_of(spec)) for name, spec in present.items()}


def same(a: Any, b: Any) -> bool:
    """Bit for bit: NaNs with their payloads, -0.0, dtypes and types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@given(observed())
@settings(max_examples=150, deadline=None)
def test_observations_survive_every_wire_within_the_announced_limit(case: tuple[dict[str, m.Spec], Any]) -> None:
    specs, observation = case
    expected = canonical(specs, observation)
    for json in (True, False):
        codec: Any = msgspec.json if json else msgspec.msgpack
        out = codec.encode(m.ObservationOut("s", 3, "r", observation=outgoing(specs, observation, json=json)))
        assert len(out) <= message_limit(specs)
        back = codec.decode(out, type=m.Observation)
        assert (back.session_id, back.step, back.request_id) == ("s", 3, "r")
        assert same(Reader(codec.decode, json=json).read(specs, back.observation), expected)
    data = pb.dump_observation(m.ObservationOut("s", 3, "r", observation=outgoing(specs, observation, json=False)))
    assert pb.ReceivedObservation(data).envelope == m.Envelope("s", 3, "r")
    assert same(pb.ReceivedObservation(data).read(specs), expected)
    # protobuf's own parser and writer stand for a participant in another language
    parsed = pb.message_class("nav_eval.v1.Observation").FromString(data)
    assert set(parsed.observation) == {name for name, value in observation.items() if value is not None}
    assert same(pb.ReceivedObservation(parsed.SerializeToString()).read(specs), expected)


@pytest.mark.parametrize("encoding", ["raw", "png", "zstd"])
@pytest.mark.parametrize("dtype", sorted(tensors.DTYPES))
def test_lossless_packings_lose_nothing(encoding: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape in [(), (1,), (3,), (4, 5), (4, 5, 1), (4, 5, 3), (4, 5, 4), (2, 3, 4, 5), (0, 3), (4, 0, 3)]:
        array = np.frombuffer(rng.bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize), dtype).reshape(shape)
        array = array.astype(bool) if dtype == "bool" else array
        fitted = tensors.fitting(encoding, shape, dtype)
        back = tensors.decode(tensors.encode(array, fitted), m.TensorSpec(shape=shape, dtype=dtype, encoding=fitted))
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert back.tobytes() == array.tobytes()
        assert not back.flags.writeable


def test_arrays_of_any_layout_go_out_in_c_order() -> None:
    array = np.arange(24, dtype=">i4").reshape(2, 3, 4).transpose(2, 0, 1)[::2]
    spec = m.TensorSpec(shape=array.shape, dtype="int32")
    assert (tensors.decode(tensors.encode(array), spec) == array).all()


def test_jpeg_is_close_and_only_where_declared() -> None:
    y, x = np.mgrid[0:40, 0:60]
    image = np.stack([x * 4, y * 6, x + y], axis=2).astype(np.uint8)
    packed = tensors.encode(image, "jpeg")
    declared = m.TensorSpec(shape=image.shape, dtype="uint8", encoding="jpeg")
    assert np.abs(tensors.decode(packed, declared).astype(int) - image).mean() < 3
    with pytest.raises(BadMessage, match="declared"):
        tensors.decode(packed, replace(declared, encoding="raw"))
    assert tensors.fitting("jpeg", (4, 5, 1), "float32") == "raw"


RGB = m.TensorSpec(shape=(4, 5, 3), dtype="uint8")
GOOD = tensors.encode(np.zeros((4, 5, 3), np.uint8))
LARGER = tensors.encode(np.zeros((9, 9, 3), np.uint8), "png")
BOMB = tensors.encode(np.zeros((1 << 24,), np.uint8), "zstd")


@pytest.mark.parametrize(
    ("tensor", "spec"),
    [
        (replace(GOOD, dtype="float32"), RGB),
        (replace(GOOD, shape=(5, 4, 3)), RGB),
        (replace(GOOD, encoding="zstd"), RGB),
        (replace(GOOD, data=GOOD.data[:-1]), RGB),
        (replace(GOOD, data=memoryview(bytes(61))), RGB),
        (replace(GOOD, dtype="object"), replace(RGB, dtype="object")),
        (replace(GOOD, shape=(-1, 60)), replace(RGB, shape=(-1, 60))),
        (replace(GOOD, encoding="pickle"), replace(RGB, encoding="pickle")),
        (replace(GOOD, encoding="png"), replace(RGB, encoding="png")),
        (replace(GOOD, encoding="zstd"), replace(RGB, encoding="zstd")),
        (replace(LARGER, shape=(4, 5, 3)), replace(RGB, encoding="png")),
        (replace(BOMB, shape=(4, 5, 3)), replace(RGB, encoding="zstd")),
        (replace(GOOD, shape=(1 << 20, 1 << 20)), replace(RGB, shape=(1 << 20, 1 << 20))),
    ],
)
def test_what_was_not_declared_is_refused(tensor: m.Tensor, spec: m.TensorSpec) -> None:
    with pytest.raises(BadMessage):
        tensors.decode(tensor, spec)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_garbage_is_a_bad_message(data: bytes) -> None:
    specs: dict[str, m.Spec] = {"rgb": RGB, "text": m.TextSpec(), "n": m.ListSpec(item=m.NumberSpec())}
    for read in (lambda: pb.ReceivedObservation(data).read(specs), lambda: pb.load_action(data)):
        try:
            read()
        except BadMessage:
            continue
    for codec in (msgspec.json, msgspec.msgpack):
        try:
            message = codec.decode(data, type=m.Observation)
            Reader(codec.decode, json=codec is msgspec.json).read(specs, message.observation)
        except (BadMessage, msgspec.MsgspecError, UnicodeDecodeError):
            continue


def test_a_truncated_message_is_a_bad_message() -> None:
    specs: dict[str, m.Spec] = {"rgb": RGB, "depth": m.TensorSpec(shape=(4, 5, 1), dtype="float32")}
    observation = {name: spec.sample(np.random.default_rng(0)) for name, spec in specs.items()}
    data = pb.dump_observation(m.ObservationOut("s", 0, "r", observation=outgoing(specs, observation, json=False)))
    for cut in range(len(data)):
        with pytest.raises(BadMessage):
            pb.ReceivedObservation(data[:cut]).read(specs)


@pytest.mark.parametrize(
    "body",
    [
        {"alien": 1},
        {"rgb": "AAAA"},
        {"rgb": "!" * 80},
        {"rgb": [1, 2, 3]},
        {"rgb": 7},
        {"rgb": None},
        {"rgb": {"dtype": "uint8"}},
        {},
    ],
)
def test_json_that_was_not_declared_is_refused(body: dict[str, Any]) -> None:
    message = msgspec.json.decode(msgspec.json.encode({"observation": body}), type=m.Observation)
    with pytest.raises(BadMessage):
        Reader(msgspec.json.decode, json=True).read({"rgb": RGB}, message.observation)


def test_json_keeps_the_specifications_plain_shapes() -> None:
    specs: dict[str, m.Spec] = {
        "rgb": RGB,
        "gps": m.TensorSpec(shape=(2,), dtype="float32"),
        "compass": m.TensorSpec(shape=(1,), dtype="float32"),
        "instruction": m.StructSpec(parts={"text": m.TextSpec(), "tokens": m.ListSpec(item=m.TextSpec())}),
    }
    observation = {
        "rgb": np.zeros((4, 5, 3), np.uint8),
        "gps": np.zeros(2, np.float32),
        "compass": np.zeros(1, np.float32),
        "instruction": {"text": "Walk", "tokens": ["walk"]},
    }
    plain = msgspec.json.decode(msgspec.json.encode(outgoing(specs, observation, json=True)))
    assert plain == {
        "rgb": "A" * 80,
        "gps": [0.0, 0.0],
        "compass": 0.0,
        "instruction": {"text": "Walk", "tokens": ["walk"]},
    }


def test_deep_nesting_is_refused_not_crashed_on() -> None:
    specs: dict[str, m.Spec] = {"n": m.ListSpec(item=m.NumberSpec())}
    raw = msgspec.Raw(b"[" * 100_000 + b"]" * 100_000)
    with pytest.raises(BadMessage):
        Reader(msgspec.json.decode, json=True).read(specs, {"n": raw})


def test_the_committed_descriptors_are_the_protos(tmp_path: Path) -> None:
    folder = files("nav_eval_sdk.protocol")
    made = tmp_path / "inference.binpb"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--descriptor_set_out={made}"]
    subprocess.run([*command, "inference.proto", "health.proto"], check=True, cwd=str(folder))
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    committed = (folder / "inference.binpb").read_bytes()
    assert FileDescriptorSet.FromString(made.read_bytes()) == FileDescriptorSet.FromString(committed)


FROZEN = """
Action: 1 action, 2 action_args, 3 session_id, 4 step, 5 request_id, 6 timing, 7 problem, 8 actions, \
9 usage, 10 said
ActionSpec: 1 arguments
Argument: 1 kind, 2 unit, 3 low, 4 high
Empty:
EndStatus: 1 status
EpisodeData: 1 episode_id, 2 scene_id, 3 instruction, 4 start_position, 5 start_rotation, 6 session_id, 7 request_id, \
8 protocol, 9 seed, 10 task, 11 observation_spec, 12 action_space, 13 limits
EpisodeEnd: 1 session_id, 2 reason
Info: 1 protocols, 2 name, 3 version, 4 sdk, 5 content_types, 6 encodings, 7 streaming, 8 sensors, 9 action_space, \
10 max_sessions, 11 max_batch
InitialObservation: 1 status, 2 initial_observation
Instruction: 1 text, 2 tokens, 3 language
Limits: 1 max_steps, 2 reset_timeout, 3 act_timeout, 4 episode_timeout, 5 max_moves, 6 max_chunk, 7 step_seconds
List: 1 items
Observation: 1 session_id, 2 step, 3 request_id, 4 observation
Part: 1 action, 2 action_args
Problem: 1 code, 2 title, 3 status, 4 detail, 5 type
SensorWish: 1 name, 2 width, 3 height
ServiceStatus: 1 status, 2 detail
Spec: 1 kind, 2 description, 3 unit, 4 optional, 5 shape, 6 dtype, 7 low, 8 high, 9 encoding, 10 max_length, \
11 is_node, 12 parts, 13 item, 14 max_items
Struct: 1 fields
Tensor: 1 dtype, 2 shape, 3 encoding, 4 data
Usage: 1 input_tokens, 2 output_tokens, 3 requests, 4 unreadable, 5 accelerator_seconds, 6 cost
Validation: 1 status, 2 ok, 3 reasons
Value: 1 tensor, 2 text, 3 number, 4 struct, 5 list, 6 boolean, 7 integer
"""


def test_field_numbers_are_frozen() -> None:
    """Released numbers never change. A new field is added here and to the proto, with a number never used before."""
    file = pb.message_class("nav_eval.v1.Action").DESCRIPTOR.file
    found = {
        name: ", ".join(f"{field.number} {field.name}" for field in sorted(kind.fields, key=lambda field: field.number))
        for name, kind in file.message_types_by_name.items()
    }
    frozen = dict(line.split(":", 1) for line in FROZEN.strip().splitlines())
    assert found == {name: fields.strip() for name, fields in frozen.items()}
    service = file.services_by_name["InferenceService"]
    assert {"ResetEpisode", "GetAction", "HealthCheck"} <= set(service.methods_by_name)


def test_floats_of_json_come_back_to_the_bit() -> None:
    number = struct.unpack("<f", b"\xcd\xcc\x8c\x3f")[0]
    spec: dict[str, m.Spec] = {"x": m.TensorSpec(shape=(2,), dtype="float32")}
    array = np.array([number, -0.0], np.float32)
    text = msgspec.json.encode(outgoing(spec, {"x": array}, json=True)["x"])
    back = Reader(msgspec.json.decode, json=True).read(spec, {"x": msgspec.Raw(text)})["x"]
    assert back.tobytes() == array.tobytes()
