"""`make demo` from nothing and once more: where the seconds go, wall clock and CPU, on the cores of this process.

Limits: 90 s in all from nothing, of them 35 CPU s of compiling; 15 s the second time. A clean clone of the last commit,
with empty caches (of pip, kernels, navmeshes, worlds) in a temporary directory; so the packages are downloaded.
A stage begins with the line in which the demonstration announces it. CPU seconds are those of all its processes.

    python benchmarks/cold_start.py
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from machine import machine

ROOT = Path(__file__).parents[1]
STAGES = {
    "install": "",
    "compile": "Compiling ",
    "generate": "Making ",
    "play": "Evaluating ",
    "report": "random: ",
}
"""How the first line of each stage begins."""
TICK = os.sysconf("SC_CLK_TCK")
Seconds = tuple[float, float]


def main() -> None:
    with TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        environment = os.environ | {
            "NAV_EVAL_CACHE": str(Path(folder) / "kernels"),
            "PIP_CACHE_DIR": str(Path(folder) / "pip"),
            "XDG_CACHE_HOME": str(Path(folder) / "cache"),
        }
        first, second = demonstrated(clone, environment), demonstrated(clone, environment)
    print(f"{machine()}, {len(os.sched_getaffinity(0))} of them for this")
    print(f"{'':<10}{'from nothing':>20}{'once more':>20}\n{'stage':<10}{'wall s  CPU s':>20}{'wall s  CPU s':>20}")
    for stage in STAGES:
        print(f"{stage:<10}" + "".join(f"{wall:>13.1f}{cpu:>7.1f}" for wall, cpu in (first[stage], second[stage])))
    totals = [[sum(column) for column in zip(*run.values())] for run in (first, second)]
    print(f"{'in all':<10}" + "".join(f"{wall:>13.1f}{cpu:>7.1f}" for wall, cpu in totals))


def demonstrated(clone: Path, environment: dict[str, str]) -> dict[str, Seconds]:
    """(wall, CPU) seconds of each stage of one `make demo`; 0, 0 for one that there was no need of."""
    marks: dict[str, Seconds] = {}
    before = os.times()
    command = subprocess.Popen(["make", "demo"], cwd=clone, env=environment, stdout=subprocess.PIPE, text=True)
    marks["install"] = time.monotonic(), 0.0
    assert command.stdout is not None
    for line in command.stdout:
        for stage, beginning in STAGES.items():
            if stage not in marks and line.startswith(beginning):
                marks[stage] = time.monotonic(), cpu_seconds(command.pid)
    if command.wait() != 0:
        raise SystemExit("make demo failed; its messages are above")
    after = os.times()
    spent = sum(after[2:4]) - sum(before[2:4])
    ends = [*list(marks.values())[1:], (time.monotonic(), spent)]
    measured = {stage: (end[0] - begun[0], end[1] - begun[1]) for (stage, begun), end in zip(marks.items(), ends)}
    return {stage: measured.get(stage, (0.0, 0.0)) for stage in STAGES}


def cpu_seconds(process: int) -> float:
    """Of a process, its descendants, and those of them that have ended and were waited for."""
    return sum(_own(number) for number in _family(process)) / TICK


def _family(process: int) -> Iterator[int]:
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _family(int(child))


def _own(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15]))


if __name__ == "__main__":
    main()
