"""Finds every fault of a data set, not only the first: `nav-eval validate`.

The formats' own readers report to a list instead of raising, so what loads and what validates cannot drift apart.
Added to that: ids that stand twice, texts and paths that are empty, scans, viewpoints and goals that the navigation
graph does not have or does not reach, scenes without a file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from nav_eval.dataset.connectivity import NavigationGraph
from nav_eval.dataset.dataset import DatasetRequest, FileDataset
from nav_eval.dataset.detect import detect_type
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.dataset.fields import Fault, Fields, Origin
from nav_eval.dataset.registry import DATASETS, EpisodeFiles
from nav_eval.dataset.streaming import MAX_BYTES
from nav_eval.errors import DatasetError


def validate_dataset(
    path: str | Path,
    type: str | None = None,  # noqa: A002 - the configuration's own key
    connectivity_dir: str | Path | None = None,
    scenes_dir: str | Path | None = None,
    gt_path: str | Path | None = None,
    max_bytes: int = MAX_BYTES,
) -> list[Fault]:
    """Every fault of the data set at `path`, content and gt files included, in the order met; none means good.

    `type` is told from the file if not given. With `connectivity_dir` paths are checked on the navigation graphs;
    with `scenes_dir` scenes must have their files. A file that unpacks to more than `max_bytes` is a fault.
    Reading a plug-in's format ends at its first fault.
    """
    faults: list[Fault] = []
    request = DatasetRequest(
        data_path=str(path), gt_path=None if gt_path is None else str(gt_path), max_bytes=max_bytes
    )
    checks = _Checks(connectivity_dir, scenes_dir)
    try:
        dataset = DATASETS.get(type or detect_type(str(path), max_bytes))(request)
        for record, episode in _episodes(dataset, Origin(str(path), faults.append)):
            checks.check(record.of_episode(episode.episode_id), episode)
    except DatasetError as error:
        faults.append(Fault(str(path), "", "", str(error).removeprefix(f"{path}: ")))
    if not checks.count and not faults:
        faults.append(Fault(str(path), "", "episodes", "there is no episode"))
    return list(dict.fromkeys(faults))


def _episodes(dataset: EpisodeFiles, origin: Origin) -> Iterator[tuple[Fields, Episode]]:
    """Episodes with their records; a plug-in's have none, and its first fault ends the reading."""
    if isinstance(dataset, FileDataset):
        yield from dataset.episodes(origin.report, thorough=True)
    else:
        yield from ((Fields({}, origin, ""), episode) for episode in dataset)


class _Checks:
    """What a format's reader cannot see: other episodes, the navigation graph, the scenes."""

    def __init__(self, connectivity_dir: str | Path | None, scenes_dir: str | Path | None) -> None:
        self.count = 0
        self._connectivity_dir = connectivity_dir
        self._scenes_dir = scenes_dir
        self._keys: set[EpisodeKey] = set()
        self._graphs: dict[str, NavigationGraph | DatasetError] = {}
        self._record: object = None

    def check(self, record: Fields, episode: Episode) -> None:
        """Report the faults of `episode`, which came from `record`."""
        self.count += 1
        if episode.key in self._keys and episode.episode_id:
            record.fault("", f"the id {episode.episode_id!r} stands twice in scene {episode.scene_id!r}")
        self._keys.add(episode.key)
        if episode.instruction is not None and not episode.instruction.text.strip():
            record.fault("instruction", "the instruction is empty")
        if record.values is not self._record:  # the instructions of one R2R path share their record
            self._record = record.values
            self._check_place(record, episode)

    def _check_place(self, record: Fields, episode: Episode) -> None:
        if episode.has_goal and record.values.get("reference_path") == []:
            record.fault("reference_path", "the path is empty")
        length = episode.info.get("geodesic_distance")
        if length is not None and not (isinstance(length, int | float) and length >= 0):
            record.fault("info.geodesic_distance", f"expected a distance in metres, got {length!r}")
        if episode.start_node is not None and self._connectivity_dir is not None:
            self._check_graph(record, episode, episode.start_node)
        elif episode.start_node is None and self._scenes_dir is not None and episode.scene_id:
            self._check_scene(record, episode, Path(self._scenes_dir))

    def _check_scene(self, record: Fields, episode: Episode, folder: Path) -> None:
        if not (folder / episode.scene_id).is_file():
            record.fault("scene_id", f"there is no scene file {folder / episode.scene_id}")

    def _check_graph(self, record: Fields, episode: Episode, start: str) -> None:
        graph = self._graph(episode.scene_id)
        if isinstance(graph, DatasetError):
            record.fault("scan", f"unknown scan {episode.scene_id!r}: {graph}")
            return
        strangers = [node for node in _nodes(episode, start) if node not in graph]
        for node in dict.fromkeys(strangers):
            record.fault("path", f"scan {episode.scene_id} has no viewpoint {node!r}")
        if strangers:
            return
        for a, b in pairwise(episode.reference_nodes):
            if a != b and b not in graph.neighbours[a]:
                record.fault("path", f"the graph has no edge from {a} to {b}")
        goals = [goal.node for goal in episode.goals if goal.node is not None]
        if goals and all(math.isinf(graph.distance(start, goal)) for goal in goals):
            record.fault("path", f"no goal can be reached on the graph from {start}")

    def _graph(self, scan: str) -> NavigationGraph | DatasetError:
        if scan not in self._graphs:
            try:
                self._graphs[scan] = NavigationGraph.load(str(self._connectivity_dir), scan)
            except DatasetError as error:
                self._graphs[scan] = error
        return self._graphs[scan]


def _nodes(episode: Episode, start: str) -> Iterator[str]:
    yield start
    yield from episode.reference_nodes
    yield from (goal.node for goal in episode.goals if goal.node is not None)
