"""What every command of nav-eval-agent speaks with: its parser, lines for the user, exit codes."""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
from collections.abc import Iterator
from typing import Any, NoReturn, TextIO

from nav_eval_sdk.chinese import asked_for, spoken

FINDINGS, BAD_INPUT, UNUSABLE, OUR_FAULT = 1, 2, 3, 4
"""Of nav-eval-agent; 0 is done. OUR_FAULT: not the user's."""


class UsageError(Exception):
    """Something the user gave us; the message says what to do."""


def complain(message: str, code: int) -> int:
    """Say it on stderr; the code."""
    say(f"nav-eval-agent: {spoken(message)}", sys.stderr)
    return code


def say(line: str, out: TextIO | None = None) -> None:
    """A line in the user's language, on stdout."""
    (out or sys.stdout).write(f"{spoken(line)}\n")


class Spoken(logging.Formatter):
    """Messages in the user's language; tracebacks as they are."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return spoken(super().formatMessage(record))


class Parser(argparse.ArgumentParser):
    """Help and refusals in the user's language."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if asked_for():
            for parser in _with_commands(self):
                _translate(parser)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: {spoken(f'error: {message}')}\n")


class _Chinese(argparse.HelpFormatter):
    """A Chinese character is two columns wide."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=20, width=shutil.get_terminal_size().columns * 3 // 5)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, prefix or "用法：")


def _with_commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _translate(parser: argparse.ArgumentParser) -> None:
    """What argparse shows of it; a text in Chinese stays as it is."""
    parser.formatter_class = _Chinese
    parser.description, parser.epilog = spoken(parser.description or ""), spoken(parser.epilog or "")
    for group in parser._action_groups:
        group.title = spoken(group.title or "")
    for action in parser._actions:
        told = action._choices_actions if isinstance(action, argparse._SubParsersAction) else [action]
        for one in told:
            one.help = spoken(one.help) if one.help else one.help
