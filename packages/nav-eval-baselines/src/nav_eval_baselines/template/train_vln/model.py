"""The network in torch, for training; nav_eval_baselines.learned.network computes the same in numpy."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from nav_eval_baselines.learned.senses import MOTION
from nav_eval_baselines.learned.surroundings import BANDS, PLACES

HALF = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
"""Whether half precision is quicker: processors without it take seven times as long."""
FINE, COARSE, SEEN = (4, 16, 32, 64), (64, 96, 96), 96
PLACE, EMBED, READ, ASK, HIDDEN, POINT = 48, 64, 64, 64, 192, 64


class Detector(nn.Module):
    """(B, 4, SIDE, SIDE) pictures -> (B, CELLS, CELLS, K) logits of whether a thing of each kind is in each cell."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(a, b, 3, 2, 1) for a, b in pairwise(FINE)])
        self.wide = nn.ModuleList([nn.Conv2d(a, b, 3, s, 1) for a, b, s in zip(COARSE, COARSE[1:], (2, 1))])
        self.near = nn.Linear(FINE[-1], SEEN)
        self.around = nn.Linear(COARSE[-1], SEEN)
        self.whole = nn.Linear(COARSE[-1], SEEN)
        self.kinds = nn.Linear(SEEN, kinds)

    def forward(self, pictures: Tensor) -> Tensor:
        fine = pictures
        for conv in self.convs:
            fine = functional.relu(conv(fine))
        coarse = fine
        for conv in self.wide:
            coarse = functional.relu(conv(coarse))
        fine, coarse = fine.permute(0, 2, 3, 1), coarse.permute(0, 2, 3, 1)
        around = self.around(coarse).repeat_interleave(2, 1).repeat_interleave(2, 2)
        hidden = self.near(fine) + around + self.whole(coarse.mean((1, 2)))[:, None, None]
        logits: Tensor = self.kinds(functional.relu(hidden))
        return logits


class Walker(nn.Module):
    """Instruction, what is around and the body's motion -> scores of the four actions.

    `tag` tells of each word which kind it names; in which directions such things are goes to a second memory: those of
    the words that are due, for which a first memory asks, and those of the words at the end of the way, which `aim`
    picks. `point` scores the directions, each by what is there: whether the shortest way leads there, and whether the
    goal lies there; `far` guesses exp(-distance to the goal / 3 m). Both are for training alone.
    """

    def __init__(self, words: int, kinds: int) -> None:
        super().__init__()
        self.detector = Detector(kinds)
        self.embed = nn.Embedding(words + 2, EMBED, padding_idx=0)
        self.reader = nn.GRU(EMBED, READ, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(2 * READ, kinds + 1)
        self.aim = nn.Linear(2 * READ, 1)
        self.key = nn.Linear(2 * READ, ASK)
        self.place = nn.Linear(kinds + BANDS, PLACE)
        self.look = nn.Linear(PLACES * PLACE + MOTION, HIDDEN)
        self.first = nn.GRU(HIDDEN + 2 * READ, HIDDEN, batch_first=True)
        self.ask = nn.Linear(HIDDEN, ASK)
        self.second = nn.GRU(2 * HIDDEN + 2 * READ + 2 * PLACES, HIDDEN, batch_first=True)
        self.decide = nn.Linear(HIDDEN + 2 * READ, 4)
        self.there = nn.Linear(PLACE + 2, POINT)
        self.now = nn.Linear(HIDDEN + 2 * READ, POINT)
        self.point = nn.Linear(POINT, 2)
        self.far = nn.Linear(HIDDEN, 1)
        self.drop = nn.Dropout(0.2)

    def read(self, numbers: Tensor) -> tuple[Tensor, ...]:
        """(B, N) numbers of words, 0 pads -> words (B, N, 2 R), keys (B, N, A), tags (B, N, K + 1) logits,
        gist (B, 2 R), aim (B, K), mask (B, N)."""
        mask = numbers > 0
        lengths = mask.sum(1)
        embedded = self.drop(self.embed(numbers))
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        words, _ = nn.utils.rnn.pad_packed_sequence(
            self.reader(packed)[0], batch_first=True, total_length=numbers.shape[1]
        )
        tags = self.tag(words)
        weights = self.aim(words)[..., 0].masked_fill(~mask, -1e9).softmax(-1)
        aim = (weights[:, None] @ tags.softmax(-1))[:, 0, :-1]
        return words, self.key(words), tags, words.sum(1) / lengths[:, None], aim, mask

    def forward(
        self, text: tuple[Tensor, ...], around: Tensor, motion: Tensor, memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """`around` (B, T, PLACES, K + BANDS), `motion` (B, T, MOTION), `memory` (2, B, H) or None.

        Scores of the actions (B, T, 4); of the directions, PLACES - 1 is to stay (B, T, PLACES, 2); how near the goal
        is (B, T); memory.
        """
        words, keys, tags, gist, aim, mask = text
        before = (None, None) if memory is None else (memory[:1].contiguous(), memory[1:].contiguous())
        places = functional.relu(self.place(around))
        looked = self.drop(functional.relu(self.look(torch.cat([places.flatten(2), motion], -1))))
        gists = gist[:, None].expand(-1, around.shape[1], -1)
        first, one = self.first(torch.cat([looked, gists], -1), before[0])
        due = self.ask(first) @ keys.transpose(1, 2) / ASK**0.5
        chosen = due.masked_fill(~mask[:, None], -1e9).softmax(-1)
        heard, named = chosen @ words, (chosen @ tags.softmax(-1))[..., :-1]
        kinds = around[..., : aim.shape[-1]]
        found = (kinds @ named[..., None])[..., 0]
        aimed = (kinds @ aim[:, None, :, None])[..., 0]
        second, two = self.second(torch.cat([looked, first, heard, found, aimed], -1), before[1])
        decided = torch.cat([self.drop(second), heard], -1)
        there = self.there(torch.cat([places, found[..., None], aimed[..., None]], -1))
        directions = self.point(functional.relu(there + self.now(decided)[:, :, None]))
        return self.decide(decided), directions, self.far(second)[..., 0].sigmoid(), torch.cat([one, two])
