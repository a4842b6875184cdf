"""Names, categories and requirements of the built-in metrics, and how a plug-in adds one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.measurements import in_order
from nav_eval.core.types import StepRecord
from nav_eval.errors import ConfigError
from nav_eval.metrics.registry import CATEGORIES, METRICS, WALL_CLOCK, make_metrics, register_metric

PROMISED = [
    "success",
    "spl",
    "soft_spl",
    "navigation_error",
    "navigation_error_euclidean",
    "distance_to_goal",
    "oracle_success",
    "oracle_navigation_error",
    "path_length",
    "dtw",
    "ndtw",
    "sdtw",
    "cls",
    "path_coverage",
    "waypoint_coverage",
    "coverage",
    "collisions",
    "collision_rate",
    "steps",
    "turns",
    "episode_time",
    "agent_latency",
    "goal_progress",
    "oracle_path_success",
    "trajectory",
]


@pytest.mark.parametrize("name", PROMISED)
def test_each_promised_metric_is_known_by_its_own_name(name: str) -> None:
    metric = METRICS.get(name)
    assert metric.name == name
    assert metric.category in CATEGORIES
    assert all(required in METRICS for required in metric.requires)


def test_every_category_of_the_specification_has_a_metric() -> None:
    assert {METRICS.get(name).category for name in METRICS} == set(CATEGORIES)
    assert set(METRICS) >= WALL_CLOCK


def test_a_failure_earns_no_share_of_anything() -> None:
    shares = {name for name in METRICS if METRICS.get(name).on_failure == 0.0}
    assert shares == {
        "success", "spl", "soft_spl", "oracle_success", "oracle_path_success", "ndtw", "sdtw", "cls", "path_coverage",
        "waypoint_coverage", "coverage",
    }  # fmt: skip


def test_required_metrics_are_added_once() -> None:
    names = [metric.name for metric in in_order(make_metrics(["sdtw", "spl"]))]
    assert sorted(names) == ["distance_to_goal", "dtw", "ndtw", "path_length", "sdtw", "spl", "success"]
    assert names.index("success") < names.index("spl")


def test_each_call_makes_metrics_of_its_own() -> None:
    assert make_metrics(["steps"])[0] is not make_metrics(["steps"])[0]


def test_an_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'success'"):
        make_metrics(["sucess"])


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"success_rule": "stopp"}, "success_rule"),
        ({"dtw": "fast"}, "dtw"),
        ({"ndtw_distance": 0}, "ndtw_distance"),
        ({"coverage_distance": float("nan")}, "coverage_distance"),
        ({"ndtw_distance": "3"}, "ndtw_distance"),
        ({"ndtw_distance": True}, "ndtw_distance"),
    ],
)
def test_a_bad_setting_is_refused(settings: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        make_metrics([], settings)


def test_settings_of_plugins_pass() -> None:
    assert make_metrics([], {"my_metric_radius": "wide"}) == []


class Halves(Metric):
    category = "efficiency"
    requires = ("steps",)

    def reset_metric(self, context: MetricContext) -> None:
        self._value = 0.0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._value = others["steps"] / 2

    def get_metric(self) -> float:
        return self._value


def test_a_metric_of_someone_else_is_measured_like_a_builtin(play: Any) -> None:
    register_metric("halves_for_test")(Halves)
    values = play(["halves_for_test"], [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    assert values == {"halves_for_test": 1.5, "steps": 3.0}


def test_a_taken_name_or_an_unknown_category_is_refused() -> None:
    with pytest.raises(ConfigError, match="registered already"):
        register_metric("spl")(Halves)
    nameless = type("Nameless", (Halves,), {"category": "fun"})
    with pytest.raises(ConfigError, match="category"):
        register_metric("nameless_for_test")(nameless)


def test_the_metrics_of_a_graph_run_do_not_load_the_compiler() -> None:
    code = (
        "import sys; from nav_eval.metrics.registry import METRICS; [METRICS.get(n) for n in METRICS];"
        "sys.exit(any(m in sys.modules for m in ('numba', 'scipy', 'scipy.stats')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
