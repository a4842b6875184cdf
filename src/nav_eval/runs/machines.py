"""Whether another machine has what the run began with: asked there, before a worker plays anything.

A navmesh, an episode file or a package that differs would change records without a word. What is compared are the sums
that stand in the run's manifest; of scenes those that the worker will need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.errors import InputError
from nav_eval.results.facts import differing
from nav_eval.results.run_directory import run_facts
from nav_eval.runs.builder import Plan
from nav_eval.runs.plan import opened


class UnfitMachine(InputError):
    """A machine lacks a file or a package of the run, or has another one; says which."""


@contextmanager
def opened_alike(config: Config, facts: Mapping[str, Any], scenes: Iterable[str]) -> Iterator[Plan]:
    """A plan on a machine that can play these scenes as the one could that knows `facts`; else raises UnfitMachine."""
    with ExitStack() as stack:
        try:
            plan = stack.enter_context(opened(config))
            here = _facts(plan, scenes)
        except (InputError, OSError) as error:
            raise UnfitMachine(str(error)) from error
        differences = differing(facts, here) + ["rules"] * (here["config_sha256"] != facts["config_sha256"])
        if differences:
            more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
            raise UnfitMachine(f"{differences[0]} is not what the run began with{more}.")
        yield plan


def _facts(plan: Plan, scenes: Iterable[str]) -> dict[str, Any]:
    assets = {name: digest for scene in scenes for name, digest in plan.backend.assets(scene).items()}
    given = (plan.config, (), plan.episodes.dataset.files, assets, b"")
    return run_facts(*given, renders=plan.renders, distributions=plan.distributions)
