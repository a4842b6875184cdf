"""Accepted texts as data sets of the field, by split: R2R-CE and RxR-CE with pose traces, or R2R, and statistics.

Annotators get numbers anew in every export, drawn at random and kept nowhere, so that nobody can lead them back.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.config.schema import Config, SimulatorConfig
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.dataset.ground_truth import ACTIONS
from nav_eval.dataset.r2r import path_of
from nav_eval.dataset.vocabulary import numbered, vocabulary_of
from nav_eval.dataset.writing import write_object
from nav_eval.errors import ConfigError
from nav_eval.geometry import Vec3, yaw_of
from nav_eval.results.files import explained, write_bytes, write_json
from nav_eval_extras.annotate.film import Film
from nav_eval_extras.annotate.journal import Followed, Pose, Written
from nav_eval_extras.annotate.session import Wish, studio_of
from nav_eval_extras.annotate.statistics import statistics_of
from nav_eval_extras.annotate.studio import Studio
from nav_eval_extras.collecting.players import lens_of
from nav_eval_extras.collecting.walking import camera_pose

SPLITS = {"train": 0.5, "val_unseen": 0.75, "test": 1.0}
"""Up to which share of the buildings, in the order of their names."""
RXR = {"ne": "navigation_error", "sr": "success", "spl": "spl", "dtw": "dtw", "ndtw": "ndtw", "sdtw": "sdtw"}
"""What RxR calls a follower's metrics."""


@dataclass(frozen=True, slots=True)
class Row:
    """An accepted text and who followed it. `guide`, `follower`: their numbers here; `film`: of the path, not drawn."""

    number: int
    path: int
    split: str
    episode: Episode
    film: Film
    text: Written
    walk: Followed
    guide: int
    follower: int


def export_texts(config: Config, out: Path, wish: Wish, folder: Path) -> list[Path]:
    """The files that were written. Raises ConfigError where nothing was accepted yet."""
    with studio_of(config, out, wish) as (studio, paths):
        rows = _rows(studio)
        if not rows:
            raise ConfigError(f"{out}: no text of these paths was accepted yet. Let people write and follow first.")
        files: list[Path] = []
        graph = studio.plan.backend.starts_at == "node"
        for split in SPLITS:
            write = _write_graph_split if graph else _write_split
            files += write(folder, split, [row for row in rows if row.split == split])
        for row in () if graph else rows:
            _write_traces(folder, row, studio.plan.effective.simulator)
        write_json(folder / "statistics.json", statistics_of(studio.journal, studio.desk, paths))
    return [*files, folder / "statistics.json"]


def _rows(studio: Studio) -> list[Row]:
    """In the order of paths, so that it tells nothing of when or by whom."""
    pairs = [(text, walk) for text, walk in studio.desk.accepted() if text.path in studio.episodes]
    people = sorted({person for text, walk in pairs for person in (text.person, walk.person)})
    called = dict(zip(people, random.SystemRandom().sample(range(1, len(people) + 1), len(people))))
    splits = _splits(studio.episodes)
    paths = {path: number for number, path in enumerate(dict.fromkeys(text.path for text, _ in pairs), 1)}
    films = {path: studio.film(path, drawn=False) for path in paths}
    return [
        Row(
            number,
            paths[text.path],
            splits[studio.episodes[text.path].scene_id],
            studio.episodes[text.path],
            films[text.path],
            text,
            walk,
            called[text.person],
            called[walk.person],
        )
        for number, (text, walk) in enumerate(pairs, 1)
    ]


def _splits(episodes: Mapping[str, Episode]) -> dict[str, str]:
    """Split of each building, whether it has a text yet or not, so that further texts change nothing."""
    scenes = sorted({episode.scene_id for episode in episodes.values()})
    shares = {scene: place / len(scenes) for place, scene in enumerate(scenes)}
    return {scene: next(split for split, end in SPLITS.items() if share < end) for scene, share in shares.items()}


def _write_split(folder: Path, split: str, rows: Sequence[Row]) -> list[Path]:
    if not rows:
        return []
    guides = {str(row.number): _truth(row.film.actions, [state.position for state in row.film.states]) for row in rows}
    people = [row for row in rows if not row.walk.agent]
    followers = {
        str(row.number): _truth(row.walk.actions, [pose.position for pose in row.walk.track]) for row in people
    }
    vocabulary = vocabulary_of(row.text.words for row in rows)
    plain = [_episode(row, {"instruction_tokens": numbered(row.text.words, vocabulary)}) for row in rows]
    told = [_episode(row, _rxr(row, row.guide)) for row in rows]
    walked = [_follower_episode(row, followers[str(row.number)]["locations"]) for row in people]
    r2r, rxr = folder / "r2r-ce", folder / "rxr-ce"
    return [
        *_write(r2r / split, "r2r-ce", plain, guides, {"instruction_vocab": vocabulary}),
        *_write(rxr / f"{split}_guide", "rxr-ce", told, guides, {}),
        *(_write(rxr / f"{split}_follower", "rxr-ce", walked, followers, {}) if walked else []),
    ]


def _write_graph_split(folder: Path, split: str, rows: Sequence[Row]) -> list[Path]:
    """R2R's own file for each language, whose paths keep their numbers; the texts are in the order of `rows`."""
    languages = sorted({row.text.language for row in rows})
    return [
        _write_r2r(
            folder,
            split if language == "en" else f"{split}_{language}",
            [row for row in rows if row.text.language == language],
        )
        for language in languages
    ]


def _write_r2r(folder: Path, split: str, rows: Sequence[Row]) -> Path:
    told: Counter[tuple[str, str]] = Counter()
    episodes = []
    for row in rows:
        path = path_of(row.episode)
        text = Instruction(text=row.text.words, language=row.text.language)
        episodes.append(replace(row.episode, episode_id=f"{path[1]}_{told[path]}", instruction=text))
        told[path] += 1
    file = folder / "r2r" / f"R2R_{split}.json"
    with explained(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    dump_dataset("r2r", episodes, file)
    return file


def _write(
    stem: Path, kind: str, episodes: Sequence[Episode], truth: Mapping[str, Any], header: Mapping[str, Any]
) -> list[Path]:
    main, gt = stem.with_name(f"{stem.name}.json.gz"), stem.with_name(f"{stem.name}_gt.json.gz")
    with explained(main):
        stem.parent.mkdir(parents=True, exist_ok=True)
    dump_dataset(kind, episodes, main, header)
    write_object(str(gt), truth.items())
    return [main, gt]


def _truth(actions: Sequence[str], positions: Sequence[Vec3]) -> dict[str, Any]:
    """An entry of a _gt file: positions at the start and after each forward step, Habitat's ids of the actions."""
    after = [position for action, position in zip(actions, positions[1:]) if action == "move_forward"]
    ids = [ACTIONS.index(action) for action in actions if action in ACTIONS]
    return {"locations": [positions[0], *after], "actions": ids, "forward_steps": len(after)}


def _episode(row: Row, told: Mapping[str, Any]) -> Episode:
    reference = tuple(row.film.states[stop].position for stop in row.film.stops)
    return replace(
        row.episode,
        episode_id=str(row.number),
        instruction=Instruction(text=row.text.words, language=row.text.language, extra=told),
        reference_path=row.episode.reference_path or reference,
        extra={**row.episode.extra, "episode_id": row.number, "trajectory_id": row.path},
    )


def _rxr(row: Row, annotator: int) -> dict[str, Any]:
    """RxR's fields of an instruction; it was written, not spoken, so it has no times of words."""
    return {
        "instruction_id": row.number,
        "annotator_id": annotator,
        "language": row.text.language,
        "timed_instruction": [],
        "edit_distance": 0.0,
    }


def _follower_episode(row: Row, locations: Sequence[Vec3]) -> Episode:
    """A follower's episode: the guide's text, and the path that was walked by it, with RxR's metrics of it."""
    metrics = {short: row.walk.metrics[name] for short, name in RXR.items() if name in row.walk.metrics}
    episode = _episode(row, _rxr(row, row.follower))
    return replace(episode, reference_path=tuple(locations), info={**episode.info, "metrics": metrics})


def _write_traces(folder: Path, row: Row, simulator: SimulatorConfig) -> None:
    traces = {"guide": row.text.trace} | ({} if row.walk.agent else {"follower": row.walk.track})
    for role, trace in traces.items():
        file = folder / "pose_traces" / f"rxr_{row.split}" / f"{row.number:06}_{role}_pose_trace.npz"
        with explained(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **_columns(trace, simulator))
        write_bytes(file, buffer.getvalue())


def _columns(trace: Sequence[Pose], simulator: SimulatorConfig) -> dict[str, Any]:
    """RxR's columns, a row for each pose; there are no panoramas to name."""
    up = simulator.body.camera_height
    poses = [camera_pose(_lift(pose.position, up), yaw_of(pose.rotation), pose.elevation) for pose in trace]
    columns: dict[str, Any] = {
        "time": np.array([[pose.seconds] for pose in trace], np.float32),
        "extrinsic_matrix": np.array(poses, np.float32).reshape(len(trace), 16),
    }
    lenses = [lens_of(sensor) for name, sensor in simulator.sensors.items() if (sensor.type or name) == "rgb"]
    for lens in lenses[:1]:
        matrix = np.diag([lens.focal, lens.focal, 1.0, 1.0])
        matrix[:2, 2] = lens.width / 2, lens.height / 2
        columns["intrinsic_matrix"] = np.tile(matrix.reshape(1, 16), (len(trace), 1)).astype(np.float32)
    return columns


def _lift(position: Vec3, height: float) -> Vec3:
    return (position[0], position[1] + height, position[2])
