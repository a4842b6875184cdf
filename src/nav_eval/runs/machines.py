"""Whether another machine has what the run began with: asked there, before a worker plays anything.

A navmesh, an episode file or a package that differs would change records without a word. What is compared are the sums
that stand in the run's manifest; of scenes those that the worker will need.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.sessions import Report
from nav_eval.core.workers import Job, Shard
from nav_eval.errors import InputError
from nav_eval.registry import import_plugins
from nav_eval.results.facts import differing
from nav_eval.results.run_directory import config_sum, run_facts
from nav_eval.runs import builder


class UnfitMachine(InputError):
    """A machine lacks a file or a package of the run, or has another one; says which machine and which file."""


@dataclass(frozen=True, slots=True)
class CheckedJob:
    """A job for another machine, which is checked first."""

    job: Job
    config: Config
    facts: Mapping[str, Any]

    @classmethod
    def of(cls, job: Job, config: Config, facts: Mapping[str, Any]) -> CheckedJob:
        """`facts`: those of the manifest, whose rules may name other paths than `config`."""
        return cls(job, config, {**facts, "config_sha256": config_sum(config)})

    def __call__(self, shard: Shard, report: Report) -> None:
        check_machine(self.config, self.facts, dict.fromkeys(scene for scene, _ in shard.keys))
        self.job(shard, report)


def check_machine(config: Config, facts: Mapping[str, Any], scenes: Iterable[str]) -> None:
    """Raises UnfitMachine if this machine cannot play these scenes as the one could that knows `facts`."""
    try:
        here = _facts(config, scenes)
    except (InputError, OSError) as error:
        raise UnfitMachine(f"{socket.gethostname()}: {error}") from error
    differences = differing(facts, here) + ["rules"] * (here["config_sha256"] != facts["config_sha256"])
    if differences:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise UnfitMachine(f"{socket.gethostname()}: {differences[0]} is not what the run began with{more}.")


def _facts(config: Config, scenes: Iterable[str]) -> dict[str, Any]:
    import_plugins(config.plugins)
    dataset = builder.make_dataset(config)
    with closing(builder.make_backend(config)) as backend:
        assets = {name: digest for scene in scenes for name, digest in backend.assets(scene).items()}
    return run_facts(config, (), dataset.files, assets, b"", renders=builder.renders(config))
