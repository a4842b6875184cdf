"""`nav-eval competition serve` with another evaluator: serve_with.py CHALLENGE PORT JOBS EVALUATOR.py HOST.

The evaluator - is our own. It writes the pids of its children to the file `pids`, so that a test can kill them.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from nav_eval_server.challenge import load_challenge
from nav_eval_server.serving import children, prepare
from nav_eval_server.supervisor import Child, supervise


def note(family: Sequence[Child], path: Path) -> None:
    told: dict[str, int] = {}
    while True:
        pids = {child.name: child.process.pid for child in family if child.process is not None}
        if pids != told:
            fresh = path.with_suffix(".new")
            fresh.write_text(json.dumps(pids))
            fresh.replace(path)
            told = pids
        time.sleep(0.1)


if __name__ == "__main__":
    file, port, jobs, evaluator, host = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    challenge = load_challenge(file)
    prepare(challenge)
    family = children(file.resolve(), challenge, host, port, jobs)
    for child in family:
        if child.name == "worker":
            own = [sys.executable, str(Path(__file__).with_name("worker_with.py")), evaluator]
            child.command = [*own, *child.command[3:]]
    threading.Thread(target=note, args=(family, file.parent / "pids"), daemon=True).start()
    supervise(family)
