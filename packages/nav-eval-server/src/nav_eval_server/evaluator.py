"""How the evaluator is called: always as a command in a process of its own.

Its environment says where things lie on this machine and nothing of how to judge: keys of the configuration, tokens and
the language of whoever began the server are not handed on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nav_eval.errors import NavEvalError
from nav_eval.variables import CACHE, DATA
from nav_eval_sdk.variables import LANGUAGE as LANGUAGES
from nav_eval_sdk.variables import OPENAI_API_KEY, POLICY_API_KEY, VLM_API_KEY

COMMAND = (sys.executable, "-c", "from nav_eval.cli import main; main()")
SECRETLY = (
    "import json, sys; sys.argv = ['nav-eval', *json.load(sys.stdin)]; from nav_eval.cli import main; sys.exit(main())"
)

LANGUAGE, *_ = LANGUAGES
PLACES = frozenset({str(CACHE), str(DATA)})
KEYS = frozenset(map(str, (OPENAI_API_KEY, POLICY_API_KEY, VLM_API_KEY)))


def environment(language: str = "en") -> dict[str, str]:
    """Of this process, without what would configure the evaluator, and without keys of other services."""
    kept = {
        name: value
        for name, value in dict(os.environ).items()
        if name in PLACES or not (name in KEYS or name.startswith("NAV_EVAL_"))
    }
    return kept | ({LANGUAGE.name: language} if language else {})


def call_secretly(arguments: Sequence[str], cwd: Path) -> None:
    """Run nav-eval with arguments that no list of processes shows: a private seed is one. Raises NavEvalError.

    Its progress, and what is wrong, it says on our stderr.
    """
    command = [sys.executable, "-c", SECRETLY]
    environ = environment(LANGUAGE.get())
    done = subprocess.run(
        command, input=json.dumps(arguments), cwd=cwd, stdout=subprocess.DEVNULL, text=True, env=environ
    )
    if done.returncode:
        raise NavEvalError(f"nav-eval {' '.join(arguments[:2])} failed; what it said stands above.")
