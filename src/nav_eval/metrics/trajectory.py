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
from nav_eval.metrics.base import DerivedMetric, distance_between
from nav_eval.metrics.reference import Alignment, Approach, Reference, reference_of


class PathLength(Metric):
    """Metres walked: graph distances between successive nodes, else 3-D Euclidean displacements."""

    name = "path_length"
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
    """Hands each new place of the agent to something that compares it with the reference, once per stay."""

    def begin(self, context: MetricContext, reference: Reference, growing: Alignment | Approach) -> None:
        self._reference, self._growing, self._place = reference, growing, context.start.place
        growing.add(self._place)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        place = step.state.place
        if not self._reference.same(place, self._place):
            self._place = place
            self._growing.add(place)


class Dtw(_AlongReference):
    """Dynamic time warping distance (m) from the agent's path to the reference; inf without a reference."""

    name = "dtw"
    category = "navigation"
    unit = "m"
    better = "lower"
    needs = ("reference",)

    def reset_metric(self, context: MetricContext) -> None:
        reference = reference_of(context)
        self._alignment = reference.alignment(context.settings.dtw)
        self.begin(context, reference, self._alignment)

    def get_metric(self) -> float:
        return self._alignment.cost()


class Ndtw(DerivedMetric):
    """exp(-dtw / (number of reference points x `ndtw_distance`))."""

    name = "ndtw"
    category = "navigation"
    unit = "share"
    better = "higher"
    needs = ("reference",)
    on_failure = 0.0
    requires = ("dtw",)

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._size, self._threshold = reference_of(context).size, context.settings.ndtw_distance

    def get_metric(self) -> float:
        return functional.ndtw(self.value("dtw"), self._size, self._threshold)


class Sdtw(DerivedMetric):
    """nDTW of the successful, 0 for the others."""

    name = "sdtw"
    category = "navigation"
    unit = "share"
    better = "higher"
    on_failure = 0.0
    requires = ("success", "ndtw")

    def get_metric(self) -> float:
        return functional.sdtw(self.value("success"), self.value("ndtw"))


class _Coverage(_AlongReference):
    """Keeps the least distance of the path to each reference place."""

    def reset_metric(self, context: MetricContext) -> None:
        reference = reference_of(context)
        self.approach = reference.approach()
        self.begin(context, reference, self.approach)


class PathCoverage(_Coverage):
    """PC of CLS: mean over reference points of exp(-least distance / `ndtw_distance`)."""

    name = "path_coverage"
    category = "navigation"
    unit = "share"
    better = "higher"
    needs = ("reference",)
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._threshold = context.settings.ndtw_distance

    def get_metric(self) -> float:
        return functional.path_coverage(self.approach.nearest, self._threshold)


class WaypointCoverage(_Coverage):
    """Share of reference points that the path passes within `coverage_distance`."""

    name = "waypoint_coverage"
    category = "navigation"
    unit = "share"
    better = "higher"
    needs = ("reference",)
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._within = context.settings.coverage_distance

    def get_metric(self) -> float:
        return functional.waypoint_coverage(self.approach.nearest, self._within)


class Coverage(WaypointCoverage):
    """The specification's name for `waypoint_coverage`."""

    name = "coverage"


class Cls(DerivedMetric):
    """Coverage weighted by length score."""

    name = "cls"
    category = "navigation"
    unit = "share"
    better = "higher"
    needs = ("reference",)
    on_failure = 0.0
    requires = ("path_coverage", "path_length")

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._reference_length = reference_of(context).length()

    def get_metric(self) -> float:
        return functional.cls(self.value("path_coverage"), self._reference_length, self.value("path_length"))


class Trajectory(Metric):
    """A record: the start and each step's pose and action, as plain JSON."""

    name = "trajectory"
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
