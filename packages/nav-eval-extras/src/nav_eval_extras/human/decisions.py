"""The decisions of a run's people, kept as they are made: DIR/decisions.jsonl.

An evaluation that was killed within an episode carries them out again by itself, so that nobody sees an episode twice.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.results.files import explained
from nav_eval.results.lines import append_line, take_up
from nav_eval_extras.human.attention import hasty, only_forward

NAME = "decisions.jsonl"


class Decision(msgspec.Struct, frozen=True):
    """One action of an episode (its opaque id), and how long a person thought before it.

    `resumed`: the first one after an interruption; those before it were carried out again without the person.
    """

    episode: str
    action: str
    action_args: dict[str, Any]
    seconds: float
    at: str
    resumed: bool = False


class Decisions:
    """Append-only; a last line that was not written whole is cut off."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._made: dict[str, list[Decision]] = {}
        if self.path.exists():
            with explained(self.path):
                for decision in take_up(self.path, msgspec.json.Decoder(Decision)):
                    self._made.setdefault(decision.episode, []).append(decision)

    def of(self, episode: str) -> Sequence[Decision]:
        return self._made.get(episode, ())

    def add(self, episode: str, action: str, args: Mapping[str, Any], seconds: float, *, resumed: bool = False) -> None:
        """Kept when this returns."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.extend([Decision(episode, action, dict(args), round(seconds, 3), at, resumed)])

    def extend(self, decisions: Iterable[Decision]) -> None:
        with explained(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        for decision in decisions:
            append_line(self.path, msgspec.json.encode(decision))
            self._made.setdefault(decision.episode, []).append(decision)

    def notes(self) -> list[str]:
        """What a reader of the results must know of how they were played."""
        made = list(self._made.values())
        seconds = [one.seconds for decisions in made for one in decisions]
        if not seconds:
            return []
        notes = [
            f"Played by a person in a browser: {len(seconds)} decisions in {len(made)} episodes, "
            f"{statistics.median(seconds):.1f} s each in the median ({NAME})."
        ]
        if straight := sum(only_forward([one.action for one in decisions]) for decisions in made):
            notes.append(f"In {straight} of {len(made)} episodes nothing but forward was pressed.")
        if fast := sum(map(_hasty, made)):
            notes.append(f"In {fast} of {len(made)} episodes decisions were faster than anybody can look.")
        if again := sum(map(_carried_out_again, made)):
            notes.append(
                f"{again} decisions from before an interruption were carried out again without the person: "
                f"agent_latency is not theirs there, {NAME} has it."
            )
        return notes


def _hasty(made: Sequence[Decision]) -> bool:
    return hasty([one.action for one in made], [one.seconds for one in made])


def _carried_out_again(made: Sequence[Decision]) -> int:
    """How many decisions the last interruption of an episode came after."""
    return max((place for place, one in enumerate(made) if one.resumed), default=0)
