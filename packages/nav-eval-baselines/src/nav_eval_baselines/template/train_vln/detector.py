"""Distils the semantic sensor: from colour and depth, whether a thing or room of each kind is in each cell."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from nav_eval.gym.recording import parts
from nav_eval_baselines.learned.senses import CELLS, SIDE, nearness
from train_vln import lenses
from train_vln.model import HALF, Detector
from train_vln.naming import ROOM, names

MIN_SHARE = 0.1
"""Of a cell that a thing must fill."""
MIN_FRAMES = 0.003
"""Share of the frames in which a kind must be seen to be learned."""
EVEN = 0.05
"""Share of the cells below which the cells where a kind is weigh more."""
STRUCTURE = ("door", "doorway")
"""Learned as well, though they have no names of their own."""
DARK, TINT, GRAIN = 2.3, 0.5, 0.03
"""Of stored values from 0 to 1: logarithms of the most that a picture is darkened and a colour changed by, and the
largest deviation of noise."""


def kinds_of(homes: Path, scene: str) -> list[tuple[str, str]]:
    """(thing, room) by the numbers of the semantic sensor; 0 is nothing."""
    told = json.loads((homes / scene).with_suffix(".semantic.json").read_bytes())
    rooms = {region["id"]: ROOM.format(region["category"]) for region in told["regions"]}
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


def targets(semantic: Any, table: Any, count: int) -> Any:
    """(N, CELLS, CELLS, count) bool, whether a kind fills MIN_SHARE of a cell.

    `table` (ids, 2) has the numbers of the kinds of what the semantic sensor sees, -1 none.
    """
    step = SIDE // CELLS
    row = np.arange(SIDE) // step
    cell = row[:, None] * CELLS + row
    out = np.zeros((len(semantic), CELLS * CELLS * count), bool)
    for place, ids in enumerate(semantic):
        for kinds in table[np.where(ids < len(table), ids, 0)].transpose(2, 0, 1):
            known = kinds >= 0
            pixels = np.bincount((cell * count + kinds)[known], minlength=out.shape[1])
            out[place] |= pixels >= MIN_SHARE * step**2
    return out.reshape(-1, CELLS, CELLS, count)


def learnable(homes: Path, walks: Path) -> list[str]:
    """Kinds of things that instructions name, and of rooms, that are often enough seen, sorted."""
    named = {*names().values(), *STRUCTURE}
    counts: dict[str, int] = {}
    total = 0
    for _, _, semantic, meaning in frames(homes, walks):
        for ids in semantic[::4]:
            total += 1
            pixels = np.bincount(ids.ravel().clip(0, len(meaning) - 1), minlength=len(meaning))
            for kind in {kind for number in np.flatnonzero(pixels >= 24) for kind in meaning[number]} & named:
                counts[kind] = counts.get(kind, 0) + 1
    return sorted(kind for kind, count in counts.items() if count >= MIN_FRAMES * total)


def examples(homes: Path, walks: Path, kinds: list[str]) -> tuple[Any, Any, Any]:
    """All frames: rgb (N, S, S, 3) uint8, nearness (N, S, S) uint8 of 255, targets (N, CELLS, CELLS, K) bool."""
    number = {kind: place for place, kind in enumerate(kinds)}
    rows = []
    for rgb, depth, semantic, meaning in frames(homes, walks):
        table = np.array([[number.get(kind, -1) for kind in pair] for pair in meaning])
        near = (255 * nearness(depth[..., 0])).astype(np.uint8)
        rows.append((rgb, near, targets(semantic, table, len(kinds))))
    rgb, near, wanted = (np.concatenate(column) for column in zip(*rows))
    return rgb, near, wanted


def batch(rgb: Any, near: Any) -> torch.Tensor:
    """(B, 4, S, S) in 0 .. 1, channels last, of both as bytes."""
    both = np.concatenate([rgb, near[..., None]], -1).astype(np.float32)
    return torch.from_numpy(both / 255).permute(0, 3, 1, 2)


def in_other_light(rgb: Tensor) -> Tensor:
    """(B, 3, S, S) in 0 .. 1: half of the pictures are darkened, half tinted, half noisy, and a third out of focus.

    Stored values are about the square root of light: the darkest tenth is a hundredth of it.
    """

    def half_of(channels: int, low: float, high: float) -> Tensor:
        return _uniform(rgb, channels, low, high) * (torch.rand(len(rgb), 1, 1, 1) < 0.5)

    lit = rgb * _uniform(rgb, 3, 0.8, 1.2) * torch.exp(half_of(3, -TINT, TINT) - half_of(1, 0, DARK))
    soft = torch.rand(len(rgb)) < 0.3
    lit[soft] = _out_of_focus(lit[soft], int(torch.randint(SIDE // 8, SIDE // 2, ())))
    lit = lit + half_of(1, 0, GRAIN) * torch.randn(rgb.shape)
    return (255 * lit.clamp(0, 1)).round() / 255


def _uniform(rgb: Tensor, channels: int, low: float, high: float) -> Tensor:
    return torch.empty(len(rgb), channels, 1, 1).uniform_(low, high)


def _out_of_focus(rgb: Tensor, side: int) -> Tensor:
    """As sharp as a picture of so many pixels."""
    small = functional.interpolate(rgb, (side, side), mode="bilinear", antialias=True)
    return functional.interpolate(small, rgb.shape[2:], mode="bilinear")


def train(
    homes: Path, walks: Path, epochs: float, seed: int, before: tuple[Detector, list[str]] | None = None
) -> tuple[Detector, list[str]]:
    """A detector and its kinds, new ones or those of before.

    A tenth of the frames, the last homes', tells how well it does.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    kinds = before[1] if before else learnable(homes, walks)
    rgb, near, wanted = examples(homes, walks, kinds)
    held = len(rgb) // 10
    model = (before[0] if before else Detector(len(kinds))).to(memory_format=torch.channels_last).train()
    share = torch.from_numpy(wanted[:-held].mean((0, 1, 2)).astype(np.float32)).clamp(1e-5)
    if not before:
        model.kinds.bias.data = torch.log(share / (1 - share))
    rare = (EVEN / share).sqrt().clamp(1, 8)
    steps = int(epochs * (len(rgb) - held) / 64)
    optimiser = torch.optim.Adam(model.parameters())
    most = 2e-3 if before else 4e-3
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, most, total_steps=steps, pct_start=0.15)
    begun = time.monotonic()
    for step in range(steps):
        rows = np.sort(rng.integers(len(rgb) - held, size=64))
        shown = batch(*lenses.narrowed(rgb[rows], near[rows], lenses.drawn(len(rows), rng)))
        truth = torch.from_numpy(wanted[rows].astype(np.float32))
        if rng.random() < 0.5:
            shown, truth = shown.flip(3), truth.flip(2)
        shown[:, :3] = in_other_light(shown[:, :3])
        with torch.autocast("cpu", torch.bfloat16, enabled=HALF):
            logits = model(shown)
        loss = functional.binary_cross_entropy_with_logits(logits.float(), truth, pos_weight=rare)
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
    """How well the model tells what is in the cells of the last `held` frames."""
    told, truth = detected(model, rgb[-held:], near[-held:]) > 0.5, wanted[-held:]
    axes = (0, 1, 2)
    both, any_of = (told & truth).sum(axes), told.sum(axes) + truth.sum(axes)
    seen = truth.sum(axes) > 0
    return f"F1 {np.median(2 * both[seen] / any_of[seen]):.3f} (median of kinds)"


def detected(model: Detector, rgb: Any, near: Any) -> Any:
    """(N, CELLS, CELLS, K) in 0 .. 1."""
    with torch.no_grad():
        out = [model(batch(rgb[k : k + 64], near[k : k + 64])).sigmoid() for k in range(0, len(rgb), 64)]
    return torch.cat(out).numpy()
