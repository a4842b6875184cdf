"""The network in numpy, one observation at a time; the same arithmetic as examples/train_vln/model.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

LISTS = ("words", "kinds")
"""What is told beside the arrays: the vocabulary, and what the detector tells apart."""


class Network:
    """`weights`: the arrays of weights.npz by name, shapes as torch has them, (out, in)."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self._w = {name: np.asarray(value, np.float32) for name, value in weights.items() if name not in LISTS}
        self._size = self._w["first.weight_hh_l0"].shape[1]
        self.kinds = len(self._w["detector.kinds.bias"])

    def read(self, numbers: list[int]) -> tuple[Any, ...]:
        """Of an instruction: what each word is (n, 2 R), by what it is asked for (n, A), which kinds it names (n, K),
        the mean of the first (2 R,), and the kinds at the end of the way (K,)."""
        embedded = self._w["embed.weight"][numbers]
        forth = self._run("reader", "", embedded)
        back = self._run("reader", "_reverse", embedded[::-1])[::-1]
        words = np.concatenate([forth, back], axis=-1)
        tags = _softmax(self._linear("tag", words))[:, :-1]
        return words, self._linear("key", words), tags, words.mean(0), _softmax(self._linear("aim", words)[:, 0]) @ tags

    def begin(self) -> Any:
        """(2, H) what is remembered before the first step."""
        return np.zeros((2, self._size), np.float32)

    def detect(self, picture: Any) -> Any:
        """(CELLS, CELLS, K) how likely a thing of each kind is in each cell of the picture."""
        fine = picture
        for number in range(3):
            fine = np.maximum(self._convolved(f"detector.convs.{number}", fine, 2), 0)
        coarse = fine
        for number, stride in enumerate((2, 1)):
            coarse = np.maximum(self._convolved(f"detector.wide.{number}", coarse, stride), 0)
        fine, coarse = fine.transpose(1, 2, 0), coarse.transpose(1, 2, 0)
        around = self._linear("detector.around", coarse).repeat(2, axis=0).repeat(2, axis=1)
        whole = self._linear("detector.whole", coarse.mean((0, 1)))
        hidden = np.maximum(self._linear("detector.near", fine) + around + whole, 0)
        return _sigmoid(self._linear("detector.kinds", hidden))

    def step(self, text: tuple[Any, ...], around: Any, motion: Any, memory: Any) -> tuple[Any, Any]:
        """Scores of the four actions, and what is remembered then; `around`: what Surroundings tell, in 0 .. 1."""
        words, keys, tags, gist, aim = text
        places = np.maximum(self._linear("place", around), 0)
        looked = np.maximum(self._linear("look", np.concatenate([places.reshape(-1), motion])), 0)
        first = self._gru("first", "", np.concatenate([looked, gist]), memory[0])
        asked = self._linear("ask", first)
        due = _softmax(keys @ asked / np.sqrt(np.float32(len(asked))))
        heard, kinds = due @ words, around[:, : len(aim)]
        found, aimed = kinds @ (due @ tags), kinds @ aim
        second = self._gru("second", "", np.concatenate([looked, first, heard, found, aimed]), memory[1])
        return self._linear("decide", np.concatenate([second, heard])), np.stack([first, second])

    def _linear(self, name: str, x: Any) -> Any:
        return x @ self._w[f"{name}.weight"].T + self._w[f"{name}.bias"]

    def _run(self, name: str, direction: str, rows: Any) -> Any:
        state, states = np.zeros(self._w[f"{name}.weight_hh_l0{direction}"].shape[1], np.float32), []
        for row in rows:
            state = self._gru(name, direction, row, state)
            states.append(state)
        return np.stack(states)

    def _gru(self, name: str, direction: str, x: Any, state: Any) -> Any:
        given, held = (
            self._w[f"{name}.weight_{part}_l0{direction}"] @ value + self._w[f"{name}.bias_{part}_l0{direction}"]
            for part, value in (("ih", x), ("hh", state))
        )
        n = len(state)
        reset, update = _sigmoid(given[:n] + held[:n]), _sigmoid(given[n : 2 * n] + held[n : 2 * n])
        fresh = np.tanh(given[2 * n :] + reset * held[2 * n :])
        return (1 - update) * fresh + update * state

    def _convolved(self, name: str, x: Any, stride: int) -> Any:
        """3 x 3, padded by one: (in, H, W) -> (out, H / stride, W / stride)."""
        weight = self._w[f"{name}.weight"]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))[:, ::stride, ::stride]
        rows = windows.transpose(1, 2, 0, 3, 4).reshape(-1, weight[0].size)
        out = rows @ weight.reshape(len(weight), -1).T + self._w[f"{name}.bias"]
        return np.ascontiguousarray(out.T).reshape(len(weight), *windows.shape[1:3])


def _sigmoid(x: Any) -> Any:
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def _softmax(x: Any) -> Any:
    chance = np.exp(x - x.max(-1, keepdims=True))
    return chance / chance.sum(-1, keepdims=True)
