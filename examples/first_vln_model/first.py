"""A first model that follows instructions, learned from walks in LeRobot files.

Picture, surroundings and motion go through a memory, which asks the instruction what is due; a second one acts.
    python first.py WALKS [WALKS ...] [--without mirror clauses ...] [--epochs 10] [--out first.pt]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from walks import PLACES, SMALL, TOLD, drawn, read_once

from nav_eval_baselines.learned import ACTIONS

TRICKS = ("stops", "eager", "mirror", "clauses", "bumps", "history", "depth")
WORD, HIDDEN, BATCH, RATE = 48, 160, 4, 2e-3
EAGER = 0.7
"""Added to the score of stopping, because nothing is won by who never does."""


class Network(nn.Module):
    def __init__(self, known: list[str], without: list[str]) -> None:
        super().__init__()
        self.known, self.without = known, without
        self.numbers = {word: number for number, word in enumerate(known, 2)}
        convs = (nn.Conv2d(4, 32, 4, 4), nn.ReLU(), nn.Conv2d(32, 48, 3, 2, 1), nn.ReLU())
        self.eye = nn.Sequential(*convs, nn.Flatten(), nn.Linear(48 * (SMALL // 8) ** 2, HIDDEN), nn.ReLU())
        self.embed = nn.Embedding(len(known) + 2, WORD, padding_idx=0)
        self.reader = nn.GRU(WORD, WORD, batch_first=True, bidirectional=True)
        self.look = nn.Linear(HIDDEN + PLACES * TOLD + 8, HIDDEN)
        self.first = nn.GRU(HIDDEN + 2 * WORD, HIDDEN, batch_first=True)
        self.ask = nn.Linear(HIDDEN, 2 * WORD)
        self.second = nn.GRU(2 * HIDDEN + 2 * WORD, HIDDEN, batch_first=True)
        self.decide = nn.Linear(HIDDEN + 2 * WORD, len(ACTIONS))
        self.far = nn.Linear(HIDDEN, 1)

    def read(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """(B, N) words, 0 pads -> (B, N, 2 WORD), and their mean."""
        lengths = (numbers > 0).sum(1)
        packed = pack_padded_sequence(self.embed(numbers), lengths, batch_first=True, enforce_sorted=False)
        words, _ = pad_packed_sequence(self.reader(packed)[0], batch_first=True)
        return words, words.sum(1) / lengths[:, None]

    def forward(self, text: Any, numbers: Tensor, seen: Any, memory: Any = (None, None)) -> tuple[Any, ...]:
        """`seen` (B, T, ...) -> scores (B, T, 4), attention (B, T, N), nearness of the goal (B, T), memory."""
        (words, gist), (picture, around, motion) = text, seen
        batch, steps = motion.shape[:2]
        if "depth" in self.without:
            picture = picture * torch.tensor([1, 1, 1, 0])[:, None, None]
            motion = motion * 0
        if "depth" in self.without or "bumps" in self.without:
            around = around * 0
        eye = self.eye(picture.flatten(0, 1).float() / 255).view(batch, steps, -1)
        looked = self.look(torch.cat([eye, around.flatten(2).float() / 255, motion], -1)).relu()
        first, kept = self._remember(
            self.first, torch.cat([looked, gist[:, None].expand(-1, steps, -1)], -1), memory[0]
        )
        asked = self.ask(first) @ words.transpose(1, 2) / (2 * WORD) ** 0.5
        attention = asked.masked_fill(numbers[:, None] == 0, -1e9).softmax(-1)
        heard = attention @ words
        second, last = self._remember(self.second, torch.cat([looked, first, heard], -1), memory[1])
        return self.decide(torch.cat([second, heard], -1)), attention, self.far(second)[..., 0], (kept, last)

    def _remember(self, cell: nn.GRU, given: Tensor, memory: Tensor | None) -> tuple[Tensor, Any]:
        if "history" not in self.without:
            return cell(given, memory)
        return cell(given.flatten(0, 1)[:, None])[0].view(*given.shape[:2], -1), None


def loss_of(network: Network, walks: list[dict[str, Any]], rng: np.random.Generator) -> Tensor:
    shown = (drawn(walk, network.numbers, network.without, rng) for walk in walks)
    columns = [[torch.from_numpy(row) for row in rows] for rows in zip(*shown)]
    numbers, parts, *seen, expert, part, near = (pad_sequence(rows, batch_first=True) for rows in columns)
    real = pad_sequence([torch.ones(len(rows)) for rows in columns[5]], batch_first=True) > 0
    scores, attention, guess, _ = network(network.read(numbers), numbers, seen)
    loss = cross_entropy(scores[real], expert[real]) + (guess[real].sigmoid() - near[real]).square().mean()
    if "clauses" not in network.without:
        due = (attention * (parts[:, None] == part[..., None])).sum(-1)[real & (part >= 0)]
        loss = loss + 0.3 * -(due + 1e-3).log().mean() if len(due) else loss
    return loss


def train(walks: list[dict[str, Any]], without: list[str], epochs: int, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    words = [word for walk in walks for text in walk["texts"] for part in text for word in part]
    found, counts = np.unique(words, return_counts=True)
    network = Network([str(word) for word in found[counts > 1]], without)
    steps = epochs * -(-len(walks) // BATCH)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps, pct_start=0.1)
    for epoch in range(epochs):
        order, losses = rng.permutation(len(walks)), []
        for batch in np.array_split(order, -(-len(walks) // BATCH)):
            loss = loss_of(network, [walks[place] for place in batch], rng)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        sys.stdout.write(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}, {time.process_time():.0f} CPU s\n")
        sys.stdout.flush()
    if "eager" not in without:
        network.decide.bias.data[0] += EAGER
    return network


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("walks", type=Path, nargs="+")
    options.add_argument("--without", nargs="*", choices=TRICKS, default=[])
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--out", type=Path, default=Path("first.pt"))
    given = options.parse_args()
    network = train([walk for folder in given.walks for walk in read_once(folder)], given.without, given.epochs)
    torch.save({"known": network.known, "without": network.without, "weights": network.state_dict()}, given.out)


if __name__ == "__main__":
    main()
