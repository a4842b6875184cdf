"""Loggers under one name; the command line decides how they look, a library user decides nothing by accident."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import cached_property


def get_logger(name: str) -> logging.Logger:
    """A logger below `nav_eval`. Importing nav_eval installs no handler."""
    return logging.getLogger(name if f"{name}.".startswith("nav_eval.") else f"nav_eval.{name}")


class _Spelt(logging.Formatter):
    def __init__(self, spell: Callable[[str], str]) -> None:
        super().__init__("%(message)s")
        self._spell = spell

    def format(self, record: logging.LogRecord) -> str:
        return self._spell(super().format(record))


class _WithLevel(_Spelt):
    def format(self, record: logging.LogRecord) -> str:
        return f"{record.levelname:<8} {super().format(record)}"


class _Terminal(logging.Handler):
    """Prints through rich, which is imported for the first message: most commands have none.

    Where nobody reads along, in a file or a pipe, a message is one line, whatever its length.
    """

    def __init__(self, spell: Callable[[str], str]) -> None:
        super().__init__()
        self._spell = spell

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr.isatty():
            self._rich.emit(record)
        else:
            self._plain.emit(record)

    @cached_property
    def _plain(self) -> logging.Handler:
        handler = logging.StreamHandler()
        handler.setFormatter(_WithLevel(self._spell))
        return handler

    @cached_property
    def _rich(self) -> logging.Handler:
        from rich.console import Console
        from rich.logging import RichHandler

        handler = RichHandler(console=Console(stderr=True), show_path=False, show_time=False, markup=False)
        handler.setFormatter(_Spelt(self._spell))
        return handler


def show_on_terminal(spell: Callable[[str], str], *, verbose: bool = False) -> None:
    """Print warnings (or everything, if verbose) on stderr through rich. Called by the command line only.

    `spell` makes a message fit for a terminal: it may quote strangers.
    """
    logger = logging.getLogger("nav_eval")
    logger.handlers[:] = [_Terminal(spell)]
    logger.setLevel(logging.DEBUG if verbose else logging.INFO)
