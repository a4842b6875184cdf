"""All that a board follows from, without the names of buildings and episodes: what recompute.py begins with.

Buildings and episodes are numbered in the order of their names, because the draws of the ranking go in that order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from nav_eval.results.compare import EpisodeKey, RunRecords
from nav_eval_server.board.places import Board, counted, records, scored
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Episode


def values(challenge: Challenge, phase: str, board: Board) -> dict[str, Any]:
    """`entries`: team -> [building, episode, value or null, whether it was played without a failure] of each episode.

    `history`: team -> its submissions in the order in which they were found, with their means.
    """
    teams = [one.submission for one in counted(challenge, phase, board)]
    found = records(challenge, teams)
    names = _numbers(found.values())
    failed = set(Episode.objects.filter(submission__in=teams).exclude(status="ok").values_list(*KEY))
    return {
        "finals": challenge.phases[phase].finals,
        "entries": {
            one.team.name: [
                [*names[key], _finite(row[challenge.ranking.by]), (one.id, *key) not in failed]
                for key, row in sorted(found[one.id].episodes.items())
            ]
            for one in teams
        },
        "history": _history(challenge, phase),
    }


KEY = ("submission_id", "scene", "episode")


def _numbers(entries: Iterable[RunRecords]) -> Mapping[EpisodeKey, tuple[str, str]]:
    keys = sorted({key for entry in entries for key in entry.episodes})
    scenes = {scene: f"{n:06}" for n, scene in enumerate(sorted({scene for scene, _ in keys}))}
    return {key: (scenes[key[0]], f"{n:06}") for n, key in enumerate(keys)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _history(challenge: Challenge, phase: str) -> dict[str, list[dict[str, Any]]]:
    told: dict[str, list[dict[str, Any]]] = {}
    for one in scored(challenge, phase):
        line = {"submission": one.submission.id, "mean": one.mean, "chosen": one.submission.chosen_at is not None}
        told.setdefault(one.submission.team.name, []).append(line)
    return told
