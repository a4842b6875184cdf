"""`nav-eval run` of R2R in a process of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

from forked import Running, own, program

TESTS = {"PYTHONPATH": str(Path(__file__).parents[1])}
LIMITED = """
import resource, sys
sys.argv[1:] = {arguments}
{limit}
from nav_eval.cli import main
main()
"""


def started(folder, overrides):
    words = ["run", "r2r", *overrides, "--out", folder, "--quiet", "--resume"]
    return Running(*words, environment=TESTS)


def limited(limit, folder, overrides):
    """After the statement `limit`, to the end."""
    arguments = ["run", "r2r", *overrides, "--out", str(folder), "--quiet"]
    python = [program().parent / "scripts" / "python", "-"]
    text = LIMITED.format(limit=limit, arguments=arguments)
    done = subprocess.run(python, input=text, env=own() | TESTS, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done
