"""What one building gives to the splits of a task: drawn in one go, so that nobody has two buildings in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from nav_eval.progress import ProgressCallback, share_of
from nav_eval_worlds.episodes.chains import goat_records, multi_records
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
from nav_eval_worlds.episodes.goals import CATEGORIES
from nav_eval_worlds.episodes.records import Record, point_records
from nav_eval_worlds.episodes.searches import instance_records, object_records, open_records, room_records
from nav_eval_worlds.episodes.site import Site, SiteFile
from nav_eval_worlds.episodes.vln import Drawn, vln_paths

_NO_MORE = "it has no more to offer"
_Make: TypeAlias = Callable[[Site, int, str, Controls | None], Record]


@dataclass(frozen=True, slots=True)
class Given:
    """To one split. `held`: for vln the paths, else the members of a content file; `found`: how many; `reason`: why
    there are no more."""

    held: Any
    found: int
    reason: str = _NO_MORE


@dataclass(frozen=True, slots=True)
class Building:
    """`keys`: of each split that it plays in, what its draws are seeded with."""

    site: SiteFile
    task: str
    keys: Mapping[str, str]
    per_scene: int
    controls: Controls | None

    def make(self, on_progress: ProgressCallback) -> dict[str, Given]:
        """By split. SceneError or NavmeshError where the building cannot be read."""
        site, one = self.site.load(), share_of(on_progress, 1 / len(self.keys))
        return {split: self._draw(site, key, one) for split, key in self.keys.items()}

    def _draw(self, site: Site, key: str, on_progress: ProgressCallback) -> Given:
        if self.task == "vln":
            drawn = vln_paths(site, self.per_scene, key, self.controls, on_progress)
            return Given(drawn.paths, len(drawn.paths), _reason(drawn))
        members = _MEMBERS[self.task](site, self.per_scene, key, self.controls)
        on_progress(1.0)
        return Given(members, len(members["episodes"]))


def _reason(drawn: Drawn) -> str:
    """Why there are no more paths: what was wrong with most of the others that were drawn."""
    if not drawn.refused:
        return _NO_MORE
    why = max(drawn.refused, key=lambda reason: drawn.refused[reason])
    return f"of the last {sum(drawn.refused.values())} draws {drawn.refused[why]} {why}"


def _points(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    return {"episodes": point_records(site, count, seed, controls)}


def _among_people(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    return _points(site, count, seed, controls or CONTROLS["socialnav"])


def _in_a_row(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    return {"episodes": multi_records(site, count, seed, controls)}


def _with_table(
    make: Callable[[Site, int, str, Controls | None], tuple[Any, Record]], table: str, **more: Any
) -> _Make:
    """What looks for something: the file keeps once, under `table`, what its episodes look for."""

    def members(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
        episodes, goals = make(site, count, seed, controls)
        return {table: goals, "episodes": episodes, **more}

    return members


_CATEGORY_IDS = {name: k for k, name in enumerate(CATEGORIES)}
SHARED: dict[str, Record] = {
    "objectnav": {"category_to_task_category_id": _CATEGORY_IDS, "category_to_mp3d_category_id": _CATEGORY_IDS},
    "instance_imagenav": {"goals": {}},
}
_MEMBERS: dict[str, _Make] = {
    "pointnav": _points,
    "imagenav": _points,
    "socialnav": _among_people,
    "objectnav": _with_table(object_records, "goals_by_category", **SHARED["objectnav"]),
    "ovon": _with_table(open_records, "goals_by_category"),
    "roomnav": _with_table(room_records, "goals_by_category"),
    "instance_imagenav": _with_table(instance_records, "goals"),
    "multi_objectnav": _in_a_row,
    "goat": _with_table(goat_records, "goals"),
}
