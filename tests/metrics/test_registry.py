"""Names, categories and requirements of the built-in metrics, and how a plug-in adds one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from nav_eval.core.definitions import check_definition
from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.measurements import in_order
from nav_eval.core.types import Category, StepRecord
from nav_eval.errors import ConfigError
from nav_eval.metrics.registry import METRICS, known_definitions, make_metrics, register_metric

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
    check_definition(metric)
    assert all(required in METRICS for required in metric.requires)


def test_every_category_of_the_specification_has_a_metric() -> None:
    assert {METRICS.get(name).category for name in METRICS} == set(get_args(Category))


def test_a_failure_earns_no_share_of_anything() -> None:
    shares = {name for name in METRICS if METRICS.get(name).on_failure == 0.0}
    assert shares == {
        "success", "spl", "soft_spl", "oracle_success", "oracle_path_success", "ndtw", "sdtw", "cls", "path_coverage",
        "waypoint_coverage", "coverage", "stl", "rgs", "rgspl",
    }, "who is not here keeps, of a failed episode, what was measured until it failed"  # fmt: skip


def test_required_metrics_are_added_once() -> None:
    names = [metric.name for metric in in_order(make_metrics(["sdtw", "spl"]))]
    assert sorted(names) == ["distance_to_goal", "dtw", "ndtw", "path_length", "sdtw", "spl", "success"]
    assert names.index("success") < names.index("spl")


AMONG_PEOPLE = {
    "human_collisions", "human_collision_rate", "personal_space_compliance", "min_person_distance", "stl", "time_lost",
}  # fmt: skip


def test_needs_are_those_of_what_is_required_too() -> None:
    """Checked by hand against what each formula of docs/reference/metrics.md asks for."""
    found = known_definitions(METRICS, {})
    # Tests that came before may have registered metrics of their own.
    ours = [name for name in METRICS if METRICS.get(name).__module__.startswith("nav_eval.")]
    assert {name for name in ours if "distance" not in found[name].needs} == {
        "collision_force", "collision_impulse", "fall_rate", "stuck_rate",
        "human_collisions", "human_collision_rate", "personal_space_compliance", "min_person_distance",
        "path_length", "dtw", "ndtw", "navigation_error_euclidean", "path_coverage", "waypoint_coverage", "coverage",
        "cls", "trajectory", "steps", "turns", "collisions", "collision_rate", "episode_time", "agent_latency",
        "agent_latency_p95", "rgs",
    }  # fmt: skip
    assert {name for name in ours if "reference" in found[name].needs} == {
        "dtw", "ndtw", "sdtw", "cls", "path_coverage", "waypoint_coverage", "coverage",
    }  # fmt: skip
    assert {name for name in ours if "actions" in found[name].needs} == {
        "trajectory", "steps", "turns", "collisions", "collision_rate", "episode_time", "agent_latency",
        "collision_force", "collision_impulse", "fall_rate", "stuck_rate", *AMONG_PEOPLE,
        "agent_latency_p95",
    }  # fmt: skip
    assert {name for name in ours if "people" in found[name].needs} == AMONG_PEOPLE
    assert {name for name in ours if "clock" in found[name].needs} == {
        "episode_time", "agent_latency", "agent_latency_p95",
    }  # fmt: skip


def test_a_metric_of_which_nothing_is_known_is_a_mean() -> None:
    found = known_definitions(["success", "uninstalled"], {})
    assert (found["success"].kind, found["uninstalled"].kind) == ("rate", "mean")
    assert found["uninstalled"].better is None


REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"


def test_the_reference_says_what_the_classes_say() -> None:
    """Every section that says which way is better, or that a value is 0 or 1, says it as its metrics do.

    The table of all is made of them (documentation.reference).
    """
    found, told = known_definitions(METRICS, {}), 0
    for part in REFERENCE.read_text().split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        names = [name for name in re.split(r"[, ]+", heading.partition("{")[0].strip()) if name in found]
        sides = set(re.findall(r"(higher|lower)\s+is\s+better", text))
        for name in names if len(sides) == 1 else ():
            told += 1
            assert {found[name].better} == sides, name
            if re.search(r"0\s+or\s+1,", text):
                assert found[name].kind == "rate", name
    assert told > 10


def test_each_call_makes_metrics_of_its_own() -> None:
    assert make_metrics(["steps"])[0] is not make_metrics(["steps"])[0]


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


@pytest.mark.parametrize(
    "said",
    [
        {"category": "fun"},
        {"kind": "ratio"},
        {"better": "up"},
        {"unit": 1},
        {"needs": "distance"},
        {"needs": ("geodesic",)},
        {"kind": "rate", "on_failure": 0.5},
    ],
)
def test_a_metric_that_says_what_cannot_be_is_refused(said: dict[str, Any]) -> None:
    """The message names the metric and the attribute."""
    with pytest.raises(ConfigError, match=rf"metric 'odd_for_test': `{list(said)[-1]}`"):
        register_metric("odd_for_test")(type("Odd", (Halves,), said))
    assert "odd_for_test" not in METRICS


def test_the_metrics_of_a_graph_run_and_their_intervals_load_neither_compiler_nor_scipy() -> None:
    code = (
        "import sys; from nav_eval.metrics.registry import METRICS; [METRICS.get(n) for n in METRICS];"
        "import nav_eval.results.statistics, nav_eval.results.compare;"
        "sys.exit(any(m in sys.modules for m in ('numba', 'scipy', 'scipy.stats')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
