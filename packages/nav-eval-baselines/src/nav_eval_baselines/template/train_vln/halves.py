"""Both halves of many episodes at the same time, each in a process of its own."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch

FEWEST = 64
"""Episodes for which a second process pays: it takes seconds to start."""


def in_halves(work: Callable[..., None], episodes: Sequence[str], folder: Path, *given: Any) -> list[Path]:
    """`work(episodes, place, *given)` for each half; the places in `folder`, in the order of the episodes.

    Halves on every machine, however many cores it has, so that chance draws the same. `work` is found by its name.
    """
    middle = len(episodes) // 2 if len(episodes) >= FEWEST else len(episodes)
    halves = [half for half in (episodes[:middle], episodes[middle:]) if half]
    places = [folder / f"half{number}" for number in range(len(halves))]
    if len(halves) == 1:
        work(episodes, places[0], *given)
        return places
    with ProcessPoolExecutor(len(halves), multiprocessing.get_context("spawn"), begin_process) as pool:
        for done in [pool.submit(work, half, place, *given) for half, place in zip(halves, places)]:
            done.result()
    return places


def begin_process() -> None:
    """One thread for each, and lines that tell how far it is."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
