"""Homes and offices as the evaluator asks for them."""

from __future__ import annotations

from pathlib import Path

from nav_eval.config.schema import GenerateConfig
from nav_eval_worlds import GENERATOR
from nav_eval_worlds.cached import cached_collection


class Homes:
    """Furnished homes and offices from a seed, kept in the cache."""

    version = GENERATOR

    def make(self, task: str, split: str, config: GenerateConfig) -> tuple[Path, Path]:
        """See nav_eval.runs.generators."""
        return cached_collection(task, split, config)


HOMES = Homes()
