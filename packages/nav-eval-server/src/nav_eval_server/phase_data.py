"""What each phase would play, asked of the evaluator itself: it resolves the phase as `run` does, and plays one step.

So what opens can be played, and two phases do not play the same without the organiser's word.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from nav_eval.errors import ConfigError
from nav_eval_server.challenge import DRY_RUN, Challenge, configured, evaluation_text
from nav_eval_server.evaluator import COMMAND, environment
from nav_eval_server.folder import Folder
from nav_eval_server.parent_death import killed_with_parent

SAID = "nav-eval: "
"""How a message of the evaluator's begins."""


@dataclass(frozen=True)
class Contents:
    """`sha256`: of all that is played; `scenes`: the sums of each one's files; `episodes`: a sum of each."""

    sha256: str
    scenes: Mapping[str, frozenset[str]]
    episodes: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Contents:
        told = json.loads(path.read_bytes())
        scenes = {name: frozenset(sums) for name, sums in told["scenes"].items()}
        return cls(told["sha256"], scenes, frozenset(told["episodes"]))

    def shared_scenes(self, other: Contents) -> int:
        """How many of these are also the other's; one file is enough."""
        theirs = frozenset().union(*other.scenes.values())
        return sum(1 for sums in self.scenes.values() if sums & theirs)


def played(challenge: Challenge) -> list[str]:
    """Phases, and a dry run on a set of one's own; the demo's homes are the release's."""
    own = challenge.dry_run is not None and challenge.dry_run.split is not None
    return [*challenge.phases, *([DRY_RUN] if own else [])]


def absent(challenge: Challenge, phase: str) -> bool:
    """Whether its file of episodes is still to be made."""
    dataset = configured(challenge, phase).dataset
    path = (dataset.data_path or "").replace("{split}", dataset.split or "")
    return not (challenge.folder / path).expanduser().exists()


def resolve(challenge: Challenge, phase: str) -> Contents:
    """Raises ConfigError with what `nav-eval run` says against it."""
    kept = Folder(challenge.folder).contents(phase)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "challenge.yaml"
        config.write_text(evaluation_text(challenge, phase), encoding="utf-8")
        rules = challenge.phases.get(phase)
        score = ["--score"] if rules is not None and rules.kind == "predictions" else []
        words = ["config", "validate", *challenge.overrides(phase), "--config", str(config), "--allow-plugins"]
        command = killed_with_parent([*COMMAND, *words, *score, "--contents", str(kept)])
        done = subprocess.run(
            command, cwd=challenge.folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode:
            raise ConfigError(_refusal(challenge, phase, done.stderr.replace(str(config), "challenge.yaml")))
    return Contents.read(kept)


def _refusal(challenge: Challenge, phase: str, told: str) -> str:
    said = told.rpartition(SAID)[2].strip()
    return (
        f"{challenge.folder}/challenge.yaml: {key(phase)}: cannot be played (evaluation.dataset.data_path: "
        f"{_files(challenge, [phase])}): {said}\n"
        "Correct `evaluation`, put the data there, or let it open later; `serve --jobs 0` serves without evaluating on "
        "this machine."
    )


def key(phase: str) -> str:
    """Where the file speaks of it."""
    return phase if phase == DRY_RUN else f"phases.{phase}"


def refuse_overlap(challenge: Challenge, found: Mapping[str, Contents]) -> None:
    """Raises ConfigError for two of them that play the same."""
    if not challenge.allow_overlap:
        for one, other in combinations(found, 2):
            _refuse_same(challenge, one, other, found)


def _refuse_same(challenge: Challenge, one: str, other: str, found: Mapping[str, Contents]) -> None:
    episodes = len(found[one].episodes & found[other].episodes)
    scenes = found[other].shared_scenes(found[one])
    if episodes or scenes:
        raise ConfigError(
            f"{challenge.folder}/challenge.yaml: {key(other)}: {episodes} of its {len(found[other].episodes)} episodes "
            f"and {scenes} of its {len(found[other].scenes)} scenes are also those of {key(one)} "
            f"(evaluation.dataset.data_path: {_files(challenge, (other, one))}). Give each its own, as by "
            "${dataset.split} in these paths, or set allow_overlap: true."
        )


def _files(challenge: Challenge, phases: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(str(configured(challenge, phase).dataset.data_path) for phase in phases))
