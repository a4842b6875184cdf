from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval.core.specs import ListSpec, NumberSpec, StructSpec, TensorSpec, TextSpec

SPECS = [
    TensorSpec(shape=(4, 5, 3), dtype="uint8", low=0, high=255),
    TensorSpec(shape=(2,), dtype="float32", low=-1, high=1),
    TensorSpec(shape=(), dtype="int32"),
    TextSpec(max_length=40),
    NumberSpec(low=0, high=2),
    ListSpec(item=StructSpec(parts={"id": TextSpec(), "x": NumberSpec()})),
]


@given(st.sampled_from(SPECS), st.integers(0, 2**32 - 1))
def test_a_sample_fits_its_spec(spec, seed):
    assert spec.fault(spec.sample(np.random.default_rng(seed))) is None


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (SPECS[0], np.zeros((4, 5), np.uint8)),
        (SPECS[0], np.zeros((4, 5, 3), np.int16)),
        (SPECS[0], [[0]]),
        (SPECS[1], np.array([0, np.nan], np.float32)),
        (SPECS[1], np.array([0, 2], np.float32)),
        (SPECS[1], None),
        (SPECS[3], 5),
        (SPECS[3], "x" * 41),
        (SPECS[4], float("nan")),
        (SPECS[4], True),
        (SPECS[5], "abc"),
        (SPECS[5], [{"id": "a"}]),
        (SPECS[5], [{"id": "a", "x": 1.0, "y": 2}]),
    ],
)
def test_what_does_not_fit_has_a_fault(spec, value):
    assert spec.fault(value)


def test_absent_is_allowed_only_where_declared():
    assert TextSpec(optional=True).fault(None) is None
    assert TextSpec().fault(None) == "is missing"


def test_bounds_are_as_the_wire_writes_them_however_they_are_given():
    given = NumberSpec(low=-math.inf, high=3)
    assert given == NumberSpec(high=3.0)
    assert (given.low, type(given.high), given.bounds) == (None, float, (-math.inf, 3.0))
    assert msgspec.json.decode(msgspec.json.encode(given), type=NumberSpec) == given
