"""What a body with mass felt: how hard it hit, whether it fell, whether it was caught.

Fall and stuck rate are VLN-PE's names (Wang et al., "Rethinking the Embodied Gap in Vision-and-Language Navigation",
arXiv:2507.13019): in how many episodes the robot fell down, and in how many it could not get away. When a body lies is
its engine's to say; when it is stuck is said here, because it takes many steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.errors import SimulatorError
from nav_eval.geometry import total


class _Felt(Metric):
    """Takes in what each step tells of forces."""

    category = "safety"
    better = "lower"
    needs = ("actions", "forces")

    def reset_metric(self, context: MetricContext) -> None:
        self._value, self._steps, self._told = 0.0, 0, 0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._steps += 1
        if (felt := step.events.get("felt")) is not None:
            self._told += 1
            self.feel(felt)

    def feel(self, felt: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def get_metric(self) -> float:
        if self._steps and not self._told:
            raise SimulatorError(
                f"{self.name}: no step records what the body felt. Choose a simulator.physics whose bodies have mass."
            )
        return self._value


class CollisionForce(_Felt):
    """The greatest force of a single contact, N."""

    name = "collision_force"
    unit = "N"

    def feel(self, felt: Mapping[str, Any]) -> None:
        self._value = max([self._value, *(contact[3] for contact in felt["contacts"])])


class CollisionImpulse(_Felt):
    """The impulses of all contacts together, N s."""

    name = "collision_impulse"
    unit = "N s"

    def feel(self, felt: Mapping[str, Any]) -> None:
        self._value = total([self._value, *(contact[4] for contact in felt["contacts"])])


class FallRate(_Felt):
    """1 if the body fell; the episode ends there."""

    name = "fall_rate"
    kind = "rate"
    unit = "share"

    def feel(self, felt: Mapping[str, Any]) -> None:
        self._value = max(self._value, float(felt["fallen"]))


class StuckRate(_Felt):
    """1 if so many steps on end, each told to move, were held by something."""

    name = "stuck_rate"
    kind = "rate"
    unit = "share"

    class Options(Metric.Options):
        """When a body counts as stuck."""

        stuck_steps: int = Field(10, ge=1, description="stuck_rate: steps on end without getting away")

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._needed = self.Options.of(context.settings.options).stuck_steps
        self._held = 0

    def feel(self, felt: Mapping[str, Any]) -> None:
        self._held = self._held + 1 if felt["stuck"] else 0
        self._value = max(self._value, float(self._held >= self._needed))
