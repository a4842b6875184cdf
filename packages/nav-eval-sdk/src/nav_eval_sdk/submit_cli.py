"""Options of `nav-eval-agent push`, `submit`, `describe`, `status` and `cancel`; what they do is in submissions.py."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from nav_eval_sdk.variables import AGENT_TOKEN, AGENT_TOKEN_FILE, COMPETITION, COMPETITION_TOKEN, COMPETITION_TOKEN_FILE


def add(commands: Any) -> None:
    """The five commands, to those of nav-eval-agent."""
    push = _command(commands, "push", "send a container image to a competition that runs it, in place of a service")
    push.add_argument("image", type=Path, metavar="FILE", help="what docker save or podman save wrote")
    push.add_argument("--name", help="what to submit it by; by default the file's name without its ending")
    submit = _command(commands, "submit", "enter a service, or a predictions file, in a competition")
    submit.add_argument(
        "endpoint",
        nargs="*",
        help="a registered service by name or URL; a new URL is registered, those of replicas as one service",
    )
    submit.add_argument("--predictions", metavar="FILE", type=Path, help="a file to be scored, in place of a service")
    submit.add_argument("--phase", help="the phase to enter; by default the only open one that takes this")
    submit.add_argument(
        "--protocol", choices=("rest", "grpc"), help="what a new service speaks; by default rest, or what its URL says"
    )
    submit.add_argument(
        "--service-token-file",
        default=AGENT_TOKEN_FILE.get(),
        help=f"a file with the token that a new service asks for; or {AGENT_TOKEN_FILE}, or {AGENT_TOKEN}",
    )
    submit.add_argument("--key", help="the same key submits only once; by default a new one each time")
    submit.add_argument("--wait", action="store_true", help="wait until it has ended; the exit code says how")
    submit.add_argument("--json", action="store_true", help="print the submission as JSON, for programs")
    _add_method(submit)
    describe = _command(commands, "describe", "say what an entry is, on its page and on boards")
    describe.add_argument("submission", help="its id")
    _add_method(describe)
    status = _command(commands, "status", "show the state of your submissions")
    status.add_argument("submission", nargs="?", help="its id; by default the newest twenty")
    status.add_argument(
        "--save",
        metavar="FOLDER",
        type=Path,
        help="where to put what an image said, and the log and records of a dry run",
    )
    status.add_argument("--json", action="store_true", help="print what the server says as JSON, for programs")
    cancel = _command(commands, "cancel", "end a submission; its place comes back if nothing was played")
    cancel.add_argument("submission", help="its id")


def _command(commands: Any, name: str, about: str) -> Any:
    command = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    command.add_argument("--server", default=COMPETITION.get(), help=f"the competition's address; or {COMPETITION}")
    add_team(command)
    command.add_argument("--debug", action="store_true", help="show tracebacks")
    command.set_defaults(run=lambda options: _run(name, options))
    return command


def _add_method(command: Any) -> None:
    """What a team says of an entry; "" takes a thing away."""
    told = command.add_argument_group("what boards say of the entry")
    told.add_argument("--method", dest="name", metavar="NAME", help="what the method is called")
    told.add_argument("--affiliation", metavar="NAME", help="where the team comes from")
    told.add_argument("--paper", metavar="URL", help="a link")
    told.add_argument("--code", metavar="URL", help="a link")
    told.add_argument("--model-size", metavar="SIZE", help="such as 7B")
    told.add_argument("--sensors", metavar="CLASS", help="those that it uses, such as RGB-D; the server says which")


def add_team(command: Any) -> None:
    """The options that say who asks."""
    command.add_argument(
        "--token-file",
        default=COMPETITION_TOKEN_FILE.get(),
        help=f"a file with the team's token, from its page; or {COMPETITION_TOKEN_FILE}, "
        f"or the token itself in {COMPETITION_TOKEN}",
    )
    command.add_argument("--ca", help="PEM; the authority that signed the server's certificate")


def _run(name: str, options: argparse.Namespace) -> int:
    """Imported when it is called: the other commands need nothing of HTTP."""
    code: int = import_module("nav_eval_sdk.submissions").run(name, options)
    return code
