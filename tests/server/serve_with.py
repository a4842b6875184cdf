"""`nav-eval competition serve`, or its worker alone, with another evaluator (- is our own) and quicker than in earnest:

serve_with.py serve EVALUATOR.py CHALLENGE PORT JOBS HOST
serve_with.py work EVALUATOR.py URL TOKEN DATA WORK JOBS

What serves writes the pids of its children to the file `pids`, so that a test can kill them.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from nav_eval_server.challenge import load_challenge
from nav_eval_server.queue.client import Server
from nav_eval_server.queue.worker import work
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


def serve(evaluator: str, path: str, port: str, jobs: str, host: str) -> None:
    challenge = load_challenge(Path(path))
    prepare(challenge)
    family = children(Path(path).resolve(), challenge, host, int(port), int(jobs))
    for child in family:
        if child.name == "worker":
            child.command = [sys.executable, __file__, "work", evaluator, *child.command[3:]]
    threading.Thread(target=note, args=(family, Path(path).with_name("pids")), daemon=True).start()
    supervise(family)


def work_with(evaluator: str, url: str, token: str, data: str, folder: str, jobs: str) -> None:
    server = Server(url, Path(token).read_text().strip())
    options = {} if evaluator == "-" else {"command": [sys.executable, evaluator]}
    work(server, work=Path(folder), data=Path(data), jobs=int(jobs), tick=0.2, **options)


if __name__ == "__main__":
    {"serve": serve, "work": work_with}[sys.argv[1]](*sys.argv[2:])
