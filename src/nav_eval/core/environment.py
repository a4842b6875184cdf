"""A simulator, a task and the measurements together: the episode as it is played, whoever plays it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nav_eval.config.schema import TaskConfig
from nav_eval.core.actions import Action, ActionSpace
from nav_eval.core.capabilities import Placeable
from nav_eval.core.clock import WAIT, ChargedClock
from nav_eval.core.interfaces import EpisodeOffer, MetricContext, Simulator, Task
from nav_eval.core.measurements import Measurements
from nav_eval.core.specs import Spec
from nav_eval.core.types import MEANWHILE, AgentState, Observations, Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.errors import DatasetError, SimulatorError
from nav_eval_sdk.protocol.limits import Limits

if TYPE_CHECKING:
    from nav_eval.core.perturbing import PerturbedSensors


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for every episode of a run. Lengths in metres; `settings`: the section `task`, for the metrics.

    `limits`: those that end an episode, and what agents are told of them; the deadlines are the client's.
    `cut_at_collision`: a collision drops what is left of an answer of several actions. `clock`: what an answer's time
    costs; None: the world waits. `full_speed`: of the body, m/s.
    """

    limits: Limits
    success_distance: float
    settings: TaskConfig
    cut_at_collision: bool = False
    clock: ChargedClock | None = None
    full_speed: float = 1.0


def derived_seed(run_seed: int, *parts: str) -> int:
    """A 63-bit seed from the run's seed and names, the same on every machine and in every order of episodes."""
    text = "/".join((str(run_seed), *parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


class Environment:
    """One session: reset(episode), then step(action) until `over`."""

    def __init__(
        self,
        simulator: Simulator,
        task: Task,
        measurements: Measurements,
        space: ActionSpace,
        rules: Rules,
        perturbed_sensors: PerturbedSensors | None = None,
    ):
        self.simulator = simulator
        self.task = task
        self.measurements = measurements
        self.action_space = space
        self.rules = rules
        self._perturbed_sensors = perturbed_sensors
        self.over = True
        self.ended = False
        self.steps = 0
        self._moves = 0
        self._goals: Sequence[Place] = ()
        self.reference: str | None = None
        """What the present episode is compared with, as in EpisodeResult."""

    @property
    def observation_spec(self) -> Mapping[str, Spec]:
        return self.simulator.observation_spec

    def reset(self, episode: Episode) -> Observations:
        """start, then observe."""
        self.start(episode)
        return self.observe()

    def start(self, episode: Episode) -> None:
        """Begin an episode. Its measurements are reset only if it has a goal to be measured against."""
        self.reference = None
        self.simulator.start(episode)
        self.over, self.ended, self.steps, self._moves = False, False, 0, 0
        self.task.begin(episode)
        if self._perturbed_sensors is not None:
            self._perturbed_sensors.begin(episode)
        self._goals = [self.simulator.locate(goal) for goal in self.task.goals(episode)]
        if episode.has_goal:
            self.measurements.reset(self._context(episode))

    def place(self, state: AgentState) -> None:
        """Put the agent elsewhere, for training: steps count on, measurements begin anew from there.

        Raises SimulatorError where nobody can stand, or where the simulator has no such thing.
        """
        if not isinstance(self.simulator, Placeable):
            raise SimulatorError("this simulator cannot place an agent at a pose; simulator.backend=custom can.")
        self.simulator.set_agent_state(state)
        if self.simulator.episode.has_goal:
            self.measurements.reset(self._context(self.simulator.episode))

    def _context(self, episode: Episode) -> MetricContext:
        reference, self.reference = self.task.reference(episode)
        return MetricContext(
            episode=episode,
            start=self.simulator.get_agent_state(),
            goals=self._goals,
            reference=[self.simulator.locate(place) for place in reference],
            reference_kind=self.reference,
            distance=self.simulator.distance_to,
            success_distance=self.rules.success_distance,
            settings=self.rules.settings,
            full_speed=self.rules.full_speed,
        )

    def step(self, action: Action, latency: float = 0.0, place: int = 0) -> StepRecord:
        """Advance by one action and measure; observe() shows the result. `place`: the action's in its answer.

        Afterwards `ended` tells whether the task is done, and `over` whether that, a limit or a fall ends the episode.
        """
        waits = place == MEANWHILE and action == WAIT
        done: object = self.simulator.stay(action) if waits else self.task.carry_out(action, self.simulator)
        if not isinstance(done, StepRecord):
            raise SimulatorError(
                f"task {self.task.name}: carry_out returned {done!r:.60} for {action.name}. Return the StepRecord, "
                "as in return simulator.advance(action)."
            )
        step = done.after(latency, place)
        self.follow(step)
        return step

    def follow(self, step: StepRecord) -> None:
        """Count and measure a step that was taken, now or when it was recorded."""
        self.steps += 1
        self._moves += step.action.name == "move_to"
        if self.simulator.episode.has_goal:
            self.measurements.update(step)
        self.ended = self.task.ends(step, self.simulator.distance_to)
        self.over = self.ended or self._used_up() or bool(step.events.get("felt", {}).get("fallen"))

    def _used_up(self) -> bool:
        limits = self.rules.limits
        used = ((self.steps, limits.max_steps), (self._moves, limits.max_moves))
        return any(limit is not None and count >= limit for count, limit in used)

    def offer(self, episode: Episode, seed: int) -> EpisodeOffer:
        """What a client may know of an episode, here with the run's `seed`, when it begins and while it lasts."""
        return EpisodeOffer(
            episode=episode,
            observation_spec=self.observation_spec,
            action_space=self.action_space,
            task=self.task.name,
            limits=self.rules.limits,
            seed=derived_seed(seed, *episode.key),
            expert=self.expert_action,
        )

    def expert_action(self) -> Action:
        """The oracle's choice; raises SimulatorError in an episode without a goal."""
        if not self._goals:
            raise SimulatorError("this episode has no goal (a hidden test split), so no oracle can play it.")
        return self.task.expert_action(self.simulator, self._goals, self.rules.success_distance)

    def require_goal(self) -> None:
        """Raises DatasetError at the start of an episode that nobody could win: its goal cannot be reached."""
        if self.simulator.episode.has_goal and math.isinf(self.distance_to_goal()):
            scene, name = self.simulator.episode.key
            raise DatasetError(f"episode {name} of {scene}: no path leads from the start to a goal.")

    def distance_to_goal(self) -> float:
        """Metres from here to the nearest goal, geodesic; inf if none can be reached."""
        return self.simulator.distance_to(self.simulator.get_agent_state().place, self._goals)

    def observe(self) -> Observations:
        """What the sensors show; raises SimulatorError for what is not of the form that they declare.

        A service refuses such an observation, and would be blamed for it.
        """
        return self.perturb_and_check(self.simulator.observe())

    def perturb_and_check(self, observations: Observations) -> Observations:
        """What the agent is shown of what the simulator observed now, checked as by observe."""
        if self._perturbed_sensors is not None:
            observations = self._perturbed_sensors.apply(observations, self.steps)
        for name, spec in self._specs.items():
            if fault := spec.fault(observations.get(name), thorough=False):
                raise SimulatorError(f"sensor {name} {fault}, as its spec says.")
        return observations

    @property
    def perturbed(self) -> bool:
        """Whether the sensors are perturbed by what may remember what they showed: then all steps are observed,
        so that what it shows does not depend on who looks between questions.
        """
        return self._perturbed_sensors is not None

    @cached_property
    def _specs(self) -> Mapping[str, Spec]:
        return self.simulator.observation_spec

    @property
    def metrics(self) -> Mapping[str, Any]:
        """Values so far; empty for an episode without a goal."""
        return self.measurements.values if self.simulator.episode.has_goal else {}

    @property
    def metric_faults(self) -> Mapping[str, str]:
        """Metric -> why it has no value in this episode."""
        return self.measurements.faults if self.simulator.episode.has_goal else {}
