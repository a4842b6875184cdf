"""What a class must have to be a member of its kind, and whose fault it is when a plug-in's own code fails."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from traceback import extract_tb

from nav_eval.errors import NavEvalError, exhausted


def file_of(owner: object) -> str:
    """' (sct.py)', where it is known which file defines a class, a function or an object's class; else ''."""
    file = _path_of(owner)
    return f" ({Path(file).name})" if file else ""


def lacking(cls: type, methods: Sequence[str]) -> list[str]:
    """Which of these methods a class does not have."""
    return [name for name in methods if not callable(getattr(cls, name, None))]


def takes(cls: type, arguments: Sequence[str]) -> bool:
    """Whether the class can be called with that many arguments; of one made in C nothing is known, so it can."""
    try:
        inspect.signature(cls).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # one made in C shows no signature
        return True
    return True


class Blaming:
    """While the code of `owner` runs: what it raises becomes a `fault` that names `what`, file and line.

    Errors that say whose fault they are already, those of this machine, and bugs of ours pass. A class, because a
    session enters one for each sensor of each step.
    """

    __slots__ = ("_fault", "_owner", "_what")

    def __init__(self, what: str, owner: object, fault: type[NavEvalError]) -> None:
        self._what, self._owner, self._fault = what, owner, fault

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, NavEvalError):
            return
        if exhausted(error) or _module_of(self._owner).startswith("nav_eval."):
            return
        where = _line_of(self._owner, error)
        told = f"{self._what} failed ({where}{type(error).__name__}: {error}). Fix it there."
        raise self._fault(told) from error


def _module_of(owner: object) -> str:
    return getattr(owner, "__module__", None) or type(owner).__module__


def _path_of(owner: object) -> str | None:
    return getattr(sys.modules.get(_module_of(owner)), "__file__", None)


def _line_of(owner: object, error: Exception) -> str:
    """The last line of its own file that led to `error`; of whatever file, where none of its own did."""
    frames, file = extract_tb(error.__traceback__)[1:], _path_of(owner)
    own = [frame for frame in frames if frame.filename == file] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""
