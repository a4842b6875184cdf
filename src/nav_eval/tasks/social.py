"""Social navigation: to a point, among people, who are neither to be touched nor to be crowded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from nav_eval.core.clock import WAIT
from nav_eval.tasks.navigation import WALKING, PointNavTask
from nav_eval_sdk.protocol.specs import ActionSpec


class SocialNavTask(PointNavTask):
    """Social navigation: reach a point in the agent's own frame without coming too near to those who walk about.

    `wait` stands still for `simulator.people.wait_s` while they go on.
    """

    name = "socialnav"
    actions = (*WALKING, WAIT.name)
    own_actions: ClassVar[Mapping[str, ActionSpec]] = {WAIT.name: ActionSpec()}
    measurements = (
        "success",
        "spl",
        "stl",
        "personal_space_compliance",
        "human_collision_rate",
        "human_collisions",
        "min_person_distance",
        "time_lost",
        "distance_to_goal",
        "collisions",
        "steps",
    )
