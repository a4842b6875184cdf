from __future__ import annotations

import pytest

from nav_eval.core.interfaces import Metric
from nav_eval.core.measurements import Measurements, in_order
from nav_eval.errors import ConfigError


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


def test_required_metrics_come_first_whatever_the_order():
    order = [m.name for m in in_order([metric("c", "a", "b"), metric("b", "a"), metric("a")])]
    assert order.index("a") < order.index("b") < order.index("c")


def test_required_values_are_those_of_the_same_step():
    measured = Measurements([metric("sum", "one"), metric("one")])
    measured.reset(None)
    measured.update(None)
    measured.update(None)
    assert measured.values == {"one": 2.0, "sum": (1 + 1) + (1 + 2)}


def test_a_gap_and_a_circle_are_named():
    with pytest.raises(ConfigError, match="requires lost"):
        in_order([metric("a", "lost")])
    with pytest.raises(ConfigError, match="circle"):
        in_order([metric("a", "b"), metric("b", "a")])
