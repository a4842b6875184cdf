"""The command `nav-eval`. Each command is imported when it is called, so that --help stays fast."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from dataclasses import replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from nav_eval.cli.chinese import asked_for, spoken
from nav_eval.cli.commands import GROUPS, SYNONYMS, Command
from nav_eval.cli.exit import guarded
from nav_eval.core.stopping import heeded
from nav_eval.errors import InputError
from nav_eval.registry import entered, import_plugins
from nav_eval.variables import PLUGINS

if TYPE_CHECKING:
    from cyclopts import App, Group
    from cyclopts.help.protocols import HelpFormatter

ABOUT = (
    "Evaluate vision-and-language navigation agents. Add --debug to any command for tracebacks.\n\n"
    "Exit codes: 0 done; 1 done, with findings (failed episodes, faults, differences); 2 bad input; "
    "3 the participant's service; 4 our own fault; 130, 143, 138 ended by SIGINT, by SIGTERM, drained by SIGUSR1."
)
MAX_YOUNG_OBJECTS, MAX_YOUNG_COLLECTIONS = 10_000, 100
"""Before a collection, and before one of older objects. Nearly all of a start stay, and to look at them every 700 and
every 7,000 takes a twentieth of it.
"""

OPENBLAS_SPINS = "4"
"""2**4 cycles for which numpy's idle threads wait awake. By default each takes 0.04 s of CPU when numpy is imported."""


def main() -> None:
    """Entry point of the console script; exits with the codes of the contract (0, 1, 2, 3, 4).

    Agents and plug-ins may lie in the working directory, as for nav-eval-agent; what is installed goes before them.
    """
    sys.path.append(str(Path.cwd()))
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", OPENBLAS_SPINS)
    gc.set_threshold(MAX_YOUNG_OBJECTS, MAX_YOUNG_COLLECTIONS)
    atexit.register(gc.freeze)  # to free every cycle before the process ends anyway takes 0.13 s after a run
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    with heeded():
        sys.exit(guarded(_call, arguments, debug=debug))


def _call(arguments: list[str]) -> int:
    """Plug-ins of the environment serve the commands that read no configuration too."""
    import_plugins(name for name in PLUGINS.get().strip("[]").split(",") if name)
    if "--out=" in arguments or ("--out", "") in pairwise(arguments):
        raise InputError("--out is empty: name a file or a folder, or leave it out.")  # "" is also Path's name of "."
    app = make_app()
    meant = SYNONYMS.get(arguments[0]) if arguments and arguments[0] not in app else None
    if meant is not None:
        raise InputError(
            f"Unknown command {arguments[0]!r}. Did you mean {meant!r}? `nav-eval {meant} --help` shows it."
        )
    return int(app(arguments) or 0)


def make_app() -> App:
    """Every command; none of them is imported before it is called."""
    from cyclopts import App, Group, Parameter

    app = App(
        name="nav-eval",
        help=spoken(ABOUT),
        version=lambda: version("nav-eval"),
        help_format="plaintext",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative=()),
        help_formatter=_formatter(),
    )
    brought = {point.name: point.value for point in entered("nav_eval.commands")}
    for order, (title, commands) in enumerate(GROUPS.items()):
        group = Group(spoken(title), sort_key=order)
        for place, (name, command) in enumerate(commands.items()):
            _add(app, name, _with_brought(name, command, brought), group, place)
    for name, target in brought.items():
        _add(app, name, Command("", target), Group(spoken("Of plug-ins"), sort_key=len(GROUPS)))
    options = Group(spoken("Options"), sort_key=len(GROUPS) + 1)
    app["--help"].group = app["--version"].group = (options,)
    return app


def _formatter() -> HelpFormatter | None:
    """Of the help; None is the default."""
    if not asked_for():
        return None
    from nav_eval.cli.chinese_help import ChineseHelp

    return ChineseHelp()


def _with_brought(name: str, command: Command, brought: dict[str, str]) -> Command:
    """The command with what installed packages bring for it or its parts, which is taken out of `brought`."""
    parts = {part: _with_brought(f"{name}.{part}", held, brought) for part, held in command.parts.items()}
    return replace(command, target=brought.pop(name, command.target), parts=parts)


def _add(app: App, name: str, command: Command, group: Group, place: int = 0) -> None:
    from cyclopts import App

    if not command.parts:
        app.command(command.target, name=name, help=command.help or None, group=group, sort_key=place)
        return
    holder = App(name=name, help=command.help, group=group, sort_key=place)
    for part, held in command.parts.items():
        holder.command(held.target, name=part, help=held.help)
    app.command(holder)
