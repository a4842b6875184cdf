"""A worker with another evaluator and quicker than in earnest: worker_with.py EVALUATOR.py URL TOKEN DATA WORK JOBS."""

from __future__ import annotations

import sys
from pathlib import Path

from nav_eval_server.queue.client import Server
from nav_eval_server.queue.worker import work

if __name__ == "__main__":
    evaluator, url, token, data, folder, jobs = sys.argv[1:]
    server = Server(url, Path(token).read_text().strip())
    command = [sys.executable, evaluator] if evaluator != "-" else None
    options = {"tick": 0.2} | ({"command": command} if command else {})
    work(server, work=Path(folder), data=Path(data), jobs=int(jobs), **options)
