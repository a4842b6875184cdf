"""Weights as the SDK reads them: a compressed npz of half-precision arrays by torch's names, and the words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval_baselines.learned.network import Network
from train_vln.model import Walker

TRAINED_WITH = ("far.", "there.", "now.", "point.")
"""Parts that nothing but training uses."""


def arrays(model: Walker) -> dict[str, np.ndarray]:
    """What inference needs, in half precision."""
    named = model.state_dict().items()
    return {name: value.numpy().astype(np.float16) for name, value in named if not name.startswith(TRAINED_WITH)}


def export(model: Walker, words: Sequence[str], path: Path) -> None:
    held: dict[str, Any] = arrays(model)
    np.savez_compressed(path, words=np.array(words), **held)


def network(model: Walker) -> Network:
    """The same model in numpy, in single precision."""
    return Network({name: value.numpy() for name, value in model.state_dict().items()})
