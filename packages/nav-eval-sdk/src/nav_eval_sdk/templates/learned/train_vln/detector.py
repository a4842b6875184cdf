"""Distils the semantic sensor: from colour and depth, how near a thing or room of each kind is in each column."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from nav_eval.gym.recording import parts
from nav_eval_sdk.examples.learned.senses import COLUMNS, SIDE, nearness
from train_vln.model import Detector

LEAST_PIXELS = 3
LEAST_FRAMES = 0.004
"""Share of the frames in which a kind must be seen to be learned."""


def kinds_of(homes: Path, scene: str) -> list[tuple[str, str]]:
    """(thing, room) by the numbers of the semantic sensor; 0 is nothing."""
    told = json.loads((homes / scene).with_suffix(".semantic.json").read_bytes())
    rooms = {region["id"]: f"in the {region['category']}" for region in told["regions"]}
    things = {thing["id"]: (thing["category"], rooms.get(thing["region"], "")) for thing in told["objects"]}
    return [things.get(number, ("", "")) for number in range(max(things) + 1)]


def frames(homes: Path, walks: Path) -> Iterator[tuple[Any, Any, Any, list[tuple[str, str]]]]:
    """rgb, depth, semantic, and what its numbers mean, of each walk."""
    for path in parts(walks):
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        ends = np.cumsum(arrays["episodes.steps"])
        for scene, end, steps in zip(arrays["episodes.scene_id"], ends, arrays["episodes.steps"]):
            rows = slice(end - steps, end)
            seen = [arrays[f"steps.{name}"][rows] for name in ("rgb", "depth", "semantic")]
            yield seen[0], seen[1], seen[2], kinds_of(homes, str(scene))


def targets(depth: Any, semantic: Any, table: Any, count: int) -> Any:
    """(N, COLUMNS, count) float16: nearness of the nearest pixel of each kind; `table` (ids, 2) numbers kinds, -1 none.

    A kind of fewer pixels than LEAST_PIXELS in a column is not told of.
    """
    column = np.broadcast_to(np.arange(SIDE) // (SIDE // COLUMNS), semantic.shape[1:])
    out = np.zeros((len(depth), COLUMNS * count), np.float16)
    for row, (metres, ids) in enumerate(zip(depth[..., 0], semantic)):
        near = nearness(metres)
        for kinds in table[np.where(ids < len(table), ids, 0)].transpose(2, 0, 1):
            known = kinds >= 0
            cells = (column * count + kinds)[known]
            best = np.zeros(COLUMNS * count, np.float32)
            np.maximum.at(best, cells, near[known])
            best[np.bincount(cells, minlength=len(best)) < LEAST_PIXELS] = 0
            out[row] = np.maximum(out[row], best)
    return out.reshape(len(depth), COLUMNS, count)


def learnable(homes: Path, walks: Path) -> list[str]:
    """Kinds of things and rooms that are often enough seen, sorted."""
    counts: dict[str, int] = {}
    total = 0
    for _, _, semantic, meaning in frames(homes, walks):
        for ids in semantic[::4]:
            total += 1
            pixels = np.bincount(ids.ravel().clip(0, len(meaning) - 1), minlength=len(meaning))
            for kind in {kind for number in np.flatnonzero(pixels >= 8) for kind in meaning[number] if kind}:
                counts[kind] = counts.get(kind, 0) + 1
    return sorted(kind for kind, count in counts.items() if count >= LEAST_FRAMES * total)


def examples(homes: Path, walks: Path, kinds: list[str]) -> tuple[Any, Any, Any]:
    """All frames: rgb (N, S, S, 3) uint8, nearness (N, S, S) uint8 of 255, targets (N, COLUMNS, K) float16."""
    number = {kind: place for place, kind in enumerate(kinds)}
    rows = []
    for rgb, depth, semantic, meaning in frames(homes, walks):
        table = np.array([[number.get(kind, -1) for kind in pair] for pair in meaning])
        near = (255 * nearness(depth[..., 0])).astype(np.uint8)
        rows.append((rgb, near, targets(depth, semantic, table, len(kinds))))
    rgb, near, wanted = (np.concatenate(column) for column in zip(*rows))
    return rgb, near, wanted


def batch(rgb: Any, near: Any) -> torch.Tensor:
    """(B, 4, S, S) in 0 .. 1 of both as bytes."""
    both = np.concatenate([rgb, near[..., None]], -1).transpose(0, 3, 1, 2)
    return torch.from_numpy(both.astype(np.float32) / 255)


def train(homes: Path, walks: Path, epochs: float, seed: int) -> tuple[Detector, list[str]]:
    """A detector and its kinds. A tenth of the frames, the last homes', tells how well it does."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    kinds = learnable(homes, walks)
    rgb, near, wanted = examples(homes, walks, kinds)
    held = len(rgb) // 10
    model = Detector(len(kinds))
    steps = int(epochs * (len(rgb) - held) / 64)
    optimiser = torch.optim.Adam(model.parameters(), 2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps)
    begun = time.monotonic()
    for step in range(steps):
        rows = np.sort(rng.integers(len(rgb) - held, size=64))
        shown, truth = batch(rgb[rows], near[rows]), torch.from_numpy(wanted[rows].astype(np.float32))
        if rng.random() < 0.5:
            shown, truth = shown.flip(3), truth.flip(1)
        bright = torch.empty(64, 3, 1, 1).uniform_(0.8, 1.2)
        shown[:, :3] = (shown[:, :3] * bright + 0.02 * torch.randn_like(shown[:, :3])).clamp(0, 1)
        loss = functional.binary_cross_entropy_with_logits(model(shown), truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            told = f"detector {step}/{steps}: loss {loss.item():.4f}, {time.monotonic() - begun:.0f} s\n"
            sys.stderr.write(told)
    sys.stderr.write(f"detector: {len(kinds)} kinds, on the last homes {score(model, rgb, near, wanted, held)}\n")
    return model, kinds


def score(model: Detector, rgb: Any, near: Any, wanted: Any, held: int) -> str:
    """How much of what is to be told of, in the last `held` frames, the model tells."""
    guessed = detected(model, rgb[-held:], near[-held:])
    truth = wanted[-held:].astype(np.float32)
    error = ((guessed - truth) ** 2).mean((0, 1)) / (truth.var((0, 1)) + 1e-6)
    return f"R2 {1 - np.median(error):.3f} (median of kinds)"


def detected(model: Detector, rgb: Any, near: Any) -> Any:
    """(N, COLUMNS, K) in 0 .. 1."""
    with torch.no_grad():
        out = [model(batch(rgb[k : k + 256], near[k : k + 256])).sigmoid() for k in range(0, len(rgb), 256)]
    return torch.cat(out).numpy()
