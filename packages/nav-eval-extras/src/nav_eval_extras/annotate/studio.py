"""What all people of one session share: the paths, a way to walk along one, and a way to follow a text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from nav_eval.core.loop import EpisodeLoop, Policy
from nav_eval.core.types import OURS, EpisodeResult
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.errors import SimulatorError
from nav_eval.runs.builder import Plan
from nav_eval_extras.annotate.checks import Language, Names
from nav_eval_extras.annotate.consent import Consent
from nav_eval_extras.annotate.desk import Desk, accepts
from nav_eval_extras.annotate.film import Film, make_film
from nav_eval_extras.annotate.journal import Followed, Journal, Pose, Written

PAUSE = 120.0
"""Seconds between two choices that still count as work."""


@dataclass(frozen=True, slots=True)
class Studio:
    """`episodes`: one for each path; `names`: what things are called in the `language` of the texts."""

    plan: Plan
    secret: bytes
    episodes: Mapping[str, Episode]
    journal: Journal
    desk: Desk
    language: Language
    names: Names
    consent: Consent

    def film(self, path: str, *, drawn: bool = True) -> Film:
        environment = self.plan.environment()
        with closing(environment.simulator):
            return make_film(environment, self.episodes[path], drawn=drawn)

    def follow(self, text: Written, agent: Any, stopped: Callable[[], bool]) -> EpisodeResult:
        """By an agent that is given, or (None) by the configured one. Raises Stopped.

        The episode has the text's id, so that nobody's decisions are taken for those on another text.
        """
        told = Instruction(text=text.words, language=text.language)
        episode = replace(self.episodes[text.path], episode_id=text.text, instruction=told)
        return play(self.plan, self.secret, episode, agent, stopped)

    def followed(
        self, text: Written, result: EpisodeResult, seconds: Sequence[float], *, clear: bool = True, **more: Any
    ) -> Followed:
        """What is kept of a walk. `seconds`: what each of its actions took."""
        assert result.start is not None
        worked = [min(one, PAUSE) for one in seconds]
        states = [result.start, *(step.state for step in result.trajectory)]
        track = [Pose.of(state, at) for state, at in zip(states, accumulate(worked, initial=0.0))]
        numbers = {key: float(value) for key, value in result.metrics.items() if isinstance(value, int | float)}
        metrics = {key: value for key, value in numbers.items() if math.isfinite(value)}
        return Followed(
            path=text.path,
            text=text.text,
            metrics=metrics,
            clear=clear,
            lost=self.film(text.path, drawn=False).kept_until(track),
            accepted=accepts(metrics, clear=clear),
            seconds=round(math.fsum(worked), 3),
            actions=[step.action.name for step in result.trajectory],
            track=track,
            **more,
        )


def play(plan: Plan, secret: bytes, episode: Episode, agent: Any, stopped: Callable[[], bool]) -> EpisodeResult:
    """By an agent that is given, or (None) by the configured one. Raises Stopped."""
    environment = plan.environment()
    with (
        closing(environment.simulator),
        closing(plan.service(secret, agent)) as service,
        closing(service.open_session()) as client,
    ):
        service.health_check()
        result = EpisodeLoop(environment, client, [], Policy(), stopped).run_episode(episode)
    if result.start is None or result.status in OURS:
        raise SimulatorError(f"episode {episode.episode_id}: {result.failure_reason}")
    return result
