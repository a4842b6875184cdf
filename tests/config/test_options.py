"""Options are typed, beside the class that takes them; a misspelt one gets the message that any misspelt key gets."""

from __future__ import annotations

import re

import pytest
from pydantic import Field

from nav_eval.config.loader import load_config
from nav_eval.core.interfaces import Metric
from nav_eval.errors import ConfigError
from nav_eval.metrics.registry import register_metric
from nav_eval.runs.lookup import check
from nav_eval.testing import check_metric

MISSPELT = [
    ("pointnav-demo", "evaluation.max_stepz=3", "max_steps"),
    ("pointnav-demo", "simulator.options.scnee=x.glb", "scene"),
    ("pointnav-demo", "simulator.sensors.pointgoal.options.frmae=start", "frame"),
    ("pointnav-demo", "simulator.sensors.rgb.options.noize=gaussian", "noise"),
    ("pointnav-demo", "simulator.sensors={around: {type: panorama, options: {knd: cube}}}", "kind"),
    ("r2r", "simulator.options.discrete_view=true", "discrete_views"),
    ("pointnav-demo", "task.options.windowe=3", "window"),
]


@register_metric("windowed_for_test")
class Windowed(Metric):
    """Reads one option."""

    category = "efficiency"

    class Options(Metric.Options):
        window: int = Field(5, gt=0)

    def reset_metric(self, context):
        self._value = float(self.Options.of(context.settings.options).window)

    def update_metric(self, step, others):
        """Nothing."""

    def get_metric(self):
        return self._value


def faults(benchmark, *overrides):
    with pytest.raises(ConfigError) as told:
        check(load_config(benchmark, environment={}, overrides=overrides))
    return str(told.value)


@pytest.mark.parametrize(("benchmark", "override", "near"), MISSPELT)
def test_a_misspelt_option_is_told_as_any_key_is(benchmark, override, near):
    text = faults(benchmark, override)
    told = re.fullmatch(
        r"1 fault in the configuration:\n  [\w.]+: unknown key\. "
        rf"Did you mean {near!r}\? Known here: (\w+, )*\w+\. \[the command line\]",
        text,
    )
    assert told, text


@pytest.mark.parametrize(
    ("override", "text"),
    [
        (
            "task.success_rule=stopp",
            "task.success_rule: Input should be 'stop', 'final', 'nodes' or 'seen' (it is 'stopp').",
        ),
        ("task.dtw=fast", "task.dtw: "),
        ("task.ndtw_distance=0", "task.ndtw_distance: Input should be greater than 0 (it is 0)."),
        ("task.coverage_distance=.nan", "task.coverage_distance: "),
        ("simulator.sensors.rgb.options.noise=redwood", "options.noise: Input should be 'gaussian' (it is 'redwood')."),
        ("simulator.sensors.rgb.options.noise_multiplier=-1", "options.noise_multiplier: "),
        ("task.options.window=0", "task.options.window: Input should be greater than 0 (it is 0). [the command line]"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_key(override, text):
    assert text in faults("pointnav-demo", override)


def test_all_are_told_at_once_and_where_each_came_from(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("simulator: {options: {scnee: x}}\ntask: {options: {windowe: 1}}\n")
    with pytest.raises(ConfigError, match="3 faults") as told:
        check(load_config("r2r", file=file, environment={}, overrides=["simulator.backend=custom", "task.type=fly"]))
    assert str(told.value).count(f"[{file} line 1]") == 1  # whose task.options are is not known
    assert "simulator.options.discrete_views: unknown key" in str(told.value)
    assert "[benchmark r2r]" in str(told.value)


def test_an_option_of_a_metric_that_is_not_measured_passes():
    check(load_config("pointnav-demo", environment={}, overrides=["task.options.window=3"]))


def test_a_class_that_declares_none_takes_none():
    assert "options.x: unknown key. Known here: none." in faults("pointnav-demo", "simulator.sensors.gps.options.x=1")


def test_the_kit_of_metrics_knows_the_options_too():
    assert all(finding.ok for finding in check_metric(Windowed, window=2, success_rule="final"))
    with pytest.raises(ConfigError, match="Did you mean 'window'"):
        list(check_metric(Windowed, windwo=2))
