"""Walks as the policy sees them: what the detector tells, the body's motion, and what the oracle would have done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nav_eval.gym import rollouts
from nav_eval_sdk.examples.learned.senses import motion, nearness, ways
from nav_eval_sdk.examples.learned.words import Reader
from train_vln.detector import batch, detected
from train_vln.make_data import told
from train_vln.model import Detector

SUCCESS, STEP = 2.5, 0.01
"""What nav_eval's dense reward adds at a success and takes for a step."""


@dataclass(frozen=True)
class Walk:
    """`seen` (T, COLUMNS, K + BANDS) float16, `motion` (T, MOTION), `expert` (T,) -1: none, `near` (T,) to the goal.

    `texts`: the numbers of the words of each of the path's wordings, of which all tell the same way.
    """

    seen: Any
    motion: Any
    expert: Any
    near: Any
    texts: Sequence[list[int]]


def wordings(homes: Path, split: str) -> dict[tuple[str, str], list[str]]:
    """The texts of an episode's path, by scene and episode."""
    by_path: dict[tuple[str, int], list[str]] = {}
    episodes = told(homes, split)
    for one in episodes:
        path = by_path.setdefault((one["scene_id"], one["trajectory_id"]), [])
        path.append(one["instruction"]["instruction_text"])
    return {(e["scene_id"], str(e["episode_id"])): by_path[e["scene_id"], e["trajectory_id"]] for e in episodes}


def encoded(folder: Path, homes: Path, split: str, detector: Detector, reader: Reader) -> list[Walk]:
    """The walks of a collection; what is encoded is kept beside it, and its pictures, which are large, are not."""
    kept = folder.with_suffix(".pt")
    if not kept.is_file():
        texts = wordings(homes, split)
        torch.save(list(_encoded(folder, texts, detector, reader)), kept)
        shutil.rmtree(folder)
    walks: list[Walk] = torch.load(kept, weights_only=False)
    return walks


def _encoded(folder: Path, texts: Any, detector: Detector, reader: Reader) -> Iterator[Walk]:
    for one in rollouts(folder):
        near = (255 * nearness(one["depth"][..., 0])).astype(np.uint8)
        key = (str(one["scene_id"]), str(one["episode_id"]))
        yield Walk(
            seen(detector, one["rgb"], near).astype(np.float16),
            motions(one["gps"], one["compass"][:, 0]),
            one["expert_action"],
            nearness_of_goal(one),
            [reader.numbers(text) for text in texts[key]],
        )


def seen(detector: Detector, rgb: Any, near: Any) -> Any:
    """(N, COLUMNS, K + BANDS)"""
    return np.concatenate([detected(detector, rgb, near), ways(batch(rgb, near).numpy())], -1)


def motions(gps: Any, compass: Any) -> Any:
    poses = np.concatenate([gps, compass[:, None]], -1)
    before = np.concatenate([poses[:1], poses[:-1]])
    return motion(gps, compass, before, np.arange(len(gps)))


def nearness_of_goal(one: Any) -> Any:
    """(T,) exp(-m / FAR), counted back from the end by the metres that each step gained."""
    metrics = json.loads(str(one["metrics"]))
    gained = one["reward"] + STEP
    gained[-1] -= SUCCESS * metrics["success"]
    return nearness(np.maximum(metrics["distance_to_goal"] + np.cumsum(gained[::-1])[::-1], 0))


def padded(walks: Sequence[Walk], rng: np.random.Generator) -> tuple[Tensor, ...]:
    """Words (B, N), seen (B, T, ...), motion (B, T, ...), expert (B, T), near (B, T); expert is -1 after the end."""
    chosen = [walk.texts[rng.integers(len(walk.texts))] for walk in walks]
    words = torch.zeros(len(walks), max(map(len, chosen)), dtype=torch.long)
    for row, numbers in enumerate(chosen):
        words[row, : len(numbers)] = torch.tensor(numbers)
    longest = max(len(walk.expert) for walk in walks)
    return (words, *(_padded([getattr(walk, name) for walk in walks], longest) for name in FIELDS))


FIELDS = ("seen", "motion", "expert", "near")


def _padded(rows: Sequence[Any], longest: int) -> Tensor:
    kind = np.int64 if rows[0].dtype.kind == "i" else np.float32
    out = np.full((len(rows), longest, *rows[0].shape[1:]), -1 if kind is np.int64 else 0, kind)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return torch.from_numpy(out)
