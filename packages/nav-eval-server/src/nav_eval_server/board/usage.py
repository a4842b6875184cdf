"""What the answers of an entry cost, by its own service's account (`usage` of results.json).

No rank depends on it, and it stands outside the board's document, whose sum is kept since the reveal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nav_eval.report.words import said
from nav_eval_server.models import Result
from nav_eval_server.queue.states import Language

Spent = Mapping[str, float]
"""The mean of an episode, by the names of results.csv: input_tokens, ..., cost.USD."""
TOKENS = ("input_tokens", "output_tokens")
COST = "cost."


def usage_shown(document: Mapping[str, Any]) -> dict[str, Spent]:
    """By submission, of those of a board whose service told any; a Ladder's board shows its one number alone."""
    if document.get("step") is not None:
        return {}
    rows = Result.objects.filter(submission__in=[line["submission"] for line in document["entries"]])
    told = rows.values_list("submission_id", "document__usage__per_episode")
    return {submission: spent for submission, spent in told if spent}


def amounts_told(entries: Iterable[Spent]) -> list[str]:
    """Names of what any of them spent something of; currencies last."""
    names = dict.fromkeys(name for spent in entries for name, amount in spent.items() if amount)
    return sorted(names, key=lambda name: name.startswith(COST))


def tokens(spent: Spent) -> str:
    """In and out together, for a cell."""
    return f"{spent['input_tokens'] + spent['output_tokens']:,.0f}" if spent.keys() >= {*TOKENS} else "–"


def cost(spent: Spent) -> str:
    """In each currency, for a cell."""
    return " + ".join(amount(name, value) for name, value in spent.items() if name.startswith(COST)) or "–"


def amount(name: str, value: float) -> str:
    return f"{value:,.4f} {name.removeprefix(COST)}" if name.startswith(COST) else f"{value:,.1f}"


def lines(spent: Spent, language: Language) -> list[tuple[str, str]]:
    """Label and amount of all that an entry spent, in the words of a report."""
    labels = {name: "cost" if name.startswith(COST) else name for name in amounts_told([spent])}
    return [(said(language, f"usage.{label}"), amount(name, spent[name])) for name, label in labels.items()]
