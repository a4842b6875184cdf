"""What is answered to a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasNavmesh, HasScene
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import TextSpec
from nav_eval.core.types import StepRecord
from nav_eval.errors import ConfigError
from nav_eval.runs.generators import GENERATORS, NamesScenes
from nav_eval_extras.dialogue.facts import facts
from nav_eval_extras.dialogue.task import ASK, WITHIN
from nav_eval_extras.dialogue.words import LANGUAGES, answer


class AnswerSensor(Sensor):
    """Text: the answer to the last question, in the instruction's language; "" after any other action."""

    class Options(Sensor.Options):
        """Where one is there, and who knows what rooms are called."""

        within: float = Field(WITHIN, gt=0, description="metres from a goal at which the oracle says that it is there")
        generator: str | None = Field(
            "homes", description="whose words rooms are named by; null: rooms are not named, as in scans"
        )

    needs = (HasNavmesh,)
    needs_goal = True
    spec = TextSpec(description="answer to the last question")

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._options = self.Options.of(config.options)
        self._generator = _generator(name, self._options.generator)
        self._question: str | None = None
        self._rooms: Mapping[int, str] | None = None

    def begin(self, simulator: Simulator) -> None:
        self._question, self._rooms = None, None

    def update(self, step: StepRecord) -> None:
        self._question = step.action.args["question"] if step.action.name == ASK else None

    def observe(self, simulator: Simulator) -> Any:
        if self._question is None:
            return ""
        episode = simulator.episode
        tag = episode.instruction.language if episode.instruction else "en"
        told = re.split("[-_]", tag.lower())[0]
        language = told if told in LANGUAGES else "en"
        goals = [goal.position for goal in episode.goals if goal.position is not None]
        if self._rooms is None:
            self._rooms = self._region_names(simulator, language)
        return answer(self._question, language, facts(simulator, goals), self._options.within, self._rooms)

    def _region_names(self, simulator: Simulator, language: str) -> Mapping[int, str]:
        """The names of regions, where they have any."""
        if self._generator is None or not isinstance(simulator, HasScene) or not simulator.scene().regions:
            return {}
        return self._generator.called(simulator.scene(), language)[1]


def _generator(sensor: str, name: str | None) -> NamesScenes | None:
    key = f"simulator.sensors.{sensor}.options.generator"
    try:
        found: Any = None if name is None else GENERATORS.get(name)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error} With null rooms are not named.") from None
    return found if isinstance(found, NamesScenes) else None
