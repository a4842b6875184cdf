"""Whether the right object was pointed at: REVERIE's remote grounding.

A submission file names an object for each episode; the last step carries it as the event `object`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.metrics import functional
from nav_eval.metrics.formula import metric
from nav_eval.metrics.navigation import length_of_spl
from nav_eval.metrics.registry import register_metric


@register_metric("rgs")
class RemoteGroundingSuccess(Metric):
    """The object that was named at the end is the one that the instruction asks for."""

    label = "Remote grounding success"
    short = "RGS"
    category = "navigation"
    kind = "rate"
    better = "higher"
    on_failure = 0.0
    needs = ()

    def reset_metric(self, context: MetricContext) -> None:
        self._sought = {goal.object_id for goal in context.episode.goals} - {None}
        self._named: Any = None

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._named = step.events.get("object", self._named)

    def get_metric(self) -> float:
        return float(self._named in self._sought)


@metric(
    "rgspl",
    label="RGS by path length",
    short="RGSPL",
    unit="share",
    better="higher",
    needs=("distance",),
    on_failure=0.0,
)
def rgspl(*, rgs: float, path_length: float, context: MetricContext) -> float:
    """Remote grounding success, weighted like SPL."""
    return functional.spl(rgs, length_of_spl(context), path_length) if rgs else 0.0
