"""Where the agent ended: success, SPL and the errors.

Success has four rules, set by a profile as `success_rule`. "stop" (VLN-CE, Habitat): the last action is stop and the
distance is strictly below the threshold. "final" (R2R, R4R, NDH): the same without stop. "nodes" (REVERIE): the last
viewpoint is one of the episode's `success_nodes`, whatever its distance. "seen" (SOON, as VLN-DUET's map_nav_src/soon
scores it): "final", but who ends at one of those viewpoints has the goal there: no distance to it, and L of SPL leads
to it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Place, StepRecord
from nav_eval.errors import DatasetError
from nav_eval.metrics import functional
from nav_eval.metrics.base import DerivedMetric, ShortestPathMetric, distance_between, node_place, shortest_length
from nav_eval.metrics.formula import metric
from nav_eval.metrics.reference import reference_of
from nav_eval.metrics.registry import register_metric

SEEN_FROM = "seen_from"
"""Of an episode's shared values: the viewpoint where the agent ended, if by the rule "seen" the goal is there."""


@register_metric("distance_to_goal")
class DistanceToGoal(Metric):
    """Geodesic distance from where the agent is to the nearest goal; inf if unreachable.

    Asked for at most once per step.
    """

    short = "DTG"
    category = "navigation"
    unit = "m"
    better = "lower"

    def reset_metric(self, context: MetricContext) -> None:
        self._context, self._place, self._value = context, context.start.place, math.nan
        self._seen = _success_nodes(context) if context.settings.success_rule == "seen" else ()

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        place = step.state.place
        if place != self._place:
            self._place, self._value = place, math.nan

    def get_metric(self) -> float:
        if math.isnan(self._value):
            seen = self._place.node in self._seen
            self._value = 0.0 if seen else distance_between(self._context, self._place, self._context.goals)
        return self._value


@register_metric("shortest_path_length")
class ShortestPathLength(Metric):
    """Length of the shortest path from the start to the goal: L of SPL.

    0 flags a start on the goal, inf a goal beyond reach.
    """

    label = "Shortest path"
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
        self._nodes = _success_nodes(context) if self._rule in ("nodes", "seen") else ()

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
            f"which the success rule {context.settings.success_rule!r} asks for. REVERIE's come from its boxes: put "
            "BBoxes.json or the folder bbox beside the episodes, or name them by dataset.gt_path. Else use "
            "success_rule stop or final."
        )
    return frozenset(nodes)


@register_metric("success")
class Success(_ByRule):
    """The agent stopped within the success distance of the goal.

    1.0 or 0.0, by the profile's rule.
    """

    short = "SR"
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
        self.context.shared[SEEN_FROM] = self._node if self._rule == "seen" and self._node in self._nodes else None
        return float((self._stopped or self._rule != "stop") and self.arrived())


@register_metric("oracle_success")
class OracleSuccess(_ByRule):
    """The agent came within the success distance of the goal at some step.

    1.0 if any pose, the start included, counts as the goal; stop is not asked for.
    """

    short = "OSR"
    category = "navigation"
    kind = "rate"
    better = "higher"
    on_failure = 0.0

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._arrived = self.arrived()
        self._passed = [self._node]

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        super().update_metric(step, others)
        self._arrived = self._arrived or self.arrived()
        self._passed.append(self._node)

    def get_metric(self) -> float:
        return float(self._passed_near_the_goal() if self._rule == "seen" else self._arrived)

    def _passed_near_the_goal(self) -> bool:
        """As DUET scores SOON: from the viewpoint nearest to the end of the path, to the goal that the agent has."""
        context, ends = self.context, self.context.goals
        near = min(map(node_place, filter(None, self._passed)), key=lambda one: distance_between(context, one, ends))
        goals = [node_place(self._node)] if self._node and self._node in self._nodes else ends
        return functional.success(distance_between(context, near, goals), context.success_distance) > 0


@metric("spl", label="SPL", short="SPL", unit="share", better="higher", needs=("distance",), on_failure=0.0)
def spl(*, success: float, path_length: float, context: MetricContext) -> float:
    """Success, weighted by shortest path ÷ path walked. L is the distance to the goal at reset.

    With `task.spl_length=reference` L is the length of the reference path instead. Raises DatasetError without one.
    """
    if not success:
        return 0.0
    length = length_of_spl(context)
    if not length and context.settings.success_rule == "seen":
        return 0.0  # DUET divides by a centimetre there
    return functional.spl(success, length, path_length)


def length_of_spl(context: MetricContext) -> float:
    """L, m, as task.spl_length says. Raises DatasetError where it is the reference path's and there is none."""
    if context.settings.success_rule == "seen":
        seen_from = context.shared.get(SEEN_FROM)
        return distance_between(context, context.start.place, [node_place(seen_from)] if seen_from else context.goals)
    if context.settings.spl_length == "shortest":
        return shortest_length(context)
    if not context.reference:
        raise DatasetError(
            f"episode {context.episode.episode_id!r} of {context.episode.scene_id!r} has no reference path, which "
            "task.spl_length=reference asks for. Use task.spl_length=shortest."
        )
    return reference_of(context).length()


@metric(
    "soft_spl", label="Soft SPL", short="SoftSPL", unit="share", better="higher", needs=("distance",), on_failure=0.0
)
def soft_spl(*, distance_to_goal: float, path_length: float, context: MetricContext) -> float:
    """Progress towards the goal, weighted like SPL; needs no stop."""
    return functional.soft_spl(distance_to_goal, shortest_length(context), path_length)


@metric("navigation_error", short="NE", unit="m", better="lower")
def navigation_error(*, distance_to_goal: float) -> float:
    """Geodesic distance from where the agent ended to the goal, whether it stopped or not."""
    return distance_to_goal


@register_metric("oracle_navigation_error")
class OracleNavigationError(ShortestPathMetric):
    """Smallest geodesic distance to the goal at any step, the start included."""

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


@register_metric("navigation_error_euclidean")
class NavigationErrorEuclidean(Metric):
    """Straight-line distance from where the agent ended to the nearest goal: the specification's formula."""

    label = "Navigation error, straight line"
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


@register_metric("goal_progress")
class GoalProgress(Metric):
    """Metres by which the agent came nearer to the goal.

    On a graph the goal is all of the episode's goal nodes (NDH's end_panos), although NDH's success is measured
    to the end of the trusted path alone; elsewhere it is the goals.
    """

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


@register_metric("oracle_path_success")
class OraclePathSuccess(Metric):
    """The agent came within the success distance of where NDH's planner went, or else of a goal."""

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
