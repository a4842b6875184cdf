"""People who walk as others once did: trajectories in the form of the ETH and UCY data sets.

A line is `frame person x y`, numbers separated by blanks or tabs (Pellegrini et al., ICCV 2009; Lerner et al., 2007,
in the form that trajectory prediction has settled on). Between frames one walks straight on; before the first and after
the last one stands. x becomes the building's x and y its -z, moved by the offsets, on the floor of the navmesh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.bodies import Building, Crowd, PedestrianModel
from nav_eval.core.types import Walker
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError
from nav_eval.geometry import Vec3
from nav_eval.simulator.people.pedestrians import kept

if TYPE_CHECKING:
    from nav_eval.engine.navmesh.mesh import NavMesh

LARGEST = 64 << 20
COLUMNS = 4


class Recorded(PedestrianModel):
    """The first `count` people of a file, each from the beginning of the episode; they take no notice of the agent."""

    class Options(PedestrianModel.Options):
        """Which file, and how it lies in the building."""

        file: str = Field(description="the file of trajectories, lines of: frame person x y")
        fps: float = Field(2.5, gt=0, description="annotated frames in a second, where 10 numbers are one frame")
        frame_step: float = Field(10, gt=0, description="by how much the frame's number grows from one to the next")
        offset_x: float = Field(0.0, description="added to the file's x, m")
        offset_y: float = Field(0.0, description="added to the file's y, m")
        begin: float = Field(0.0, ge=0, description="where in the recording an episode begins, s")

    def __init__(self, config: SimulatorConfig) -> None:
        self._options = self.Options.of(config.people.options)
        self._count = config.people.count
        self._tracks = read_tracks(self._options.file)[: self._count] if self._count else []
        if len(self._tracks) < self._count:
            raise ConfigError(
                f"simulator.people.count: {self._options.file} has {len(self._tracks)} people, not {self._count}."
            )

    @property
    def files(self) -> Sequence[str]:
        return (self._options.file,) if self._count else ()

    def enter(self, building: Building, episode: Episode, seed: int) -> Crowd:
        start = episode.start_position
        return _Tracks(building.navmesh, self._tracks, self._options, 0.0 if start is None else start[1])


def read_tracks(file: str) -> list[NDArray[np.float64]]:
    """(N, 3) frame, x, y of each person, in the order in which they appear. Raises ConfigError."""
    path = Path(file)
    if not path.is_file():
        raise ConfigError(f"simulator.people.options.file: {file}: there is no such file.")
    if path.stat().st_size > LARGEST:
        raise ConfigError(f"simulator.people.options.file: {file} is larger than {LARGEST >> 20} MiB.")
    people: dict[float, list[tuple[float, float, float]]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        frame, person, x, y = _numbers(file, number, line)
        people.setdefault(person, []).append((frame, x, y))
    return [np.array(sorted(rows)) for rows in people.values()]


def _numbers(file: str, number: int, line: str) -> list[float]:
    try:
        values = [float(word) for word in line.split()]
    except ValueError:
        values = []
    if len(values) != COLUMNS or not all(map(math.isfinite, values)):
        raise ConfigError(f"simulator.people.options.file: {file}, line {number}: is not `frame person x y`.")
    return values


class _Tracks(Crowd):
    def __init__(
        self, navmesh: NavMesh, tracks: Sequence[NDArray[np.float64]], options: Recorded.Options, floor: float
    ) -> None:
        self._navmesh, self._tracks, self._options = navmesh, tracks, options
        self._floor = floor
        self._first = min((track[0, 0] for track in tracks), default=0.0)
        self._seconds = options.begin
        self._people = [Walker(self._spot(track), 0.0) for track in tracks]
        self._people = [
            Walker(one.position, self._heading(track)) for one, track in zip(self._people, tracks, strict=True)
        ]

    @property
    def people(self) -> Sequence[Walker]:
        return self._people

    def advance(self, seconds: float, agent: Vec3) -> None:
        self._seconds = kept(self._seconds + seconds)
        self._people = [self._move(one, track) for one, track in zip(self._people, self._tracks, strict=True)]

    def _move(self, one: Walker, track: NDArray[np.float64]) -> Walker:
        now = self._spot(track)
        dx, dz = now[0] - one.position[0], now[2] - one.position[2]
        walks = math.hypot(dx, dz) > 1e-3
        return Walker(now, kept(math.atan2(-dx, -dz)) if walks else one.yaw)

    def _spot(self, track: NDArray[np.float64]) -> Vec3:
        frame = float(self._first + self._seconds * self._options.fps * self._options.frame_step)
        x, y = (float(np.interp(frame, track[:, 0], track[:, k])) for k in (1, 2))
        x, z = x + self._options.offset_x, -(y + self._options.offset_y)
        ground = self._navmesh.snap((x, self._floor, z))
        return (kept(x), kept(self._floor if math.isnan(ground[1]) else ground[1]), kept(z))

    def _heading(self, track: NDArray[np.float64]) -> float:
        (ax, ay), (bx, by) = track[0, 1:], track[min(1, len(track) - 1), 1:]
        return kept(math.atan2(-(bx - ax), by - ay))
