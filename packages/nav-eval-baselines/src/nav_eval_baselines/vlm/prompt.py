"""The words of a question: a file for each language, with places ($name) that a step fills.

`prompts/en.ini` and `prompts/zh.ini` hold the same keys; a file of one's own (--prompt) replaces those that it names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from configparser import ConfigParser, Error
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from nav_eval_baselines.vlm.options import Options

LANGUAGES = ("en", "zh")
DONE = 8
"""Actions that the model is told it did last."""


class Prompt:
    """`Prompt("en").action("turn_left", {}, {}) == "turn left"`; raises ValueError for a file that is none."""

    def __init__(self, language: str, own: str = "") -> None:
        self._parts = ConfigParser(interpolation=None, delimiters=("=",))
        self._parts.optionxform = str  # type: ignore[assignment,method-assign]
        self._parts.read_string((files(__package__) / "prompts" / f"{language}.ini").read_text("utf-8"))
        try:
            self._parts.read(own and [own], "utf-8")
        except (Error, UnicodeDecodeError) as error:
            raise ValueError(f"--prompt: {error}") from None

    def text(self, section: str, key: str, **places: Any) -> str:
        """One part with its places filled; raises ValueError for a place that it cannot have."""
        try:
            return Template(self._parts[section][key]).substitute(places)
        except (KeyError, ValueError) as error:
            raise ValueError(f"--prompt: [{section}] {key}: there is no place {error}.") from None

    def order(self, action: str) -> tuple[int, str]:
        """Where an action stands in the list."""
        known = list(self._parts["actions"])
        return (known.index(action) if action in known else len(known), action)

    def action(self, name: str, numbers: Mapping[str, tuple[float, float]], units: Mapping[str, str]) -> str:
        """What the model reads of an action; one that nobody has described is called by its name."""
        told = self._parts["actions"].get(name, name)
        given = ", ".join(f"{key} ({units[key]}{self._bounds(*numbers[key])})" for key in numbers)
        return self.text("phrases", "numbers", action=told, numbers=given) if numbers else told

    def _bounds(self, low: float, high: float) -> str:
        least = self.text("phrases", "least", low=f"{low:.4g}") if low > -math.inf else ""
        return least + (self.text("phrases", "most", high=f"{high:.4g}") if high < math.inf else "")

    def towards(self, key: str, metres: float, heading: float) -> str:
        """A viewpoint or a goal, `heading` rad to the left."""
        side = self.text("phrases", "left" if heading > 0 else "right")
        return self.text("phrases", key, metres=f"{metres:.1f}", degrees=abs(round(math.degrees(heading))), side=side)

    def goal(self, instruction: str, seen: Mapping[str, Any]) -> str:
        """The instruction, or what the task's sensors say of the goal."""
        if instruction:
            return instruction
        if seen.get("objectgoal"):
            return self.text("phrases", "objectgoal", object=seen["objectgoal"])
        if seen.get("pointgoal") is not None:
            return self.towards("pointgoal", *map(float, seen["pointgoal"]))
        return self.text("phrases", "imagegoal") if seen.get("imagegoal") is not None else ""

    def user(self, goal: str, done: Sequence[str], actions: Sequence[str], most: int, *, reasoning: bool) -> str:
        """The question itself."""
        listed = "\n".join(f"{number}: {text}" for number, text in enumerate(actions))
        form = self.text("answer", "several" if most > 1 else "one", most=most)
        manner = self.text("answer", "reasoning" if reasoning else "alone", form=form)
        told = "; ".join(done[-DONE:]) or self.text("phrases", "nothing")
        return self.text("prompt", "user", goal=goal, done=told, actions=listed, answer=manner)


@cache
def texts_of(action: str) -> tuple[str, ...]:
    """What the prompts of all languages call an action; nothing where they do not know it."""
    return tuple(text for language in LANGUAGES if (text := Prompt(language).action(action, {}, {})) != action)


def prompt_of(options: Options, language: str) -> Prompt:
    """The prompt for an instruction in `language` ("en-US", "zh", "hi-IN"): English unless it is Chinese."""
    spoken = "zh" if language.lower().startswith("zh") else "en"
    return Prompt(spoken if options.language == "auto" else options.language, options.prompt)
