"""Weights as the SDK reads them: a compressed npz of half-precision arrays by torch's names, words and kinds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nav_eval_baselines.learned.network import LISTS, Network
from nav_eval_baselines.learned.words import UNKNOWN
from train_vln.model import Detector, Walker

TRAINED_WITH = ("far.", "there.", "now.", "point.")
"""Parts that nothing but training uses."""


def arrays(model: Walker) -> dict[str, np.ndarray]:
    """What inference needs, in half precision."""
    named = model.state_dict().items()
    return {name: value.numpy().astype(np.float16) for name, value in named if not name.startswith(TRAINED_WITH)}


def export(model: Walker, words: Sequence[str], kinds: Sequence[str], path: Path) -> None:
    held: dict[str, Any] = arrays(model)
    np.savez_compressed(path, words=np.array(words), kinds=np.array(kinds), **held)


class Exported:
    """A model to learn on from: what it was exported with."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self.words, self.kinds = (file[name].tolist() for name in LISTS)
            self._held = {name: torch.from_numpy(file[name]).float() for name in file.files if name not in LISTS}

    def detector(self) -> Detector:
        model = Detector(len(self.kinds))
        begin = "detector."
        held = {name: value for name, value in self._held.items() if name.startswith(begin)}
        model.load_state_dict({name.removeprefix(begin): value for name, value in held.items()})
        return model

    def enter(self, model: Walker) -> None:
        """Into a model that may know more words: at first those mean what an unknown one did."""
        words = self._held["embed.weight"]
        more = words[UNKNOWN].expand(model.embed.num_embeddings - len(words), -1)
        model.load_state_dict(self._held | {"embed.weight": torch.cat([words, more])}, strict=False)


def network(model: Walker) -> Network:
    """The same model in numpy, in single precision."""
    return Network({name: value.numpy() for name, value in model.state_dict().items()})
