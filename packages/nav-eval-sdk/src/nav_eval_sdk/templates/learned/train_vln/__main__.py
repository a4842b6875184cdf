"""From nothing to weights: homes, walks, detector, behaviour cloning, DAgger, the round that does best, export.

    python -m train_vln FOLDER [--sizes full|short|quick] [--seed N]
Each stage leaves a file in the folder; called again, it goes on after the last one.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nav_eval_sdk.examples.learned.words import Reader, vocabulary
from train_vln import bc, dagger, detector, make_data
from train_vln.export import export
from train_vln.model import Detector, Walker
from train_vln.walks import Walk, encoded


@dataclass(frozen=True)
class Sizes:
    """How much of everything. The detector learns in homes of its own: on those it errs less than it will elsewhere."""

    see: int = 32
    walk: int = 64
    val: int = 8
    paths: int = 16
    detector_epochs: float = 15.0
    bc_epochs: int = 12
    rounds: Sequence[tuple[float, int, int]] = ((0.3, 2, 6), (0.0, 2, 6), (0.0, 2, 6), (0.0, 2, 5), (0.0, 2, 5))
    """Of DAgger: how often the oracle acts, every how many-th path is walked, and epochs over all walks so far."""


SIZES = {
    "full": Sizes(),
    "short": Sizes(detector_epochs=5, bc_epochs=6, rounds=((0.4, 2, 6),)),
    "quick": Sizes(see=1, walk=1, val=1, paths=3, detector_epochs=2, bc_epochs=20, rounds=((0.5, 1, 1),)),
}
"""full: about an hour of one core. short: ten minutes, which tells little of what it can reach. quick: that it runs."""


def main(given: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="train_vln", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument(
        "--sizes", choices=SIZES, default="full", help="quick: two homes and a minute, to see that it runs"
    )
    options.add_argument("--seed", type=int, default=0, help="of the training; homes and paths are the same")
    chosen = options.parse_args(given)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    Training(chosen.folder, SIZES[chosen.sizes], chosen.seed).run()


class Training:
    def __init__(self, folder: Path, sizes: Sizes, seed: int) -> None:
        self.folder, self.sizes, self.seed = folder, sizes, seed
        self.homes = {name: folder / "homes" / name for name in ("see", "walk", "val")}

    def run(self) -> Path:
        """Everything that is not there yet; returns the file of weights."""
        self.data()
        seer, kinds = self.detector()
        texts = [one["instruction"]["instruction_text"] for one in make_data.told(self.homes["walk"], "walk")]
        words = vocabulary(texts)
        model = self.walker(seer, kinds, Reader(words))
        weights = self.folder / "weights.npz"
        export(model, words, weights)
        say(f"{weights}: {weights.stat().st_size / 1e6:.2f} MB, {len(words)} words, {len(kinds)} kinds")
        return weights

    def data(self) -> None:
        for name, homes in self.homes.items():
            rooms, assets = (range(5, 6), "val") if name == "val" else (range(4, 7), "train")
            seeds = [f"{name}-{number}" for number in range(getattr(self.sizes, name))]
            make_data.make_homes(homes, seeds, rooms, assets)  # type: ignore[arg-type]
            make_data.make_paths(homes, {name: slice(None)}, self.sizes.paths, "learn")

    def detector(self) -> tuple[Detector, list[str]]:
        kept, walks = self.folder / "detector.pt", self.folder / "walks" / "see"
        if not kept.is_file():
            make_data.walk_with_oracle(self.homes["see"], "see", walks, every=2, seed=1, semantic=True)
            model, kinds = detector.train(self.homes["see"], walks, self.sizes.detector_epochs, self.seed)
            torch.save((model.state_dict(), kinds), kept)
        state, kinds = torch.load(kept, weights_only=False)
        model = Detector(len(kinds))
        model.load_state_dict(state)
        return model.eval(), kinds

    def walker(self, seer: Detector, kinds: Sequence[str], reader: Reader) -> Walker:
        """The round that walks best in homes for choosing."""
        homes, out = self.homes["walk"], self.folder / "walks"
        if not (out / "walk.pt").is_file():
            make_data.walk_with_oracle(homes, "walk", out / "walk", every=1, seed=2, semantic=False)
        walks = encoded(out / "walk", homes, "walk", seer, kinds, reader)
        model = Walker(len(reader), seer.kinds.out_features)
        model.detector = seer
        found = [self._round(model, 0, walks, self.sizes.bc_epochs, reader)]
        for number, (expert, every, epochs) in enumerate(self.sizes.rounds, 1):
            place = out / f"round{number}"
            if not place.with_suffix(".pt").is_file():
                chosen = self._one_each("walk", partial(lambda number, place: place // 2 + number, number))[
                    number % every :: every
                ]
                dagger.walk(model, reader, homes, "walk", place, expert=expert, episodes=chosen, seed=number)
            walks += encoded(place, homes, "walk", seer, kinds, reader)
            found.append(self._round(model, number, walks, epochs, reader))
        best = int(np.argmax(found))
        model.load_state_dict(torch.load(self.folder / f"round{best}.pt", weights_only=False)[0])
        say(f"taken: round {best}")
        return model.eval()

    def _round(self, model: Walker, number: int, walks: list[Walk], epochs: int, reader: Reader) -> float:
        """Fit, unless it is done; mean success in both languages in the homes for choosing."""
        kept = self.folder / f"round{number}.pt"
        if not kept.is_file():
            losses = bc.fit(model, walks, np.array(reader.mirror()), epochs, self.seed + number)
            chosen = self._one_each("val", lambda place: place % 6)
            found = dagger.success(model, reader, self.homes["val"], "val", self.folder / "walks" / "val", chosen)
            say(f"round {number}: {len(walks)} walks, {json.dumps(found)}")
            torch.save((model.state_dict(), losses, found), kept)
        state, _, found = torch.load(kept, weights_only=False)
        model.load_state_dict(state)
        return float(np.mean([value for name, value in found.items() if name.endswith("_success")]))

    def _one_each(self, split: str, wording: Callable[[int], int]) -> list[str]:
        """An episode for each path: which of its wordings, English first, by the path's place."""
        wordings: dict[Any, list[str]] = {}
        for one in make_data.told(self.homes[split], split):
            wordings.setdefault(one["trajectory_id"], []).append(str(one["episode_id"]))
        return [ids[wording(place) % len(ids)] for place, ids in enumerate(wordings.values())]


def say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
