"""A whole R2R val_seen run from the command line, and what the command line costs before it does anything.

Run: python benchmarks/r2r_run.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Wall and CPU seconds of whole processes, best and median of several, start-up included; 1021 instructions, the
shortest-path agent in this process, every file written. The yardstick is a fixed piece of pure Python.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import machine

ROUNDS = 5
COMMAND = [sys.executable, "-c", "from nav_eval.cli import main; main()"]


def yardstick() -> float:
    """CPU seconds of a fixed loop."""
    began, total = time.process_time(), 0
    for number in range(5_000_000):
        total += number & 7
    return time.process_time() - began


def timed(arguments: list[str]) -> tuple[float, float]:
    """(wall, CPU) seconds of one process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name: str, limit: str, arguments: list[str], fresh: Path | None = None) -> None:
    times = []
    for number in range(ROUNDS):
        times.append(timed([*arguments, "--out", str(fresh / str(number))] if fresh else arguments))
    wall, cpu = ([pair[k] for pair in times] for k in (0, 1))
    figures = f"{min(wall):8.2f} {statistics.median(wall):8.2f} {min(cpu):8.2f} {statistics.median(cpu):8.2f}"
    print(f"{name:<34} {figures}   {limit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("NAV_EVAL_SHARED_DATA", "../shared/data"))
    folder = Path(parser.parse_args().data) / "r2r"
    print(f"yardstick {yardstick():.3f} CPU s; {machine()}")
    print(f"{'':<34} wall min   median  CPU min   median   limit")
    row("nav-eval --help", "0.4 s", ["--help"])
    data = [f"dataset.data_path={folder}/R2R_val_seen.json", f"simulator.connectivity_dir={folder}/connectivity"]
    with tempfile.TemporaryDirectory() as fresh:
        agent = "agent_service.agent=shortest_path"
        row("nav-eval run r2r, shortest_path", "6 s wall", ["run", "r2r", *data, agent], Path(fresh))


if __name__ == "__main__":
    main()
