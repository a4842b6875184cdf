"""Does an agent keep the SDK's VLNAgent contract? Synthetic episodes in this process, no service needed.

A service behind a wire is checked by `nav-eval-agent check`; this kit is for the class itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nav_eval.api.local import LocalService
from nav_eval.core.actions import Action, ActionSpace
from nav_eval.core.interfaces import AgentClient, EpisodeOffer
from nav_eval.core.specs import ListSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.testing.fakes import fake_episode
from nav_eval.testing.findings import Finding, run_checks
from nav_eval_sdk.conformance import usual_spec
from nav_eval_sdk.protocol.limits import Limits
from nav_eval_sdk.protocol.specs import ActionSpec

DISCRETE = ("stop", "move_forward", "turn_left", "turn_right")
SIZE = (32, 24)
SPECS: Mapping[str, Spec] = {
    "gps": TensorSpec(shape=(2,), dtype="float32", unit="m"),
    "compass": TensorSpec(shape=(1,), dtype="float32", unit="rad", low=-3.2, high=3.2),
    "instruction": StructSpec(
        optional=True, parts={"text": TextSpec(), "tokens": ListSpec(item=TextSpec()), "language": TextSpec()}
    ),
}


@dataclass(frozen=True, slots=True)
class Trial:
    factory: Callable[[], Any]
    space: ActionSpace
    specs: Mapping[str, Spec]
    steps: int

    def open(self) -> AgentClient:
        return LocalService(self.factory).open_session()

    def offer(self, seed: int = 0) -> EpisodeOffer:
        return EpisodeOffer(
            fake_episode(), self.specs, self.space, "vln", Limits(max_steps=self.steps), seed, lambda: Action("stop")
        )

    def observation(self, step: int) -> dict[str, Any]:
        rng = np.random.default_rng(step)
        return {name: spec.sample(rng) for name, spec in self.specs.items()}

    def played(self, client: AgentClient, seed: int = 0) -> list[Action]:
        """The actions of one episode; raises AgentError or InvalidAction."""
        client.reset_episode(self.offer(seed))
        actions: list[Action] = []
        for step in range(self.steps):
            actions.append(client.get_action(self.observation(step)).action)
            if actions[-1].name == "stop":
                break
        client.end_episode("check")
        return actions


def check_agent(
    agent: Callable[[], Any],
    *,
    actions: Sequence[str] | None = None,
    own_actions: Mapping[str, ActionSpec] | None = None,
    specs: Mapping[str, Spec] | None = None,
    steps: int = 20,
) -> Iterator[Finding]:
    """Findings, one by one. `agent`: the class or a factory; actions and specs default to what the class asks for.

    `own_actions`: those of the task that it is made for.
    """
    names = actions or tuple(getattr(agent, "action_space", ())) or DISCRETE
    yield from run_checks(CHECKS, Trial(agent, ActionSpace.of(names, own_actions), specs or _specs(agent), steps))


def _specs(agent: Any) -> dict[str, Spec]:
    wanted: Mapping[str, tuple[int, int]] = {"rgb": SIZE, "depth": SIZE} | dict(getattr(agent, "sensors", {}))
    return {
        name: usual_spec(name, width or SIZE[0], height or SIZE[1]) for name, (width, height) in wanted.items()
    } | dict(SPECS)


def plays_an_episode(trial: Trial) -> str:
    client = trial.open()
    trial.played(client)
    client.close()
    return ""


def plays_a_second_episode_with_the_same_object(trial: Trial) -> str:
    client = trial.open()
    for seed in range(2):
        trial.played(client, seed)
    client.close()
    return ""


def accepts_a_reset_in_the_middle(trial: Trial) -> str:
    client = trial.open()
    client.reset_episode(trial.offer())
    client.get_action(trial.observation(0))
    trial.played(client)
    client.close()
    return ""


def accepts_an_episode_without_an_instruction(trial: Trial) -> str:
    client = trial.open()
    client.reset_episode(trial.offer())
    client.get_action(trial.observation(0) | {"instruction": None})
    client.close()
    return ""


def decides_the_same_from_the_same_seed(trial: Trial) -> str:
    """An agent that draws its own randomness cannot be replayed; take it from episode["seed"]."""
    first, second = (trial.played(trial.open(), seed=7) for _ in range(2))
    return "" if first == second else "two fresh objects decided differently on the same episode and seed."


def does_not_share_state_between_objects(trial: Trial) -> str:
    alone = trial.played(trial.open(), seed=3)
    client, other = trial.open(), trial.open()
    other.reset_episode(trial.offer(9))
    client.reset_episode(trial.offer(3))
    together = []
    for step in range(len(alone)):
        other.get_action(trial.observation(100 + step))
        together.append(client.get_action(trial.observation(step)).action)
    return "" if alone == together else "another object's episode changed its decisions."


CHECKS = (
    plays_an_episode,
    plays_a_second_episode_with_the_same_object,
    accepts_a_reset_in_the_middle,
    accepts_an_episode_without_an_instruction,
    decides_the_same_from_the_same_seed,
    does_not_share_state_between_objects,
)
