"""Among people: how near the agent came to them, whom it touched, and the time that it took.

Personal space compliance and STL (success weighted by time length) are the measures of the iGibson Challenge 2021 on
social navigation (svl.stanford.edu/igibson/challenge2021.html): the share of time in
which no person is nearer than 0.5 m, and SPL with times in place of lengths. The time of reference is the shortest way
at full speed. Distances are between middles, in the plane. All of it is read from `events["people"]` of each step.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from pydantic import Field

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Category, Need, StepRecord
from nav_eval.errors import SimulatorError
from nav_eval.geometry import total
from nav_eval.metrics import functional
from nav_eval.metrics.base import ShortestPathMetric


class _NearbyPedestriansMetric(Metric):
    """Takes in what each step tells of people."""

    category = "safety"
    needs = ("actions", "people")

    def reset_metric(self, context: MetricContext) -> None:
        self._steps, self._told = 0, 0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._steps += 1
        if (nearby := step.events.get("people")) is not None:
            self._told += 1
            self.meet(nearby)

    def meet(self, nearby: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def check_measured(self, value: float) -> float:
        """`value`, unless there was nobody to tell of."""
        if self._steps and not self._told:
            raise SimulatorError(f"{self.name}: no step records people. Set simulator.people.count.")
        return value


class HumanCollisions(_NearbyPedestriansMetric):
    """How often somebody was touched; as long as one stays in touch it is once."""

    name = "human_collisions"
    better = "lower"

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._held: Collection[int] = ()
        self._count = 0

    def meet(self, nearby: Mapping[str, Any]) -> None:
        touched = set(nearby["touched"])
        self._count += len(touched.difference(self._held))
        self._held = touched

    def get_metric(self) -> float:
        return self.check_measured(float(self._count))


class HumanCollisionRate(HumanCollisions):
    """1 if anybody was touched."""

    name = "human_collision_rate"
    kind = "rate"
    unit = "share"

    def get_metric(self) -> float:
        return self.check_measured(float(self._count > 0))


class PersonalSpaceCompliance(_NearbyPedestriansMetric):
    """Share of the time in which nobody was nearer than the personal space; 1 before any time has passed."""

    name = "personal_space_compliance"
    unit = "share"
    better = "higher"

    class Options(Metric.Options):
        """How far personal space goes."""

        personal_space: float = Field(
            0.5,
            gt=0,
            description="personal_space_compliance: least distance between the agent's and a person's middle, m",
        )

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._space = self.Options.of(context.settings.options).personal_space
        self._kept: list[float] = []
        self._all: list[float] = []

    def meet(self, nearby: Mapping[str, Any]) -> None:
        nearest, seconds = nearby["nearest"], nearby["seconds"]
        self._all.append(seconds)
        if nearest is None or nearest >= self._space:
            self._kept.append(seconds)

    def get_metric(self) -> float:
        return self.check_measured(functional.share(total(self._kept), total(self._all)))


class MinPersonDistance(_NearbyPedestriansMetric):
    """The least distance (m) to a person in the whole episode; inf if none was ever on the agent's storey."""

    name = "min_person_distance"
    label = "Minimum distance to a person"
    unit = "m"
    better = "higher"

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._least = math.inf

    def meet(self, nearby: Mapping[str, Any]) -> None:
        if nearby["nearest"] is not None:
            self._least = min(self._least, nearby["nearest"])

    def get_metric(self) -> float:
        return self.check_measured(self._least)


class _Timed(ShortestPathMetric):
    """Knows the seconds of the episode, of the world's time."""

    category: ClassVar[Category] = "efficiency"
    needs: ClassVar[tuple[Need, ...]] = ("distance", "actions", "people")

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._seconds: list[float] = []
        self._steps = 0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        super().update_metric(step, others)
        self._steps += 1
        if (nearby := step.events.get("people")) is not None:
            self._seconds.append(nearby["seconds"])

    @property
    def seconds(self) -> float:
        if self._steps and not self._seconds:
            raise SimulatorError(f"{self.name}: no step records its time. Set simulator.people.count.")
        return total(self._seconds)


class Stl(_Timed):
    """Success weighted by time length; the reference is the shortest way at full speed."""

    name = "stl"
    label = "STL"
    category = "navigation"
    unit = "share"
    better = "higher"
    requires = ("success",)
    on_failure = 0.0

    def get_metric(self) -> float:
        return functional.stl(self.value("success"), self.shortest / self.context.full_speed, self.seconds)


class TimeLost(_Timed):
    """Seconds beyond those that what was gained of the way takes at full speed."""

    name = "time_lost"
    unit = "s"
    better = "lower"
    requires = ("distance_to_goal",)

    def get_metric(self) -> float:
        gained = self.shortest - self.value("distance_to_goal")
        return functional.time_lost(self.seconds, gained, self.context.full_speed)
