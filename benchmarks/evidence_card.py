"""A generated split's card: what it holds, what a random stop is worth, what it shares with training homes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from evidence_duplicates import duplicates
from instructions import words

from nav_eval.config.schema import Config
from nav_eval.core.definitions import Definition
from nav_eval.results.statistics import Interval, summarise
from nav_eval.runs.builder import Plan
from nav_eval.runs.effective import Effective

STOPS = 2000
"""Places drawn in each episode's building."""
SHARE = Definition(unit="share")


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


def shared(config: Config) -> Iterator[str]:
    """What this split's buildings have in common with as many for training."""
    training = config.model_copy(update={"dataset": config.dataset.model_copy(update={"split": "train"})})
    ours, theirs = (
        sorted(Path(str(Effective.of(one).simulator.scenes_dir)).glob("*.glb")) for one in (config, training)
    )
    for kind, (same, files) in duplicates(ours, theirs).items():
        found = summarise(same, files, SHARE)
        yield f"{kind:28}{found.mean:8.2f}   {bounds(found.ci95_scenes or found.ci95)}{found.n:8}{found.n_scenes:11}"


def bounds(interval: Interval | Sequence[float] | None) -> str:
    return f"{'-' if interval is None else '[{:.2f}, {:.2f}]'.format(*interval):18}"
