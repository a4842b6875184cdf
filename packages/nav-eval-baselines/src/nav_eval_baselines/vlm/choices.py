"""What the model may choose from: the episode's actions, numbered from 0, on a graph each viewpoint in reach."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nav_eval_baselines.vlm.prompt import Prompt, texts_of

BARE = ("stop", "found")
"""They come first: what ends an episode keeps its number."""


@dataclass(frozen=True)
class Choice:
    """`text` is what the model reads. `args` are fixed; `numbers`: name -> (low, high), which the model has to give.

    `also`: what a model may call it that answers in another language.
    """

    text: str
    action: str
    args: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called: its texts, what is before a colon, and, unless it is one of several, its action."""
        before = (text.partition(":")[0] for text in (self.text, *self.also))
        return (self.text, *before, *([] if self.args else [self.action]))

    def answer(self, numbers: Mapping[str, float] | None = None) -> dict[str, Any]:
        """The action as the SDK takes it."""
        return {"action": self.action, "action_args": {**self.args, **(numbers or {})}}


def offered(space: Mapping[str, Any], observation: Mapping[str, Any], prompt: Prompt) -> list[Choice]:
    """The choices of a step. `space`: action -> {"arguments": {name: {"kind", "unit", "low", "high"}}}."""
    names = sorted(space, key=lambda name: (name not in BARE, prompt.order(name)))
    return [choice for name in names for choice in _of_action(name, space[name], observation, prompt)]


def _of_action(name: str, spec: Mapping[str, Any], seen: Mapping[str, Any], prompt: Prompt) -> Iterator[Choice]:
    arguments = spec.get("arguments") or {}
    if name == "move_to":
        yield from (_of_viewpoint(node, prompt) for node in seen.get("navigable") or ())
    elif all(one.get("kind", "float") == "float" for one in arguments.values()):
        numbers = {
            key: (_bound(one, "low", -math.inf), _bound(one, "high", math.inf)) for key, one in arguments.items()
        }
        units = {key: one.get("unit") or "" for key, one in arguments.items()}
        yield Choice(prompt.action(name, numbers, units), name, {}, numbers, texts_of(name))


def _bound(argument: Mapping[str, Any], key: str, without: float) -> float:
    given = argument.get(key)
    return without if given is None else float(given)


def _of_viewpoint(node: Mapping[str, Any], prompt: Prompt) -> Choice:
    text = prompt.towards("move_to", node["distance"], node["heading"])
    return Choice(text, "move_to", {"viewpoint": node["viewpoint"]})


def safe(choices: Sequence[Choice], wanted: str) -> dict[str, Any]:
    """What is done when nothing could be read: `wanted`; else no movement; else stop; else the first choice."""
    for name in (wanted, "velocity", "waypoint", "stop"):
        if found := next((one for one in choices if one.action == name), None):
            break
    else:
        found = choices[0]
    return found.answer({key: min(max(0.0, low), high) for key, (low, high) in found.numbers.items()})


def schema(choices: Sequence[Choice], most: int) -> dict[str, Any]:
    """The JSON schema of an answer: {"action": n}, or {"actions": [n, ...]} where several are allowed."""
    action = {"type": "integer", "enum": list(range(len(choices)))}
    numbers = {key: {"type": ["number", "null"]} for choice in choices for key in choice.numbers}
    one = _object({"action": action, **numbers})
    if most == 1:
        return one
    return _object({"actions": {"type": "array", "minItems": 1, "maxItems": most, "items": one if numbers else action}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
