"""What a report reads off all episodes of a run in one pass: each is unpacked whenever it is looked at."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nav_eval.dataset.episode import EpisodeKey
from nav_eval.report.cause import Cause, cause
from nav_eval.report.outcome import Thresholds, outcome
from nav_eval.report.scenery import EpisodeFacts, Scenery
from nav_eval.report.source import Run

UNKNOWN = EpisodeFacts()


@dataclass(frozen=True, slots=True)
class Survey:
    """How each finished episode of a run ended, and why each failed one did.

    `latency`: (N,) seconds of all answers; `steps`: of all tracks together; `told`: episodes of whose answers there
    are words.
    """

    outcomes: Mapping[EpisodeKey, str]
    causes: Mapping[EpisodeKey, Cause]
    latency: npt.NDArray[np.float32]
    steps: int
    told: Sequence[EpisodeKey]


def survey(run: Run, scenery: Scenery) -> Survey:
    radius = run.config.evaluation.success_distance
    outcomes: dict[EpisodeKey, str] = {}
    causes: dict[EpisodeKey, Cause] = {}
    latency, steps, told = array("f"), 0, []
    same: dict[Cause, Cause] = {}
    for key, result in run.results.items():
        track, facts = run.tracks.get(key), scenery.episodes.get(key, UNKNOWN)
        outcomes[key] = outcome(result, track, Thresholds(radius, facts.shortest))
        rooms = scenery.scenes[key[0]].rooms if key[0] in scenery.scenes else ()
        known = cause(outcomes[key], track, facts, rooms, radius)
        if known is not None:
            causes[key] = same.setdefault(known, known)
        if track is not None:
            latency.frombytes(track.latency.astype(np.float32).tobytes())
            steps += len(track.actions)
            told += [key] if track.said else []
    return Survey(outcomes, causes, np.asarray(latency), steps, told)
