"""Behaviour cloning: the walker learns which way the oracle would have taken at every step of walks."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from nav_eval_baselines.learned.surroundings import DIRECTIONS
from train_vln.halves import in_halves
from train_vln.make_data import walk_with_oracle
from train_vln.model import HALF, Detector, Walker
from train_vln.walks import Walk, encode, join, padded

BATCH = 24


def walk(
    seer: Detector, homes: Path, split: str, episodes: Sequence[str], file: Path, *, seed: int, stop_within: float
) -> None:
    """The oracle's walks of these episodes, encoded."""
    join(in_halves(_walk, episodes, file.with_suffix(""), seer, homes, split, seed, stop_within), file)


def _walk(
    episodes: Sequence[str], place: Path, seer: Detector, homes: Path, split: str, seed: int, stop_within: float
) -> None:
    if not place.with_suffix(".pt").is_file():
        walk_with_oracle(homes, split, episodes, place, seed=seed, semantic=False, stop_within=stop_within)
        encode(place, homes, split, seer)


def fit(model: Walker, walks: Sequence[Walk], mirror: Any, epochs: int, seed: int, rate: float) -> list[float]:
    """Trains in place, at this rate at most; the mean loss of each epoch."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    trained = [p for name, p in model.named_parameters() if not name.startswith("detector.")]
    optimiser = torch.optim.AdamW(trained, rate, weight_decay=1e-3)
    batches = -(-len(walks) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=epochs * batches, pct_start=0.15)
    losses = []
    model.train()
    for epoch in range(epochs):
        begun, total = time.monotonic(), 0.0
        for rows in _alike(walks, rng):
            one = loss(model, padded([walks[row] for row in rows], rng, mirror))
            optimiser.zero_grad()
            one.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            schedule.step()
            total += one.item()
        losses.append(total / batches)
        sys.stderr.write(f"epoch {epoch}: loss {losses[-1]:.4f}, {time.monotonic() - begun:.0f} s\n")
    model.eval()
    return losses


def loss(model: Walker, held: tuple[Tensor, ...]) -> Tensor:
    """Of the oracle's actions, and, which helps to learn them, of where the shortest way leads, of where and how near
    the goal is, and of the kinds that words name."""
    words, tags, around, motion, expert, way, goal = held
    text = model.read(words)  # its many small steps would be slower in half precision
    with torch.autocast("cpu", torch.bfloat16, enabled=HALF):
        scores, directions, near, _ = model(text, around, motion)
    kinds, scores, directions, near = (one.float() for one in (text[2], scores, directions, near))
    told = functional.cross_entropy(scores.flatten(0, 1), expert.flatten(), ignore_index=-1)
    known = way >= 0
    leads = _pointed(directions[known][..., 0], way[known]).mean()
    lies = _pointed(directions[known][:, :DIRECTIONS, 1], bearing(goal[known][..., 1:])).mean()
    named = functional.cross_entropy(kinds.flatten(0, 1), tags.flatten(), ignore_index=-1)
    return told + 0.3 * (leads + lies + named) + 2.0 * ((near - goal[..., 0]) ** 2)[known].mean()


def bearing(away: Tensor) -> Tensor:
    """(n,) the direction, of DIRECTIONS with a fraction, of what lies (n, 2) ahead and right."""
    found = torch.atan2(away[..., 1], away[..., 0]) * DIRECTIONS / (2 * torch.pi) % DIRECTIONS
    return torch.where(found < DIRECTIONS, found, 0)  # what is next to nothing below 0 is rounded up to DIRECTIONS


def _pointed(scores: Tensor, direction: Tensor) -> Tensor:
    """Cross-entropy (n,) of the two directions that a fractional one lies between; STOP is none of them."""
    chances = scores.log_softmax(-1)
    before = direction.floor()
    share = direction - before
    after = torch.where(before < DIRECTIONS, (before + 1) % DIRECTIONS, before)
    first, second = (chances.gather(-1, place.long()[:, None])[:, 0] for place in (before, after))
    return -((1 - share) * first + share * second)


def _alike(walks: Sequence[Walk], rng: np.random.Generator) -> list[list[int]]:
    """Batches of walks of nearly the same length, in random order."""
    order = np.argsort([len(walk.expert) * rng.uniform(0.9, 1.1) for walk in walks])
    batches = [order[k : k + BATCH].tolist() for k in range(0, len(order), BATCH)]
    return [batches[k] for k in rng.permutation(len(batches))]
