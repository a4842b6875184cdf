"""The simulator's contract on the wire: both codecs keep every message, and junk is refused, never crashed on."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from contextlib import suppress
from importlib.resources import files

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval.errors import SimulatorError
from nav_eval.simulator.backends.external_values import plain_events
from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol import simulator as contract
from nav_eval_sdk.protocol import simulator_frames as frames
from nav_eval_sdk.protocol import simulator_grpc as protobuf

SPECS = {
    "rgb": m.TensorSpec(shape=(4, 5, 3), dtype="uint8", encoding="png"),
    "depth": m.TensorSpec(shape=(4, 5, 1), dtype="float32", low=0.0),
    "note": m.TextSpec(max_length=20),
    "speed": m.NumberSpec(low=0.0),
    "near": m.ListSpec(item=m.StructSpec(parts={"id": m.TextSpec(), "way": m.NumberSpec()}), max_items=3),
    "lost": m.NumberSpec(optional=True),
}
VALUES = {
    "rgb": np.arange(60, dtype=np.uint8).reshape(4, 5, 3),
    "depth": np.linspace(0, 3, 20, dtype=np.float32).reshape(4, 5, 1),
    "note": '厨房 "kitchen"\n',
    "speed": 0.25,
    "near": [{"id": "a", "way": 1.0}],
    "lost": None,
}
MESSAGES = [
    contract.Empty(),
    contract.Description(name="走", actions=("stop",), examples=(contract.StartEpisode("s", seed=3),)),
    contract.OpenSession("s", 2**62 + 1, {"rgb": contract.SensorRequest("rgb", 5, 4, 1.5)}, options={"a": [1.5, None]}),
    contract.OpenSession("s", motion=contract.Motion(sliding=False, forward_step=0.1)),
    contract.SessionOpened(SPECS),
    contract.StartEpisode("s", "1", (1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0), "node", 7, "id", ((1.0, 2.0, 3.0),)),
    contract.State((0.0, 0.0, 0.0), node="n"),
    contract.AdvanceRequest("s", "velocity", {"linear": 0.5}, 2**62 + 1),
    contract.Step(contract.State((1.0, 2.0, 3.0)), True, True, {"hit": "wall", "force": 2.5}),
    contract.DistanceRequest("s", contract.Place((1.0, 2.0, 3.0)), (contract.Place((0.0, 0.0, 0.0), "n"),)),
    contract.Distance(None),
    contract.Distance(0.0),
    contract.Navigable(True),
    contract.ExpertRequest("s", (), 0.5),
    contract.Choice("move_to", {"viewpoint": "v"}),
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_both_codecs_keep_every_message(message):
    assert protobuf.load(protobuf.dump(message), type(message)) == message
    for form in frames.FORMS.values():
        written = frames.answer_frame(form, 3, message)
        assert struct.unpack("<I", written[:4])[0] == len(written) - 4
        head = form.load(written[4:], frames.AnswerHead)
        assert form.load(head.body, type(message)) == message


def test_every_message_of_the_table_has_its_protobuf_twin():
    """Same field names, so that neither side can be forgotten when one grows."""
    for call in contract.CALLS.values():
        for kind in (call.request, call.answer):
            if kind is not contract.Seen:
                names = {field.name for field in protobuf._class(kind.__name__).DESCRIPTOR.fields}
                assert names == {field.name for field in msgspec.structs.fields(kind)}, kind


def test_the_committed_descriptors_are_the_protos(tmp_path):
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    folder, made = files("nav_eval_sdk.protocol"), tmp_path / "made.binpb"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", "--include_imports"]
    subprocess.run([*command, f"--descriptor_set_out={made}", "simulator.proto"], check=True, cwd=str(folder))
    committed = (folder / "simulator.binpb").read_bytes()
    assert FileDescriptorSet.FromString(made.read_bytes()) == FileDescriptorSet.FromString(committed)


FROZEN = {
    "StartEpisode": "scene_id episode_id start_position start_rotation start_node seed session_id goals",
    "OpenSession": "session_id seed sensors body motion options",
    "State": "position rotation elevation node",
    "Step": "state collided clipped events",
    "AdvanceRequest": "session_id action action_args seed",
    "DistanceRequest": "session_id start ends",
    "Description": "name version protocols actions sensors capabilities max_sessions headers examples",
}


@pytest.mark.parametrize("name", FROZEN)
def test_field_numbers_are_frozen(name):
    numbers = {field.name: field.number for field in protobuf._class(name).DESCRIPTOR.fields}
    assert numbers == {field: number for number, field in enumerate(FROZEN[name].split(), 1)}


def sent(form):
    pieces = frames.observation_frame(form, 5, SPECS, VALUES)
    data = b"".join(bytes(piece) for piece in pieces)
    length = struct.unpack("<I", data[:4])[0]
    head = form.load(data[4 : 4 + length], frames.AnswerHead)
    return head, memoryview(data[4 + length :])


@pytest.mark.parametrize("form", frames.FORMS.values(), ids=frames.FORMS)
def test_observations_arrive_as_they_were(form):
    head, payload = sent(form)
    assert head.payload == len(payload)
    seen = frames.read_observation(form, head.body, SPECS, payload)
    assert np.array_equal(seen.pop("rgb"), VALUES["rgb"])
    assert np.array_equal(seen.pop("depth"), VALUES["depth"])
    assert seen == {name: value for name, value in VALUES.items() if name not in ("rgb", "depth")}


def test_a_frame_is_what_its_description_says():
    """Read here with struct and json alone, as another language would."""
    pieces = frames.observation_frame(frames.JSON_FORM, 5, {"depth": SPECS["depth"]}, VALUES)
    data = b"".join(bytes(piece) for piece in pieces)
    length = int.from_bytes(data[:4], "little")
    header, payload = json.loads(data[4 : 4 + length]), data[4 + length :]
    place = header["body"]["observation"]["depth"]
    assert (header["id"], header["payload"], place["dtype"], place["shape"]) == (5, 80, "float32", [4, 5, 1])
    raw = payload[place["offset"] : place["offset"] + place["nbytes"]]
    assert np.array_equal(np.frombuffer(raw, "<f4"), VALUES["depth"].reshape(-1))


@given(st.binary(max_size=300))
def test_junk_is_a_bad_message(data):
    for kind in (frames.AnswerHead, contract.State, contract.SessionOpened):
        for form in frames.FORMS.values():
            _load(lambda form=form, kind=kind: form.load(data, kind))
    _load(lambda: protobuf.load(data, contract.SessionOpened))
    _load(lambda: protobuf.load(data, contract.Step))


@given(st.data())
def test_a_damaged_observation_is_a_bad_message(data):
    form = data.draw(st.sampled_from(list(frames.FORMS.values())))
    head, payload = sent(form)
    body = bytearray(bytes(head.body))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] = data.draw(st.integers(0, 255))
    size = data.draw(st.integers(0, len(payload)))
    _load(lambda: frames.read_observation(form, msgspec.Raw(bytes(body)), SPECS, payload[:size]))


def _load(read):
    """Anything but BadMessage would be a crash."""
    with suppress(BadMessage):
        read()


@pytest.mark.parametrize("prefix", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\1\0\0\1"])
def test_lengths_that_nobody_should_allocate(prefix):
    with pytest.raises(BadMessage, match="header of"):
        frames.header_length(prefix)


@pytest.mark.parametrize("value", [msgspec.msgpack.Ext(5, b"x"), {(1, 2): 3}], ids=["ext", "key"])
def test_events_that_no_journal_holds_are_the_simulators_fault(value):
    with pytest.raises(SimulatorError, match="journal"):
        plain_events({"bump": value})
    assert plain_events({"bump": [1, "x", None]}) == {"bump": [1, "x", None]}
