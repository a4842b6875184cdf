"""Loggers under one name; the command line decides how they look, a library user decides nothing by accident."""

from __future__ import annotations

import logging


def get_logger(name: str) -> logging.Logger:
    """A logger below `nav_eval`. Importing nav_eval installs no handler."""
    return logging.getLogger(name if name.startswith("nav_eval") else f"nav_eval.{name}")


def show_on_terminal(*, verbose: bool = False) -> None:
    """Print warnings (or everything, if verbose) on stderr through rich. Called by the command line only."""
    from rich.console import Console
    from rich.logging import RichHandler

    handler = RichHandler(console=Console(stderr=True), show_path=False, show_time=False, markup=False)
    logger = logging.getLogger("nav_eval")
    logger.handlers[:] = [handler]
    logger.setLevel(logging.DEBUG if verbose else logging.INFO)
