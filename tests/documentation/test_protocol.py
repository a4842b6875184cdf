"""The protocol pages name every call, message, field and error that the SDK ships."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from nav_eval_sdk.errors import CODES
from nav_eval_sdk.protocol.grpc import STATUS
from nav_eval_sdk.protocol.simulator import CALLS, Call
from nav_eval_sdk.protocol.simulator_frames import AnswerHead, RequestHead, TensorPlace
from nav_eval_sdk.protocol.tensors import DTYPES, ENCODINGS

PROTOCOL = files("nav_eval_sdk.protocol")
OPENAPI = json.loads((PROTOCOL / "openapi.json").read_text())


def page(name: str) -> str:
    return (Path(__file__).parents[2] / "docs" / "reference" / f"{name}.md").read_text(encoding="utf-8")


def words(name: str) -> set[str]:
    """Every word of a page, code included."""
    return set(re.findall(r"\w+", page(name)))


def described(file: str, package: str) -> list[descriptor_pb2.FileDescriptorProto]:
    found = descriptor_pb2.FileDescriptorSet.FromString((PROTOCOL / file).read_bytes())
    return [one for one in found.file if one.package == package]


def test_every_operation_of_rest_is_in_the_table() -> None:
    operations = [f"{method.upper()} {path}" for path, calls in OPENAPI["paths"].items() for method in calls]
    assert operations
    assert [operation for operation in operations if f"| `{operation}` |" not in page("rest")] == []


def test_every_schema_and_each_of_its_properties_is_named() -> None:
    known = words("rest")
    for name, schema in OPENAPI["components"]["schemas"].items():
        missing = {name, *schema.get("properties", ())} - known
        assert not missing, f"{name}: {missing}"


def test_every_error_has_its_status() -> None:
    told = [("rest", code, str(status)) for code, (status, _) in CODES.items()]
    told += [("grpc", code, f"`{status}`") for code, status in STATUS.items()]
    row = r"(?m)^\|[^|]*`{}`[^|]*\| {} \|"
    assert [one for one in told if not re.search(row.format(*one[1:]), page(one[0]))] == []


def test_every_encoding_is_named() -> None:
    assert set(ENCODINGS) <= words("rest")
    named = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | words("rest")
    assert named >= DTYPES


@pytest.mark.parametrize(
    ("name", "file", "package"),
    [("grpc", "inference.binpb", "nav_eval.v1"), ("socket", "simulator.binpb", "nav_eval.simulator.v1")],
)
def test_every_method_message_and_field_is_named(name: str, file: str, package: str) -> None:
    known = words(name) | (words("rest") if name == "grpc" else set())
    proto = described(file, package)
    assert proto
    for one in proto:
        for service in one.service:
            assert f"{package}.{service.name}" in page(name)
            assert {method.name for method in service.method} <= known
        for message in (message for message in one.message_type if not message.options.map_entry):
            missing = {message.name, *(field.name for field in message.field)} - known
            assert not missing, f"{message.name}: {missing}"


def test_what_streams_is_called_a_stream() -> None:
    [proto] = described("inference.binpb", "nav_eval.v1")
    for method in proto.service[0].method:
        request, answer = (kind.rpartition(".")[2] for kind in (method.input_type, method.output_type))
        marks = [
            f"{'stream of ' * streams}`{kind}`"
            for kind, streams in ((request, method.client_streaming), (answer, method.server_streaming))
        ]
        assert f"| `{method.name}` | {marks[0]} | {marks[1]} |" in page("grpc")


def test_every_call_of_the_socket_is_in_the_table() -> None:
    assert [call.name for call in CALLS.values() if not in_table(call)] == []


def in_table(call: Call) -> bool:
    request = call.request.__name__
    row = re.search(rf"(?m)^\| `{call.name}` \| `{request}` \| (.*) \| `{call.method}` \|$", page("socket"))
    return row is not None and (call.answer.__name__ in row[1] or call.name == "observe")


def test_every_part_of_a_frame_is_named() -> None:
    for kind in (RequestHead, AnswerHead, TensorPlace):
        assert set(kind.__struct_fields__) <= words("socket")
