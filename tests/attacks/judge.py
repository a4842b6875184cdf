"""What is looked at after every attack; each function gives the list of what it found."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attacks.attack import PARTICIPANT, Expectation

LONGEST_REASON = 300
PLUGIN = "stranger.py"
"""A stranger's module, which lies in the working directory before the attack."""
FILLER = "Q"
"""What long hostile texts are made of, so that their length shows wherever they come to."""
LONG_FILLER = re.compile(f"{FILLER}{{{LONGEST_REASON + 1},}}")
STATUSES = PARTICIPANT | {"ok", "budget_exceeded", "worker_crash", "evaluator_error"}
OTHERS_LINES = re.compile(
    r"^(Traceback \(most recent call last\)|Exception (in thread|ignored)|Fatal Python error)"
    r"|^([EIWF]\d{4} \d\d:|WARNING: All log).*|\w\.cc:\d+\]",
    re.MULTILINE,
)
"""Python's own and gRPC's own words on a terminal."""
FORGED = re.compile(r"^\\u202e=1\+1|^nav-eval: done", re.MULTILINE)
"""How a line begins that a hostile name made by a line's end of its own."""
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
"""Marks that turn or break a line without being control characters."""
MARKS = ("<script>alert", "<img src=x")
SECRET = "only-for-the-organiser"
"""What lies in a file and in the environment and may come to no output."""


def process(told: Sequence[Any], ended: dict[str, Any], commands: int, bound: float, megabytes: float) -> list[str]:
    """Exit codes, time and memory."""
    found = []
    if ended["late"]:
        found.append(f"did not end: killed, {len(told)} of {commands} commands had ended")
    elif ended["code"] != 0:
        found.append(f"the process itself ended with {ended['code']}")
    found += [f"took {one['seconds']:.1f} s, {bound:g} are allowed" for one in told if one["seconds"] > bound]
    found += [f"took {one['mb']:.0f} MB, {megabytes:.0f} are allowed" for one in told[:1] if one["mb"] > megabytes]
    return found


def log(text: str) -> list[str]:
    """What a command wrote on the terminal."""
    found = [f"on the terminal: {others[0][:100]!r}" for others in OTHERS_LINES.finditer(text)][:1]
    found += [f"on the terminal: a forged line {line[0]!r}" for line in FORGED.finditer(text)][:1]
    return found + [f"on the terminal: {fault}" for fault in unsafe(text.replace("\n", ""))]


def unsafe(text: str) -> list[str]:
    """Characters that no peer may bring to a terminal or a file, and texts that were not cut."""
    bad = sorted({c for c in text if c in TURNING or unicodedata.category(c) in ("Cc", "Cs")})
    found = [f"raw {''.join(bad)!a}"] if bad else []
    if LONG_FILLER.search(text):
        found.append(f"a peer's text of more than {LONGEST_REASON} characters")
    return found


def run_directory(folder: Path) -> tuple[list[Any], list[str]]:
    """(records, what is wrong with the files)."""
    found: list[str] = []
    rows: list[Any] = []
    for path in sorted(folder.glob("*.json*")):
        try:
            text = path.read_text(encoding="utf-8")
            values = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
        except (ValueError, OSError) as error:
            found.append(f"{path.name} cannot be read: {error}")
            continue
        for said in _texts(values):
            found += [f"{path.name}: {fault}" for fault in unsafe(said)]
        if path.name == "episodes.jsonl":
            rows = values
    for row in rows:
        found += _record(row)
    if (folder / "results.csv").exists():
        found += _table(folder / "results.csv")
    return rows, found


def _record(row: Any) -> list[str]:
    found = [] if row["status"] in STATUSES else [f"undocumented status {row['status']!r}"]
    reason = row["failure_reason"]
    if (row["status"] == "ok") != (reason is None):
        found.append(f"status {row['status']} with reason {reason!r:.80}")
    if reason is not None and (len(reason) > LONGEST_REASON or len(reason.splitlines()) != 1):
        found.append(f"a reason of {len(reason)} characters and {len(reason.splitlines())} lines: {reason[:80]!r}...")
    return found


def _table(path: Path) -> list[str]:
    found = []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                found += [f"results.csv: {fault}" for fault in unsafe(cell)]
                if cell[:1] in ("=", "+", "@", "\t", "\r") or (cell[:1] == "-" and not _number(cell)):
                    found.append(f"results.csv: formula {cell[:40]!r}")
    return found


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def page(path: Path) -> list[str]:
    """A report: a hostile text is text in it."""
    if not path.exists():
        return ["no report was written"]
    text = path.read_text(encoding="utf-8", errors="replace")
    return [f"report: raw {mark!r}" for mark in MARKS if mark in text]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def strays(sandbox: Path) -> list[str]:
    """Files outside the run directory."""
    parts = [sandbox / part for part in ("cwd", "home", "tmp")]
    found = [path for part in parts for path in part.rglob("*") if path.name != PLUGIN]
    return [f"wrote {path.relative_to(sandbox)}" for path in found][:3]


def expectation(expected: Expectation, codes: Sequence[Any], rows: Sequence[Any]) -> list[str]:
    found = [f"exit {code}" for code in codes if code not in expected.exits]
    if expected.statuses:
        wrong = {row["status"] for row in rows if row["status"] not in expected.statuses}
        found += [f"status {status}" for status in sorted(wrong)]
    return found


def records(folder: Path) -> list[Any]:
    """The journal's lines without what the clock says."""
    path = folder / "episodes.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [{key: value for key, value in row.items() if key != "timing"} for row in rows]


def honest(folder: Path, code: Any, wanted: Sequence[Any]) -> list[str]:
    """The next team's run."""
    got = records(folder)
    return [] if code == 0 and got == list(wanted) else [f"the next team's run: exit {code}, {got!r:.200}"]


def summary(codes: Sequence[Any], rows: Sequence[Any]) -> str:
    counted = ", ".join(f"{count} {status}" for status, count in Counter(row["status"] for row in rows).items())
    return f"exit {'/'.join(map(str, codes)) or '-'}; {counted or 'no episode'}"
