"""What a generated benchmark is worth as evidence: what it holds, what agents reach in it, and whether ranks travel.

    python benchmarks/evidence.py [KEY=VALUE ...] [--benchmark vln-demo] [--homes 8] [--out FOLDER]

First homes and offices of a seed: what each split holds, and what its buildings share with those for training. Then the
same agents play in every world at hand (evidence_worlds.py), each beside a stop at a random place, and their ranks are
correlated. A world that is not there is named. With --out the runs stay, and finished ones are not played again.
Further keys, such as dataset.generate.rooms=8, change the benchmark. `--models FOLDER` ranks the networks of
evidence_transfer.py too, `--human RUN` adds a person's run (nav-eval human), `--scenes FOLDER` takes other scenes.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy, whose threads would wait for busy cores

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from evidence_agents import FLOOR, LABELS, Entry, models
from evidence_card import SHARE, bounds, chance, holds, shared
from evidence_ranks import Correlation, Scores, correlation
from evidence_worlds import HOMES, OFFICES, R2R, Size, World, generated, told_once, worlds
from machine import machine

from nav_eval.config.schema import Config
from nav_eval.errors import ConfigError
from nav_eval.results.compare import RunRecords
from nav_eval.results.ranking import rank
from nav_eval.results.statistics import summarise
from nav_eval.runs.comparison import read_records
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.perturbing import perturbed
from nav_eval.runs.plan import opened

ORACLE = "oracle"
METRICS = ("success", "navigation_error")
"""What ranks are correlated by; whether more is better does not matter, as it is the same in both worlds."""
FEW = 5
"""Fewer agents have no ranks to speak of."""
GROUPS: dict[str, tuple[str, ...]] = {"all": (), "networks, turns": (*FLOOR, *LABELS)}
"""Of whom ranks are correlated, and who is then left out, beside the oracle."""


def play(world: World, out: Path, networks: Mapping[str, Entry]) -> Iterator[tuple[str, RunRecords | str]]:
    """Of each entry its run, or why it cannot play there."""
    assert world.config is not None
    for name, entry in {**world.entries, **networks}.items():
        print(f"{world.name}: {name}", file=sys.stderr, flush=True)
        service = world.config.agent_service.model_copy(update={"agent": entry.agent})
        config = world.config.model_copy(update={"agent_service": service})
        folder = out / world.folder / name.replace(", ", "-").replace(" ", "_")
        entry.load()
        try:
            config = perturbed(config, entry.perturbation, 1) if entry.perturbation else config
            run_benchmark(config, folder, resume=folder.is_dir())
            yield name, read_records(folder)
        except ConfigError as error:
            yield name, str(error).splitlines()[0]


def table(runs: Mapping[str, RunRecords | str]) -> Iterator[str]:
    """A row for each run, with its rank among them all, and between which ranks it lies."""
    played = {name: run for name, run in runs.items() if isinstance(run, RunRecords)}
    renamed = [RunRecords(name, run.episodes, {}, run.definitions) for name, run in played.items()]
    places = {place.name: place for place in rank(renamed, "success").places}
    for name, run in runs.items():
        if isinstance(run, str):
            yield f"{name:24}   left out: {run}"
            continue
        place = places[name]
        yield f"{row(name, run)}{place.rank:8}   {place.rank_ci95[0]}-{place.rank_ci95[1]}"


def row(name: str, run: RunRecords) -> str:
    """Success with its interval for other buildings, SPL, and how far from the goal it stopped, m."""
    scenes = [scene for scene, _ in run.episodes]
    of = {
        metric: [values[metric] for values in run.episodes.values()]
        for metric in ("success", "spl", "navigation_error")
    }
    success, spl, away = (summarise(of[metric], scenes, run.definitions[metric]) for metric in of)
    return (
        f"{name:24}{success.mean:8.2f}   {bounds(success.ci95_scenes or success.ci95)}{spl.mean:6.2f}{away.mean:8.1f}"
    )


def lucky(world: World) -> str:
    """The row of a stop at a random place."""
    assert world.config is not None
    with opened(world.config) as plan:
        found = summarise(chance(plan), [one.scene_id for one in plan.episodes], SHARE)
    return f"{'random stop':24}{found.mean:8.2f}   {bounds(found.ci95_scenes or found.ci95)}"


def person(folder: Path | None) -> str:
    """The row of a person's run."""
    return f"{'human':24}   not measured" if folder is None else row("human", read_records(folder))


def correlations(ranked: Mapping[str, Mapping[str, RunRecords]]) -> Iterator[str]:
    """Of each two worlds, by each metric: over the agents of a group that played in both."""
    for metric in METRICS:
        yield f"\nranks by {metric}"
        yield f"{'worlds':40}{'agents':17}{'n':>3}{'tau':>8}   {'interval':18}{'rho':>6}   interval"
        for (one, here), (other, there) in combinations(ranked.items(), 2):
            both = [name for name in here if name in there and name != ORACLE]
            for group, aside in GROUPS.items():
                names = [name for name in both if name not in aside]
                if len(names) < FEW:
                    continue
                found = correlation(*(Scores.of(runs, metric, names) for runs in (here, there)))
                yield f"{f'{one} / {other}':40}{group:17}{correlated(found)}"


def correlated(found: Correlation) -> str:
    tau, rho = ("-" if value is None else f"{value:.2f}" for value in (found.tau, found.rho))
    return f"{found.agents:3}{tau:>8}   {bounds(found.tau_ci95)}{rho:>6}   {bounds(found.rho_ci95)}".rstrip()


def arguments() -> argparse.Namespace:
    size = Size()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("overrides", nargs="*", help="of the benchmark, as for nav-eval run")
    parser.add_argument("--benchmark", default="vln-demo")
    parser.add_argument("--homes", type=int, default=size.homes)
    parser.add_argument("--paths", type=int, default=size.paths, help="in each home")
    parser.add_argument("--walks", type=int, default=size.walks, help="in each scene of others")
    parser.add_argument("--steps", type=int, default=size.steps, help="at most, in an episode")
    parser.add_argument("--graph", type=int, default=size.graph, help="episodes of R2R")
    parser.add_argument("--seed", default="evidence")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("NAV_EVAL_SHARED_DATA", "../shared/data")))
    parser.add_argument("--scenes", type=Path, help="a folder of scenes of others")
    parser.add_argument("--models", type=Path, help="a folder of networks that evidence_transfer.py wrote")
    parser.add_argument("--human", type=Path, help="a person's run of the benchmark")
    parser.add_argument("--out", type=Path, help="keeps the runs here")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    size = Size(asked.homes, asked.paths, asked.walks, asked.steps, asked.graph)
    kinds = {HOMES: (), OFFICES: ("dataset.generate.kind=office",)}
    made = {
        name: generated(asked.benchmark, size, asked.seed, [*asked.overrides, *kind]) for name, kind in kinds.items()
    }
    told, version = " ".join(asked.overrides), made[HOMES].dataset.generate.version
    print(f"{asked.benchmark} {told}".strip() + f", generator {version}, seed {asked.seed}")
    print(f"at most {asked.steps} steps; {machine()}\n")
    card(made)
    with tempfile.TemporaryDirectory() as folder:
        out = asked.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        played = {name: told_once(config) for name, config in made.items()}
        ranked = dict(compared(played, size, asked, out))
    print(*correlations(ranked), sep="\n")


def card(made: Mapping[str, Config]) -> None:
    """Print of each split what it holds, then what it shares with its training buildings."""
    held: dict[str, list[str]] = {"": list(made)}
    for config in made.values():
        with opened(config) as plan:
            for what, much in holds(plan):
                held.setdefault(what, []).append(much)
    print(*("".join(f"{cell:30}" for cell in (what, *much)).rstrip() for what, much in held.items()), sep="\n")
    for name, config in made.items():
        print(f"\n{f'in the training {name} too':28}{'share':>8}   {'interval':18}{'counted':>8}{'buildings':>11}")
        print(*shared(config), sep="\n", flush=True)


def compared(
    made: Mapping[str, Config], size: Size, asked: argparse.Namespace, out: Path
) -> Iterator[tuple[str, dict[str, RunRecords]]]:
    """Print a table for each world that is there; its runs by the agents' names."""
    for world in worlds(made, size, asked.data, asked.scenes, out):
        print(f"\n{world.name}" + f" ({world.missing})" * bool(world.missing))
        if world.config is None:
            continue
        runs = dict(play(world, out, {} if world.name == R2R else models(asked.models)))
        played = {name: run for name, run in runs.items() if isinstance(run, RunRecords)}
        keys = next(iter(played.values())).episodes
        print(f"{len(keys)} episodes in {len({scene for scene, _ in keys})} buildings")
        print(f"{'agent':24}{'success':>8}   {'interval':18}{'spl':>6}{'m left':>8}{'rank':>8}   ranks")
        print(*table(runs), sep="\n", flush=True)
        if world.name != R2R:
            print(lucky(world))
        if world.name == HOMES:
            print(person(asked.human))
        yield world.name, played


if __name__ == "__main__":
    main()
