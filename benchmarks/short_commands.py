"""CPU milliseconds of short commands and of one warm episode, in turns with an earlier commit's, and of what they need.

Wanted: 100 ms for a command that only tells something, 700 ms for the episode; what other people's packages take of
that is in the second table. Each figure is of fresh processes with cached bytecode, user and system time, children
included: the least and the median of `--rounds`. Every command runs once before, which makes its home and compiles.

    python benchmarks/short_commands.py [--commit 60fce66] [--rounds 12]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from machine import machine
from yardstick import ROOT, tree

COMMIT = "60fce66"
EPISODE = "run vln-demo dataset.limit=1 agent_service.agent=forward"
COMMANDS = (
    *("--help", "list agents", "list benchmarks", "config show vln-demo"),
    *(f"{EPISODE} evaluation.max_steps=5", EPISODE),
)
IMPORTS = (
    "pass",
    "import cyclopts, rich.table, cyclopts.help",
    "import importlib.metadata as installed; installed.entry_points()",
    "import pydantic.types",
    "import nav_eval.config.schema",
    "import hydra",
    "import numpy",
    "import os; os.environ['OPENBLAS_THREAD_TIMEOUT'] = '4'; import numpy",
    "import numpy, numba",
    "import nav_eval.engine.navmesh.queries",
)
START = "import sys; sys.argv[0] = 'nav-eval'; from nav_eval.cli import main; main()"


def side(home: Path) -> dict[str, str]:
    """The environment of a process that imports the packages of `home`."""
    path = os.pathsep.join(map(str, (home / "src", *sorted(home.glob("packages/*/src")))))
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": path} | ({} if home == ROOT else {"NAV_EVAL_CACHE": str(home / "cache")})


def milliseconds(code: str, command: str, environment: dict[str, str], folder: Path) -> tuple[float, bytes]:
    """CPU time of a fresh process, and what it says. Raises CalledProcessError."""
    run = str(folder / str(len(list(folder.iterdir()))))
    words = [*command.split(), *(["--out", run] if command.startswith("run") else [])]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code, *words], env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * seconds, done.stdout.replace(run.encode(), b"")


def in_turns(code: str, command: str, sides: list[dict[str, str]], rounds: int) -> str:
    """Least and median of each side, and whether the sides say different things: then they may have done other work."""
    with TemporaryDirectory() as folder:
        runs = [[milliseconds(code, command, one, Path(folder)) for one in sides] for _ in range(rounds + 1)][1:]
    differs = len({said for run in runs for _, said in run}) > 1
    spent = [[run[k][0] for run in runs] for k in range(len(sides))]
    return "".join(f"{min(one):>8.0f}{statistics.median(one):>8.0f}" for one in spent) + "  differs" * differs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--rounds", type=int, default=12)
    given = parser.parse_args()
    ours, theirs = side(ROOT), side(tree(given.commit))
    print(f"{machine()}; CPU ms, least and median of {given.rounds}")
    print(f"{'nav-eval ...':<80}{given.commit:>16}{'this tree':>16}")
    for command in COMMANDS:
        print(f"{command:<80}{in_turns(START, command, [theirs, ours], given.rounds)}", flush=True)
    print("\nof that, each in a process of its own, with the interpreter's own start and end")
    for code in IMPORTS:
        print(f"{code:<96}{in_turns(code, '', [ours], given.rounds)}", flush=True)


if __name__ == "__main__":
    main()
