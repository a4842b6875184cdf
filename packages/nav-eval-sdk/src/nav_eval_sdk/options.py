"""An agent's own options: a frozen dataclass that its class names `Options`; `serve`, `join` and an evaluation read it.

    @dataclass(frozen=True)
    class Options:
        beams: int = option(4, "plans that are compared")

    class Agent(VLNAgent):
        Options = Options

        def __init__(self, options: Options | None = None) -> None:
            self.options = options or read(Options)

Then `nav-eval-agent serve agent:Agent --beams 8` sets it and `--help` shows it. A field may name an environment
variable that holds its default. If the dataclass itself has a `variable`, that one holds further options, written as
on a command line; so an agent is set up where there is none, as under `nav-eval run`.
"""

from __future__ import annotations

import argparse
import dataclasses
import shlex
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any, NoReturn, TypeVar, get_args, get_type_hints

from nav_eval_sdk.variables import Variable

T = TypeVar("T")
PREFIX = "option_of_the_agent_"


def option(default: T, about: str, *, variable: Variable | None = None, choices: Sequence[str] = ()) -> T:
    """A field of `Options`: str, int, float, each also with None, or bool (False unless it is given)."""
    metadata = {"about": about, "variable": variable, "choices": tuple(choices) or None}
    return dataclasses.field(default=default, metadata=metadata)


def options_of(agent: Any) -> Any:
    """The dataclass that an agent's class declares, or None."""
    kind = getattr(agent, "Options", None)
    return kind if dataclasses.is_dataclass(kind) else None


def add_to(parser: argparse.ArgumentParser, kind: Any) -> None:
    """Let `parser` take the options of `kind`; raises ValueError for one that it has already, or a bad variable."""
    group = parser.add_argument_group("options of this agent")
    try:
        for name, form in _arguments(kind):
            group.add_argument(f"--{name.replace('_', '-')}", dest=PREFIX + name, **form)
    except argparse.ArgumentError as error:
        raise ValueError(f"the agent's options: {error}.") from None
    if words := _words(kind):
        parser.set_defaults(**vars(_parse(kind, words)))


def chosen(kind: Any, given: argparse.Namespace) -> Any:
    """The options that a parser of `add_to` has read; raises ValueError where the agent refuses them."""
    return kind(**{one.name: getattr(given, PREFIX + one.name) for one in dataclasses.fields(kind)})


def read(kind: Any) -> Any:
    """The options as the environment sets them; raises ValueError."""
    return chosen(kind, _parse(kind, _words(kind)))


def with_options(agent: Any, options: Any) -> Any:
    """The agent's class, made with these options: its constructor takes nothing."""
    members = {"__init__": lambda self: agent.__init__(self, options), "__module__": agent.__module__}
    return type(agent.__name__, (agent,), {**members, "__doc__": agent.__doc__})


def configured(agent: Any) -> Any:
    """The agent's class as the environment sets it up, where it has options; raises ValueError."""
    kind = options_of(agent)
    return agent if kind is None else with_options(agent, read(kind))


def _arguments(kind: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field's name, and what argparse is told of it."""
    hints = get_type_hints(kind)
    for one in dataclasses.fields(kind):
        about, variable, choices = (one.metadata[key] for key in ("about", "variable", "choices"))
        default = (variable and variable.get()) or one.default
        about = f"{about}; or {variable}" if variable else about
        if hints[one.name] is bool:
            yield one.name, {"action": "store_true", "default": default, "help": about}
            continue
        said = about if default in ("", None) else f"{about}; default: {default}"
        parts = [part for part in get_args(hints[one.name]) if part is not NoneType]
        form = {"type": parts[0] if parts else hints[one.name], "default": default, "help": said}
        yield one.name, form | ({"choices": choices} if choices else {"metavar": one.name.upper()})


def _words(kind: Any) -> list[str]:
    variable = getattr(kind, "variable", None)
    try:
        return shlex.split(variable.get()) if variable else []
    except ValueError as error:
        raise ValueError(f"{variable}: {error}.") from None


class _Strict(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{self.prog}: {message}.")


def _parse(kind: Any, words: list[str]) -> argparse.Namespace:
    parser = _Strict(str(getattr(kind, "variable", None) or "options"), add_help=False)
    for name, form in _arguments(kind):
        parser.add_argument(f"--{name.replace('_', '-')}", dest=PREFIX + name, **form)
    return parser.parse_args(words)
