"""How the evaluator is called: always as a command in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nav_eval.errors import NavEvalError

COMMAND = (sys.executable, "-c", "from nav_eval.cli import main; main()")
SECRETLY = (
    "import json, sys; sys.argv = ['nav-eval', *json.load(sys.stdin)]; from nav_eval.cli import main; sys.exit(main())"
)


def call_secretly(arguments: Sequence[str], cwd: Path) -> None:
    """Run nav-eval with arguments that no list of processes shows: a private seed is one. Raises NavEvalError.

    Its progress, and what is wrong, it says on our stderr.
    """
    command = [sys.executable, "-c", SECRETLY]
    done = subprocess.run(command, input=json.dumps(arguments), cwd=cwd, stdout=subprocess.DEVNULL, text=True)
    if done.returncode:
        raise NavEvalError(f"nav-eval {' '.join(arguments[:2])} failed; what it said stands above.")
