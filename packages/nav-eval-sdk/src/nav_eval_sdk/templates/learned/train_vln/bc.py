"""Behaviour cloning: the walker learns what the oracle would have done at every step of walks."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from train_vln.model import Walker
from train_vln.walks import Walk, padded

WEIGHTS = torch.tensor([2.0, 1.0, 1.0, 1.0])
"""Of the actions: there is one stop in a walk."""
BATCH = 12


def fit(model: Walker, walks: Sequence[Walk], epochs: int, seed: int, rate: float = 1e-3) -> list[float]:
    """Trains in place; the mean loss of each epoch."""
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
            one = loss(model, padded([walks[row] for row in rows], rng))
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
    """Of the oracle's actions, and a tenth of how badly the nearness of the goal is guessed."""
    words, seen, motion, expert, near = held
    scores, guessed, _ = model(model.read(words), seen, motion)
    told = functional.cross_entropy(scores.flatten(0, 1), expert.flatten(), weight=WEIGHTS, ignore_index=-1)
    return told + 2.0 * ((guessed - near) ** 2)[expert >= 0].mean()


def _alike(walks: Sequence[Walk], rng: np.random.Generator) -> list[list[int]]:
    """Batches of walks of nearly the same length, in random order."""
    order = np.argsort([len(walk.expert) * rng.uniform(0.9, 1.1) for walk in walks])
    batches = [order[k : k + BATCH].tolist() for k in range(0, len(order), BATCH)]
    return [batches[k] for k in rng.permutation(len(batches))]
