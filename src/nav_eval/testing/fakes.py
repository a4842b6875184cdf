"""Small stand-ins for tests of plug-ins: an open square to walk in, an episode, a metric's context, a walk.

Nothing here needs a scene, a file or a network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nav_eval.config.schema import MotionConfig, SensorConfig, SimulatorConfig, TaskConfig
from nav_eval.core.actions import STOP, Action
from nav_eval.core.interfaces import MetricContext, Simulator, SimulatorBackend
from nav_eval.core.types import AgentState, Contacts, Moved, NearbyPedestrians, Place, StepRecord
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.errors import DatasetError
from nav_eval.geometry import Vec3, euclidean, yaw_of, yaw_rotation
from nav_eval.simulator.backends.greedy import GreedyExpert
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.motion import motion_profile, perform
from nav_eval.simulator.sensors.registry import make_sensors

HALF = 5.0
"""The square reaches from -HALF to HALF in x and z, metres."""


class FakeSimulator(SimulatorBackend):
    """An open square of 10 x 10 m at y = 0, walked with the real motion model; sensors by name, cameras excepted."""

    def __init__(self, sensors: Sequence[str] = ("gps", "compass", "instruction"), seed: int = 0) -> None:
        suite = {name: SensorConfig() for name in sensors}
        self.config = SimulatorConfig(backend="fake", sensors=suite, motion=MotionConfig())
        self.seed = seed

    def open_session(self) -> Simulator:
        return _Square(self.config, self.seed)

    def assets(self, scene_id: str) -> Mapping[str, str]:
        return {}


class _Square(SensorSession):
    def __init__(self, config: SimulatorConfig, seed: int) -> None:
        self._profile = motion_profile(config.motion)
        self._state = AgentState((0.0, 0.0, 0.0))
        self._expert = GreedyExpert(self._profile.forward_step, self._profile.turn_angle)
        super().__init__(make_sensors(config), config.backend, seed)

    def begin(self, episode: Episode) -> None:
        if episode.start_position is None:
            raise DatasetError(f"episode {episode.episode_id}: has no start_position.")
        self._state = AgentState(episode.start_position, episode.start_rotation)
        self._expert = GreedyExpert(self._profile.forward_step, self._profile.turn_angle)

    def move(self, action: Action) -> StepRecord:
        moved: Moved = perform(_OPEN, self._state, action, self._profile)
        self._state = moved.state
        events = {"people": NearbyPedestrians(0.25).to_record()}
        return StepRecord(action, moved.state, moved.collided, moved.clipped, events=events)

    def get_agent_state(self) -> AgentState:
        return self._state

    def distance_to(self, start: Place, ends: Sequence[Place]) -> float:
        inside = [end.position for end in ends if self.is_navigable(end.position)]
        return min((euclidean(start.position, end) for end in inside), default=math.inf)

    def is_navigable(self, position: Vec3) -> bool:
        return max(abs(position[0]), abs(position[2])) <= HALF and abs(position[1]) < 0.5

    def expert_action(self, goals: Sequence[Place], within: float) -> Action:
        return self._expert.next_action(self, goals, within)


class _OpenGround:
    """The square's ground: a straight step, cut off at the edge."""

    def step(self, start: Vec3, end: Vec3, sliding: bool = True) -> Vec3:
        return (min(max(end[0], -HALF), HALF), start[1], min(max(end[2], -HALF), HALF))


_OPEN = _OpenGround()


def fake_episode(
    start: Vec3 = (0.0, 0.0, 0.0), goal: Vec3 = (0.0, 0.0, -2.0), *, yaw: float = 0.0, text: str = "Walk straight on."
) -> Episode:
    """From `start` (m, facing `yaw` rad) to `goal`, straight ahead by default."""
    return Episode(
        episode_id="fake-1",
        scene_id="square",
        start_position=start,
        start_rotation=yaw_rotation(yaw),
        instruction=Instruction(text=text, tokens=tuple(text.lower().split())),
        goals=(Goal(position=goal, radius=0.2),),
        reference_path=(start, goal),
    )


def fake_settings(**settings: Any) -> TaskConfig:
    """The section `task` of a configuration: its own keys, and all others as `task.options`."""
    own = {name: value for name, value in settings.items() if name in TaskConfig.model_fields}
    return TaskConfig(**own, options={name: value for name, value in settings.items() if name not in own})


def fake_context(episode: Episode | None = None, **settings: Any) -> MetricContext:
    """What a metric is given for `episode` on open ground, where the geodesic distance is the straight one.

    `settings`: keys of the section `task`, or of its options.
    """
    episode = episode or fake_episode()
    assert episode.start_position is not None
    goals = [Place(goal.position) for goal in episode.goals if goal.position is not None]
    return MetricContext(
        episode=episode,
        start=AgentState(episode.start_position, episode.start_rotation),
        goals=goals,
        reference=[Place(point) for point in episode.reference_path],
        reference_kind="given",
        distance=lambda start, ends: min((euclidean(start.position, end.position) for end in ends), default=math.inf),
        success_distance=0.2,
        settings=fake_settings(**settings),
    )


def fake_walk(episode: Episode | None = None, steps: int = 8, *, stop: bool = True) -> list[StepRecord]:
    """`steps` forward steps of 0.25 m in as many s from the start, and a stop; of a body with mass, that touches
    nothing, with nobody near."""
    episode = episode or fake_episode()
    assert episode.start_position is not None
    (x, y, z), yaw = episode.start_position, yaw_of(episode.start_rotation)
    walk, told = [], {"felt": Contacts().to_record(), "people": NearbyPedestrians(0.25).to_record()}
    for number in range(1, steps + 1):
        ahead = 0.25 * number
        place = (x - math.sin(yaw) * ahead, y, z - math.cos(yaw) * ahead)
        state = AgentState(place, episode.start_rotation)
        walk.append(StepRecord(Action("move_forward"), state, latency=0.01, events=told))
    last = walk[-1].state if walk else AgentState(episode.start_position, episode.start_rotation)
    return [*walk, StepRecord(STOP, last, latency=0.01, events=told)] if stop else walk
