"""nav-eval demo: homes from a seed, three agents as real services, one comparison and one page."""

from __future__ import annotations

from pathlib import Path

from nav_eval.cli.exit import DONE
from nav_eval.cli.say import say


def demo(*, out: Path = Path("demo-results"), quick: bool = False) -> int:
    """Make homes and instructions, serve a random, a trained and a language-grounded agent (REST, gRPC), compare them.

    Parameters
    ----------
    out
        The folder for the three runs and the page; what a demo left there is replaced.
    quick
        2 homes and 2 episodes instead of 3 and 4.
    """
    from nav_eval.cli.progress import show_progress
    from nav_eval.cli.report import make_context
    from nav_eval.cli.table import metrics_table
    from nav_eval.report.document import make_document
    from nav_eval.report.page import write_page
    from nav_eval.runs.demo import run_demo

    with show_progress("auto") as bar:
        made = run_demo(out, quick=quick, say=say, watcher=bar)
    for evaluated in made.runs:
        say("", *f"{evaluated.path.name}: {metrics_table(evaluated.document)}".splitlines(), "")
    say(*made.comparison.splitlines(), "")
    page = out / "report.html"
    write_page(make_document([run.path for run in made.runs], make_context(allow_plugins=True)), page)
    say(f"Pictures: {', '.join(map(str, made.pictures))}", f"Report: {page} (open it in a browser)")
    return DONE
