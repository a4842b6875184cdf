"""Room-to-Room's own world: the agent stands at panoramas and moves along a graph (Matterport3DSimulator).

A move keeps heading and elevation, as there; turns are amounts of the profile. With `options.discrete_views` the
start heading is rounded to a whole turn, as R2R's agents had it; `options.move_to_seen` allows jumps to nodes seen.
Distances are Dijkstra's on the graph, computed once per scan and node, when they are first asked for. R2R's heading
grows to the right, so yaw = -heading.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import STOP, Action
from nav_eval.core.interfaces import Simulator, SimulatorBackend
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.connectivity import NavigationGraph, connectivity_file, graph_faults
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError, DatasetError, InvalidAction, SimulatorError
from nav_eval.geometry import Vec3, euclidean, wrap_angle, yaw_of, yaw_rotation, yaw_towards
from nav_eval.reading import file_sha256
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.sensors.registry import make_sensors


class NavGraphBackend(SimulatorBackend):
    """Graphs of many scans, each read once and shared by all sessions."""

    class Options(SimulatorBackend.Options):
        """How a session begins, and where it may go."""

        discrete_views: bool = Field(False, description="round the start heading to a whole turn, as R2R's agents do")
        move_to_seen: bool = Field(False, description="allow move_to to every viewpoint that was a neighbour before")

    starts_at = "node"
    lacks_actions = frozenset({"move_forward", "velocity", "waypoint"})

    def __init__(self, config: SimulatorConfig, seed: int = 0) -> None:
        if not config.connectivity_dir:
            raise ConfigError("simulator.connectivity_dir: backend nav_graph needs a folder of connectivity graphs.")
        self._config = config
        self._seed = seed
        self._folder = config.connectivity_dir
        self._graphs: dict[str, NavigationGraph] = {}
        self._lock = threading.Lock()

    def open_session(self) -> Simulator:
        return NavGraphSession(self, self._config, self._seed)

    def graph(self, scan: str) -> NavigationGraph:
        """Raises DatasetError when the scan has no graph."""
        with self._lock:
            if scan not in self._graphs:
                self._graphs[scan] = NavigationGraph.load(self._folder, scan)
            return self._graphs[scan]

    def faults(self, episode: Episode, goals: Sequence[Place]) -> Iterator[tuple[str, str]]:
        try:
            graph = self.graph(episode.scene_id)
        except DatasetError as error:
            yield "scan", f"unknown scan {episode.scene_id!r}: {error}"
        else:
            yield from graph_faults(graph, episode)

    def assets(self, scene_id: str) -> Mapping[str, str]:
        self.graph(scene_id)  # tells of a scan without a graph in its own words
        path = connectivity_file(self._folder, scene_id)
        return {path.name: file_sha256(path)}


class NavGraphSession(SensorSession):
    """One agent on one scan's graph."""

    def __init__(self, backend: NavGraphBackend, config: SimulatorConfig, seed: int) -> None:
        self._backend = backend
        self._motion = config.motion
        options = NavGraphBackend.Options.of(config.options)
        self._snaps, self._revisits = options.discrete_views, options.move_to_seen
        self._graph: NavigationGraph | None = None
        self._node = ""
        self._yaw = 0.0
        self._elevation = 0.0
        self._seen: set[str] = set()
        super().__init__(make_sensors(config), config.backend, seed)

    def graph(self) -> NavigationGraph:
        if self._graph is None:
            raise SimulatorError("no episode was started: call reset(episode) first.")
        return self._graph

    def begin(self, episode: Episode) -> None:
        graph = self._backend.graph(episode.scene_id)
        node = episode.start_node
        if node is None or node not in graph:
            raise DatasetError(
                f"episode {episode.episode_id}: start viewpoint {node!r} is not in the graph of scan "
                f"{episode.scene_id}. `nav-eval validate` lists all such episodes."
            )
        self._graph = graph
        self._node, self._elevation = node, 0.0
        self._yaw = self._snapped(yaw_of(episode.start_rotation))
        self._seen = {node, *graph.neighbours[node]}

    def _snapped(self, yaw: float) -> float:
        turn = math.radians(self._motion.turn_angle)
        return round(yaw / turn) * turn if self._snaps else yaw

    def move(self, action: Action) -> StepRecord:
        self._carry_out(action)
        return StepRecord(action, self.get_agent_state())

    def _carry_out(self, action: Action) -> None:
        turn, tilt = math.radians(self._motion.turn_angle), math.radians(self._motion.tilt_angle)
        match action.name:
            case "move_to":
                self._move_to(str(action.args["viewpoint"]))
            case "turn_left":
                self._yaw = wrap_angle(self._yaw + turn)
            case "turn_right":
                self._yaw = wrap_angle(self._yaw - turn)
            case "look_up":
                self._tilt(tilt)
            case "look_down":
                self._tilt(-tilt)
            case "stop":
                pass
            case _:
                raise InvalidAction(f"action {action.name!r} does not exist on a navigation graph; use move_to.")

    def _move_to(self, node: str) -> None:
        allowed = self._seen if self._revisits else self.graph().neighbours[self._node]
        if node not in allowed:
            raise InvalidAction("move_to: that viewpoint cannot be reached in one move; choose one of `navigable`.")
        self._node = node
        self._seen.update((node, *self.graph().neighbours[node]))

    def _tilt(self, amount: float) -> None:
        limit = math.radians(self._motion.max_tilt)
        self._elevation = max(-limit, min(limit, self._elevation + amount))

    def get_agent_state(self) -> AgentState:
        return AgentState(
            self.graph().positions[self._node], yaw_rotation(self._yaw), self._node, elevation=self._elevation
        )

    def candidates(self) -> list[dict[str, Any]]:
        """Neighbours with heading and elevation relative to the agent, nearest to straight ahead first."""
        here = self.graph().positions[self._node]
        rows = [self._candidate(here, node, length) for node, length in self.graph().neighbours[self._node].items()]
        return sorted(rows, key=lambda row: (abs(row["heading"]), row["viewpoint"]))

    def _candidate(self, here: Vec3, node: str, length: float) -> dict[str, Any]:
        there = self.graph().positions[node]
        flat = math.hypot(there[0] - here[0], there[2] - here[2])
        return {
            "viewpoint": node,
            "heading": wrap_angle(yaw_towards(here, there) - self._yaw),
            "elevation": math.atan2(there[1] - here[1], flat),
            "distance": length,
        }

    def distance_to(self, start: Place, ends: Sequence[Place]) -> float:
        lengths = self.graph().distances_from(self._node_of(start))
        return min([lengths.get(self._node_of(end), math.inf) for end in ends], default=math.inf)

    def _node_of(self, place: Place) -> str:
        if place.node is not None:
            return place.node
        return min(self.graph().positions, key=lambda node: euclidean(self.graph().positions[node], place.position))

    def locate(self, place: Place) -> Place:
        position = self.graph().positions.get(place.node or "")
        return place if position is None else Place(position, place.node)

    def is_navigable(self, position: Vec3) -> bool:
        """Whether a viewpoint stands at `position`, to a millimetre."""
        return any(euclidean(position, there) <= 1e-3 for there in self.graph().positions.values())

    def expert_action(self, goals: Sequence[Place], within: float) -> Action:
        lengths = self.graph().distances_from(self._node)
        nodes = [node for node in map(self._node_of, goals) if node in lengths]
        if not nodes or self._node in nodes:
            return STOP
        nearest = min(nodes, key=lambda node: (lengths[node], node))
        return Action("move_to", {"viewpoint": self.graph().shortest_path(self._node, nearest)[1]})
