"""Figures of the trained model and of others on the same paths of homes that none was trained or chosen on.

python -m train_vln.evaluate FOLDER [--homes N] [--seed TEXT] [--agents NAME ...]
"""

from __future__ import annotations

import argparse
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
from nav_eval_sdk.examples.forward import ForwardAgent
from nav_eval_sdk.examples.random_agent import RandomAgent
from train_vln import make_data

LENS = "{width: 224, height: 224, hfov: 90}"
SEEN = f"rgb: {LENS}, depth: {LENS}, gps: {{}}, compass: {{}}"
SENSORS = f"rgb: {LENS}, depth: {LENS}, semantic: {LENS}, objects: {LENS}, gps: {{}}, compass: {{}}"
"""Those of vln-demo; the rules need all, the others SEEN at most."""
DEAF = ("no-text", "forward", "random")
"""Those that read nothing walk each path once, which counts in both languages."""


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


AGENTS: Mapping[str, Any] = {
    "learned": LearnedAgent,
    "blind": Blind,
    "no-text": NoText,
    "grounded": GroundedAgent,
    "forward": ForwardAgent,
    "random": RandomAgent,
    "oracle": None,
}


def episodes(homes: Path) -> list[str]:
    """Of each path a wording in English and one in Chinese, of the three styles in turn."""
    wordings: dict[int, list[str]] = {}
    for one in make_data.read_split(homes, "unseen"):
        wordings.setdefault(one["trajectory_id"], []).append(str(one["episode_id"]))
    return [ids[k] for place, ids in enumerate(wordings.values()) for k in (place % 3, 3 + place % 3)]


def walked(homes: Path, name: str) -> list[dict[str, Any]]:
    """success, spl, scene, language and key of each episode."""
    sensors = SENSORS if name == "grounded" else SEEN
    chosen = episodes(homes)
    english, chinese = chosen[::2], chosen[1::2]
    walks = english if name in DEAF else chosen
    overrides = make_data.played(homes, "unseen", walks, sensors=sensors)
    overrides.append("evaluation.parallel.sessions=4")
    if name == "oracle":
        overrides.append("agent_service.agent=shortest_path")
    found = nav_eval.evaluate("vln-demo", agent=AGENTS[name], overrides=overrides)
    languages = {
        str(e["episode_id"]): e["instruction"].get("language", "en")[:2] for e in make_data.read_split(homes, "unseen")
    }
    rows = [
        {
            "scene": one.scene_id,
            "episode": one.episode_id,
            "language": languages[one.episode_id],
            "success": one.metrics["success"],
            "spl": one.metrics["spl"],
        }
        for one in found.episodes
    ]
    other = dict(zip(english, chinese))
    return rows + [{**row, "episode": other[row["episode"]], "language": "zh"} for row in rows if name in DEAF]


def interval(rows: Sequence[Mapping[str, Any]], metric: str, lowest: float = 0) -> str:
    """Mean of what lies between `lowest` and 1, and its 95 % interval for other homes."""
    values = [row[metric] for row in rows]
    homes = np.unique([row["scene"] for row in rows], return_inverse=True)[1]
    low, high = clustered(values, homes, (lowest, 1)) or (np.nan, np.nan)
    return f"{np.mean(values):.3f} [{low:.3f}, {high:.3f}]"


def paired(rows: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> str:
    """By how much `rows` succeed more often than `others` on the same episodes."""
    other = {row["episode"]: row["success"] for row in others}
    return interval([{**row, "success": row["success"] - other[row["episode"]]} for row in rows], "success", -1)


def table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    lines = ["| Agent | Language | Success | SPL | learned's success less its |", "|---|---|---|---|---|"]
    for name, rows in found.items():
        for language in ("en", "zh"):
            mine = [row for row in rows if row["language"] == language]
            best = [row for row in found.get("learned", ()) if row["language"] == language]
            less = paired(best, mine) if best and name != "learned" else ""
            lines.append(f"| {name} | {language} | {interval(mine, 'success')} | {interval(mine, 'spl')} | {less} |")
    return "\n".join(lines)


def main(given: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="train_vln.evaluate", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--homes", type=int, default=60)
    options.add_argument("--paths", type=int, default=10, help="of each home")
    options.add_argument("--seed", default="fresh", help="of the homes: any text that nobody trained or chose on")
    options.add_argument("--agents", nargs="+", choices=list(AGENTS), default=list(AGENTS))
    chosen = options.parse_args(given)
    weights = chosen.folder / "weights.npz"
    LearnedAgent.weights = weights if weights.is_file() else None
    homes = chosen.folder / "homes" / f"test-{chosen.seed}"
    make_data.make_homes(homes, [f"{chosen.seed}-{k}" for k in range(chosen.homes)], range(5, 6), "test")
    make_data.make_paths(homes, {"unseen": slice(None)}, chosen.paths, chosen.seed)
    kept = {name: chosen.folder / f"test-{chosen.seed}-{name}.json" for name in chosen.agents}
    for name, path in kept.items():
        if not path.is_file():
            path.write_text(json.dumps(walked(homes, name)), encoding="utf-8")
    found = {name: json.loads(path.read_bytes()) for name, path in kept.items()}
    sys.stdout.write(table(found) + "\n")


if __name__ == "__main__":
    main()
