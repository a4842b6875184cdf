"""The network in torch, for training; nav_eval_sdk.examples.learned.network computes the same in numpy."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from nav_eval_sdk.examples.learned.senses import BANDS, COLUMNS, MOTION

WIDTHS = (4, 16, 32, 64, 96)
COLUMN = 64
EMBED, READ, ASK, HIDDEN = 64, 64, 64, 192


class Detector(nn.Module):
    """(B, 4, S, S) pictures -> (B, COLUMNS, K) logits of how near a thing of each kind is in each column."""

    def __init__(self, kinds: int) -> None:
        super().__init__()
        pairs = zip(WIDTHS, WIDTHS[1:], (2, 2, 2, 1))
        self.convs = nn.ModuleList([nn.Conv2d(a, b, 3, stride, 1) for a, b, stride in pairs])
        self.hidden = nn.Linear(3 * WIDTHS[-1], 128)
        self.kinds = nn.Linear(128, kinds)

    def forward(self, pictures: Tensor) -> Tensor:
        x = pictures
        for conv in self.convs:
            x = functional.relu(conv(x))
        whole = x.mean((2, 3))[:, :, None].expand(-1, -1, COLUMNS)
        columns = torch.cat([x.amax(2), x.mean(2), whole], 1).transpose(1, 2)
        logits: Tensor = self.kinds(functional.relu(self.hidden(columns)))
        return logits


class Walker(nn.Module):
    """Instruction, what is detected and the body's motion -> scores of the four actions.

    A first memory of what was seen asks the instruction which words are due; these ask the columns where what they
    name is; a second memory decides. `far` guesses exp(-distance to the goal / 3 m), which only training uses.
    """

    def __init__(self, words: int, kinds: int) -> None:
        super().__init__()
        self.detector = Detector(kinds)
        self.embed = nn.Embedding(words + 2, EMBED, padding_idx=0)
        self.reader = nn.GRU(EMBED, READ, batch_first=True, bidirectional=True)
        self.key = nn.Linear(2 * READ, ASK)
        self.look = nn.Linear(COLUMNS * (kinds + BANDS) + MOTION, HIDDEN)
        self.first = nn.GRU(HIDDEN + 2 * READ, HIDDEN, batch_first=True)
        self.ask = nn.Linear(HIDDEN, ASK)
        self.column = nn.Linear(kinds + BANDS, COLUMN)
        self.place = nn.Parameter(torch.zeros(COLUMNS, COLUMN))
        self.seek = nn.Linear(2 * READ, COLUMN)
        joined = 2 * HIDDEN + 2 * READ + COLUMN + COLUMNS
        self.second = nn.GRU(joined, HIDDEN, batch_first=True)
        self.decide = nn.Linear(HIDDEN + 2 * READ, 4)
        self.far = nn.Linear(HIDDEN, 1)
        self.drop = nn.Dropout(0.2)

    def read(self, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(B, N) numbers of words, 0 pads -> words (B, N, 2 R), keys (B, N, A), gist (B, 2 R), mask (B, N)."""
        mask = numbers > 0
        lengths = mask.sum(1)
        embedded = self.drop(self.embed(numbers))
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        words, _ = nn.utils.rnn.pad_packed_sequence(
            self.reader(packed)[0], batch_first=True, total_length=numbers.shape[1]
        )
        return words, self.key(words), words.sum(1) / lengths[:, None], mask

    def forward(
        self, text: tuple[Tensor, ...], seen: Tensor, motion: Tensor, memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """`seen` (B, T, COLUMNS, K + BANDS), `motion` (B, T, MOTION), `memory` (2, B, H) or None.

        Scores (B, T, 4), guesses of how near the goal is (B, T), memory.
        """
        words, keys, gist, mask = text
        before = (None, None) if memory is None else (memory[:1].contiguous(), memory[1:].contiguous())
        looked = self.drop(functional.relu(self.look(torch.cat([seen.flatten(2), motion], -1))))
        gists = gist[:, None].expand(-1, seen.shape[1], -1)
        first, one = self.first(torch.cat([looked, gists], -1), before[0])
        due = self.ask(first) @ keys.transpose(1, 2) / ASK**0.5
        heard = due.masked_fill(~mask[:, None], -1e9).softmax(-1) @ words
        columns = self.column(seen) + self.place
        found = (columns @ self.seek(heard)[..., None])[..., 0] / COLUMN**0.5
        meant = (found.softmax(-1)[..., None] * columns).sum(-2)
        second, two = self.second(torch.cat([looked, first, heard, meant, found], -1), before[1])
        scores = self.decide(torch.cat([self.drop(second), heard], -1))
        return scores, self.far(second)[..., 0].sigmoid(), torch.cat([one, two])
