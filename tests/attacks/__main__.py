"""`python -m attacks [--only TEXT ...] [--list] [--jobs N] [--keep DIR]`, from tests/: a line per attack.

--only: attacks whose name holds one of the texts. --keep: where the evidence of findings stays (run directories and
what the commands printed); by default in a temporary folder, which is named at the end. Exits 1 if there was a
finding.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from attacks import everything
from attacks.arena import campaign
from attacks.attack import Attack, Outcome


def main() -> int:
    arguments = _arguments()
    chosen = [one for one in everything() if not arguments.only or any(text in one.name for text in arguments.only)]
    if arguments.list:
        print(*(f"{one.name:80} {one.wire:7} {one.expected.text}" for one in chosen), sep="\n")  # noqa: T201 - a command
        return 0
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="attacks-"))
    folder.mkdir(parents=True, exist_ok=True)
    findings = 0
    for attack, outcome in campaign(chosen, folder, arguments.jobs):
        print(line(attack, outcome), flush=True)  # noqa: T201
        findings += bool(outcome.findings)
    print(f"{len(chosen)} attacks, {findings} findings" + (f"; evidence in {folder}" if findings else ""))  # noqa: T201
    return 1 if findings else 0


def line(attack: Attack, outcome: Outcome) -> str:
    """Attack, wire, what was expected, what was observed, seconds."""
    head = f"{attack.name:80} {attack.wire:7} {attack.expected.text:46} {outcome.observed:40} {outcome.seconds:5.1f} s"
    faults = "".join(f"\n    {fault[:400]}" for fault in outcome.findings)
    return f"{head}  {f'FINDING{faults}' if faults else 'ok'}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m attacks", description="Attacks on nav_eval, by name.")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="attacks whose name holds one of these")
    parser.add_argument("--list", action="store_true", help="name the attacks and carry none out")
    parser.add_argument("--jobs", type=int, default=4, help="evaluators side by side (default 4; most wait)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="a new folder for what findings leave")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
