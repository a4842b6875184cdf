"""`python -m fuzz TARGET... [--seconds N] [--corpus DIR] [--findings DIR]`, from tests/: fuzz one target after another.

Seconds are CPU seconds, spent in processes of at most SLICE each, because atheris itself grows by 4 MB a second.
Prints a line per process; exits 1 if there was a finding, whose input and traceback are then
in the findings folder. A corpus that is kept makes the next run begin where this one ended.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fuzz import TARGETS

TESTS = Path(__file__).parents[1]
SLICE = 300.0
HEAD = f"{'target':<12}{'executions':>12}{'CPU s':>10}{'coverage':>10}{'findings':>10}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one process did. `coverage`: branches of our modules that were met; `findings`: files of inputs."""

    target: str
    executions: int
    cpu_seconds: float
    coverage: int
    findings: tuple[Path, ...]

    def __str__(self) -> str:
        return (
            f"{self.target:<12}{self.executions:>12}{self.cpu_seconds:>10.1f}{self.coverage:>10}"
            f"{len(self.findings):>10}"
        )


def main() -> int:
    arguments = _arguments()
    found: list[Path] = []
    print(HEAD, flush=True)  # noqa: T201 - a command
    for target in arguments.targets or TARGETS:
        for part in range(math.ceil(arguments.seconds / SLICE)):
            seconds = min(SLICE, arguments.seconds - part * SLICE)
            outcome = fuzz(target, seconds, arguments.corpus / target, arguments.findings / target / str(part))
            print(outcome, *outcome.findings, sep="\n  ", flush=True)  # noqa: T201
            found += outcome.findings
    return 1 if found else 0


def fuzz(target: str, seconds: float, corpus: Path, findings: Path) -> Outcome:
    """Fuzz `target` for so many CPU seconds in a process of its own."""
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    stats = findings / "stats.json"
    stats.unlink(missing_ok=True)
    before = _cpu_of_children()
    with (findings / "log.txt").open("wb") as log:
        # By a shell: libFuzzer would count the memory of the process that starts it, which may be pytest's.
        started = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-m", "fuzz.worker"]
        command = [*started, target, str(seconds), str(corpus), str(findings)]
        code = subprocess.run(command, cwd=TESTS, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    text = (findings / "log.txt").read_text(encoding="utf-8", errors="replace")
    inputs = [path for path in sorted(findings.iterdir()) if path.suffix not in (".txt", ".json")]
    if code and not inputs:
        inputs = [findings / "log.txt"]
    executions = json.loads(stats.read_text())["executions"] if stats.exists() else _last(r"^#(\d+)", text)
    return Outcome(target, executions, _cpu_of_children() - before, _last(r"cov: (\d+)", text), tuple(inputs))


def _last(pattern: str, text: str) -> int:
    return int((re.findall(pattern, text, re.MULTILINE) or ["0"])[-1])


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=(__doc__ or "").partition("\n\n")[2])
    scratch = Path(tempfile.gettempdir()) / "nav_eval_fuzz"
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all by default")
    parser.add_argument("--seconds", type=float, default=60, help="CPU seconds per target (60)")
    parser.add_argument("--corpus", type=Path, default=scratch / "corpus", help="kept between runs, one folder each")
    parser.add_argument("--findings", type=Path, default=scratch / "findings", help="inputs, tracebacks and the log")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
