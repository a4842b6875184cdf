"""Our pose code against the experts' recorded walks of R2R-CE: 0.25 m forward, 15 degrees per turn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from nav_eval.dataset.episode import Episode
from nav_eval.dataset.registry import load_dataset
from nav_eval.geometry import rotate, yaw_of, yaw_rotation

TURNS = {"turn_left": math.radians(15), "turn_right": -math.radians(15)}


def errors(episode: Episode) -> Iterator[float]:
    """How far (m, in the horizontal plane) each forward step ends from where the expert stood then."""
    assert episode.gt_actions is not None
    assert episode.gt_locations is not None
    yaw = yaw_of(episode.start_rotation)
    ends = iter(zip(episode.gt_locations, episode.gt_locations[1:]))
    for action in episode.gt_actions:
        yaw += TURNS.get(action, 0.0)
        if action == "move_forward":
            start, end = next(ends)
            step = rotate(yaw_rotation(yaw), (0.0, 0.0, -0.25))
            yield math.hypot(start[0] + step[0] - end[0], start[2] + step[2] - end[2])


def test_expert_steps_are_ours(shared_data: Path) -> None:
    """The rest are walls, slides and stairs."""
    episodes = load_dataset("r2r-ce", shared_data / "r2r-ce/val_seen.json.gz")
    found = [error for episode in episodes for error in errors(episode)]
    assert len(found) == 30156
    assert sum(error < 0.002 for error in found) >= 0.975 * len(found)
