"""Where the agent ended: success, SPL and the errors.

Success has three rules, set by a profile as `success_rule`. "stop" (VLN-CE, Habitat): the last action is stop and the
distance is strictly below the threshold. "final" (R2R, R4R, NDH): the same without stop. "nodes" (REVERIE): the last
viewpoint is one of the episode's `success_nodes`, whatever its distance.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Place, StepRecord
from nav_eval.errors import DatasetError
from nav_eval.metrics import functional
from nav_eval.metrics.base import DerivedMetric, ShortestPathMetric, distance_between, node_place


class DistanceToGoal(Metric):
    """Geodesic distance (m) to the nearest goal, at most once per step; inf if unreachable."""

    name = "distance_to_goal"
    category = "navigation"
    unit = "m"
    better = "lower"

    def reset_metric(self, context: MetricContext) -> None:
        self._context, self._place, self._value = context, context.start.place, math.nan

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        place = step.state.place
        if place != self._place:
            self._place, self._value = place, math.nan

    def get_metric(self) -> float:
        if math.isnan(self._value):
            self._value = distance_between(self._context, self._place, self._context.goals)
        return self._value


class ShortestPathLength(Metric):
    """L of SPL (m): the distance to the goal at reset. 0 flags a start on the goal, inf a goal beyond reach."""

    name = "shortest_path_length"
    category = "navigation"
    unit = "m"

    def reset_metric(self, context: MetricContext) -> None:
        self._value = distance_between(context, context.start.place, context.goals)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        """The start does not move."""

    def get_metric(self) -> float:
        return self._value


class _ByRule(DerivedMetric):
    """Knows whether the place where the agent is counts as the goal."""

    requires = ("distance_to_goal",)

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._node = context.start.node
        self._rule = context.settings.success_rule
        self._nodes = _success_nodes(context) if self._rule == "nodes" else ()

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        super().update_metric(step, others)
        self._node = step.state.node

    def arrived(self) -> bool:
        if self._rule == "nodes":
            return self._node in self._nodes
        return functional.success(self.value("distance_to_goal"), self.context.success_distance) > 0


def _success_nodes(context: MetricContext) -> Collection[str]:
    nodes = context.episode.extra.get("success_nodes")
    if nodes is None:
        raise DatasetError(
            f"episode {context.episode.episode_id!r} of {context.episode.scene_id!r} has no success_nodes, "
            "which the success rule 'nodes' asks for. Use success_rule stop or final."
        )
    return frozenset(nodes)


class Success(_ByRule):
    """1.0 or 0.0, by the profile's rule."""

    name = "success"
    category = "navigation"
    kind = "rate"
    better = "higher"
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._stopped = False

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        super().update_metric(step, others)
        self._stopped = step.action.name == "stop"

    def get_metric(self) -> float:
        return float((self._stopped or self._rule != "stop") and self.arrived())


class OracleSuccess(_ByRule):
    """1.0 if any pose, the start included, counts as the goal; stop is not asked for."""

    name = "oracle_success"
    category = "navigation"
    kind = "rate"
    better = "higher"
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._arrived = self.arrived()

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        super().update_metric(step, others)
        self._arrived = self._arrived or self.arrived()

    def get_metric(self) -> float:
        return float(self._arrived)


class Spl(ShortestPathMetric):
    """Success weighted by path length; L is the distance to the goal at reset."""

    name = "spl"
    category = "navigation"
    unit = "share"
    better = "higher"
    on_failure = 0.0
    requires = ("success", "path_length")

    def get_metric(self) -> float:
        success = self.value("success")
        return functional.spl(success, self.shortest, self.value("path_length")) if success else 0.0


class SoftSpl(ShortestPathMetric):
    """SPL with success replaced by the share of the way made good."""

    name = "soft_spl"
    category = "navigation"
    unit = "share"
    better = "higher"
    on_failure = 0.0
    requires = ("distance_to_goal", "path_length")

    def get_metric(self) -> float:
        return functional.soft_spl(self.value("distance_to_goal"), self.shortest, self.value("path_length"))


class NavigationError(DerivedMetric):
    """The final distance to the goal (geodesic, m), stopped or not."""

    name = "navigation_error"
    category = "navigation"
    unit = "m"
    better = "lower"
    requires = ("distance_to_goal",)

    def get_metric(self) -> float:
        return self.value("distance_to_goal")


class OracleNavigationError(ShortestPathMetric):
    """The least distance to the goal (m) over all poses, the start included."""

    name = "oracle_navigation_error"
    category = "navigation"
    unit = "m"
    better = "lower"
    requires = ("distance_to_goal",)

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._least = self.shortest

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._least = min(self._least, others["distance_to_goal"])

    def get_metric(self) -> float:
        return self._least


class NavigationErrorEuclidean(Metric):
    """The specification's formula: straight distance (m) from the final position to the nearest goal."""

    name = "navigation_error_euclidean"
    category = "navigation"
    unit = "m"
    better = "lower"
    needs = ()

    def reset_metric(self, context: MetricContext) -> None:
        self._goals = [goal.position for goal in context.goals]
        self._position = context.start.position

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._position = step.state.position

    def get_metric(self) -> float:
        return functional.navigation_error_euclidean(self._position, self._goals)


class GoalProgress(Metric):
    """Metres by which the agent came nearer to the goal region.

    On a graph the region is all of the episode's goal nodes (NDH's end_panos), although NDH's success is measured
    to the end of the trusted path alone; elsewhere it is the goals.
    """

    name = "goal_progress"
    category = "navigation"
    unit = "m"
    better = "higher"

    def reset_metric(self, context: MetricContext) -> None:
        region = [node_place(goal.node) for goal in context.episode.goals if goal.node is not None]
        self._goals = region or context.goals
        self._context, self._place = context, context.start.place

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._place = step.state.place

    def get_metric(self) -> float:
        start = distance_between(self._context, self._context.start.place, self._goals)
        return functional.goal_progress(start, distance_between(self._context, self._place, self._goals))


class OraclePathSuccess(Metric):
    """1.0 if any pose came nearer than the threshold to where NDH's planner went, or else to a goal."""

    name = "oracle_path_success"
    category = "navigation"
    kind = "rate"
    better = "higher"
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        planned = context.episode.extra.get("planner_path")
        self._goals = [node_place(planned[-1])] if planned else context.goals
        self._context = context
        self._place: Place | None = None
        self._value = 0.0
        self._visit(context.start.place)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._visit(step.state.place)

    def get_metric(self) -> float:
        return self._value

    def _visit(self, place: Place) -> None:
        if self._value or place == self._place:
            return
        self._place = place
        distance = distance_between(self._context, place, self._goals)
        self._value = functional.success(distance, self._context.success_distance)
