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
