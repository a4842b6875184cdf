"""The command `nav-eval competition`; nav_eval finds it by the entry point nav_eval.commands."""

from __future__ import annotations

from cyclopts import App, Parameter

ABOUT = "Run a competition: teams, a fair queue and evaluations that survive every crash."

app = App(name="competition", help=ABOUT, default_parameter=Parameter(negative=()))
app.command(
    "nav_eval_server.founding:init",
    name="init",
    help="Make a competition that needs no data: nav-eval competition init DIR.",
)
app.command(
    "nav_eval_server.serving:serve",
    name="serve",
    help="Serve it: database, web, scheduler and a worker: nav-eval competition serve FILE.",
)
app.command(
    "nav_eval_server.serving:worker",
    name="worker",
    help="Evaluate on another machine: nav-eval competition worker --join URL --token-file FILE.",
)
app.command(
    "nav_eval_server.serving:token",
    name="token",
    help="Print a token for such a worker: nav-eval competition token FILE --name NAME.",
)
