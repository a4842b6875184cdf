"""Matterport3D's navigation graphs: which panoramas exist, where they stand and which see a free way to which.

File format and rules as in Matterport3DSimulator (connectivity/README.md; tasks/R2R/eval.py): only `included`
viewpoints and `unobstructed` edges count, a viewpoint's position is pose[3], pose[7], pose[11] of its row-major 4x4
matrix in the scan's own z-up frame, an edge is as long as the straight line. Positions are turned into the one frame
of nav_eval, (x, y, z) -> (x, z, -y), which leaves every distance as it was.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from nav_eval.dataset.episode import Episode
from nav_eval.dataset.fields import FARTHEST_M
from nav_eval.errors import DatasetError
from nav_eval.geometry import Vec3
from nav_eval.reading import read

MAX_BYTES = 1 << 28
"""Of one graph; Matterport3D's largest has a few megabytes."""


@dataclass(frozen=True)
class NavigationGraph:
    """One scan. `neighbours[node]` maps each adjacent node to the edge's length in metres.

    `skybox_yaws`: where skybox picture 3 of each viewpoint looks, rad; by its pose, whose z axis points there.
    """

    scan: str
    positions: Mapping[str, Vec3]
    neighbours: Mapping[str, Mapping[str, float]]
    heights: Mapping[str, float]
    skybox_yaws: Mapping[str, float] = field(default_factory=dict)
    _distances: dict[str, dict[str, float]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def load(cls, connectivity_dir: str | Path, scan: str) -> NavigationGraph:
        """Read `<scan>_connectivity.json`; raises DatasetError that names file and viewpoint."""
        path = connectivity_file(connectivity_dir, scan)
        try:
            rows = json.loads(read(path, MAX_BYTES))
        except FileNotFoundError:
            raise DatasetError(
                f"{path}: no connectivity graph for scan {scan!r}. Set simulator.connectivity_dir to the "
                "`connectivity` folder of Matterport3DSimulator."
            ) from None
        except (OSError, ValueError, RecursionError) as error:
            raise DatasetError(f"{path}: cannot be read as JSON ({error}). Download it again.") from None
        return cls._from_rows(path, scan, rows)

    @classmethod
    def _from_rows(cls, path: Path, scan: str, rows: Any) -> NavigationGraph:
        try:
            included = [row for row in rows if row["included"]]
            positions = {_identity(row): _position(row["pose"]) for row in included}
            if len(positions) < len(included):
                raise ValueError("an image_id that appears twice")
            heights = {row["image_id"]: _number(row["height"]) for row in included}
            yaws = {row["image_id"]: _skybox_yaw(row["pose"]) for row in included}
            names = [row["image_id"] if row["included"] else None for row in rows]
            edges = _make_undirected({row["image_id"]: _edges(row, names, positions) for row in included})
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise DatasetError(
                f"{path}: a viewpoint has a missing or wrong field, {error}. Download the file again."
            ) from None
        return cls(scan, positions, edges, heights, yaws)

    @property
    def nodes(self) -> list[str]:
        """Included viewpoints in the file's order."""
        return list(self.positions)

    def __contains__(self, node: object) -> bool:
        return node in self.positions

    def distance(self, start: str, end: str) -> float:
        """Length (m) of the shortest way along edges; inf if there is none."""
        return self.distances_from(start).get(end, math.inf)

    def distances_from(self, start: str) -> Mapping[str, float]:
        """Node -> length of the shortest way from `start`; unreachable nodes are missing. Computed once per node."""
        known = self._distances.get(start)
        if known is None:
            known = self._distances[start] = _dijkstra(self.neighbours, start)
        return known

    def shortest_path(self, start: str, end: str) -> list[str]:
        """Nodes of a shortest way, both ends included; raises DatasetError if there is none."""
        to_end = self.distances_from(end)
        if start not in to_end:
            raise DatasetError(f"scan {self.scan}: no path from viewpoint {start} to {end}.")
        path = [start]
        while path[-1] != end:
            here = self.neighbours[path[-1]]
            path.append(min(here, key=lambda node: here[node] + to_end[node]))
        return path

    @cached_property
    def islands(self) -> list[frozenset[str]]:
        """Connected components, largest first."""
        rest, found = set(self.positions), []
        while rest:
            island = frozenset(self.distances_from(next(iter(rest))))
            found.append(island)
            rest -= island
        return sorted(found, key=len, reverse=True)


LENGTH_TOLERANCE_M = 0.06
"""R2R writes `distance` with two decimals, of positions that were rounded before."""


def graph_faults(graph: NavigationGraph, episode: Episode) -> Iterator[tuple[str, str]]:
    """(JSON path, message) of everything in `episode` that the graph of its scan does not bear."""
    named = (episode.start_node, *episode.reference_nodes, *(goal.node for goal in episode.goals))
    strangers = [node for node in dict.fromkeys(named) if node is not None and node not in graph]
    yield from (("path", f"scan {graph.scan} has no viewpoint {node!r}") for node in strangers)
    if strangers or episode.start_node is None:
        return
    steps = [(a, b) for a, b in pairwise(episode.reference_nodes) if a != b]
    gaps = [(a, b) for a, b in steps if b not in graph.neighbours[a]]
    yield from (("path", f"the graph has no edge from {a} to {b}") for a, b in gaps)
    goals = [goal.node for goal in episode.goals if goal.node is not None]
    if goals and all(math.isinf(graph.distance(episode.start_node, goal)) for goal in goals):
        yield "path", f"no goal can be reached on the graph from {episode.start_node}"
    told, length = episode.extra.get("distance"), sum(graph.neighbours[a].get(b, 0.0) for a, b in steps)
    if not steps or gaps or not isinstance(told, int | float):
        return
    if not (abs(told) <= FARTHEST_M and abs(told - length) <= LENGTH_TOLERANCE_M):
        yield "distance", f"says {str(told)[:20]} m, the path is {length:.2f} m long"


def connectivity_file(connectivity_dir: str | Path, scan: str) -> Path:
    """Where a scan's graph lies. Raises DatasetError for a scan id that is no plain name."""
    if not scan or "/" in scan or "\\" in scan or scan.startswith("."):
        raise DatasetError(f"scan {scan!r} is not a scan id: it must be a plain name such as '17DRP5sb8fy'.")
    return Path(connectivity_dir) / f"{scan}_connectivity.json"


def _identity(row: Any) -> str:
    name = row["image_id"]
    if not isinstance(name, str) or not name or "/" in name or "\\" in name:
        raise TypeError("image_id, which must be a plain name")
    return name


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or not abs(value) <= FARTHEST_M:
        raise ValueError(f"a finite number of at most {FARTHEST_M:g}")
    return float(value)


def _position(pose: list[float]) -> Vec3:
    x, y, z = _number(pose[3]), _number(pose[7]), _number(pose[11])
    return (x, z, -y)


def _skybox_yaw(pose: list[float]) -> float:
    return math.atan2(-_number(pose[2]), _number(pose[6]))


def _edges(row: Any, names: list[str | None], positions: Mapping[str, Vec3]) -> dict[str, float]:
    here = positions[row["image_id"]]
    free = (name for name, open_way in zip(names, row["unobstructed"], strict=True) if open_way and name)
    return {name: _length(here, positions[name]) for name in free if name != row["image_id"]}


def _length(a: Vec3, b: Vec3) -> float:
    # The order of the sum is the file's x, y, z, so that the published figures come out to the last digit.
    return float(((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _make_undirected(edges: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """An edge that only one side lists counts both ways, as in the official graph."""
    for node, others in list(edges.items()):
        for other, length in list(others.items()):
            edges[other].setdefault(node, length)
    return edges


def _dijkstra(neighbours: Mapping[str, Mapping[str, float]], start: str) -> dict[str, float]:
    least = {start: 0.0}
    queue = [(0.0, start)]
    while queue:
        length, node = heapq.heappop(queue)
        if length > least[node]:
            continue
        for other, edge in neighbours.get(node, {}).items():
            through = length + edge
            if other not in least or through < least[other]:
                least[other] = through
                heapq.heappush(queue, (through, other))
    return least
