"""A competition on a small graph, with teams: what the tests of the server begin with."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from graphs import write_r2r
from nav_eval.config.secrecy import public_config
from nav_eval.runs.registry import benchmark_config
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.init import Answers, create

ANSWERS = Answers("homes", "Homes", "UTC", "ada", 1)
DATES = {"opens": "2020-01-01T00:00", "closes": "2099-01-01T00:00"}


@cache
def kept_folder() -> Path:
    """Of this process, gone with it."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def evaluation() -> dict[str, Any]:
    """R2R's rules on five episodes of a small graph."""
    data = kept_folder() / "data"
    data.mkdir()
    return public_config(benchmark_config("r2r", overrides=[*write_r2r(data), "agent_service.type=remote"]))


def phase(kind: str = "service", **quota: int) -> dict[str, object]:
    """A phase that is open for this century."""
    return {**DATES, "split": "val", "kind": kind, "quota": {"per_day": 100, "concurrent": 100} | quota}


@cache
def created() -> tuple[Path, dict[str, Any]]:
    """Folder and rules, once: each test begins with a copy."""
    folder = kept_folder() / "homes"
    create(folder, ANSWERS)
    content: dict[str, Any] = yaml.safe_load(Folder(folder).challenge.read_text())
    content |= {"evaluation": evaluation(), "phases": {"dev": phase()}}
    content["allow_overlap"] = True  # phases play the same five episodes
    content["endpoints"]["allowed_networks"] = ["loopback"]
    del content["dry_run"]  # the demo's homes have no graph
    del content["ranking"]["secondary_metrics"], content["baselines"]
    return folder, content


def write_challenge(folder: Path, **changes: object) -> Challenge:
    """A competition with one phase, dev; `changes` are laid over the keys of its challenge.yaml."""
    place, content = created()[0], deepcopy(created()[1])
    shutil.copytree(place, folder)
    for key, value in changes.items():
        content[key] = content.get(key, {}) | value if isinstance(value, dict) else value
    Folder(folder).challenge.write_text(yaml.dump(content, Dumper=yaml.CSafeDumper))
    return Challenge.model_validate({**content, "folder": folder.resolve()})
