from __future__ import annotations

import errno
import math
from decimal import Decimal

import numpy as np
import pytest

from nav_eval.core.interfaces import Metric
from nav_eval.core.measurements import Measurements, in_order, value_fault
from nav_eval.errors import ConfigError, SceneError, SimulatorError


def metric(name, *requires):
    class Counting(Metric):
        category = "efficiency"

        def reset_metric(self, context):
            self.total = 0.0

        def update_metric(self, step, others):
            self.total += 1 + sum(others[required] for required in requires)

        def get_metric(self):
            return self.total

    Counting.name, Counting.requires = name, requires
    return Counting()


def measured_by(*metrics, steps=0):
    measured = Measurements(list(metrics))
    measured.reset(None)
    for _ in range(steps):
        measured.update(None)
    return measured


def fails(error):
    """A metric that raises at each step."""

    def fail(*args):
        raise error

    broken = metric("broken")
    broken.update_metric = fail
    return broken


def test_required_metrics_come_first_whatever_the_order():
    order = [m.name for m in in_order([metric("c", "a", "b"), metric("b", "a"), metric("a")])]
    assert order.index("a") < order.index("b") < order.index("c")


def test_required_values_are_those_of_the_same_step():
    measured = measured_by(metric("sum", "one"), metric("one"), steps=2)
    assert measured.values == {"one": 2.0, "sum": (1 + 1) + (1 + 2)}


def test_a_gap_and_a_circle_are_named():
    with pytest.raises(ConfigError, match="requires lost"):
        in_order([metric("a", "lost")])
    with pytest.raises(ConfigError, match="circle"):
        in_order([metric("a", "b"), metric("b", "a")])


BAD_VALUES = [math.nan, None, {"a": math.nan}, object(), {"a": 1.0}, [1.0], "1.0", (), np.ones(2), 1j, Decimal(1)]
PLACES = ["reset_metric", "update_metric", "get_metric"]


@pytest.mark.parametrize(
    ("place", "value"),
    [*((place, ValueError("boom")) for place in PLACES), *(("get_metric", value) for value in BAD_VALUES)],
)
def test_a_metric_that_fails_loses_its_own_value_and_that_of_those_that_require_it(place, value):
    def fail(*args):
        if isinstance(value, Exception):
            raise value
        return value

    faulty = metric("faulty")
    setattr(faulty, place, fail)
    measured = Measurements([metric("sum", "faulty"), metric("sound"), faulty, metric("sums", "sum")])
    for _ in range(2):
        measured.reset(None)
        measured.update(None)
        measured.update(None)
        assert measured.values == {"sound": 2.0}
        assert list(measured.faults) == ["faulty", "sum", "sums"]
    assert ("boom" if isinstance(value, Exception) else "its value is") in measured.faults["faulty"]
    assert measured.faults["sum"] == "requires faulty, which has no value"


@pytest.mark.parametrize("value", [{"a": 1.0}, [1.0], "far"])
def test_plain_json_is_a_value_of_a_record_only(value):
    for kind in ("record", "mean", "rate"):
        told = metric("told")
        type(told).kind, told.get_metric = kind, lambda: value
        assert measured_by(told).values == ({"told": value} if kind == "record" else {})
    assert value_fault(value) == (
        f"its value is of the type {type(value).__name__}, not a float; end get_metric with return float(...), "
        "or say kind = 'record' if it is plain JSON"
    )
    assert value_fault({"a": math.nan}, "record").startswith("its value is of the type dict, neither a float nor plain")


@pytest.mark.parametrize(("value", "sound"), [(0, True), (1.0, True), (True, True), (0.5, False), (math.inf, False)])
def test_a_rate_is_0_or_1_or_has_no_value(value, sound):
    rate = metric("rate")
    type(rate).kind, rate.get_metric = "rate", lambda: value
    measured = measured_by(rate, metric("other"))
    assert measured.values == ({"rate": value} if sound else {}) | {"other": 0.0}
    assert sound or f"its value is {value}; a rate is 0 or 1" in measured.faults["rate"]


def test_a_fault_lasts_for_its_episode_only():
    once = metric("once")
    sound, once.update_metric = once.update_metric, None
    measured = measured_by(once, steps=1)
    assert measured.values == {}
    once.update_metric = sound
    measured.update(None)
    assert list(measured.faults) == ["once"]
    measured.reset(None)
    measured.update(None)
    assert (measured.values, measured.faults) == ({"once": 1.0}, {})


@pytest.mark.parametrize("error", [SceneError("gone"), SimulatorError("down"), OSError(errno.ENOSPC, "full")])
def test_what_the_world_lacks_is_no_fault_of_a_metric(error):
    measured = measured_by(fails(error))
    with pytest.raises(type(error)):
        measured.update(None)
    assert not measured.faults


def test_the_reason_of_a_metric_is_one_printable_line():
    reason = measured_by(fails(ValueError("\x1b[31m\nforged" + "Q" * 5000)), steps=1).faults["broken"]
    assert reason.startswith("ValueError: \\x1b[31m forgedQQQ")
    assert len(reason) <= 300
    assert reason.isprintable()
