"""The simulator of our own: an agent walks through a 3-D building as Habitat's does, on the same navmesh.

A session holds the pose; scene, navmesh and renderer belong to the backend's worlds. The frames of many sessions are
drawn in one batch per scene and lens; a session alone draws its own when a sensor asks.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.bodies import Body, PedestrianModel, Physics
from nav_eval.core.clock import WAIT
from nav_eval.core.environment import derived_seed
from nav_eval.core.interfaces import Simulator, SimulatorBackend
from nav_eval.core.types import AgentState, Observations, Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.render.camera import Lens
from nav_eval.errors import ConfigError, DatasetError, NavmeshError, SceneError, SimulatorError
from nav_eval.geometry import Vec3, yaw_of
from nav_eval.reading import file_sha256
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.buildings import WORLDS_KEPT, World, Worlds
from nav_eval.simulator.expert import NEAR_ENOUGH, Expert
from nav_eval.simulator.ground import ground_faults, height_faults
from nav_eval.simulator.motion import motion_profile, nominal_seconds
from nav_eval.simulator.registry import CROWDS, PHYSICS
from nav_eval.simulator.sensors.frame import FrameSensor
from nav_eval.simulator.sensors.registry import make_sensors

if TYPE_CHECKING:
    from nav_eval.engine.people.kinds import Posed
    from nav_eval.engine.render.frame import Frame, Renderer
    from nav_eval.engine.scene.scene import Scene
    from nav_eval.simulator.people.pedestrians import PedestriansOfAgent


class CustomBackend(SimulatorBackend):
    """Worlds shared by the sessions of a process."""

    class Options(SimulatorBackend.Options):
        """What is shown in place of the episodes' scenes, what is kept of them, where the oracle stops."""

        scene: str | None = Field(None, description="one scene file for all episodes; null: theirs, in scenes_dir")
        worlds: int = Field(WORLDS_KEPT, ge=1, description="buildings that are kept loaded, the last used ones")
        expert_within: float | None = Field(
            None,
            gt=0,
            description="distance to the goal in the plane, m, at which the oracle stops, at most "
            "evaluation.success_distance; null: three quarters of a forward step",
        )

    starts_at = "position"
    takes_physics = True
    takes_people = True
    lacks_actions = frozenset({"move_to"})

    def __init__(self, config: SimulatorConfig, seed: int = 0) -> None:
        self._config = config
        self._seed = seed
        options = self.Options.of(config.options)
        if options.scene is not None and not Path(options.scene).is_file():
            raise ConfigError(f"simulator.options.scene: {options.scene}: there is no such file.")
        self._worlds = Worlds(config, options.worlds, options.scene)
        self.scenes_kept = options.worlds
        self._expert_within = options.expert_within or NEAR_ENOUGH * config.motion.forward_step
        self._physics = PHYSICS.get(config.physics)(config)
        self._crowds = CROWDS.get(config.people.motion)(config) if config.people.count else None

    def open_session(self) -> CustomSession:
        return CustomSession(self._worlds, self._physics, self._config, self._seed, self._expert_within, self._crowds)

    def assets(self, scene_id: str) -> Mapping[str, str]:
        cameras = any(isinstance(sensor, FrameSensor) for sensor in make_sensors(self._config).values())
        read = self._worlds.get(scene_id).assets(triangles=cameras or self._physics.reads_scene)
        ways = () if self._crowds is None else self._crowds.files
        return {**read, **{Path(file).name: file_sha256(file) for file in ways}}

    def faults(self, episode: Episode, goals: Sequence[Place]) -> Iterator[tuple[str, str]]:
        try:
            mesh = self._worlds.get(episode.scene_id).navmesh
        except (SceneError, NavmeshError) as error:
            yield "scene_id", str(error)
        else:
            yield from ground_faults(mesh, episode, [goal.position for goal in goals], self._config.path_mode)

    def out_of_reach(self, episode: Episode, goals: Sequence[Place], within: float) -> Iterator[tuple[str, str]]:
        with suppress(SceneError, NavmeshError):  # told by faults
            mesh = self._worlds.get(episode.scene_id).navmesh
            yield from height_faults(mesh, [goal.position for goal in goals], within, self._config.path_mode)

    def observe(self, sessions: Sequence[Simulator]) -> list[Observations]:
        """All frames first, a batch per world and lens, then every session's sensors."""
        groups: dict[tuple[int, Lens], list[CustomSession]] = defaultdict(list)
        for session in sessions:
            assert isinstance(session, CustomSession)
            for lens in session.lenses:
                groups[id(session.world), lens].append(session)
        for (_, lens), group in groups.items():
            _draw(group, lens)
        return [session.observe() for session in sessions]

    def prepare(self, scene_id: str) -> None:
        cameras = _lenses(make_sensors(self._config)) if self._config.renderer == "cpu" else {}
        self._worlds.get(scene_id).load(cameras)  # a graphics context belongs to the thread that made it

    def close(self) -> None:
        self._physics.close()
        self._worlds.close()


def _draw(sessions: Sequence[CustomSession], lens: Lens) -> None:
    first = sessions[0]
    cameras = [session.camera() for session in sessions]
    frames = first.world.renderer(lens, first.lenses[lens]).render_batch(
        np.array([position for position, _, _ in cameras]),
        np.array([yaw for _, yaw, _ in cameras]),
        np.array([pitch for _, _, pitch in cameras]),
        [session.people() for session in sessions],
    )
    for session, frame in zip(sessions, frames, strict=True):
        session.take_frame(lens, frame)


class CustomSession(SensorSession):
    """One agent in one building."""

    def __init__(
        self,
        worlds: Worlds,
        physics: Physics,
        config: SimulatorConfig,
        seed: int,
        expert_within: float,
        crowds: PedestrianModel | None = None,
    ) -> None:
        self._expert_within = expert_within
        self._worlds = worlds
        self._physics = physics
        self._config = config
        self._profile = motion_profile(config.motion)
        self._world: World | None = None
        self._body: Body | None = None
        self._crowds = crowds
        self._pedestrians: PedestriansOfAgent | None = None
        self._state = AgentState((0.0, 0.0, 0.0))
        self._frames: dict[Lens, Frame] = {}
        self._ends: tuple[Sequence[Place], Any] = ((), None)
        self._last_distance: tuple[Sequence[Place], Vec3 | None, float] = ((), None, 0.0)
        """Metrics, task and rewards ask the same in every step."""
        self._expert: Expert | None = None
        self._expert_goals: tuple[Vec3, ...] = ()
        sensors = make_sensors(config)
        super().__init__(sensors, config.backend, seed)
        self.lenses = _lenses(sensors)

    @property
    def world(self) -> World:
        if self._world is None:
            raise SimulatorError("no episode was started: call reset(episode) first.")
        return self._world

    def navmesh(self) -> NavMesh:
        return self.world.navmesh

    def scene(self) -> Scene:
        return self.world.scene

    def renderer(self, lens: Lens, outputs: Sequence[str] = ("rgb",)) -> Renderer:
        return self.world.renderer(lens, outputs)

    def begin(self, episode: Episode) -> None:
        if episode.start_position is None:
            raise DatasetError(
                f"episode {episode.episode_id}: has no start_position, so it cannot be walked in 3-D. "
                "Use simulator.backend=nav_graph for R2R files."
            )
        self._world = self._worlds.get(episode.scene_id)
        self._body = self._physics.place(self._world, AgentState(episode.start_position, episode.start_rotation))
        self._state = self._body.state
        self._pedestrians = self._entered(self._world, episode)
        self._meet()
        self._frames.clear()
        self._ends, self._last_distance, self._expert = ((), None), ((), None, 0.0), None

    def move(self, action: Action) -> StepRecord:
        return self._moved(action, action)

    def stay(self, action: Action) -> StepRecord:
        if self._pedestrians is None:
            return super().stay(action)
        seconds = self._config.people.wait_s if action == WAIT else 0.0
        if seconds and self._physics.meets_people:
            return self._update_sensors(
                self._moved(action, Action("velocity", {"linear": 0, "angular": 0, "duration": seconds}))
            )
        self._frames.clear()
        return replace(super().stay(action), events=self._passed(seconds, self._state.position))

    def _moved(self, action: Action, motion: Action) -> StepRecord:
        """`motion`: what the body does for the action."""
        before = self._state.position
        moved = self.body.advance(motion, self._noise_seed())
        self._state = moved.state
        self._frames.clear()
        events = {} if moved.felt is None else {"felt": moved.felt.to_record()}
        if self._pedestrians is not None:
            seconds = nominal_seconds(motion, self._profile) if moved.seconds is None else moved.seconds
            events |= self._passed(seconds, before)
        return StepRecord(action, moved.state, moved.collided, moved.clipped, events=events)

    def _meet(self) -> None:
        if self._pedestrians is not None and self._physics.meets_people:
            self._pedestrians.go_smoothly()
            self.body.among(self._pedestrians)

    def _entered(self, world: World, episode: Episode) -> PedestriansOfAgent | None:
        if self._crowds is None:
            return None
        from nav_eval.simulator.people.pedestrians import PedestriansOfAgent

        seed = derived_seed(self._seed, *episode.key, "people")
        crowd = self._crowds.enter(world, episode, seed)
        return PedestriansOfAgent(crowd, seed, self._config.body.radius, world.footing, world.lighting)

    def _passed(self, seconds: float, before: Vec3) -> dict[str, Any]:
        assert self._pedestrians is not None
        met = self._physics.meets_people  # then time passed as the body moved
        self._pedestrians.pass_time(0.0 if met else seconds, before, self._state.position)
        return {"people": self._pedestrians.report_step(seconds).to_record()}

    def people(self) -> Sequence[Posed]:
        """Whoever walks about here now."""
        return () if self._pedestrians is None else self._pedestrians.posed()

    @property
    def body(self) -> Body:
        if self._body is None:
            raise SimulatorError("no episode was started: call reset(episode) first.")
        return self._body

    def _noise_seed(self) -> int:
        if self._profile.noise is None:
            return 0
        return derived_seed(*self.noise_key, "motion")

    def get_agent_state(self) -> AgentState:
        return self._state

    def set_agent_state(self, state: AgentState) -> None:
        if not self.is_navigable(state.position):
            raise SimulatorError(
                f"set_agent_state: {state.position} (m) is not on the navmesh; navmesh().snap finds one."
            )
        self._body = self._physics.place(self.world, state)
        self._meet()
        self._state = self._body.state
        self._frames.clear()
        self._expert = None

    def camera(self) -> tuple[Vec3, float, float]:
        """Position (m), yaw and pitch (rad) of the camera."""
        x, y, z = self._state.position
        return (x, y + self._config.body.camera_height, z), yaw_of(self._state.rotation), self._state.elevation

    def frame(self, lens: Lens) -> Frame:
        """What the camera sees through `lens` now, drawn at most once per step."""
        if lens not in self._frames:
            position, yaw, pitch = self.camera()
            self._frames[lens] = self.world.renderer(lens, self.lenses[lens]).render(
                position, yaw, pitch, people=self.people()
            )
        return self._frames[lens]

    def take_frame(self, lens: Lens, frame: Frame) -> None:
        """Keep a frame that was drawn in a batch."""
        self._frames[lens] = frame

    def distance_to(self, start: Place, ends: Sequence[Place]) -> float:
        if not ends:
            return math.inf
        asked, since, answer = self._last_distance
        if asked is not ends or since != start.position:
            points = self._points(ends)
            answer = float(self.navmesh().geodesic_distance(start.position, points, self._config.path_mode))
            self._last_distance = (ends, start.position, answer)
        return answer

    def _points(self, ends: Sequence[Place]) -> Any:
        if self._ends[0] is not ends:
            points = np.array([end.position for end in ends], np.float32)
            self._ends = (ends, points[0].tolist() if len(points) == 1 else points)
        return self._ends[1]

    def is_navigable(self, position: Vec3) -> bool:
        return self.navmesh().is_navigable(position)

    def expert_action(self, goals: Sequence[Place], within: float) -> Action:
        points = tuple(goal.position for goal in goals)
        if self._expert is None or self._expert_goals != points:
            self._expert_goals = points
            self._expert = Expert(
                self.navmesh(), self._state.position, points, within, self._expert_within, self._profile
            )
        move = self._expert.next_move(self._state)
        if move is None:
            raise SimulatorError(f"episode {self.episode.episode_id}: {self._expert.fault(self._state)}")
        return Action(move)


def _lenses(sensors: Mapping[str, Any]) -> dict[Lens, tuple[str, ...]]:
    """Each lens in use, and what its frames must hold."""
    wanted: dict[Lens, set[str]] = defaultdict(set)
    for sensor in sensors.values():
        if isinstance(sensor, FrameSensor):
            wanted[sensor.lens].add(sensor.output)
    return {lens: tuple(sorted(outputs)) for lens, outputs in wanted.items()}
