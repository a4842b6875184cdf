"""Results as a table on a terminal: 4 decimals, intervals, profile, what failed and what was left out.

The interval speaks of these episodes; with buildings enough, one for other buildings stands beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nav_eval.errors import one_line
from nav_eval.report.interval import in_other_buildings, interval
from nav_eval.results.statistics import Interval, by_building


def metrics_table(document: Mapping[str, Any]) -> str:
    """results.json as text."""
    profile, split = document["profile"], document["split"] or "split unknown"
    convention = f", convention {document['convention']}" if document.get("convention") else ""
    lines = [
        f"{document['benchmark']} ({split}), profile {profile['name']} v{profile['version']}{convention}: "
        f"{episodes(document['n_episodes'])}, {document['n_failed']} failed{_ours(document)}"
    ]
    width = max((len(name) for name in document["metrics"]), default=0)
    lines += [_row(name, summary, width) for name, summary in document["metrics"].items()]
    lines += _references(document.get("references", {}))
    lines += _usage(document.get("usage"))
    lines += _other_ends(document["statuses"])
    lines += [
        f"  {name}: no value in {episodes(fault['n'])}, the evaluator's fault: {fault['reason']}"
        for name, fault in document.get("metric_faults", {}).items()
    ]
    lines += [f"note: {note}" for note in document["notes"]]
    return "\n".join(map(one_line, lines)) + "\n"


def against_table(document: Mapping[str, Any]) -> str:
    """A third party's table beside ours, as text."""
    lines = [f"against {document['file']}: {episodes(document['episodes'])} in both"]
    if ours := document["only_here"]:
        lines.append(f"  only here: {episodes(len(ours))} ({first(ours)})")
    if theirs := document["only_there"]:
        lines.append(f"  only in the table: {episodes(len(theirs))} ({first(theirs)})")
    if not document["measures"]:
        lines.append("  it has none of our measures: name its columns success, spl, navigation_error, ndtw, ...")
    lines += [f"  {_describe(name, one)}" for name, one in document["measures"].items()]
    return "\n".join(map(one_line, lines)) + "\n"


def first(names: Sequence[str]) -> str:
    """A few of the names."""
    return ", ".join(names[:3]) + (" ..." if len(names) > 3 else "")


def _describe(name: str, one: Mapping[str, Any]) -> str:
    label = name if one["theirs"] == name else f"{name} ({one['theirs']})"
    if not one["n_different"]:
        return f"{label}: equal in {episodes(one['n'])}"
    largest, mean, theirs = (_number(one[name]).strip() for name in ("largest", "mean", "mean_theirs"))
    return (
        f"{label}: {one['n_different']} of {episodes(one['n'])} differ, most in {one['episode']} "
        f"({largest}); mean {mean} here, {theirs} there; {_reason(one)}"
    )


def _reason(one: Mapping[str, Any]) -> str:
    if one["rounded"] is not None:
        return f"theirs are rounded to {one['rounded']} decimals"
    if "convention" not in one:
        return "no convention that we know explains it"
    left = one["n_different_with_it"]
    return f"with {one['convention']} {left} differ" if left else f"with {one['convention']} all are equal"


def episodes(count: int) -> str:
    """How many, in words: 1 episode, 2 episodes."""
    return f"{count} episode{'' if count == 1 else 's'}"


def _references(references: Mapping[str, int]) -> list[str]:
    """What dtw and coverage compare with; nothing where no episode has a path."""
    told = ", ".join(f"{name} ({episodes(count)})" for name, count in references.items())
    return [f"  reference: {told}"] if references.keys() - {"none"} else []


def _usage(usage: Mapping[str, Any] | None) -> list[str]:
    """What an episode cost in the mean, as the agent tells it."""
    if usage is None:
        return []
    means = {name: mean for name, mean in usage["per_episode"].items() if mean and name != "unreadable"}
    told = [f"{name.removeprefix('cost.')} {mean:.6g}" for name, mean in means.items()]
    lines = [f"  usage per episode: {', '.join(told)}"] if told else []
    if lost := usage.get("unreadable", 0):
        lines.append(f"  answers of its model that the agent could not read: {lost}; what it did instead counts")
    return lines


def _row(name: str, summary: Mapping[str, Any], width: int) -> str:
    buildings = f"  other buildings {_interval(in_other_buildings(summary))}" if by_building(summary) else ""
    left_out = f"  ({summary['n_nonfinite']} not finite, left out)" if summary["n_nonfinite"] else ""
    return f"  {name:<{width}}  {_number(summary['mean'])}  95% {_interval(interval(summary))}{buildings}{left_out}"


def _interval(found: Interval | None) -> str:
    low, high = found or (None, None)
    return f"[{_number(low)}, {_number(high)}]"


def _number(value: float | None) -> str:
    return "      -" if value is None else f"{value:7.4f}"


def _ours(document: Mapping[str, Any]) -> str:
    lost = document.get("n_lost", 0)
    return f", {lost} missing because of an evaluator error" if lost else ""


def _other_ends(statuses: Mapping[str, int]) -> list[str]:
    other = [f"{count} {status}" for status, count in statuses.items() if status != "ok"]
    return [f"  not ok: {', '.join(other)}"] if other else []
