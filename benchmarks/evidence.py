"""What a generated split is worth as evidence: baselines, and agents without text, with another text, without eyes.

    python benchmarks/evidence.py [--benchmark vln-demo] [--homes 10] [--paths 3] [--steps 200] [--seed evidence]

Homes of fresh seeds, so many paths in each, each told six times. First what the split holds. `chance`: of the places
where one can stop in an episode's building, the share that counts as success, each as likely as its area. The rest is
played by `nav-eval run` and `nav-eval sweep`, at most so many steps an episode: success with its interval for other
buildings, and SPL.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from instructions import words

from nav_eval.config.schema import Config
from nav_eval.runs.builder import Plan
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval_extras.sweep.runs import Suite, sweep_benchmark

BASELINES = ("shortest_path", "random", "forward")
WITH_CONTROLS = ("grounded", "learned")
STOPS = 2000
"""Places drawn in each episode's building."""


def chance(plan: Plan) -> list[float]:
    """Of each episode."""
    shares, session = [], plan.backend.open_session()
    for episode in plan.episodes:
        session.reset(episode)
        goals = [session.locate(goal).position for goal in plan.task.goals(episode)]
        mesh: Any = session.navmesh()  # type: ignore[attr-defined]
        stops = mesh.random_points(STOPS, 0, mesh.island_of(session.get_agent_state().position))
        near = [mesh.geodesic_distances(stops, np.broadcast_to(goal, stops.shape)) for goal in goals]
        shares.append(float((np.min(near, axis=0) < plan.rules.success_distance).mean()))
    return shares


def holds(plan: Plan) -> Iterator[tuple[str, str]]:
    """What the split holds, by name."""
    session, texts = plan.backend.open_session(), [one.instruction for one in plan.episodes if one.instruction]
    told = [words(one.text, one.primary_language) for one in texts]
    kinds: Counter[str] = Counter()
    scenes = {one.scene_id: one for one in plan.episodes}
    for episode in scenes.values():
        session.reset(episode)
        kinds.update(one.category for one in session.scene().objects)  # type: ignore[attr-defined]
    lengths = [float(one.info["geodesic_distance"]) for one in plan.episodes]
    yield "buildings, episodes, texts", f"{len(scenes)}, {len(plan.episodes)}, {len({one.text for one in texts})}"
    yield "shortest paths, m", " / ".join(f"{one:.1f}" for one in np.percentile(lengths, [0, 50, 100]))
    yield "words per text, word types", f"{np.mean([len(one) for one in told]):.0f}, {len(set().union(*told))}"
    yield "objects, categories, doors", f"{kinds.total()}, {len(kinds)}, {kinds['door'] + kinds['doorway']}"


def played(config: Config, agents: Sequence[str], out: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each run's name and what its metrics are."""
    for agent in agents:
        with_agent = config.model_copy(
            update={"agent_service": config.agent_service.model_copy(update={"agent": agent})}
        )
        if agent in BASELINES:
            yield agent, run_benchmark(with_agent, out / agent).document["metrics"]
            continue
        found: list[tuple[str, dict[str, Any]]] = []
        sweep_benchmark(
            with_agent,
            Suite.parse("controls"),
            out / agent,
            told=lambda name, _, done, found=found: found.append((name, done.document["metrics"])),  # type: ignore[misc]
        )
        yield from ((f"{agent} {name}".removesuffix(" clean"), metrics) for name, metrics in found)


def row(name: str, metrics: dict[str, Any]) -> str:
    """`metrics`: as results.json has them."""
    success = metrics["success"]
    low, high = success["ci95_scenes"] or success["ci95"]  # of one building: for other episodes in it
    return f"{name:24}{success['mean']:8.2f}   [{low:.2f}, {high:.2f}]{metrics['spl']['mean']:8.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benchmark", default="vln-demo")
    parser.add_argument("--homes", type=int, default=10)
    parser.add_argument("--paths", type=int, default=3, help="in each home")
    parser.add_argument("--steps", type=int, default=200, help="at most, in an episode")
    parser.add_argument("--seed", default="evidence")
    parser.add_argument("--out", type=Path, help="keeps the runs here")
    asked = parser.parse_args()
    overrides = [
        f"dataset.generate.scenes={asked.homes}",
        f"dataset.generate.per_scene={asked.paths}",
        f"dataset.generate.seed={asked.seed}",
        f"evaluation.max_steps={asked.steps}",
    ]
    config = benchmark_config(asked.benchmark, overrides=overrides)
    with opened(config) as plan:
        facts, lucky = list(holds(plan)), chance(plan)
    print(f"{asked.benchmark}, seed {asked.seed}; load {os.getloadavg()[0]:.1f}\n")
    print(*(f"{name:30}{value}" for name, value in facts), sep="\n", end="\n\n")
    print(f"{'':24}{'success':>8}   {'interval':12}{'spl':>8}\n{'chance':24}{np.mean(lucky):8.2f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, metrics in played(config, (*BASELINES, *WITH_CONTROLS), asked.out or Path(folder)):
            print(row(name, metrics), flush=True)


if __name__ == "__main__":
    main()
