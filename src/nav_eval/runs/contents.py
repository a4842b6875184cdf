"""What a run would play, by content: two sets are compared by it, and a set with itself on another day.

Names of files and of episodes say nothing: the same building under another name is the same building.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.config.schema import Config
from nav_eval.core.actions import STOP, Action, ActionSpace
from nav_eval.dataset.episode import Episode
from nav_eval.errors import SceneError
from nav_eval.results.files import write_json
from nav_eval.results.run_directory import dataset_sums, keys_sum, sha256
from nav_eval.runs.builder import Plan
from nav_eval.runs.plan import opened


def write_contents(plan: Plan, path: Path, *, play: bool) -> None:
    """As JSON, once a step is played."""
    if play:
        play_a_step(plan)
    write_json(path, contents(plan))


def contents(plan: Plan) -> dict[str, Any]:
    """`sha256`: of all; `scenes`: scene -> the sums that are its own; `episodes`: a sum for each, in their order."""
    scenes = {scene: _own(scene, plan.assets.get(scene, {})) for scene, _ in plan.episodes.keys}
    files = sorted(dataset_sums(plan.episodes.dataset.files).values())
    everything = [files, keys_sum(plan.episodes.keys), {scene: plan.assets.get(scene, {}) for scene in scenes}]
    return {
        "sha256": _sum(everything),
        "scenes": scenes,
        "episodes": [_episode_sum(episode, scenes[episode.scene_id]) for episode in plan.episodes],
    }


def play_a_step(plan: Plan) -> None:
    """Of the first episode, with what the sensors show after it. Raises what a run would end with, or blame us for."""
    environment = plan.environment()
    with closing(environment.simulator):
        environment.reset(next(iter(plan.episodes)))
        environment.step(_any_action(plan.actions))
        environment.observe()


@contextmanager
def opened_for_score(config: Config) -> Iterator[Plan]:
    """The plan of `nav-eval score`, which does without sensors, and without the mesh of a scene."""
    with opened(config.blind()) as plan:
        assets: dict[str, Mapping[str, str]] = {}
        for scene in dict.fromkeys(scene for scene, _ in plan.episodes.keys):
            with suppress(SceneError):
                assets[scene] = plan.backend.assets(scene)
        yield replace(plan, assets=assets)


def _own(scene: str, files: Mapping[str, str]) -> list[str]:
    """Sums of the files that are named after a scene: others, such as a simulator's program, serve them all.

    Its name, where there are none.
    """
    return sorted(digest for name, digest in files.items() if name.startswith(scene)) or [scene]


def _any_action(space: ActionSpace) -> Action:
    """One that moves and takes no argument, if there is one."""
    plain = (name for name, action in space.actions.items() if not action.arguments and name != STOP.name)
    return Action(next(plain, STOP.name))


def _episode_sum(episode: Episode, scene: list[str]) -> str:
    """Of where it begins, what is told and where it ends."""
    goals = [(goal.position, goal.node, goal.category) for goal in episode.goals]
    told = None if episode.instruction is None else episode.instruction.text
    return _sum([scene, episode.start_position, episode.start_node, told, goals])


def _sum(content: Any) -> str:
    return sha256(msgspec.json.encode(content, order="sorted"))
