"""How the agent went: path length, alignment with the reference (dtw, ndtw, sdtw, cls, coverage), the path itself.

On a navigation graph distances are those of the graph and repeated viewpoints are one; elsewhere they are Euclidean
distances between points, as in VLN-CE. The exact DTW grows by one row per step; with `dtw: fastdtw` the whole path is
aligned anew when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import AgentState, StepRecord
from nav_eval.geometry import euclidean
from nav_eval.metrics import functional
from nav_eval.metrics.base import distance_between
from nav_eval.metrics.formula import metric
from nav_eval.metrics.reference import Alignment, Approach, Reference, reference_of
from nav_eval.metrics.registry import register_metric


@register_metric("path_length")
class PathLength(Metric):
    """Metres walked.

    Graph distances between successive nodes, else 3-D Euclidean displacements.
    """

    short = "TL"
    category = "efficiency"
    unit = "m"
    needs = ()

    def reset_metric(self, context: MetricContext) -> None:
        self._context, self._place, self._length = context, context.start.place, 0.0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        before, self._place = self._place, step.state.place
        if before.node is None:
            self._length += euclidean(before.position, self._place.position)
        elif before.node != self._place.node:
            self._length += distance_between(self._context, before, [self._place])

    def get_metric(self) -> float:
        return functional.not_nan(self._length)


class _AlongReference(Metric):
    """Hands each new place of the agent to something that compares it with the reference, once per stay or, where
    repeated places are kept, after each action but stop."""

    keeps = False

    def begin(self, context: MetricContext, reference: Reference, growing: Alignment | Approach) -> None:
        self._reference, self._growing, self._place = reference, growing, context.start.place
        growing.add(self._place)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        place = step.state.place
        if not self._reference.same(place, self._place) or (self.keeps and step.action.name != "stop"):
            self._place = place
            self._growing.add(place)


@register_metric("dtw")
class Dtw(_AlongReference):
    """Dynamic time warping distance to the reference path; inf without one."""

    label = "DTW"
    category = "navigation"
    unit = "m"
    better = "lower"
    needs = ("reference",)

    def reset_metric(self, context: MetricContext) -> None:
        reference = reference_of(context)
        self._alignment = reference.alignment(context.settings.dtw)
        self.keeps = context.settings.repeats == "keep"
        self.begin(context, reference, self._alignment)

    def get_metric(self) -> float:
        return self._alignment.cost()


@metric("ndtw", label="nDTW", short="nDTW", unit="share", better="higher", needs=("reference",), on_failure=0.0)
def ndtw(*, dtw: float, context: MetricContext) -> float:
    """How closely the agent followed the reference path; standing still does not give 0.

    exp(-dtw / (number of reference points x `ndtw_distance`)).
    """
    return functional.ndtw(dtw, reference_of(context).size, context.settings.ndtw_distance)


@metric("sdtw", label="SDTW", short="SDTW", unit="share", better="higher", on_failure=0.0)
def sdtw(*, success: float, ndtw: float) -> float:
    """Success × nDTW."""
    return functional.sdtw(success, ndtw)


class _Coverage(_AlongReference):
    """Keeps the least distance of the path to each reference place."""

    category = "navigation"
    unit = "share"
    better = "higher"
    needs = ("reference",)
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        reference = reference_of(context)
        self.approach = reference.approach()
        self.begin(context, reference, self.approach)


@register_metric("path_coverage")
class PathCoverage(_Coverage):
    """How near the agent came to each point of the reference path.

    PC of CLS: mean over reference points of exp(-least distance / `ndtw_distance`).
    """

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._threshold = context.settings.ndtw_distance

    def get_metric(self) -> float:
        return functional.path_coverage(self.approach.nearest, self._threshold)


@register_metric("waypoint_coverage")
class WaypointCoverage(_Coverage):
    """Share of the reference path's points that the agent passed within the coverage distance."""

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._within = context.settings.coverage_distance

    def get_metric(self) -> float:
        return functional.waypoint_coverage(self.approach.nearest, self._within)


@register_metric("coverage")
class Coverage(WaypointCoverage):
    """Share of the reference path's points that the agent passed within the coverage distance.

    The specification's name for `waypoint_coverage`.
    """


@metric("cls", label="CLS", short="CLS", unit="share", better="higher", needs=("reference",), on_failure=0.0)
def cls(*, path_coverage: float, path_length: float, context: MetricContext) -> float:
    """Coverage of the reference path, weighted by length."""
    return functional.cls(path_coverage, reference_of(context).length(), path_length)


@register_metric("trajectory")
class Trajectory(Metric):
    """A record: the start and each step's pose and action, as plain JSON."""

    category = "visualisation"
    kind = "record"
    needs = ("actions",)

    def reset_metric(self, context: MetricContext) -> None:
        self._record = [_pose(context.start)]

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._record.append(_pose(step.state) | step.action.to_record() | {"collided": step.collided})

    def get_metric(self) -> list[dict[str, Any]]:
        return list(self._record)


def _pose(state: AgentState) -> dict[str, Any]:
    pose: dict[str, Any] = {"position": list(state.position), "rotation": list(state.rotation)}
    return pose if state.node is None else pose | {"node": state.node, "elevation": state.elevation}
