"""Run directories as the report reads them: read-only, while a run may still be writing.

The journal's lines are read once and in their order: an index of 100,000 episodes, as Journal makes for those that look
single ones up, would be a second pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nav_eval.config.schema import Config
from nav_eval.core.aggregate import MetricsAggregator
from nav_eval.core.definitions import Definition
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.metrics.registry import known_definitions
from nav_eval.report.result_columns import ResultColumns
from nav_eval.report.spooled import Spooled
from nav_eval.report.track import TRACK_LINE, Track, flat_track, read_track, whole_track
from nav_eval.results.export import recorded_definitions, results_document
from nav_eval.results.lines import read_lines
from nav_eval.results.records import episode_result
from nav_eval.results.run_directory import RunDirectory
from nav_eval.results.statistics import summarise_metric
from nav_eval.tasks.registry import own_metrics

T = TypeVar("T")
_RECORD = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Entry:
    """What a board calls a run and links it to; "" for what nobody said."""

    name: str = ""
    url: str = ""
    paper: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run, or one agent's `seeds` together. `results` in the order of the journal.

    `summary` is results.json, or the same of what is there yet.
    """

    path: Path
    config: Config
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    results: Mapping[EpisodeKey, EpisodeResult]
    tracks: Mapping[EpisodeKey, Track]
    entry: Entry = Entry()
    seeds: Sequence[Run] = ()

    @property
    def privileged(self) -> bool:
        """Whether the agent may see the simulator."""
        return bool(self.manifest.get("privileged"))

    @property
    def agent(self) -> str:
        """What the agent is called; one that was named as module:Class goes by its own name."""
        service = self.config.agent_service
        local = service.type == "local"
        told = str(self.manifest.get("agent") or (service.agent if local else self.path.resolve().name))
        known = self.manifest.get("service", {}).get("name")
        return str(known or told.rpartition(":")[2]) if local and ":" in told else told

    @property
    def definitions(self) -> dict[str, Definition]:
        """What each metric that has a figure says of itself: as the run wrote it, else as it is known here."""
        return told_definitions(self.summary, self.summary["metrics"], self.config)


def told_definitions(summary: Mapping[str, Any], names: Iterable[str], config: Config) -> dict[str, Definition]:
    """Of these metrics: as results.json has it, else (an older or unfinished run) as it is known here."""
    names, written = list(names), recorded_definitions(summary)
    missing = [name for name in names if name not in written]
    known = known_definitions(missing, own_metrics(config)) if missing else {}
    return {name: written.get(name) or known[name] for name in names}


def common_definitions(runs: Sequence[Run]) -> dict[str, Definition]:
    """Of the metrics that some run has a figure of, in the order of the first run that has it."""
    found: dict[str, Definition] = {}
    for run in runs:
        found |= run.definitions | found
    return found


def read_run(path: Path, config: Config) -> Run:
    """Raises RunDirectoryError where there is no run, or a file of it is damaged.

    An episode without its trajectory is missing, as in the journal, unless the run kept none.
    """
    manifest = RunDirectory(path).manifest()
    results = ResultColumns(map(episode_result, _lines(path / "episodes.jsonl", _RECORD)))
    file = path / "trajectories.jsonl"
    tracks, recorded = _read_tracks(file, results.rows)
    if file.exists() and not all(recorded):
        results = ResultColumns(results[key] for key, row in results.rows.items() if recorded[row])
    summary = RunDirectory(path).results() if manifest.get("finished") else None
    return Run(path, config, manifest, summary or summarise_run(config, manifest, results), results, tracks)


def _read_tracks(file: Path, rows: Mapping[EpisodeKey, int]) -> tuple[Spooled[EpisodeKey, Track], bytearray]:
    """The tracks of these episodes, and whether there is a line of each: one that never began has no track."""
    tracks, recorded = Spooled(rows, flat_track, whole_track), bytearray(len(rows))
    for line in _lines(file, TRACK_LINE):
        key, track = (line.scene_id, line.episode_id), read_track(line)
        if key in rows:
            recorded[rows[key]] = True
            tracks.put(key, track)
    return tracks, recorded


def _lines(path: Path, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
    """None of a run's public form, which has no such file."""
    return (record for record, _, _ in read_lines(path, decoder)) if path.exists() else iter(())


def summarise_run(
    config: Config, manifest: Mapping[str, Any], results: Mapping[EpisodeKey, EpisodeResult]
) -> dict[str, Any]:
    """results.json of a run that has not ended."""
    names = dict.fromkeys(
        name for result in results.values() for name, value in result.metrics.items() if isinstance(value, int | float)
    )
    found = known_definitions(names, own_metrics(config))
    aggregator = MetricsAggregator(found, partial(summarise_metric, seed=config.seed))
    summed = aggregator.aggregate_metrics(results.values())
    return results_document(config, summed) | {"profile": manifest["profile"]}


def named_profile(run: Run) -> str:
    """The scoring profile with its version, and in brackets the convention that was chosen."""
    profile, convention = run.summary["profile"], run.config.task.convention
    return f"{profile['name']} v{profile['version']}" + (f" ({convention})" if convention else "")
