"""From nothing to weights: homes, walks, detector, behaviour cloning, DAgger, the round that does best, export.

    python -m train_vln FOLDER [--sizes full|short|quick] [--seed N] [--stop-within METRES]
    python -m train_vln FOLDER --sizes further --begin-with WEIGHTS

Each stage leaves a file in the folder; called again, it goes on after the last one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nav_eval_baselines.learned.words import Reader, vocabulary
from train_vln import bc, dagger, detector, make_data
from train_vln.export import Exported, export
from train_vln.halves import begin_process
from train_vln.model import Detector, Walker
from train_vln.walks import Walk, encoded


@dataclass(frozen=True)
class Sizes:
    """How much of everything. The detector learns in homes of its own: on those it errs less than it will elsewhere."""

    see: int = 32
    walk: int = 56
    far: int = 56
    val: int = 8
    paths: int = 16
    detector_epochs: float = 15.0
    rounds: Sequence[tuple[float, int, int]] = ((1.0, 1, 12), (0.3, 3, 5), *[(0.0, 3, 5)] * 4, (0.0, 3, 8))
    """How often the oracle acts, every how many-th path is walked, and epochs over all walks so far. Where the oracle
    walks alone, that is behaviour cloning; the others are DAgger."""
    rate: float = 1.5e-3
    """Of learning to walk."""


SIZES = {
    "full": Sizes(),
    "short": Sizes(see=12, walk=16, far=16, val=4, detector_epochs=10, rounds=((1.0, 1, 8), (0.3, 2, 4), (0.0, 2, 5))),
    "further": Sizes(
        see=12,
        walk=6,
        far=24,
        val=3,
        detector_epochs=5,
        rounds=((0.3, 3, 12), (0.0, 3, 10), *[(0.0, 3, 8)] * 2),
        rate=8e-4,
    ),
    "quick": Sizes(see=1, walk=1, far=1, val=1, paths=3, detector_epochs=2, rounds=((1.0, 1, 20), (0.5, 1, 1))),
}
"""full: about 90 minutes of two cores. short: a fifth of it, which tells little of what it can reach. further: what
weights that are there still learn. quick: that it runs."""
ROOMS = {"see": range(4, 7), "walk": range(4, 7), "far": range(6, 9), "val": range(5, 9)}
WALKED = {"walk": None, "far": 10.0}
"""Metres of the shortest path in the homes where is learned to walk; None: as in vln-demo."""


def main(given: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="train_vln", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument(
        "--sizes", choices=SIZES, default="full", help="quick: four homes and minutes, to see that it runs"
    )
    options.add_argument("--seed", type=int, default=0, help="of the training; homes and paths are the same")
    options.add_argument(
        "--stop-within", type=float, default=1.5, help="m: the oracle that is learned from stops so near the goal"
    )
    options.add_argument("--begin-with", type=Path, help="weights.npz of a training before, to learn on from")
    chosen = options.parse_args(given)
    begin_process()
    Training(chosen.folder, SIZES[chosen.sizes], chosen.seed, chosen.stop_within, chosen.begin_with).run()


class Training:
    def __init__(self, folder: Path, sizes: Sizes, seed: int, stop_within: float, begin_with: Path | None) -> None:
        self.folder, self.sizes, self.seed, self.stop_within = folder, sizes, seed, stop_within
        self.before = Exported(begin_with) if begin_with else None
        self._begun, self._stages = time.monotonic(), 0
        self.homes = {name: folder / "homes" / name for name in ROOMS}

    def run(self) -> Path:
        """Everything that is not there yet; returns the file of weights."""
        self._stage("homes and paths")
        self._data()
        self._stage("detector")
        seer, kinds = self._detector()
        words = self._words()
        model = self._walker(seer, kinds, Reader(words))
        weights = self.folder / "weights.npz"
        export(model, words, kinds, weights)
        size, minutes = weights.stat().st_size / 1e6, (time.monotonic() - self._begun) / 60
        say(f"{weights}: {size:.2f} MB, {len(words)} words, {len(kinds)} kinds, {minutes:.0f} minutes")
        return weights

    def _data(self) -> None:
        for name, homes in self.homes.items():
            seeds = [f"{name}-{number}" for number in range(getattr(self.sizes, name))]
            make_data.make_homes(homes, seeds, ROOMS[name], "val" if name == "val" else "train")
            make_data.make_paths(homes, {name: slice(None)}, self.sizes.paths, "learn", WALKED.get(name))

    def _words(self) -> list[str]:
        """Those known before come first, so that they keep their numbers."""
        episodes = [one for name in WALKED for one in make_data.read_split(self.homes[name], name)]
        known = self.before.words if self.before else []
        told = vocabulary(one["instruction"]["instruction_text"] for one in episodes)
        return known + [word for word in told if word not in known]

    def _detector(self) -> tuple[Detector, list[str]]:
        kept, walks = self.folder / "detector.pt", self.folder / "walks" / "see"
        if not kept.is_file():
            homes = self.homes["see"]
            once = make_data.once(homes, "see")[::2]
            make_data.walk_with_oracle(homes, "see", once, walks, seed=1, semantic=True, stop_within=self.stop_within)
            before = (self.before.detector(), self.before.kinds) if self.before else None
            model, kinds = detector.train(homes, walks, self.sizes.detector_epochs, self.seed, before)
            torch.save((model.state_dict(), kinds), kept)
            shutil.rmtree(walks)
        state, kinds = torch.load(kept, weights_only=False)
        model = Detector(len(kinds))
        model.load_state_dict(state)
        return model.eval(), kinds

    def _walker(self, seer: Detector, kinds: Sequence[str], reader: Reader) -> Walker:
        """The round that walks best in homes for choosing."""
        torch.manual_seed(self.seed)
        model = Walker(len(reader), seer.kinds.out_features)
        if self.before:
            self.before.enter(model)
        model.detector = seer
        walks: list[Walk] = []
        found = []
        for number, (expert, every, epochs) in enumerate(self.sizes.rounds):
            self._stage(f"round {number}" if expert < 1 else "behaviour cloning")
            for name in WALKED:
                file = self.folder / "walks" / f"round{number}-{name}.pt"
                if not file.is_file():
                    self._walk(model, reader, name, file, number, expert, every)
                walks += encoded(file, self.homes[name], name, kinds, reader)
            found.append(self._fit(model, number, walks, epochs, reader))
        best = int(np.argmax(found))
        model.load_state_dict(torch.load(self.folder / f"round{best}.pt", weights_only=False)[0])
        say(f"taken: round {best}")
        return model.eval()

    def _walk(
        self, model: Walker, reader: Reader, name: str, file: Path, number: int, expert: float, every: int
    ) -> None:
        homes, seed = self.homes[name], 2 + number
        if expert == 1:
            once = make_data.once(homes, name)[::every]
            bc.walk(model.detector, homes, name, once, file, seed=seed, stop_within=self.stop_within)
        else:
            chosen = self._one_each(name, number, every)[number % every :: every]
            dagger.walk(
                model, reader, homes, name, chosen, file, expert=expert, seed=seed, stop_within=self.stop_within
            )

    def _fit(self, model: Walker, number: int, walks: list[Walk], epochs: int, reader: Reader) -> float:
        """Unless it is done; mean success in both languages in the homes for choosing."""
        kept = self.folder / f"round{number}.pt"
        if not kept.is_file():
            losses = bc.fit(model, walks, np.array(reader.mirror()), epochs, 100 * self.seed + number, self.sizes.rate)
            chosen = self._one_each("val", 0, 1)
            found = dagger.success(model, reader, self.homes["val"], "val", self.folder / "walks" / "val", chosen)
            say(f"round {number}: {len(walks)} walks, {json.dumps(found)}")
            torch.save((model.state_dict(), losses, found), kept)
        state, _, found = torch.load(kept, weights_only=False)
        model.load_state_dict(state)
        return float(np.mean([value for name, value in found.items() if name.endswith("_success")]))

    def _stage(self, what: str) -> None:
        self._stages += 1
        minutes = (time.monotonic() - self._begun) / 60
        say(f"stage {self._stages} of {2 + len(self.sizes.rounds)}, {minutes:.0f} minutes: {what}")

    def _one_each(self, split: str, first: int, every: int) -> list[str]:
        """An episode for each path; of its wordings, English first, the next one after every so many paths."""
        wordings: dict[Any, list[str]] = {}
        for one in make_data.read_split(self.homes[split], split):
            wordings.setdefault(one["trajectory_id"], []).append(str(one["episode_id"]))
        return [ids[(place // every + first) % len(ids)] for place, ids in enumerate(wordings.values())]


def say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main()
