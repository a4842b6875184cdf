"""The command `nav-eval competition`; nav_eval finds it by the entry point nav_eval.commands."""

from __future__ import annotations

from cyclopts import App, Parameter

ABOUT = "Run a competition: teams, a fair queue and evaluations that survive every crash."
COMMANDS = {
    "init": ("nav_eval_server.init:init", "Make a competition that needs no data: nav-eval competition init DIR."),
    "serve": (
        "nav_eval_server.serving:serve",
        "Serve it: database, web, scheduler and a worker: nav-eval competition serve FILE.",
    ),
    "worker": (
        "nav_eval_server.serving:worker",
        "Evaluate on another machine: nav-eval competition worker --join URL --token-file FILE.",
    ),
    "token": (
        "nav_eval_server.serving:token",
        "Print a token for such a worker: nav-eval competition token FILE --name NAME.",
    ),
    "organiser": (
        "nav_eval_server.init:organiser",
        "Make an organiser, or readmit one: nav-eval competition organiser FILE --name NAME.",
    ),
    "people": (
        "nav_eval_server.human_row:people",
        "Let invited people play a phase, for a row on its board: nav-eval competition people FILE --phase NAME.",
    ),
    "backup": (
        "nav_eval_server.archive.commands:backup",
        "Write a backup into one file: nav-eval competition backup FILE.",
    ),
    "restore": (
        "nav_eval_server.archive.commands:restore",
        "Bring a backup back: nav-eval competition restore BACKUP FOLDER.",
    ),
    "freeze": (
        "nav_eval_server.archive.commands:freeze",
        "End a phase, and write its hash: nav-eval competition freeze FILE --phase NAME.",
    ),
    "publish": (
        "nav_eval_server.archive.commands:publish",
        "Write boards and what proves them: nav-eval competition publish FILE --out FOLDER.",
    ),
    "grades": (
        "nav_eval_server.archive.commands:grades",
        "Print what each person's team reached in every phase, as CSV: nav-eval competition grades FILE.",
    ),
    "capacity": (
        "nav_eval_server.capacity:capacity",
        "Say how many hours and workers the phases need: nav-eval competition capacity FILE --teams N.",
    ),
    "doctor": (
        "nav_eval_server.archive.commands:doctor",
        "Say what is in order and what is not: nav-eval competition doctor FILE.",
    ),
}
"""(module:function, what it does in a line); none is imported before it is called."""

app = App(name="competition", help=ABOUT, default_parameter=Parameter(negative=()))
for name, (target, about) in COMMANDS.items():
    app.command(target, name=name, help=about)
