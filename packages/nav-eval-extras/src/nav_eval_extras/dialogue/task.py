"""Navigation with questions: the agent may ask, and each question has a price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from nav_eval import ActionSpec, Argument
from nav_eval.config.schema import Config
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import Metric, MetricContext, Simulator
from nav_eval.core.types import StepRecord
from nav_eval.errors import ConfigError, InvalidAction
from nav_eval.tasks.navigation import VLNTask

ASK = "ask"
PRICE = 0.05
"""Of a success, that a question costs."""
MAX_LENGTH = 300
WITHIN = 3.0
"""Metres from a goal at which the oracle says that it is there, where nothing else is set."""


class Questions(Metric):
    """How many questions were asked."""

    name, category, better, needs = "questions", "efficiency", "lower", ("actions",)

    def reset_metric(self, context: MetricContext) -> None:
        self._asked = 0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._asked += step.action.name == ASK

    def get_metric(self) -> int:
        return self._asked


class PricedSuccess(Metric):
    """Success less .05 a question, at least 0: who asks at every corner is worth less than who reads."""

    name, category, on_failure, unit = "priced_success", "navigation", 0.0, "share"
    requires = ("success", "questions")

    def reset_metric(self, context: MetricContext) -> None:
        self._worth = 0.0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._worth = max(0.0, others["success"] - PRICE * others["questions"])

    def get_metric(self) -> float:
        return self._worth


class VlnAskTask(VLNTask):
    """Vision-and-language navigation with questions (after CVDN and VL-LN): `ask` moves nothing and is one action.

    The sensor `answer` shows what is answered, until the next action.
    """

    name = "vln_ask"
    actions: ClassVar[tuple[str, ...]] = (*VLNTask.actions, ASK)
    own_actions: ClassVar[Mapping[str, ActionSpec]] = {ASK: ActionSpec({"question": Argument("text")})}
    own_metrics: ClassVar[Mapping[str, type[Metric]]] = {one.name: one for one in (PricedSuccess, Questions)}
    measurements: ClassVar[tuple[str, ...]] = (
        "success",
        "priced_success",
        "questions",
        "spl",
        "goal_progress",
        "navigation_error",
        "oracle_success",
        "path_length",
        "collisions",
        "steps",
    )
    sensors: ClassVar[tuple[str, ...]] = ("instruction", "answer")
    needs_goal = True

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        told = config.simulator.sensors.get("answer")
        within = told.options.get("within", WITHIN) if told else WITHIN
        if isinstance(within, int | float) and within > self._within:
            raise ConfigError(
                f"simulator.sensors.answer.options.within: is {within:g} m: it would say that one is there where that "
                f"does not count yet (evaluation.success_distance={self._within:g}). Set it to that, or to less."
            )

    def carry_out(self, action: Action, simulator: Simulator) -> StepRecord:
        if action.name == ASK and len(action.args["question"]) > MAX_LENGTH:
            raise InvalidAction(f"argument 'question' of 'ask' must have at most {MAX_LENGTH} characters.")
        return super().carry_out(action, simulator)
