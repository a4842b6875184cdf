"""The expert's paths of R2R-CE and RxR-CE: `{"<episode_id>": {"locations", "actions", "forward_steps"}}`.

The file is as long as the episodes' and in no order of theirs, so it is held whole, as packed numbers: a few dozen
bytes per step.
"""

from __future__ import annotations

from array import array
from dataclasses import replace

from nav_eval.dataset.episode import Episode
from nav_eval.dataset.fields import Fault, Fields, Origin, Report
from nav_eval.dataset.inspection import checked_object, report_oddities
from nav_eval.dataset.streaming import JsonStream
from nav_eval.geometry import Vec3

ACTIONS = ("stop", "move_forward", "turn_left", "turn_right", "look_up", "look_down")
"""Names of Habitat's action ids."""


class GroundTruth:
    """The paths of one `_gt` file by episode id."""

    def __init__(self, file: str, report: Report, max_bytes: int, *, thorough: bool = False) -> None:
        self._file = file
        self._report = report
        self._paths: dict[str, tuple[array[float], bytes]] = {}
        self._met: set[str] = set()
        self._lacks = False
        stream = JsonStream(file, max_bytes=max_bytes, hook=checked_object if thorough else None, records="")
        for part in stream:
            origin = Origin(file, report, part.key)
            if thorough:
                report_oddities(part.value, origin, part.path)
            if part.key in self._paths:
                origin.fault(part.key, "the key appears twice")
            self._paths[part.key] = _read_path(Fields(part.value, origin, part.path))
        if stream.is_list:
            report(Fault(file, "", "", "expected an object of paths by episode id, got a list"))

    def join(self, episode: Episode) -> Episode:
        """`episode` with its locations (m, one at the start and after each forward step) and action names."""
        found = self._paths.get(episode.episode_id)
        if found is None:
            self._lacks = True
            self._report(Fault(self._file, episode.episode_id, "", "the gt file has no path for this episode"))
            return episode
        self._met.add(episode.episode_id)
        numbers, actions = found
        return replace(
            episode,
            gt_locations=tuple(zip(numbers[0::3], numbers[1::3], numbers[2::3])),
            gt_actions=tuple(ACTIONS[action] for action in actions),
        )

    def report_strangers(self) -> None:
        """Report the paths that no episode asked for: in one notice where every episode has its own, as in a subset."""
        strangers = self._paths.keys() - self._met
        if strangers and self._met and not self._lacks:
            told = f"the data set is a part of its split: {len(strangers)} of {len(self._paths)} paths are of others"
            self._report(Fault(self._file, "", "", told, notice=True))
            return
        for key in strangers:
            self._report(Fault(self._file, key, key, "there is no episode of this id in the data set"))


def _read_path(entry: Fields) -> tuple[array[float], bytes]:
    locations: tuple[Vec3, ...] = entry.vectors("locations")
    actions = entry.integers("actions")
    if not locations:
        entry.fault("locations", "the path is empty")
    if not all(0 <= action < len(ACTIONS) for action in actions):
        entry.fault("actions", f"expected action ids 0 to {len(ACTIONS) - 1}")
        actions = ()
    if "forward_steps" in entry and entry.integer("forward_steps") != actions.count(1):
        entry.fault("forward_steps", f"says {entry.integer('forward_steps')}, the actions have {actions.count(1)}")
    elif actions and locations and len(locations) != actions.count(1) + 1:
        entry.fault(
            "locations",
            f"expected {actions.count(1) + 1}, one at the start and one after each forward step, got {len(locations)}",
        )
    return array("d", [number for location in locations for number in location]), bytes(actions)
