"""One route walked: pictures, poses, actions and the goal's pixel at each step.

Camera poses take camera coordinates (x right, y down, z ahead; m) to the world's (y up). A pixel is (column, row) from
the top left; (-1, -1) where the point is behind the camera, out of the frame, or hidden by something nearer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nav_eval.core.actions import Action
from nav_eval.core.capabilities import HasRenderer
from nav_eval.core.environment import Environment
from nav_eval.core.types import Observations
from nav_eval.dataset.episode import Episode
from nav_eval.engine.render.camera import Lens, axes
from nav_eval.errors import ConfigError
from nav_eval_extras.collecting.clauses import clause_indices
from nav_eval_extras.collecting.paths import Route
from nav_eval_extras.collecting.pictures import Video, jpeg, millimetres, png16

if TYPE_CHECKING:
    from nav_eval_extras.collecting.questions import Asker

ACTIONS = ("stop", "move_forward", "turn_left", "turn_right", "look_up", "look_down")
"""Their numbers in all formats, as in VLN-CE."""
COARSE = 2
"""Depth is kept at every second pixel to the end of a walk, to see what hides a point."""
SLACK = 0.25
"""m; a point so far behind the surface that its pixel shows is still seen."""
NOWHERE = (-1, -1)


@dataclass
class Walk:
    """Columns with a row for each step, what was seen before its action. `stopped`: the last action is stop.

    `subgoals`: (steps to come, column, row) of the farthest point of the way ahead that the camera shows.
    """

    route: Route
    lens: Lens
    actions: list[int] = field(default_factory=list)
    expert_actions: list[int] = field(default_factory=list)
    poses: list[tuple[float, ...]] = field(default_factory=list)
    """Position (m, y up) and rotation (x, y, z, w) of the agent."""
    cameras: list[Any] = field(default_factory=list)
    """(4, 4) each."""
    distances: list[float] = field(default_factory=list)
    """m to the nearest goal, geodesic."""
    goals: list[tuple[int, int]] = field(default_factory=list)
    subgoals: list[tuple[int, int, int]] = field(default_factory=list)
    clauses: list[int] = field(default_factory=list)
    """Numbers of the instructions' clauses, as of clause_indices."""
    rgb: list[bytes] = field(default_factory=list)
    """JPEG files; empty where `video` holds them all."""
    depth: list[bytes] = field(default_factory=list)
    semantic: list[bytes] = field(default_factory=list)
    video: bytes = b""
    thumbnails: list[Any] = field(default_factory=list)
    """Every eighth pixel of `video`, for the statistics of its colours."""
    questions: list[dict[str, Any]] = field(default_factory=list)
    """As Asker.ask tells them."""
    stopped: bool = False

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def size(self) -> int:
        """Bytes of all pictures."""
        return sum(map(len, (*self.rgb, *self.depth, *self.semantic, self.video)))

    @property
    def intrinsics(self) -> Any:
        """(3, 3), pixels."""
        middle = (self.lens.width / 2, self.lens.height / 2)
        return np.array([[self.lens.focal, 0, middle[0]], [0, self.lens.focal, middle[1]], [0, 0, 1]])


@dataclass(frozen=True)
class Cameras:
    """Names of the sensors that are recorded, and the lens that they share."""

    lens: Lens
    rgb: str
    depth: str | None = None
    semantic: str | None = None
    fps: int = 0
    """Of a video; 0: JPEG files."""


Chooser = Callable[[Observations, Action], Action]
"""(what the agent is shown, the oracle's choice) -> what is done."""


def follow_oracle(_: Observations, expert: Action) -> Action:
    return expert


class Walker:
    """Walks in one session."""

    def __init__(self, environment: Environment, cameras: Cameras, asker: Asker | None = None) -> None:
        self._environment, self._cameras, self._asker = environment, cameras, asker
        if not isinstance(environment.simulator, HasRenderer):
            raise ConfigError("collect: this simulator tells no camera pose; simulator.backend=custom does.")

    def walk(
        self,
        episode: Episode,
        route: Route,
        choose: Chooser = follow_oracle,
        started: Callable[[], object] = lambda: None,
    ) -> Walk:
        """`started` is called when the agent stands at the start. Raises SimulatorError where no way leads on."""
        environment, walk = self._environment, Walk(route, self._cameras.lens)
        environment.start(episode)
        started()
        video = self._video()
        coarse: list[Any] = []
        views: list[Any] = []
        while not environment.over:
            seen, expert = environment.observe(), environment.expert_action()
            action = choose(seen, expert)
            self._record(walk, seen, video)
            views += [] if self._asker is None else [self._asker.look()]
            if self._cameras.depth is not None:
                depth = millimetres(seen[self._cameras.depth])
                coarse.append(depth[::COARSE, ::COARSE].copy())
                walk.depth.append(png16(depth))
            walk.expert_actions.append(_number(expert))
            walk.actions.append(_number(action))
            environment.step(action)
        walk.video = b"" if video is None else video.close()
        walk.stopped = environment.ended
        walk.clauses = clause_indices(np.array(walk.poses)[:, :3], route.ends)
        if coarse:
            self._point(walk, episode, coarse)
        if self._asker is not None:
            walk.questions = self._asker.ask(walk, views)
        return walk

    def _video(self) -> Video | None:
        lens, fps = self._cameras.lens, self._cameras.fps
        return Video(lens.width, lens.height, fps) if fps else None

    def _record(self, walk: Walk, seen: Observations, video: Video | None) -> None:
        cameras, environment = self._cameras, self._environment
        state = environment.simulator.get_agent_state()
        walk.poses.append((*state.position, *state.rotation))
        walk.cameras.append(camera_pose(*cast("HasRenderer", environment.simulator).camera()))
        walk.distances.append(environment.distance_to_goal())
        if cameras.semantic is not None:
            walk.semantic.append(png16(np.clip(seen[cameras.semantic], 0, 65535).astype(np.uint16)))
        if video is None:
            walk.rgb.append(jpeg(seen[cameras.rgb]))
        else:
            video.add(seen[cameras.rgb])
            walk.thumbnails.append(seen[cameras.rgb][::8, ::8].copy())

    def _point(self, walk: Walk, episode: Episode, coarse: Sequence[Any]) -> None:
        """Fill in the pixels, now that the whole way is known."""
        ends = [self._environment.simulator.locate(goal) for goal in self._environment.task.goals(episode)]
        way = np.array([pose[:3] for pose in walk.poses])
        last = way[-1]
        goal = min((np.array(end.position) for end in ends), key=lambda one: float(np.linalg.norm(one - last)))
        for step, (camera, depth) in enumerate(zip(walk.cameras, coarse)):
            walk.goals.append(pixels(goal[None], camera, walk.intrinsics, depth)[0])
            ahead = pixels(way[step + 1 :], camera, walk.intrinsics, depth)
            seen = [(count, *pixel) for count, pixel in enumerate(ahead, 1) if pixel != NOWHERE]
            walk.subgoals.append(seen[-1] if seen else (-1, *NOWHERE))


def _number(action: Action) -> int:
    if action.name not in ACTIONS:
        raise ConfigError(f"collect: {action.name} has no number in these formats. Name only {', '.join(ACTIONS)}.")
    return ACTIONS.index(action.name)


def camera_pose(position: Sequence[float], yaw: float, pitch: float) -> Any:
    """(4, 4): from camera coordinates to the world's."""
    pose = np.eye(4)
    pose[:3, :3] = axes(yaw, pitch).T
    pose[:3, 3] = position
    return pose


def pixels(points: Any, camera: Any, intrinsics: Any, depth: Any) -> list[tuple[int, int]]:
    """(N, 3) points of the world, m -> where a camera with this (4, 4) pose shows them.

    `depth`: (H, W) millimetres, every COARSE-th pixel.
    """
    local = (points - camera[:3, 3]) @ camera[:3, :3]
    ahead = np.maximum(local[:, 2], 1e-6)
    places = np.floor(local[:, :2] / ahead[:, None] * intrinsics[0, 0] + intrinsics[:2, 2]).astype(np.int64)
    found = []
    for (x, y), far in zip((places // COARSE).tolist(), local[:, 2].tolist()):
        inside = far > 0.05 and 0 <= y < depth.shape[0] and 0 <= x < depth.shape[1]
        found.append(bool(inside and far * 1000 <= depth[y : y + 2, x : x + 2].min() + SLACK * 1000))
    return [(int(x), int(y)) if seen else NOWHERE for seen, (x, y) in zip(found, places.tolist())]
