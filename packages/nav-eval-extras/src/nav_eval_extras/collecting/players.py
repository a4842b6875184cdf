"""Who walks: one session in this process, or one in each of several, whose walks come back in the order of routes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby, islice
from multiprocessing import get_context
from typing import Any

import numpy as np

from nav_eval.config.schema import Config, SensorConfig
from nav_eval.core.actions import Action
from nav_eval.core.environment import Environment, derived_seed
from nav_eval.core.interfaces import AgentClient
from nav_eval.core.stopping import deaf_to_ctrl_c, heed_as_worker
from nav_eval.core.types import Observations
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.scene.cache import shared_scenes
from nav_eval.errors import ConfigError, ResourceExhausted, SimulatorError
from nav_eval.runs.builder import Plan
from nav_eval.runs.plan import opened
from nav_eval.simulator.sensors.frame import HEIGHT, HFOV, WIDTH
from nav_eval_extras.collecting.formats.base import About
from nav_eval_extras.collecting.paths import Route
from nav_eval_extras.collecting.questions import Asker
from nav_eval_extras.collecting.walking import Cameras, Walk, Walker, follow_oracle

GROUP = 4
"""Routes of one building that a process walks before it hands them back."""


@dataclass(frozen=True)
class Asked:
    """What a walk depends on. `fps`: of videos, 0: single frames. `beta`: how likely the oracle acts in a step.

    `depth`: whether it is recorded. `questions`: how many about a walk.
    """

    config: Config
    fps: int = 0
    semantic: bool = False
    beta: float = 1.0
    depth: bool = True
    questions: int = 0

    @property
    def cameras(self) -> Cameras:
        """Raises ConfigError where RGB and depth are not of one camera, or depth is not in metres."""
        names = {one.type or name: name for name, one in reversed(self.config.simulator.sensors.items())}
        wanted = ["rgb", *(["depth"] if self.depth else []), *(["semantic"] if self.semantic else [])]
        if lacking := [kind for kind in wanted if kind not in names]:
            raise ConfigError(
                f"collect: there is no sensor of type {lacking[0]}. Add +simulator.sensors.{lacking[0]}={{}}"
            )
        lenses = {lens_of(self.config.simulator.sensors[names[kind]]) for kind in wanted}
        if len(lenses) > 1:
            raise ConfigError(
                f"collect: {', '.join(wanted)} must be of one camera, with the same width, height and hfov. "
                "Set them in simulator.sensors."
            )
        depth = names["depth"] if self.depth else None
        if depth and self.config.simulator.sensors[depth].normalize:
            raise ConfigError(f"collect: depth is recorded in metres. Set simulator.sensors.{depth}.normalize=false")
        semantic = names["semantic"] if self.semantic else None
        return Cameras(lenses.pop(), names["rgb"], depth, semantic, self.fps)

    @property
    def about(self) -> About:
        simulator = self.config.simulator
        return About(
            benchmark=self.config.benchmark.name,
            lens=self.cameras.lens,
            height=simulator.body.camera_height,
            forward_step=simulator.motion.forward_step,
            turn_angle=simulator.motion.turn_angle,
            max_steps=self.config.evaluation.max_steps,
            semantic=self.semantic,
        )

    @property
    def played(self) -> Config:
        """With those sensors only that are looked at, and measured by nothing."""
        unmeasured = self.config.task.model_copy(update={"measurements": ()})
        config = self.config.model_copy(update={"task": unmeasured})
        if self.beta < 1:
            return config
        cameras, simulator = self.cameras, self.config.simulator
        kept = {
            name: one
            for name, one in simulator.sensors.items()
            if name in (cameras.rgb, cameras.depth, cameras.semantic)
        }
        return config.model_copy(update={"simulator": simulator.model_copy(update={"sensors": kept})})


def lens_of(sensor: SensorConfig) -> Lens:
    return Lens(sensor.width or WIDTH, sensor.height or HEIGHT, sensor.hfov or HFOV)


class Learner:
    """A served policy that acts in turns with the oracle, whose choice is recorded all the same.

    It is told one of the route's instructions, drawn with the run's seed, and sees every step.
    """

    def __init__(self, client: AgentClient, environment: Environment, seed: int, beta: float) -> None:
        self._client, self._environment, self._seed, self._beta = client, environment, seed, beta
        self._chance = np.random.default_rng(0)

    def begin(self, route: Route) -> Episode:
        self._chance = np.random.default_rng(derived_seed(self._seed, *route.key, "collect"))
        told = route.wordings[int(self._chance.integers(len(route.wordings)))]
        words = Instruction(text=told.text, language=told.language)
        return replace(route.episode, episode_id=told.episode_id, instruction=words)

    def offer(self, episode: Episode) -> None:
        self._client.reset_episode(self._environment.offer(episode, self._seed))

    def choose(self, seen: Observations, expert: Action) -> Action:
        own = self._client.get_action(seen).action
        return expert if self._chance.random() < self._beta else own

    def end(self) -> None:
        self._client.end_episode("stop")


class Player:
    """Walks routes in one session."""

    def __init__(self, asked: Asked, plan: Plan, stack: ExitStack) -> None:
        environment = plan.environment()
        stack.callback(environment.simulator.close)
        asker = Asker(environment.simulator, asked.config, asked.about, asked.questions) if asked.questions else None
        self._walker = Walker(environment, asked.cameras, asker)
        self._scene = ""
        self._learner: Learner | None = None
        if asked.beta < 1:
            service = plan.service(f"collect: {plan.config.seed}".encode())
            stack.callback(service.close)
            service.health_check()
            client = service.open_session()
            stack.callback(client.close)
            self._learner = Learner(client, environment, plan.config.seed, asked.beta)

    def walk(self, route: Route) -> Walk | str:
        """A sentence where there is nothing to learn from it."""
        if route.key[0] != self._scene:
            shared_scenes().clear()  # kept for runs that come back to a building, gigabytes of them
            self._scene = route.key[0]
        try:
            walk = self._walk(route)
        except SimulatorError as error:
            return str(error)
        if self._learner is None and not walk.stopped:
            return "the oracle did not arrive within evaluation.max_steps."
        return walk

    def _walk(self, route: Route) -> Walk:
        if self._learner is None:
            return self._walker.walk(route.episode, route, follow_oracle)
        episode = self._learner.begin(route)
        walk = self._walker.walk(episode, route, self._learner.choose, lambda: self._offer(episode))
        self._learner.end()
        return walk

    def _offer(self, episode: Episode) -> None:
        assert self._learner is not None
        self._learner.offer(episode)


@contextmanager
def player(asked: Asked, plan: Plan | None = None) -> Iterator[Player]:
    with ExitStack() as stack:
        yield Player(asked, plan or stack.enter_context(opened(asked.played, agent_given=asked.beta >= 1)), stack)


def walks(asked: Asked, plan: Plan, todo: Sequence[Route], processes: int) -> Iterator[tuple[Route, Walk | str]]:
    """In the order of `todo`, however many processes walk; at most a few walks of each are in memory."""
    if processes > 1:
        yield from _of_processes(asked, todo, processes)
        return
    with player(asked, plan) as one:
        for route in todo:
            yield route, one.walk(route)


def _of_processes(asked: Asked, todo: Sequence[Route], processes: int) -> Iterator[tuple[Route, Walk | str]]:
    groups = _groups(todo)
    waiting: deque[tuple[list[Route], Future[list[Walk | str]]]] = deque()
    with deaf_to_ctrl_c():
        pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (asked,))
    try:
        for group in islice(groups, processes + 1):
            waiting.append((group, pool.submit(_walk_group, group)))
        while waiting:
            group, done = waiting.popleft()
            yield from zip(group, _result(done))
            for further in islice(groups, 1):
                waiting.append((further, pool.submit(_walk_group, further)))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(done: Future[list[Walk | str]]) -> list[Walk | str]:
    try:
        return done.result()
    except BrokenProcessPool:
        raise ResourceExhausted(
            "collect: a process was killed, perhaps for its memory. The same call with fewer --processes goes on."
        ) from None


def _groups(todo: Sequence[Route]) -> Iterator[list[Route]]:
    for _, of_scene in groupby(todo, lambda route: route.key[0]):
        while group := list(islice(of_scene, GROUP)):
            yield group


_OWN: list[Any] = []
"""Of a process that walks: its player, and what closes it."""


def _begin(asked: Asked) -> None:
    heed_as_worker()
    stack = ExitStack()
    _OWN[:] = [stack.enter_context(player(asked)), stack]


def _walk_group(group: Sequence[Route]) -> list[Walk | str]:
    return [_OWN[0].walk(route) for route in group]
