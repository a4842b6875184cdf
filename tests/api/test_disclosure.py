"""Under `competition` nothing that identifies the scene, the goal or the score leaves the evaluator, in any byte."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from api.worlds import GEODESIC, GOAL, REFERENCE, ROTATION, SECRETS, START, Fingerprinting, observation, offer
from nav_eval.api.connecting import connect
from nav_eval.api.disclosure import GRID, Disclosure, disclose
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.errors import InvalidAction
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval_sdk import start
from nav_eval_sdk.protocol.messages import Limits
from relays import Recorder

SECRET = b"secret of the run"


@contextmanager
def recorded(protocol: str) -> Iterator[Recorder]:
    with start(Fingerprinting, protocol=protocol, port=0) as server, Recorder(server.port) as recorder:
        yield recorder


def traces(number: float) -> list[bytes]:
    """How a number would look on the wires: as text, as float32 and float64 of either order."""
    packed = [struct.pack(f"{order}{kind}", number) for order in "<>" for kind in "fd"]
    return [str(number).encode(), *packed]


def forbidden() -> dict[str, list[bytes]]:
    found = {name: [text.encode()] for name, text in SECRETS.items()}
    for point in (START, GOAL, *REFERENCE):
        for number in point:
            found[f"position {number}"] = traces(number)
    found["rotation"] = [struct.pack("<2d", *ROTATION[1:3]), b"0.6,0.0,0.8", b"0.6, 0.0, 0.8"]
    found["geodesic distance"] = traces(GEODESIC)
    found["seed"] = [b"123456789", struct.pack("<q", 123456789), struct.pack(">q", 123456789), b"\x95\x9a\xef\x3a"]
    return found


@pytest.mark.parametrize(
    ("protocol", "encoding"), [("rest", "json"), ("rest", "msgpack"), ("grpc", "unary"), ("grpc", "stream")]
)
def test_no_secret_is_in_the_bytes(protocol: str, encoding: str) -> None:
    with recorded(protocol) as recorder:
        service = connect(recorder.endpoint, protocol, encoding=encoding, secret=SECRET)
        service.health_check()
        service.validate(offer())
        client = service.open_session()
        client.reset_episode(offer())
        for step in range(6):
            client.get_action(observation(step))
        client.end_episode("limit")
        service.close()
        assert len(recorder.sent) > 10_000
        leaks = [name for name, looks in forbidden().items() if any(look in recorder.sent for look in looks)]
        assert leaks == []


def test_the_recorder_would_see_them() -> None:
    with recorded("rest") as recorder:
        service = connect(recorder.endpoint, "rest", encoding="json", disclosure="full")
        client = service.open_session()
        client.reset_episode(offer())
        client.get_action(observation(0))
        service.close()
        for name in ("scene", "episode", "start node", "other node"):
            assert SECRETS[name].encode() in recorder.sent
        for name in ("trajectory", "goal node", "split", "id"):
            assert SECRETS[name].encode() not in recorder.sent
        for number in (*GOAL, GEODESIC, REFERENCE[1][0]):
            assert str(number).encode() not in recorder.sent


def fields(mode: Any, secret: bytes = SECRET, index: int = 0) -> Any:
    return disclose(offer(index), Disclosure(mode, secret), Limits()).data


def test_competition_tells_the_task_and_the_instruction_only() -> None:
    data = fields("competition")
    assert (data.start_position, data.start_rotation) == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    assert data.instruction.text == offer().episode.instruction.text  # type: ignore[union-attr]
    assert 0 <= data.seed < 2**32
    assert len({data.episode_id, data.scene_id, fields("competition", index=1).episode_id}) == 3
    assert data.scene_id == fields("competition", index=1).scene_id


def test_full_tells_the_data_sets_own_names() -> None:
    data = fields("full")
    assert (data.episode_id, data.scene_id) == (SECRETS["episode"], SECRETS["scene"])
    assert (data.start_position, data.start_rotation) == (START, ROTATION)
    assert data.seed == offer().seed


@pytest.mark.parametrize("secret", [SECRET, b"another"])
def test_ids_are_hmacs(secret: bytes) -> None:
    """So they depend on the secret and on nothing else."""
    name = "scene\0" + SECRETS["scene"]
    wanted = hmac.new(secret, name.encode(), hashlib.sha256).hexdigest()[:32]
    assert fields("competition", secret).scene_id == wanted
    assert fields("competition", secret) == fields("competition", secret)


def test_only_nodes_that_were_shown_can_be_named() -> None:
    disclosed = disclose(offer(), Disclosure("competition", SECRET), Limits())
    space = offer().action_space
    hidden = Disclosure("competition", SECRET).opaque("viewpoint", SECRETS["scene"], SECRETS["other node"])
    with pytest.raises(InvalidAction, match="was not shown"):
        disclosed.actions([("move_to", {"viewpoint": hidden})], space)
    given = observation(0)
    seen = disclosed.ask(given).observation
    assert seen["navigable"][1]["viewpoint"] == hidden
    assert given["navigable"][1]["viewpoint"] == SECRETS["other node"]
    (action,) = disclosed.actions([("move_to", {"viewpoint": hidden})], space)
    assert action.args == {"viewpoint": SECRETS["other node"]}


MEASURES: list[tuple[Spec, Any, Any]] = [
    (TensorSpec(shape=(2,), dtype="float32", unit="m"), np.float32([1.23456, -0.00004]), np.float32([1.2346, 0.0])),
    (TensorSpec(shape=(1,), dtype="float64", unit="rad", high=3.1415928), np.array([3.14159]), np.array([3.1415928])),
    (
        TensorSpec(shape=(2,), dtype="float32", unit="m, degrees"),
        np.float32([0.12344, 0.126]),
        np.float32([0.1234, 0.13]),
    ),
    (TensorSpec(shape=(2,), dtype="float32", unit="V"), np.float32([1.23456, 2.0]), np.float32([1.23456, 2.0])),
    (TensorSpec(shape=(1, 1), dtype="float32", unit="m"), np.float32([[1.23456]]), np.float32([[1.23456]])),
    (TensorSpec(shape=(1,), dtype="int32", unit="m"), np.int32([7]), np.int32([7])),
    (NumberSpec(unit="rad"), 0.12345678, 0.1235),
    (NumberSpec(), 0.12345678, 0.12345678),
    (
        ListSpec(item=StructSpec(parts={"d": NumberSpec(unit="m"), "t": TextSpec()})),
        [{"d": 2.00006, "t": "x"}],
        [{"d": 2.0001, "t": "x"}],
    ),
    (TensorSpec(shape=(1,), dtype="float32", unit="m", optional=True), None, None),
]


@pytest.mark.parametrize(("spec", "given", "sent"), MEASURES)
def test_measures_are_rounded_by_their_unit(spec: Spec, given: Any, sent: Any) -> None:
    def disclose_reading(mode: Any) -> Any:
        disclosed = disclose(offer(specs={"own": spec}), Disclosure(mode, SECRET), Limits())
        return disclosed.ask({"own": given}).observation["own"]

    assert repr(disclose_reading("competition")) == repr(sent)
    assert repr(disclose_reading("full")) == repr(given)


def test_every_sensor_of_ours_declares_the_unit_of_its_measures() -> None:
    plain = {f"objects.{name}" for name in ("id", "pixels")}
    simulator = SimulatorConfig(skybox_dir="skyboxes", sensors={"rgb": SensorConfig()})
    for name in SENSORS:
        if not SENSORS.get(name).__module__.startswith("nav_eval."):
            continue  # another test's
        spec = SENSORS.get(name)(name, SensorConfig(), simulator).spec
        assert {leaf for leaf in _unrounded(name, spec) if leaf not in plain} == set()


def _unrounded(name: str, spec: Spec) -> Iterator[str]:
    match spec:
        case StructSpec():
            for part, inner in spec.parts.items():
                yield from _unrounded(f"{name}.{part}", inner)
        case ListSpec():
            yield from _unrounded(name.split(".")[0], spec.item)
        case TensorSpec() | NumberSpec():
            number = isinstance(spec, NumberSpec) or (spec.dtype.startswith("float") and len(spec.shape) == 1)
            if number and not set(spec.unit.split(", ")) <= set(GRID):
                yield name
