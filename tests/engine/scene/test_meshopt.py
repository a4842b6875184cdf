"""Our meshopt decoder against vectors that meshoptimizer itself encoded and decoded."""

from __future__ import annotations

import base64
import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval.engine.scene.meshopt import decode_view

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "meshopt_vectors.json").read_text(encoding="utf-8")
)["vectors"]
COMPONENT = {"OCTAHEDRAL": "<i", "QUATERNION": "<i", "COLOR": "<u"}


def decode(vector: dict[str, Any], data: bytes | None = None) -> bytes:
    encoded = base64.b64decode(vector["encoded"]) if data is None else data
    return bytes(decode_view(memoryview(encoded), vector["count"], vector["stride"], vector["mode"], vector["filter"]))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_decodes_what_meshoptimizer_encoded(vector: dict[str, Any]) -> None:
    ours, theirs = decode(vector), base64.b64decode(vector["decoded"])
    if vector["filter"] not in COMPONENT:
        if vector["mode"] != "TRIANGLES":
            assert ours == theirs
            return
        dtype = f"<u{vector['stride']}"
        assert np.frombuffer(ours, dtype).tolist() == np.frombuffer(theirs, dtype).tolist()
        return
    dtype = f"{COMPONENT[vector['filter']]}{vector['stride'] // 4}"
    difference = np.frombuffer(ours, dtype).astype(int) - np.frombuffer(theirs, dtype).astype(int)
    assert np.abs(difference).max() <= 1  # the specification allows one unit in the last place


@pytest.mark.parametrize("vector", VECTORS[::5], ids=[vector["name"] for vector in VECTORS[::5]])
def test_truncated_and_padded_streams_are_refused(vector: dict[str, Any]) -> None:
    encoded = base64.b64decode(vector["encoded"])
    for damaged in (b"", encoded[:1], encoded[: len(encoded) // 2]):
        with pytest.raises(ValueError):
            decode(vector, damaged)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(VECTORS), st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=4))
def test_a_mutated_stream_decodes_or_raises_value_error(vector: dict[str, Any], edits: list[tuple[int, int]]) -> None:
    data = bytearray(base64.b64decode(vector["encoded"]))
    for place, value in edits:
        data[place % len(data)] = value
    with contextlib.suppress(ValueError):
        assert len(decode(vector, bytes(data))) == vector["count"] * vector["stride"]


@pytest.mark.parametrize(
    ("count", "stride", "mode", "filter_name"),
    [
        (1, 3, "ATTRIBUTES", "NONE"),
        (1, 260, "ATTRIBUTES", "NONE"),
        (1 << 40, 4, "ATTRIBUTES", "NONE"),
        (4, 4, "TRIANGLES", "NONE"),
        (3, 8, "TRIANGLES", "NONE"),
        (3, 4, "POINTS", "NONE"),
        (17, 4, "ATTRIBUTES", "SWIRL"),
        (17, 4, "ATTRIBUTES", "QUATERNION"),
    ],
)
def test_descriptions_outside_the_specification_are_refused(
    count: int, stride: int, mode: str, filter_name: str
) -> None:
    data = base64.b64decode(next(v["encoded"] for v in VECTORS if v["stride"] == 4 and v["count"] == 17))
    with pytest.raises(ValueError):
        decode_view(memoryview(data), count, stride, mode, filter_name)
