"""One run out of the shards of `nav-eval run --shard`: the files that one machine would have written.

No data set is needed: every shard knows where its episodes stand in the whole list, and the sum of that list, so the
list that the shards make together is proven to be the whole one, in its order.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.config.locations import DATA
from nav_eval.config.schema import Config
from nav_eval.core.definitions import Definition
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import RunDirectoryError
from nav_eval.metrics.registry import known_definitions
from nav_eval.reading import file_sha256
from nav_eval.report.frames import VIDEOS
from nav_eval.results.audit import check_files
from nav_eval.results.export import recorded_definitions
from nav_eval.results.facts import differing
from nav_eval.results.journal import Journal
from nav_eval.results.run_directory import SECRET, SHARDS_MISSING, RunDirectory, config_changes, keys_sum
from nav_eval.runs import builder
from nav_eval.runs.effective import make_task
from nav_eval.runs.evaluation import Evaluated, settle
from nav_eval.runs.sharding import Part
from nav_eval.tasks.registry import own_metrics

OF_A_PART = (
    *("schema", "started", "finished", "sittings", "files_sha256", "shard", "whole"),
    *("n_episodes", "episodes_sha256", "assets_sha256"),
)
"""Keys of a shard's manifest that the whole run's does not take from it."""
LEARNT = ("agent", "privileged", "service")


@dataclass(frozen=True, slots=True)
class Piece:
    """One shard, read."""

    path: Path
    config: Config
    rules: Mapping[str, Any]
    manifest: Mapping[str, Any]
    part: Part
    places: Mapping[int, EpisodeKey]
    journal: Journal
    present: frozenset[EpisodeKey]

    def __str__(self) -> str:
        return f"{self.path} (shard {self.part})"

    @property
    def missing(self) -> int:
        return len(self.places) - len(self.present)


def merge_runs(paths: Sequence[Path], out: Path, *, partial: bool = False) -> tuple[Evaluated, list[str]]:
    """Write the whole run into `out`; what is missing, a sentence each, which only `partial` allows.

    Raises RunDirectoryError for shards that do not belong together, or are not all.
    """
    if (out / "manifest.json").exists():
        raise RunDirectoryError(f"{out}: holds a run already. Choose another --out.")
    with ExitStack() as stack:
        pieces = sorted((_read(path, stack) for path in paths), key=lambda piece: piece.part.index)
        for piece in pieces[1:]:
            _check_same(pieces[0], piece)
        _check_apart(pieces)
        gaps = _gaps(pieces)
        if gaps and not partial:
            raise RunDirectoryError(f"merge: {gaps[0]} Add --partial to merge what there is.")
        keys = _whole_list(pieces, complete=not gaps)
        return _write_merged(pieces, keys, out, gaps), gaps


def _read(path: Path, stack: ExitStack) -> Piece:
    directory = stack.enter_context(RunDirectory(path))
    manifest = directory.manifest()
    if "shard" not in manifest:
        raise RunDirectoryError(f"{path}: is not a shard. merge takes what `nav-eval run --shard` wrote.")
    faults = check_files(path) if manifest["finished"] else []
    if faults:
        raise RunDirectoryError(f"{path}: is not what the run wrote: {'; '.join(faults)}.")
    directory.open_for_reading()
    places = _places(path / "shard.json")
    present = ((r.scene_id, r.episode_id) for r in directory.journal.in_order(list(places.values())))
    return Piece(
        path=path,
        config=directory.config(),
        rules=directory.stored_config(),
        manifest=manifest,
        part=Part.parse(manifest["shard"]),
        places=places,
        journal=directory.journal,
        present=frozenset(present),
    )


def _places(path: Path) -> dict[int, EpisodeKey]:
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[tuple[int, str, str]])
    except (OSError, msgspec.MsgspecError) as error:
        raise RunDirectoryError(f"{path}: cannot be read: {error}. Run this shard again.") from None
    return {place: (scene, episode) for place, scene, episode in rows}


def _check_same(first: Piece, piece: Piece) -> None:
    """Raises RunDirectoryError naming in what two shards differ that those of one run share."""
    ours, theirs = first.manifest, piece.manifest
    changes = config_changes(first.rules, piece.rules, but=DATA)
    learnt = [(name, ours[name], theirs[name]) for name in LEARNT if _learnt_otherwise(name, ours, theirs)]
    differences = [f"{name} is {one!r} in {first.path}, {other!r} in {piece.path}" for name, one, other in changes]
    differences += [f"{name} is another" for name in differing(ours, theirs)]
    differences += [f"{name} is {one} in {first.path}, {other} in {piece.path}" for name, one, other in learnt]
    if ours["whole"] != theirs["whole"] or first.part.of != piece.part.of:
        differences.append("it is a part of another list of episodes, or of another number of shards")
    if first.config.agent_service.disclosure == "competition" and ours["secret_sha256"] != theirs["secret_sha256"]:
        differences.append("agent_service.secret is another, so the agent was sent other ids")
    if first.config.output.save_trajectories != piece.config.output.save_trajectories:
        differences.append("output.save_trajectories is another")
    if differences:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise RunDirectoryError(f"{piece}: does not belong to {first}: {differences[0]}{more}.")


def _learnt_otherwise(name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """A shard that did not end, or was resumed with nothing left to play, may not have learnt it."""
    return name in ours and name in theirs and ours[name] != theirs[name]


def _check_apart(pieces: Sequence[Piece]) -> None:
    by_index: dict[int, Piece] = {}
    for piece in pieces:
        other = by_index.setdefault(piece.part.index, piece)
        if other is not piece:
            raise RunDirectoryError(f"merge: shard {piece.part} is given twice: {other.path} and {piece.path}.")
    twice = [key for key, count in Counter(k for p in pieces for k in p.places.values()).items() if count > 1]
    if twice:
        raise RunDirectoryError(
            f"merge: episode {twice[0][1]!r} of {twice[0][0]!r} is in two shards: they are not of one run."
        )


def _gaps(pieces: Sequence[Piece]) -> list[str]:
    """What is missing, a sentence each."""
    absent = _absent(pieces)
    is_or_are = "is" if len(absent) == 1 else "are"
    named = f"number {', '.join(map(str, absent))} {is_or_are} missing."
    lacking = [f"of {pieces[0].part.of} shards, {named}"] if absent else []
    return lacking + [
        f"{piece}: {piece.missing} of its {len(piece.places)} episodes are missing; `run --resume` plays them."
        for piece in pieces
        if piece.missing
    ]


def _absent(pieces: Sequence[Piece]) -> list[int]:
    given = {piece.part.index for piece in pieces}
    return [index for index in range(1, pieces[0].part.of + 1) if index not in given]


def _whole_list(pieces: Sequence[Piece], *, complete: bool) -> list[EpisodeKey]:
    """The episodes in the data set's order; raises RunDirectoryError if they are not the list that was divided."""
    keys = [key for _, key in sorted(item for piece in pieces for item in piece.places.items())]
    if complete and keys_sum(keys) != pieces[0].manifest["whole"]["episodes_sha256"]:
        raise RunDirectoryError(
            "merge: the shards' episodes are not the list that was divided. Was a shard.json changed?"
        )
    return keys


def _write_merged(pieces: Sequence[Piece], keys: Sequence[EpisodeKey], out: Path, gaps: Sequence[str]) -> Evaluated:
    first = pieces[0]
    with RunDirectory(out) as directory:
        directory.claim(resume=False)
        directory.begin(first.config, _facts(pieces))
        if (first.path / SECRET).exists():
            shutil.copy(first.path / SECRET, out / SECRET)
        for piece in pieces:
            directory.journal.take(piece.journal, [key for key in piece.places.values() if key in piece.present])
            if (piece.path / VIDEOS).is_dir():
                shutil.copytree(piece.path / VIDEOS, out / VIDEOS, dirs_exist_ok=True)
        aggregator = builder.make_aggregator(first.config, _definitions(pieces))
        results = aggregator.aggregate_metrics(directory.journal.in_order(keys))
        notes = [f"Merged without all parts: {gap}" for gap in gaps]
        learnt: dict[str, Any] = {"privileged": False}
        for piece in pieces:
            learnt |= {name: piece.manifest[name] for name in LEARNT if name in piece.manifest}
        return settle(first.config, directory, keys, results, {**learnt, **_origins(pieces)}, notes)


def _definitions(pieces: Sequence[Piece]) -> dict[str, Definition]:
    """As a shard that ended wrote them: its plug-ins may be unknown here."""
    config = pieces[0].config
    ended = [document for piece in pieces if (document := RunDirectory(piece.path).results())]
    written = recorded_definitions(ended[0]) if ended else {}
    names = builder.measured_names(config, make_task(config))
    return written or known_definitions(names, own_metrics(config))


def _facts(pieces: Sequence[Piece]) -> dict[str, Any]:
    """The manifest that one run of all episodes would have begun with."""
    shared = {name: value for name, value in pieces[0].manifest.items() if name not in (*OF_A_PART, *LEARNT)}
    assets = {name: digest for piece in pieces for name, digest in piece.manifest["assets_sha256"].items()}
    whole: dict[str, Any] = pieces[0].manifest["whole"]
    absent = _absent(pieces)
    return shared | whole | {"assets_sha256": assets} | ({SHARDS_MISSING: absent} if absent else {})


def _origins(pieces: Sequence[Piece]) -> dict[str, Any]:
    """Where the whole comes from: when it began, and the manifest of every shard by its sum."""
    shards = {
        str(piece.part): {
            **{name: piece.manifest[name] for name in ("started", "finished", "sittings")},
            **{name: piece.manifest["versions"][name] for name in ("python", "platform")},
            "manifest_sha256": file_sha256(piece.path / "manifest.json"),
        }
        for piece in pieces
    }
    return {"started": min(piece.manifest["started"] for piece in pieces), "shards": shards}
