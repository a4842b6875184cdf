"""What importing costs: CPU and wall seconds and resident size of the SDK, of numpy beside it, and of the evaluator.

Limits: importing the SDK takes less than 0.3 s and less than 40 MB. Each line is the best of several fresh processes
with cached bytecode, the interpreter's own start subtracted from the seconds and not from the memory. Then the ten
modules that cost most by themselves (-X importtime). A bare environment's interpreter may be named.

    python benchmarks/sdk_import.py [--python PATH] [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

STATEMENTS = {
    "(nothing)": "pass",
    "import nav_eval_sdk": "import nav_eval_sdk",
    "from nav_eval_sdk import VLNAgent, serve": "from nav_eval_sdk import VLNAgent, serve",
    "from nav_eval_sdk import *": "from nav_eval_sdk import *",
    "... and a REST server": "from nav_eval_sdk import *; import nav_eval_sdk.server.rest",
    "... and a gRPC server": "from nav_eval_sdk import *; import nav_eval_sdk.server.grpc",
    "nav-eval-agent --help": "from nav_eval_sdk.cli import parser; parser().format_help()",
    "import numpy": "import numpy",
    "import nav_eval": "import nav_eval",
    "nav-eval --help": "from nav_eval.cli import main; import sys; sys.argv[1:] = ['--help']; main()",
}
MEASURE = """
import atexit, json, sys, time
def report():
    resident = int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0])
    print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall, resident / 1000]), file=sys.stderr)
atexit.register(report)
cpu, wall = time.process_time(), time.perf_counter()
"""
ALL = "from nav_eval_sdk import *"


def fresh(python: str, *arguments: str) -> str:
    """What a new process says on its error stream; bytecode is cached, whatever the caller's environment says."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([python, *arguments], env=environment, capture_output=True, text=True)
    return done.stderr if done.returncode == 0 else ""


def best(python: str, statement: str, rounds: int) -> list[float] | None:
    """(CPU s, wall s, MB), the least of each; None where it cannot be imported."""
    said = [fresh(python, "-c", MEASURE + statement).splitlines() for _ in range(rounds + 1)]
    runs = [json.loads(lines[-1]) for lines in said[1:] if lines]
    return [min(column) for column in zip(*runs)] if runs else None


def dearest(python: str, count: int = 10) -> list[tuple[float, str]]:
    """(milliseconds by itself, module) of what the SDK's import adds."""
    own = {name for _, name in _importtime(python, "pass")}
    return sorted((entry for entry in _importtime(python, ALL) if entry[1] not in own), reverse=True)[:count]


def _importtime(python: str, statement: str) -> list[tuple[float, str]]:
    lines = fresh(python, "-X", "importtime", "-c", statement).splitlines()
    columns = [line.removeprefix("import time:").split("|") for line in lines if line.startswith("import time:")]
    return [(float(own) / 1000, name.strip()) for own, _, name in columns if own.strip().isdigit()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    version = subprocess.run([options.python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{version}, best of {options.rounds}; limits for the SDK: 0.3 s, 40 MB")
    print(f"{'what':<42}{'CPU s':>8}{'wall s':>8}{'MB':>8}")
    for name, statement in STATEMENTS.items():
        costs = best(options.python, statement, options.rounds)
        print(f"{name:<42}" + (f"{costs[0]:>8.3f}{costs[1]:>8.3f}{costs[2]:>8.1f}" if costs else "  not installed"))
    print(f"\n{'module (' + ALL + ')':<58}{'own ms':>8}")
    for milliseconds, name in dearest(options.python):
        print(f"{name:<58}{milliseconds:>8.2f}")


if __name__ == "__main__":
    main()
