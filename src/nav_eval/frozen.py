"""Plain values that nobody can change: what one is shown, another is shown after it.

To a reader they are the dict and the list that they were made of: equal, the same JSON. A copy of one is plain again.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any


def _refuse(*_: Any, **__: Any) -> Any:
    raise TypeError("this is read-only, because it is shown to others too; change a copy of it")


refused: Any = _refuse


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed; what it holds may be."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = refused

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return deepcopy(dict(self), memo)


class FrozenList(list[Any]):
    """A list that cannot be changed; what it holds may be."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = refused
    append = clear = extend = insert = pop = remove = reverse = sort = refused

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return deepcopy(list(self), memo)


PLAIN = frozenset({float, int, str, bool, type(None), FrozenDict, FrozenList})


def frozen(value: Any) -> Any:
    """`value`; a dict, list or tuple as a copy that cannot be changed, nor can any such that it holds."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, dict):
        return FrozenDict({key: one if type(one) in PLAIN else frozen(one) for key, one in value.items()})
    if isinstance(value, list):
        return FrozenList([one if type(one) in PLAIN else frozen(one) for one in value])
    return tuple(map(frozen, value)) if type(value) is tuple else value
