"""Whether the episodes and buildings of a phase lie where its evaluation looks for them, on this machine.

Who serves hears it at the start, and `doctor` every day: else the first team to submit would, by a failure of ours.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from nav_eval.errors import ConfigError
from nav_eval.reading import opened
from nav_eval_server.challenge import DRY_RUN, Challenge, configured
from nav_eval_server.queue.phases import status


def check(challenge: Challenge, now: datetime) -> None:
    """Raises ConfigError that names the first open phase whose data cannot be read."""
    open_ones = (name for name in challenge.phases if status(challenge, name, now) == "open")
    for name in (*open_ones, *([DRY_RUN] if challenge.dry_run else [])):
        for fault in faults(challenge, name):
            raise ConfigError(
                f"{challenge.folder}/challenge.yaml: {name} is open, but {fault}. Put its data there, or let it open "
                "later; `serve --jobs 0` serves without evaluating on this machine."
            )


def faults(challenge: Challenge, phase: str) -> Iterator[str]:
    """What of a phase's data, or a dry run's, cannot be read; paths are those of its evaluation."""
    config = configured(challenge, phase)
    folders = (config.simulator.scenes_dir, config.simulator.connectivity_dir)
    for path in folders:
        if path is not None and not any((challenge.folder / path).expanduser().glob("*")):
            yield f"{path} is missing, or an empty folder"
    if config.dataset.data_path is not None:
        yield from _unread((challenge.folder / config.dataset.data_path).expanduser(), config.dataset.data_path)


def buildings(challenge: Challenge, phase: str) -> int | None:
    """In how many the episodes of a phase without `faults` lie; None where its file does not say."""
    path = configured(challenge, phase).dataset.data_path
    if path is None:
        return None
    file = (challenge.folder / path).expanduser()
    with opened(file) as raw, gzip.open(raw) if file.suffix == ".gz" else raw as content:
        told = json.load(content)
    rows = told.get("episodes", []) if isinstance(told, dict) else told
    return len({row.get("scene_id", row.get("scan")) for row in rows}) or None


def _unread(path: Path, named: str) -> Iterator[str]:
    try:
        with opened(path) as file, gzip.open(file) if path.suffix == ".gz" else file as content:
            if ".json" in path.suffixes:
                json.load(content)
    except FileNotFoundError:
        yield f"{named} does not exist"
    except (OSError, EOFError, ValueError) as error:
        yield f"{named} cannot be read ({error})"
