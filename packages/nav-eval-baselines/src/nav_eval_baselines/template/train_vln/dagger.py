"""DAgger (Ross, Gordon, Bagnell 2011): the walker walks, and learns what the oracle would have done there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nav_eval.gym import collect, rollouts, text
from nav_eval_baselines.learned.arrival import Arrival
from nav_eval_baselines.learned.senses import motion, nearness
from nav_eval_baselines.learned.surroundings import Surroundings
from nav_eval_baselines.learned.tried import Tried
from nav_eval_baselines.learned.words import Reader
from train_vln import lenses
from train_vln.detector import detected
from train_vln.halves import in_halves
from train_vln.make_data import ENVS, played
from train_vln.model import Walker
from train_vln.walks import KEPT, Kept, encode, join

RECORDED = ("gps", "compass", "instruction")
"""Of a walk; what the walker made of its pictures it keeps itself."""


class Walking:
    """A policy for nav_eval.collect, which keeps to the rules of Tried and Arrival.

    It takes the best action, and in a share `drawn` of the walks one as likely as it scores: those go to more places,
    while the others go wrong as the walker will. `narrow`: in some walks a narrower camera sees.
    """

    def __init__(self, model: Walker, reader: Reader, drawn: float, seed: int, narrow: bool) -> None:
        self._model, self._reader, self._drawn, self._narrow = model.eval(), reader, drawn, narrow
        self._rng = np.random.default_rng(seed)
        self._words: list[list[int]] = []
        self._told: list[str] = []
        self._kept: Kept = {}
        self._text: Any = None
        self._memory: Any = None
        self._before: Any = None
        self._steps: Any = None

    def __call__(self, given: Any, begins: Any) -> Any:
        poses = np.concatenate([given["gps"], given["compass"]], -1)
        if begins.any() or self._text is None:
            self._begin(given, begins, poses)
        moved = motion(poses[:, :2], poses[:, 2], self._before, self._steps)
        near = (255 * nearness(given["depth"][..., 0])).astype(np.uint8)
        rgb, near = lenses.narrowed(given["rgb"], near, self._tangents)
        kinds, near = detected(self._model.detector, rgb, near), lenses.inside(near, self._tangents)
        around = [one.see(*row) for one, *row in zip(self._surroundings, near / np.float32(255), kinds, poses)]
        for place, row in enumerate(zip(poses, around)):
            self._walked[place].append(row)
        shown = torch.from_numpy(np.stack(around).astype(np.float32) / 255)
        with torch.no_grad():
            rows = shown[:, None], torch.from_numpy(moved)[:, None]
            scores, _, _, self._memory = self._model(self._text, *rows, self._memory)
        self._before, self._steps = poses, self._steps + 1
        told = scores[:, 0].numpy()
        liked = told + self._draws[:, None] * self._rng.gumbel(size=told.shape)
        actions = [one.choose(*row) for one, *row in zip(self._tried, liked, poses)]
        return np.array([one.choose(*row) for one, *row in zip(self._arrivals, actions, told, poses)])

    def _begin(self, given: Any, begins: Any, poses: Any) -> None:
        count = len(begins)
        if self._text is None:
            self._words, self._told = [[1]] * count, [""] * count
            self._memory = torch.zeros(2, count, self._model.first.hidden_size)
            self._before, self._steps = poses.copy(), np.zeros(count)
            self._surroundings = [self._nothing_seen() for _ in range(count)]
            self._walked: list[list[tuple[Any, Any]]] = [[] for _ in range(count)]
            self._tried, self._draws = [Tried() for _ in range(count)], np.zeros(count)
            self._arrivals = [Arrival() for _ in range(count)]
            self._tangents = np.ones(count)
        for place in np.flatnonzero(begins).tolist():
            self._keep(place)
            self._surroundings[place] = self._nothing_seen()
            self._tried[place], self._arrivals[place] = Tried(), Arrival()
            self._draws[place] = self._rng.random() < self._drawn
            self._tangents[place] = lenses.drawn(1, self._rng)[0] if self._narrow else 1
            self._told[place] = text(given["instruction"]["text"][place])
            self._words[place] = self._reader.numbers(self._told[place])
        self._memory[:, begins] = 0
        self._before[begins] = poses[begins]
        self._steps[begins] = 0
        words = torch.zeros(count, max(map(len, self._words)), dtype=torch.long)
        for row, numbers in enumerate(self._words):
            words[row, : len(numbers)] = torch.tensor(numbers)
        with torch.no_grad():
            self._text = self._model.read(words)

    def _nothing_seen(self) -> Surroundings:
        return Surroundings(self._model.detector.kinds.out_features)

    def kept(self) -> Kept:
        """What was around in each walk: to detect it once more takes as long as to walk."""
        for place in range(len(self._walked)):
            self._keep(place)
        return self._kept

    def _keep(self, place: int) -> None:
        if self._walked[place]:
            poses, around = map(np.stack, zip(*self._walked[place]))
            self._kept.setdefault(self._told[place], []).append((poses, around))
            self._walked[place] = []


def walk(
    model: Walker,
    reader: Reader,
    homes: Path,
    split: str,
    episodes: Sequence[str],
    file: Path,
    *,
    expert: float,
    seed: int,
    stop_within: float,
) -> None:
    """One walk for each of the episodes, encoded, with the oracle's choices."""
    shutil.rmtree(file.with_suffix(""), ignore_errors=True)  # not resumed: what was around it is in memory
    given = model, reader, homes, split, expert, seed, stop_within
    join(in_halves(_walk, episodes, file.with_suffix(""), *given), file)


def _walk(
    episodes: Sequence[str],
    place: Path,
    model: Walker,
    reader: Reader,
    homes: Path,
    split: str,
    expert: float,
    seed: int,
    stop_within: float,
) -> None:
    policy = Walking(model, reader, drawn=0.5, seed=seed, narrow=True)
    chosen = played(homes, split, episodes, stop_within=stop_within)
    collect(
        "vln-demo",
        place,
        overrides=chosen,
        policy=policy,
        record=RECORDED,
        expert=expert,
        seed=seed,
        num_envs=min(ENVS, len(episodes)),
        dense_reward=True,
    )
    torch.save(policy.kept(), place / KEPT)
    encode(place, homes, split, model.detector)


def success(
    model: Walker, reader: Reader, homes: Path, split: str, out: Path, episodes: Sequence[str]
) -> dict[str, float]:
    """Mean success and SPL of the walker alone, in English and Chinese."""
    shutil.rmtree(out, ignore_errors=True)
    found: dict[str, list[float]] = {}
    for place in in_halves(_alone, episodes, out, model, reader, homes, split):
        for one in rollouts(place):
            metrics = json.loads(str(one["metrics"]))
            language = text(one["instruction.language"])[:2] or "en"
            for name, metric in (("success", "success"), ("spl", "spl"), ("reached", "oracle_success")):
                found.setdefault(f"{language}_{name}", []).append(metrics[metric])
    shutil.rmtree(out)
    return {name: round(float(np.mean(values)), 3) for name, values in sorted(found.items())}


def _alone(episodes: Sequence[str], place: Path, model: Walker, reader: Reader, homes: Path, split: str) -> None:
    policy = Walking(model, reader, drawn=0.0, seed=0, narrow=False)
    envs, chosen = min(ENVS, len(episodes)), played(homes, split, episodes)
    collect("vln-demo", place, overrides=chosen, policy=policy, record=RECORDED, expert=0.0, num_envs=envs)
