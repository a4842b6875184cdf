"""A registry is a dict with manners: it refuses duplicates, names the nearest match and loads plug-ins on demand.

A plug-in is found in two ways: by a `register_*` decorator that has run (import_plugins runs those of the modules that
the configuration names), or by an entry point of an installed distribution in the group `nav_eval.<kind>` (for example
`nav_eval.metrics`), which is imported when it is asked for. Built-in members are named by "module:attribute" and
imported in the same lazy way, so a list costs no import; but where the decorators of our own modules are the list,
these are imported with the first question.
"""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoints, entry_points
from itertools import accumulate
from pathlib import Path
from shlex import quote
from traceback import extract_tb
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

from nav_eval.errors import ConfigError, NavEvalError, exhausted

T = TypeVar("T")
C = TypeVar("C")
_NO_PLURAL = ("crowds", "physics")


def nearest(name: str, known: Iterable[str]) -> str:
    """' Did you mean 'x'?' for the closest known name, or ''."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


def check_named(name: object, decorator: str) -> None:
    """Raises ConfigError where a decorator that needs a name stands without one, and so is given what it stands above.

    It would replace that by a function, and register nothing.
    """
    if not isinstance(name, str):
        called = getattr(name, "__qualname__", repr(name))
        raise ConfigError(f'@{decorator} stands above {called} without a name. Write @{decorator}("NAME")')


def missing(what: str, distribution: str) -> ConfigError:
    """The error for what comes with a distribution that is not installed."""
    return ConfigError(f"{what} comes with a package of its own: pip install {quote(distribution)}")


def entered(group: str) -> EntryPoints:
    """The entry points of a group, of all installed distributions, as they were when this process first asked."""
    found: EntryPoints = _all_entered().select(group=group)
    return found


@cache
def _all_entered() -> Any:
    """Read once, because each reading opens every distribution; of a type that only Python 3.12 calls EntryPoints."""
    return entry_points()


def import_plugins(modules: Iterable[str]) -> None:
    """Import modules for what they register. Raises ConfigError for one that cannot be imported."""
    for module in modules:
        _import_module(module, "plugins: ")


def _import_module(module: str, told: str) -> ModuleType:
    """Raises ConfigError, which begins with `told`, where the module's own fault is no ConfigError."""
    try:
        return import_module(module)
    except NavEvalError:
        raise
    except Exception as error:
        if exhausted(error):
            raise
        raise ConfigError(f"{told}{_import_fault(module, error)}") from error


def _import_fault(module: str, error: Exception) -> str:
    """What kept `module` from being imported: itself, or a line in it."""
    place = _last_line(error)
    if place is None or (isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")):
        return f"{module!r} cannot be imported ({error}). Install it, or run in the folder that holds it."
    where = f"{module} ({place})"
    if isinstance(error, ModuleNotFoundError):
        return f"{where} imports {error.name!r}, which is not installed."
    told = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{where} cannot be imported ({type(error).__name__}: {told})."


def _last_line(error: Exception) -> str | None:
    """File and line that raised `error` while it was imported; None where no file of a module ran."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}"
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.name == "<module>"]
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else None


def check_importable(module: str, attribute: str) -> None:
    """Raises ImportError unless there is such a module and its text defines `attribute`; none of its code is run."""
    path: Sequence[str] | None = None
    for name in accumulate(module.split("."), "{}.{}".format):
        spec = _find_spec(name, path)
        path = spec.submodule_search_locations
    source = getattr(spec.loader, "get_source", lambda _: None)(module)
    if source is not None and not _binds(source, attribute):
        raise ImportError(f"module {module!r} has no attribute {attribute!r}")


def _find_spec(name: str, path: Sequence[str] | None) -> ModuleSpec:
    specs = (finder.find_spec(name, path) for finder in sys.meta_path)
    found = next((spec for spec in specs if spec is not None), None)
    if found is None:
        raise ModuleNotFoundError(f"No module named {name!r}")
    return found


def _binds(source: str, name: str) -> bool:
    """Whether any statement of `source` may bind `name`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return bool(names & {name, "*", "__getattr__"})


class Registry(Generic[T]):
    """Members of one kind by name. `kind` is the plural used in messages and in the entry-point group.

    `admit`: what is done with each member before it is one, in whichever way it came; raises ConfigError if it is none.
    `elsewhere`: names that an entry point of another distribution of ours brings -> what pip installs for them.
    `modules`: ours that register members by their decorators.
    """

    def __init__(
        self,
        kind: str,
        builtin: Mapping[str, str] | None = None,
        admit: Callable[[str, Any], T] = lambda _, member: member,
        elsewhere: Mapping[str, str] | None = None,
        modules: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self._modules = modules
        self.elsewhere = elsewhere or {}
        self._admit = admit
        self._members: dict[str, T] = {}
        self._lazy: dict[str, str] = dict(builtin or {})
        self._plugins_listed = False

    def register(self, name: str) -> Callable[[C], C]:
        """Decorator. Raises ConfigError if the name is taken by another object, or no string."""
        check_named(name, f"register_{self.kind if self.kind in _NO_PLURAL else self.kind.removesuffix('s')}")

        def add(member: C) -> C:
            self.add(name, cast(T, member))
            return member

        return add

    def add(self, name: str, member: T) -> None:
        """Register `member`; the same object, or a reloaded class of the same name and module, is accepted."""
        if getattr(member, "__module__", None) not in self._modules:
            self._list_plugins()
        held = self._members.get(name)
        target = self._lazy.get(name)
        origin = _origin(member)
        if (held is not None and held is not member and _origin(held) != origin) or (
            held is None and target is not None and target != origin
        ):
            raise ConfigError(f"{self.kind}: {name!r} is registered already. Choose another name.")
        self._members[name] = self._admit(name, member)

    def get(self, name: str, beside: Iterable[str] = ()) -> T:
        """The member called `name`; raises ConfigError with the nearest known name, of the registry's or `beside`."""
        if name not in self._members:
            self.require(name, beside)
        if name not in self._members:  # unless its decorator has run by now
            member = self._load(name, self._lazy[name])
            if name not in self._members:
                self._members.setdefault(name, self._admit(name, member))
        return self._members[name]

    def require(self, name: str, beside: Iterable[str] = ()) -> None:
        """Raises ConfigError as `get` does where there is no such name; imports nothing."""
        if name not in self:
            if name in self.elsewhere:
                raise missing(f"{self.kind}: {name!r}", self.elsewhere[name])
            names = sorted({*self.names(), *beside})
            known = ", ".join(names) or "none"
            raise ConfigError(f"{self.kind}: there is no {name!r}.{nearest(name, names)} Known: {known}.")

    def names(self) -> list[str]:
        """All names, sorted; imports nothing."""
        self._list_plugins()
        return sorted(self._members.keys() | self._lazy.keys())

    def __contains__(self, name: str) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _load(self, name: str, target: str) -> Any:
        module, _, attribute = target.partition(":")
        told = f"{self.kind}: {name!r} is installed, but "
        member = getattr(_import_module(module, told), attribute, None)
        if member is None:
            raise ConfigError(f"{told}{module} has no {attribute!r}.")
        return member

    def _list_plugins(self) -> None:
        if self._plugins_listed:
            return
        for module in self._modules:
            import_module(module)
        self._plugins_listed = True
        for point in entered(f"nav_eval.{self.kind.replace(' ', '_')}"):
            held = self._members.get(point.name)
            known = self._lazy.get(point.name, point.value) if held is None else _origin(held)
            if known != point.value:
                owner = point.dist.name if point.dist else "a plug-in"
                raise ConfigError(f"{self.kind}: {owner} registers {point.name!r}, which is taken. Uninstall one.")
            self._lazy[point.name] = point.value


def _origin(member: object) -> str:
    return f"{getattr(member, '__module__', '')}:{getattr(member, '__qualname__', repr(member))}"
