"""Every command of nav-eval, nav-eval competition and nav-eval-agent with its options, from the commands themselves."""

from __future__ import annotations

import argparse
import inspect
import re
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from cyclopts import App, Parameter

from documentation.language import translate
from documentation.markdown import code, prose, table
from nav_eval.cli import make_app
from nav_eval.cli.commands import GROUPS
from nav_eval_sdk.cli import parser
from nav_eval_server.cli import COMMANDS as SERVER
from nav_eval_server.cli import app as server

HEAD = ("Argument or option", "Value", "Default", "Meaning")
Row = tuple[str, str, str, str]
VALUES = {"int": "integer", "_from_one": "integer", "float": "number", "str": "text", "Path": "path", "tuple": "text"}


def evaluator_commands() -> dict[str, tuple[str, App]]:
    """Words after nav-eval -> (what the command does, its app)."""
    app, found = make_app(), {}
    for name, command in ((name, command) for group in GROUPS.values() for name, command in group.items()):
        found |= {f"{name} {part}": (held.help, app[name][part]) for part, held in command.parts.items()}
        if not command.parts and name != "competition":
            found[name] = (command.help, app[name])
    return found


def server_commands() -> dict[str, tuple[str, App]]:
    """The same of nav-eval competition."""
    return {f"competition {name}": (line, server[name]) for name, (_, line) in SERVER.items()}


def of_evaluator() -> Iterator[str]:
    yield from _all(evaluator_commands())


def of_server() -> Iterator[str]:
    yield from _all(server_commands())


def _all(found: dict[str, tuple[str, App]]) -> Iterator[str]:
    for words, (line, app) in sorted(found.items()):
        arguments = app.assemble_argument_collection(default_parameter=Parameter(negative=()), parse_docstring=True)
        rows = [_argument(argument) for argument in arguments]
        yield from _section(f"nav-eval {words}", app.default_command, line, rows)


def _section(command: str, function: Any, line: str, rows: Sequence[Row]) -> Iterator[str]:
    summary = translate(" ".join(((function and inspect.getdoc(function)) or line).split("\n\n")[0].split()))
    yield from (f"### {command} {{ #{command.replace(' ', '-')} }}", "", prose(_called(summary)), "")
    yield from ("```text", usage(command, rows), "```", "")
    yield from table(HEAD, rows)


def _called(summary: str) -> str:
    """What a summary shows of how a command is called, as code."""
    return re.sub(r"nav-eval( \S+=\.\.\.| \S*[\w\]]| \.\.\.\]?)+", lambda found: code(found[0]), summary)


def usage(command: str, rows: Sequence[Row]) -> str:
    """One line: arguments, options that must be given, and that there are others."""
    words = [row[0].strip("`") for row in rows if not row[0].startswith("`-")]
    needed = [
        f"{row[0].strip('`')} {row[1].strip('`').upper() or 'VALUE'}"
        for row in rows
        if row[0].startswith("`-") and row[2] == "required"
    ]
    others = ["[OPTIONS]"] if len(words) + len(needed) < len(rows) else []
    return " ".join([command, *words, *needed, *others])


def _argument(argument: Any) -> Row:
    info = argument.field_info
    default = "" if info.default in (inspect.Parameter.empty, None) else info.default
    shown = (
        translate("required") if argument.required else translate("off") if default is False else code(_plain(default))
    )
    return _name(argument), _value(argument), shown, prose(argument.parameter.help or "")


def _name(argument: Any) -> str:
    kind, name = argument.field_info.kind, argument.names[0].lstrip("-") if argument.names else ""
    if kind is inspect.Parameter.VAR_POSITIONAL:
        return code(f"[{argument.field_info.name.upper()} ...]")
    if kind is inspect.Parameter.KEYWORD_ONLY:
        return ", ".join(map(code, argument.names))
    name = (name or argument.field_info.name).replace("-", "_").upper()
    return code(name if argument.required else f"[{name}]")


def _value(argument: Any) -> str:
    choices = argument.get_choices()
    if choices:
        return ", ".join(map(code, choices))
    hint = argument.hint
    if hint is bool:
        return ""
    kinds = [kind for kind in (typing.get_args(hint) or (hint,)) if kind is not type(None)]
    members = [member for kind in kinds for member in (typing.get_args(kind) or (kind,)) if member is not Ellipsis]
    return " ".join(translate(VALUES[member.__name__]) for member in members)


def _plain(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value


def participant_commands() -> dict[str, argparse.ArgumentParser]:
    """Words after nav-eval-agent -> its parser."""
    for action in parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("nav-eval-agent has no commands")


def of_participant() -> Iterator[str]:
    for name, command in participant_commands().items():
        rows = [_option(action) for action in command._actions if action.dest != "help"]
        yield from _section(f"nav-eval-agent {name}", None, command.description or "", rows)


def _option(action: argparse.Action) -> Row:
    name = ", ".join(map(code, action.option_strings)) or code(_metavar(action))
    flag = action.nargs == 0
    values = ", ".join(map(code, action.choices)) if action.choices else "" if flag else _kind(action)
    needed = not action.option_strings and action.nargs not in ("?", "*")
    default = translate("required" if needed else "off" if flag else "")
    default = default or code("" if action.default is None else action.default)
    shown = translate(action.help or "")
    shown = shown if action.default is None else re.sub(r"(; |；)?(default: |默认：)[^;；]*$", "", shown)
    return name, values, default, prose(shown or "")


def _metavar(action: argparse.Action) -> str:
    shown = str(action.metavar or action.dest.upper())
    return {"?": f"[{shown}]", "*": f"[{shown} ...]"}.get(str(action.nargs), shown)


def _kind(action: argparse.Action) -> str:
    return translate(VALUES[getattr(action.type, "__name__", "str")]) if action.option_strings else ""
