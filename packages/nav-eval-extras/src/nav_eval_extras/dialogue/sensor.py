"""What is answered to a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasNavmesh, HasScene
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec, TextSpec
from nav_eval.core.types import StepRecord
from nav_eval.runs.generators import GENERATORS, NamesScenes
from nav_eval_extras.dialogue.facts import facts
from nav_eval_extras.dialogue.task import ASK
from nav_eval_extras.dialogue.words import LANGUAGES, answer


class AnswerSensor(Sensor):
    """Text: the answer to the last question, in the instruction's language; "" after any other action."""

    class Options(Sensor.Options):
        """Where one is there, and who knows what rooms are called."""

        within: float = Field(3.0, gt=0, description="metres from a goal at which the oracle says that it is there")
        generator: str | None = Field(
            "homes", description="whose words rooms are named by; null: rooms are not named, as in scans"
        )

    needs = (HasNavmesh,)
    needs_goal = True

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._options = self.Options.of(config.options)
        self._spec = TextSpec(description="answer to the last question")
        self._question = ""
        self._rooms: Mapping[int, str] | None = None

    @property
    def spec(self) -> Spec:
        return self._spec

    def begin(self, simulator: Simulator) -> None:
        self._question, self._rooms = "", None

    def update(self, step: StepRecord) -> None:
        self._question = step.action.args["question"] if step.action.name == ASK else ""

    def observe(self, simulator: Simulator) -> Any:
        if not self._question:
            return ""
        episode = simulator.episode
        told = (episode.instruction.language if episode.instruction else "en").split("-")[0]
        language = told if told in LANGUAGES else "en"
        goals = [goal.position for goal in episode.goals if goal.position is not None]
        if self._rooms is None:
            self._rooms = self._named(simulator, language)
        return answer(self._question, language, facts(simulator, goals), self._options.within, self._rooms)

    def _named(self, simulator: Simulator, language: str) -> Mapping[int, str]:
        """The names of regions, where they have any."""
        name = self._options.generator
        if name is None or not isinstance(simulator, HasScene) or not simulator.scene().regions:
            return {}
        made = GENERATORS.get(name)
        return made.called(simulator.scene(), language)[1] if isinstance(made, NamesScenes) else {}
