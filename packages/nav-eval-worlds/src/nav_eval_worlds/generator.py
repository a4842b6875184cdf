"""Homes and offices as the evaluator asks for them. Words are imported when one is asked for: most runs never do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nav_eval.config.schema import GenerateConfig
from nav_eval.engine.scene.scene import Scene
from nav_eval_worlds import GENERATOR
from nav_eval_worlds.cached import cached_collection


class Homes:
    """Furnished homes and offices from a seed, kept in the cache."""

    version = GENERATOR

    def make(self, task: str, split: str, config: GenerateConfig) -> tuple[Path, Path]:
        """See nav_eval.runs.generators."""
        return cached_collection(task, split, config)

    def names(self, language: str) -> Mapping[str, Sequence[str]]:
        """See nav_eval.runs.generators."""
        from nav_eval_worlds.language.wording import names_of_things

        return names_of_things(language)

    def called(self, scene: Scene, language: str) -> tuple[dict[int, str], dict[int, str]]:
        """See nav_eval.runs.generators."""
        from nav_eval_worlds.language.rooms_map import rooms_map
        from nav_eval_worlds.language.sights import names_in

        return names_in(rooms_map(scene.objects, scene.regions), language)


HOMES = Homes()
