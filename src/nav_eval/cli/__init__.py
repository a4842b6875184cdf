"""The command `nav-eval`. Each command is imported when it is called, so that --help stays fast."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING

from nav_eval.cli.exit import guarded
from nav_eval.core.stopping import heeded
from nav_eval.registry import import_plugins

if TYPE_CHECKING:
    from cyclopts import App

ABOUT = (
    "Evaluate vision-and-language navigation agents. Add --debug to any command for tracebacks.\n\n"
    "Exit codes: 0 done; 1 done, with findings (failed episodes, faults, differences); 2 bad input; "
    "3 the participant's service; 4 our own fault; 130, 143, 138 ended by SIGINT, by SIGTERM, drained by SIGUSR1."
)

Command = tuple[str, str]
"""(module:function, what it does in a line)."""

COMMANDS: dict[str, Command] = {
    "run": ("nav_eval.cli.run:run", "Evaluate an agent on a benchmark: nav-eval run BENCHMARK [key=value ...]."),
    "sweep": (
        "nav_eval.cli.sweep:sweep",
        "Measure robustness to perturbations: nav-eval sweep BENCHMARK suite=robustness --out DIR.",
    ),
    "merge": (
        "nav_eval.cli.merge:merge",
        "Make one run of the shards of `run --shard`: nav-eval merge RUN_DIR ... --out DIR.",
    ),
    "demo": ("nav_eval.cli.demo:demo", "Make homes and episodes, serve two agents, evaluate and compare them."),
    "list": (
        "nav_eval.cli.inspect:list_names",
        "List components: nav-eval list benchmarks|tasks|metrics|simulators|sensors|...",
    ),
    "validate": ("nav_eval.cli.inspect:validate", "List every fault of a data set file: nav-eval validate FILE."),
    "score": (
        "nav_eval.cli.score:score",
        "Score a submission file offline: nav-eval score FILE --benchmark NAME [key=value ...].",
    ),
    "rescore": (
        "nav_eval.cli.score:rescore",
        "Recompute a run's metrics from its trajectories: nav-eval rescore RUN_DIR [key=value ...].",
    ),
    "replay": (
        "nav_eval.cli.score:replay",
        "Re-simulate a run's recorded actions and compare: nav-eval replay RUN_DIR.",
    ),
    "compare": (
        "nav_eval.cli.score:compare",
        "Compare runs on the same episodes with paired tests: nav-eval compare RUN_DIR RUN_DIR ...",
    ),
    "rank": (
        "nav_eval.cli.score:rank",
        "Rank runs, with rank intervals and shared ranks: nav-eval rank RUN_DIR ... --by spl.",
    ),
    "report": (
        "nav_eval.cli.report:report",
        "Write one self-contained HTML page of one run or several: nav-eval report RUN_DIR ...",
    ),
    "sign": (
        "nav_eval.cli.audit:sign",
        "Sign a finished run with Ed25519: nav-eval sign RUN_DIR --key FILE; a key: nav-eval sign --new-key FILE.",
    ),
    "verify": (
        "nav_eval.cli.audit:verify",
        "Check a run's files against its manifest and signature: nav-eval verify RUN_DIR.",
    ),
    "publish": (
        "nav_eval.cli.audit:publish",
        "Copy what may be shown to everybody, nothing of single episodes: nav-eval publish RUN_DIR --out DIR.",
    ),
    "doctor": ("nav_eval.cli.doctor:doctor", "Show what works on this machine, and what to do about the rest."),
}
GROUPS: dict[str, tuple[str, dict[str, Command]]] = {
    "config": (
        "Show, check or describe the configuration.",
        {
            "show": (
                "nav_eval.cli.inspect:config_show",
                "Print the resolved configuration as YAML: nav-eval config show [BENCHMARK] [key=value ...].",
            ),
            "validate": (
                "nav_eval.cli.inspect:config_validate",
                "List every fault of a configuration: nav-eval config validate BENCHMARK|FILE.yaml [key=value ...].",
            ),
            "schema": ("nav_eval.cli.inspect:config_schema", "Print the JSON schema of a configuration."),
        },
    ),
    "data": (
        "Data sets and scenes that their owners license.",
        {"check": ("nav_eval.cli.scene:data_check", "List what is expected where, and what is missing.")},
    ),
    "scene": (
        "Look into a scene.",
        {
            "info": ("nav_eval.cli.scene:info", "Print what a scene holds."),
            "navmesh": ("nav_eval.cli.scene:navmesh", "Read or build a navmesh: area and islands."),
            "view": ("nav_eval.cli.scene:view", "Save a picture: a view, a floor plan, every room."),
        },
    ),
    "simulator": (
        "Simulators of others.",
        {
            "check": (
                "nav_eval.cli.simulator:check",
                "Check that a simulator keeps the contract: nav-eval simulator check ENDPOINT|NAME [key=value ...].",
            )
        },
    ),
    "generate": (
        "Make buildings and episodes from a seed.",
        {
            "scenes": ("nav_eval.cli.generate:scenes", "Make furnished homes or offices."),
            "episodes": ("nav_eval.cli.generate:episodes", "Make the splits of a task on given scenes."),
        },
    ),
}

OFFERED = {"competition": "nav_eval.cli.lacking:competition"}
"""Commands of other distributions, as they are where nobody has installed them: entry points nav_eval.commands win."""
ABOUTS = {"competition": "Run a competition: teams, a fair queue, evaluations that survive every crash."}


def main() -> None:
    """Entry point of the console script; exits with the codes of the contract (0, 1, 2, 3, 4).

    Agents and plug-ins may lie in the working directory, as for nav-eval-agent; what is installed goes before them.
    """
    sys.path.append(str(Path.cwd()))
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    with heeded():
        sys.exit(guarded(_call, arguments, debug=debug))


def _call(arguments: list[str]) -> int:
    """Plug-ins of the environment serve the commands that read no configuration too."""
    import_plugins(name for name in os.environ.get("NAV_EVAL_PLUGINS", "").strip("[]").split(",") if name)
    return int(make_app()(arguments) or 0)


def make_app() -> App:
    """Every command; none of them is imported before it is called."""
    from cyclopts import App, Parameter

    app = App(
        name="nav-eval",
        help=ABOUT,
        version=_version,
        help_format="plaintext",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative=()),
    )
    for name, (target, about) in COMMANDS.items():
        app.command(target, name=name, help=about)
    for name, (about, commands) in GROUPS.items():
        group = App(name=name, help=about)
        for command, (target, line) in commands.items():
            group.command(target, name=command, help=line)
        app.command(group)
    brought = {point.name: point.value for point in entry_points(group="nav_eval.commands")}
    for name, target in (OFFERED | brought).items():
        app.command(target, name=name, help=ABOUTS.get(name))
    return app


def _version() -> str:
    return version("nav-eval")
