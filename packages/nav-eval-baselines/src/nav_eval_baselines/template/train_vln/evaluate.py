"""Figures of the trained model and of others on the same paths of homes that none was trained or chosen on.

    python -m train_vln.evaluate FOLDER [--against WEIGHTS] [--agents NAME ...] [--rows clean far blur ...]

Each row of an agent is kept in the folder: called again for other rows, those that were played are not played again.
For other weights take another folder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import nav_eval
from nav_eval.results.statistics import clustered
from nav_eval_baselines.grounded import GroundedAgent
from nav_eval_baselines.learned import LearnedAgent
from nav_eval_extras.sweep.runs import SUITES
from nav_eval_sdk.examples.forward import ForwardAgent
from nav_eval_sdk.examples.random_agent import RandomAgent
from train_vln import make_data

LENS = "{width: 224, height: 224, hfov: 90}"
SEEN = f"rgb: {LENS}, depth: {LENS}, gps: {{}}, compass: {{}}"
SENSORS = f"rgb: {LENS}, depth: {LENS}, semantic: {LENS}, objects: {LENS}, gps: {{}}, compass: {{}}"
"""Those of vln-demo; the rules need all, the others SEEN at most."""
CLEAN, FAR = "clean", "far"
METRES = 12.0
"""Of the shortest path in the row `far`."""
ROWS = (CLEAN, FAR, *SUITES["robustness"])
"""The others are perturbations, at make_data.SEVERITY, on half of the texts of `clean`."""


class Blind(LearnedAgent):
    """Sees a grey wall far off."""

    name = "blind"

    def act(self, observation: dict[str, Any]) -> str:
        grey, far = np.full_like(observation["rgb"], 128), np.full_like(observation["depth"], 10.0)
        return super().act({**observation, "rgb": grey, "depth": far})


class NoText(LearnedAgent):
    """Is told nothing."""

    name = "no-text"

    def reset(self, episode: dict[str, Any]) -> None:
        super().reset({**episode, "instruction": None})


class Before(LearnedAgent):
    """The weights of --against."""

    name = "before"


AGENTS: Mapping[str, Any] = {
    "learned": LearnedAgent,
    "before": Before,
    "blind": Blind,
    "no-text": NoText,
    "grounded": GroundedAgent,
    "forward": ForwardAgent,
    "random": RandomAgent,
    "oracle": None,
}


def episodes(homes: Path, split: str) -> dict[str, str]:
    """Of each path one wording and its language: three styles in English and in Chinese in turn."""
    wordings: dict[int, list[tuple[str, str]]] = {}
    for one in make_data.read_split(homes, split):
        language = one["instruction"].get("language", "en")[:2]
        wordings.setdefault(one["trajectory_id"], []).append((str(one["episode_id"]), language))
    return dict(told[place % len(told)] for place, told in enumerate(wordings.values()))


def walked(homes: Path, name: str, row: str) -> list[dict[str, Any]]:
    """What came of each episode of a row."""
    split, by = FAR if row == FAR else "unseen", "" if row in (CLEAN, FAR) else row
    languages = dict(one for place, one in enumerate(episodes(homes, split).items()) if not by or place % 4 < 2)
    sensors = SENSORS if name == "grounded" else SEEN
    overrides = make_data.played(homes, split, list(languages), sensors=sensors, perturbed_by=by)
    overrides.append("evaluation.parallel.sessions=4")
    if name == "oracle":
        overrides.append("agent_service.agent=shortest_path")
    found = nav_eval.evaluate("vln-demo", agent=AGENTS[name], overrides=overrides)
    return [
        {
            "scene": one.scene_id,
            "episode": one.episode_id,
            "language": languages[one.episode_id],
            "steps": one.steps,
            **{metric: one.metrics[metric] for metric in ("success", "spl", "oracle_success")},
        }
        for one in found.episodes
    ]


def interval(rows: Sequence[Mapping[str, Any]], metric: str, lowest: float = 0) -> str:
    """Mean of what lies between `lowest` and 1, and its 95 % interval for other homes."""
    values = [row[metric] for row in rows]
    homes = np.unique([row["scene"] for row in rows], return_inverse=True)[1]
    low, high = clustered(values, homes, (lowest, 1)) or (np.nan, np.nan)
    return f"{np.mean(values):.3f} [{low:.3f}, {high:.3f}]"


def paired(rows: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> str:
    """By how much `rows` succeed more often than `others` on the episodes of both."""
    other = {row["episode"]: row["success"] for row in others}
    both = [row for row in rows if row["episode"] in other]
    return interval([{**row, "success": row["success"] - other[row["episode"]]} for row in both], "success", -1)


def failures(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many stopped elsewhere, used up their steps, and were at the goal and did not stop there."""
    failed = [row for row in rows if not row["success"]]
    passed = sum(row["oracle_success"] > 0 for row in failed)
    late = sum(row["steps"] >= make_data.MAX_STEPS and not row["oracle_success"] for row in failed)
    return f"{len(failed) - passed - late}, {late}, {passed}"


def table(found: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]) -> str:
    """A line for each agent and row; differences are paired by episode."""
    lines = [
        "| Agent | Row | Texts | Success | SPL | Elsewhere, late, passed | Less clean | learned less it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (agent, row), rows in found.items():
        for name, mine in {row: rows, **(_languages(rows) if row == CLEAN else {})}.items():
            clean = paired(mine, found[agent, CLEAN]) if row not in (CLEAN, FAR) and (agent, CLEAN) in found else ""
            less = paired(found["learned", row], mine) if agent != "learned" and ("learned", row) in found else ""
            cells = [agent, name, len(mine), interval(mine, "success"), interval(mine, "spl"), failures(mine)]
            lines.append("| " + " | ".join(map(str, [*cells, clean, less])) + " |")
    return "\n".join(lines)


def _languages(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    return {language: [row for row in rows if row["language"] == language] for language in ("en", "zh")}


def main(given: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="train_vln.evaluate", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--homes", type=int, default=10, help="of five to eight rooms")
    options.add_argument("--paths", type=int, default=10, help="of each home; of those of the row far four fifths")
    options.add_argument("--seed", default="fresh", help="of the homes: any text that nobody trained or chose on")
    options.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS, help="what is played; all")
    options.add_argument("--agents", nargs="+", choices=list(AGENTS), default=["learned"])
    options.add_argument("--against", type=Path, help="weights.npz to compare with: the agent before")
    chosen = options.parse_args(given)
    weights = chosen.folder / "weights.npz"
    LearnedAgent.weights = weights if weights.is_file() else None
    Before.weights = chosen.against
    homes = make_homes(chosen.folder, chosen.seed, chosen.homes, chosen.paths)
    agents = [*chosen.agents, *(["before"] if chosen.against else [])]
    found = {}
    for agent, row in itertools.product(agents, chosen.rows):
        kept = chosen.folder / f"test-{chosen.seed}-{agent}-{row}.json"
        if not kept.is_file():
            kept.write_text(json.dumps(walked(homes, agent, row)), encoding="utf-8")
        found[agent, row] = json.loads(kept.read_bytes())
    sys.stdout.write(table(found) + "\n")


def make_homes(folder: Path, seed: str, count: int, paths: int) -> Path:
    homes = folder / "homes" / f"test-{seed}"
    make_data.make_homes(homes, [f"{seed}-{k}" for k in range(count)], range(5, 9), "test")
    make_data.make_paths(homes, {"unseen": slice(None)}, paths, seed)
    make_data.make_paths(homes, {FAR: slice(None)}, paths * 4 // 5, seed, METRES)
    return homes


if __name__ == "__main__":
    main()
