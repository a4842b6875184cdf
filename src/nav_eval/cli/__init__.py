"""The command `nav-eval`. Each command is imported when it is called, so that --help stays fast."""

from __future__ import annotations

import sys

from nav_eval.cli.exit import guarded

COMMANDS = {
    "run": "nav_eval.cli.run:run",
    "list": "nav_eval.cli.inspect:list_names",
    "validate": "nav_eval.cli.inspect:validate",
    "score": "nav_eval.cli.score:score",
    "rescore": "nav_eval.cli.score:rescore",
    "replay": "nav_eval.cli.score:replay",
    "compare": "nav_eval.cli.score:compare",
    "demo": "nav_eval.cli.demo:demo",
    "doctor": "nav_eval.cli.doctor:doctor",
}
CONFIG_COMMANDS = {
    "show": "nav_eval.cli.inspect:config_show",
    "validate": "nav_eval.cli.inspect:config_validate",
    "schema": "nav_eval.cli.inspect:config_schema",
}


def main() -> None:
    """Entry point of the console script; exits with the codes of the contract (0, 1, 2, 3, 4)."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    sys.exit(guarded(_call, arguments, debug=debug))


def _call(arguments: list[str]) -> int:
    from cyclopts import App

    app = App(
        name="nav-eval",
        help="Evaluate vision-and-language navigation agents. Add --debug to any command for tracebacks.",
        version=_version,
        help_format="plaintext",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
    )
    for name, target in COMMANDS.items():
        app.command(target, name=name)
    config = App(name="config", help="Show, check or describe the configuration.")
    for name, target in CONFIG_COMMANDS.items():
        config.command(target, name=name)
    app.command(config)
    return int(app(arguments) or 0)


def _version() -> str:
    from importlib.metadata import version

    return version("nav-eval")
