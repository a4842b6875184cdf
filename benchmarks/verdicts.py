"""How often verdicts are false and intervals hold the truth: simulated agents whose means are known.

Success is drawn by a logit of skill, building, agent within building, episode and seed; SPL is success times the share
of the way that was not a detour. Buildings differ in size. "here" is the truth in the buildings drawn, "elsewhere" that
of all buildings. A false verdict is one between two equal agents ("board": of any pair of five). With 2,000
replications a figure of 5 % is known to +-1.0 points, one of 95 % as well.

    python benchmarks/verdicts.py [REPLICATIONS]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from multiprocessing import Pool

import numpy as np
from numpy.typing import NDArray

from nav_eval.core.definitions import Definition
from nav_eval.results.compare import RunRecords, difference, with_seeds
from nav_eval.results.ranking import rank
from nav_eval.results.seeds import grouped
from nav_eval.results.statistics import Interval, summarise

BUILDINGS = (1, 2, 3, 5, 6, 8, 11, 20, 60)
SIZES = (10, 31)
BUILDING, WITHIN, EPISODE, SEED = 0.5, 0.3, 1.0, 0.2
"""Standard deviations in logits; 0.5 spreads the success rates of buildings by some 11 points."""
SEEDS = 4
RATE, SHARE = Definition(kind="rate"), Definition(unit="share")
DEFINITIONS = {"success": RATE, "spl": SHARE}
DETOUR = (0.6, 1.0)
"""Between which shares SPL's second factor is drawn, evenly."""
Array = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)


def expected(logit: Array | float, spread: float) -> Array:
    """The mean of the logistic function over a normal spread of its argument."""
    points = np.asarray(logit, float)[..., None] + spread * _NODES
    return (1 / (1 + np.exp(-points)) @ _WEIGHTS) / _WEIGHTS.sum()


class World:
    """Buildings of differing size and difficulty, and agents of one skill each, who are good at some of them."""

    def __init__(self, seed: int, buildings: int, skills: Sequence[float], within: float) -> None:
        self.rng = np.random.default_rng([seed, buildings, len(skills)])
        self.sizes = self.rng.integers(*SIZES, buildings)
        self.labels = np.repeat(np.arange(buildings), self.sizes)
        effects = self.rng.normal(0, BUILDING, (buildings, 1)) + self.rng.normal(0, within, (buildings, len(skills)))
        self.logits = effects + np.asarray(skills)
        self.here = np.average(expected(self.logits, EPISODE), axis=0, weights=self.sizes)
        self.elsewhere = expected(np.asarray(skills), float(np.hypot(np.hypot(BUILDING, within), EPISODE)))
        self.hard = self.rng.normal(0, EPISODE, self.labels.size)

    def run(self, agent: int, name: str, luck: float = 0.0) -> RunRecords:
        logit = self.logits[self.labels, agent] + self.hard + luck
        won = (self.rng.random(logit.size) < 1 / (1 + np.exp(-logit))).astype(float)
        spl = won * self.rng.uniform(*DETOUR, logit.size)
        keys = [(f"{building:03}", str(i)) for i, building in enumerate(self.labels)]
        rows = ({"success": s, "spl": p} for s, p in zip(won.tolist(), spl.tolist(), strict=True))
        return RunRecords(name, dict(zip(keys, rows, strict=True)), definitions=DEFINITIONS)


SCALE = {"success": 1.0, "spl": sum(DETOUR) / 2}


def replication(task: tuple[int, int]) -> Counter[tuple[str, str]]:
    """What one draw of buildings says; (figure, "of" or "yes") -> how often."""
    seed, buildings = task
    told: Counter[tuple[str, str]] = Counter()

    def note(name: str, outcome: bool | None) -> None:
        if outcome is not None:
            told[name, "of"] += 1
            told[name, "yes"] += outcome

    differing(seed, buildings, note)
    equal(seed, buildings, note)
    return told


def differing(seed: int, buildings: int, note) -> None:  # type: ignore[no-untyped-def]
    """Coverage, of two agents that differ."""
    world = World(seed, buildings, (-0.8, 0.1), WITHIN)
    first, second = world.run(0, "first"), world.run(1, "second")
    for metric, scale in SCALE.items():
        values = [row[metric] for row in first.episodes.values()]
        summary = summarise(values, [key[0] for key in first.episodes], DEFINITIONS[metric], seed)
        found = difference(first, second, metric)
        note(f"mean here {metric}", inside(summary.ci95, scale * world.here[0]))
        note(f"gap here {metric}", inside(found.ci95, scale * float(np.diff(world.here)[0])))
        if buildings >= 5:
            note(f"mean elsewhere {metric}", inside(summary.ci95_scenes, scale * world.elsewhere[0]))
            note(f"gap elsewhere {metric}", inside(found.ci95_buildings, scale * float(np.diff(world.elsewhere)[0])))
    seeds_of = [
        world.run(i, f"{name}@{n}", world.rng.normal(0, SEED)) for i, name in enumerate("ab") for n in range(SEEDS)
    ]
    a, b = grouped(seeds_of)
    lucky = SCALE["spl"] * np.average(
        expected(world.logits, float(np.hypot(EPISODE, SEED))), axis=0, weights=world.sizes
    )
    note("gap here, seeds", inside(difference(a, b, "spl").ci95, float(np.diff(lucky)[0])))
    note("mean here, seeds", inside(with_seeds(a, "spl"), lucky[0]))


def equal(seed: int, buildings: int, note) -> None:  # type: ignore[no-untyped-def]
    """False verdicts, of agents that are equal: in every building, or in the mean of all buildings."""
    world = World(seed, buildings, (-0.4,) * 5, 0.0)
    runs = [world.run(i, str(i)) for i in range(5)]
    for metric in SCALE:
        note(f"false here {metric}", difference(runs[0], runs[1], metric).sure)
    note("false board", any(place.rank > 1 for place in rank(runs, "spl").places))
    seeds_of = [
        world.run(i, f"{name}@{n}", world.rng.normal(0, SEED)) for i, name in enumerate("ab") for n in range(SEEDS)
    ]
    note("false here, seeds", difference(*grouped(seeds_of), "spl").sure)
    world = World(seed, buildings, (-0.4, -0.4), WITHIN)
    note("false elsewhere", difference(world.run(0, "a"), world.run(1, "b"), "spl").sure_elsewhere)


def inside(found: Interval | None, truth: float) -> bool | None:
    return None if found is None else bool(found[0] - 1e-9 <= truth <= found[1] + 1e-9)


def main(replications: int) -> None:
    print(f"{replications} replications each; false verdicts should be at most 5 %, coverage 93 to 97 %")
    table: dict[int, Counter[tuple[str, str]]] = {}
    with Pool() as pool:
        for buildings in BUILDINGS:
            tasks = [(seed, buildings) for seed in range(replications)]
            table[buildings] = sum(pool.imap_unordered(replication, tasks, 16), Counter())
    names = [name for name, of in table[BUILDINGS[-1]] if of == "of"]
    print(f"{'buildings':<24}" + "".join(f"{n:>7}" for n in BUILDINGS))
    for name in sorted(names):
        shares = [100 * told[name, "yes"] / told[name, "of"] if told[name, "of"] else None for told in table.values()]
        print(f"{name:<24}" + "".join("      -" if share is None else f"{share:7.1f}" for share in shares))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
