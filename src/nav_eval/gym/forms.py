"""Specs as gymnasium spaces, actions as numbers: fixed-size arrays that checkers and shared memory can hold.

A text is its UTF-8 bytes, padded with zeros (`text` reads it); a list of structures one array per part, padded with
zeros, and its length; a list of texts is the numbers of its words in a vocabulary (0 pads, 1 is none of its words, the
first word is 2), and is left out without one, because the text is there; what is absent is zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from nav_eval.core.actions import Action, ActionSpace
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.errors import InvalidAction

TEXT_BYTES = 2048
WORDS = 256
"""Of a text whose words are numbered."""
LIST_ITEMS = 32
NAME_BYTES = 64
"""Longest node id in a list."""


def text(value: Any) -> str:
    """The text of an array of UTF-8 bytes; one that was cut in the middle of a character loses that character."""
    return bytes(value).rstrip(b"\0").decode(errors="ignore")


class Form:
    """How values of one spec are held in arrays: a gymnasium space, and a function from value to array.

    `parts`: those of a structure; `steady`: a value that hardly changes and takes long to pack.
    """

    def __init__(
        self,
        space: spaces.Space[Any],
        pack: Callable[[Any], Any],
        *,
        parts: Mapping[str, Form] | None = None,
        steady: bool = False,
    ) -> None:
        self.space = space
        self.pack = pack
        self.parts = parts
        self.steady = steady


def form(spec: Spec, text_bytes: int = TEXT_BYTES, vocabulary: Sequence[str] | None = None) -> Form | None:
    """None for what is left out."""
    match spec:
        case TensorSpec():
            return _tensor(spec)
        case TextSpec():
            return _text(text_bytes)
        case NumberSpec():
            return _number(spec)
        case StructSpec():
            return _struct({name: form(part, text_bytes, vocabulary) for name, part in spec.parts.items()})
        case ListSpec(item=StructSpec() as item):
            return _list({name: form(part, NAME_BYTES) for name, part in item.parts.items()})
        case ListSpec(item=TextSpec()) if vocabulary is not None:
            return _words(vocabulary)
    return None


def _words(vocabulary: Sequence[str]) -> Form:
    numbers = {word: number for number, word in enumerate(vocabulary, 2)}

    def pack(value: Sequence[str] | None) -> Any:
        found = [numbers.get(word, 1) for word in (value or ())[:WORDS]]
        return np.array(found + [0] * (WORDS - len(found)), np.int64)

    return Form(spaces.Box(0, len(numbers) + 1, (WORDS,), np.int64), pack, steady=True)


def _tensor(spec: TensorSpec) -> Form:
    box = spaces.Box(*_limits(*spec.bounds, spec.dtype), spec.shape, np.dtype(spec.dtype).type)
    return Form(box, lambda value: np.zeros(spec.shape, spec.dtype) if value is None else np.asarray(value))


def _limits(low: float, high: float, dtype: str) -> tuple[Any, Any]:
    if np.dtype(dtype).kind not in "iu":
        return low, high
    bounds = np.iinfo(dtype)
    return max(low, bounds.min), min(high, bounds.max)


def _text(size: int) -> Form:
    def pack(value: str | None) -> Any:
        data = (value or "").encode()[:size]
        return np.frombuffer(data.ljust(size, b"\0"), np.uint8)

    return Form(spaces.Box(0, 255, (size,), np.uint8), pack, steady=True)


def _number(spec: NumberSpec) -> Form:
    low, high = spec.bounds
    low, high = min(low, 0.0), max(high, 0.0)
    return Form(spaces.Box(low, high, (), np.float64), lambda value: np.array(value or 0.0, np.float64))


def _struct(parts: Mapping[str, Form | None]) -> Form:
    kept = {name: part for name, part in parts.items() if part is not None}
    space = spaces.Dict({name: part.space for name, part in kept.items()})

    def pack(value: Mapping[str, Any] | None) -> dict[str, Any]:
        return {name: part.pack((value or {}).get(name)) for name, part in kept.items()}

    return Form(space, pack, parts=kept)


def _list(parts: Mapping[str, Form | None]) -> Form:
    kept = {name: part for name, part in parts.items() if part is not None}
    stacked = {name: _repeat(part.space) for name, part in kept.items()}
    space = spaces.Dict({**stacked, "count": spaces.Box(0, LIST_ITEMS, (), np.int64)})

    def pack(value: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
        items = (value or ())[:LIST_ITEMS]
        rows = {name: _stack([part.pack(item[name]) for item in items], part.space) for name, part in kept.items()}
        return {**rows, "count": np.array(len(items), np.int64)}

    return Form(space, pack)


def _repeat(space: spaces.Space[Any]) -> spaces.Box:
    assert isinstance(space, spaces.Box), "a list's items hold numbers, texts and arrays"
    low, high = np.broadcast_to(space.low, space.shape), np.broadcast_to(space.high, space.shape)
    shape = (LIST_ITEMS, *space.shape)
    return spaces.Box(np.broadcast_to(low, shape), np.broadcast_to(high, shape), shape, space.dtype.type)


def _stack(rows: list[Any], space: spaces.Space[Any]) -> Any:
    padded = np.zeros((LIST_ITEMS, *(space.shape or ())), space.dtype)
    if rows:
        padded[: len(rows)] = rows
    return padded


class Actions:
    """The numbers of a task's actions; one that takes a text is left out, because a number cannot say it."""

    def __init__(self, space: ActionSpace) -> None:
        takes = {name: action.arguments for name, action in space.actions.items()}
        numeric = {name: args for name, args in takes.items() if args and {a.kind for a in args.values()} == {"float"}}
        self._names = [name for name, args in takes.items() if not args] + list(numeric)
        self._arguments = [(name, key) for name, args in numeric.items() for key in args]
        self.moves = LIST_ITEMS if "move_to" in space else 0
        number = spaces.Discrete(len(self._names) + self.moves)
        self.space: spaces.Space[Any] = number
        if self._arguments:
            bounds = np.array([numeric[name][key].bounds for name, key in self._arguments])
            limits = np.nan_to_num(bounds, neginf=-1e3, posinf=1e3)
            self.space = spaces.Dict(
                {"action": number, "arguments": spaces.Box(limits[:, 0], limits[:, 1], dtype=np.float64)}
            )

    def action(self, given: Any, candidates: Sequence[Mapping[str, Any]]) -> Action:
        """What a number means now; raises InvalidAction for a candidate that is not there."""
        number = int(given["action"] if self._arguments else given)
        if number >= len(self._names):
            if number - len(self._names) >= len(candidates):
                raise InvalidAction(f"there is no candidate {number - len(self._names)} here.")
            return Action("move_to", {"viewpoint": candidates[number - len(self._names)]["viewpoint"]})
        name = self._names[number]
        mine = [(place, key) for place, (owner, key) in enumerate(self._arguments) if owner == name]
        return Action(name, {key: float(given["arguments"][place]) for place, key in mine})

    def number(self, action: Action, candidates: Sequence[Mapping[str, Any]]) -> int:
        """The inverse of `action`, without arguments; raises InvalidAction for a candidate beyond the last."""
        if action.name != "move_to":
            return self._names.index(action.name)
        nodes = [candidate["viewpoint"] for candidate in candidates[:LIST_ITEMS]]
        if action.args["viewpoint"] not in nodes:
            raise InvalidAction("the expert's next viewpoint is not among the candidates.")
        return len(self._names) + nodes.index(action.args["viewpoint"])
