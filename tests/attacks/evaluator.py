"""A process that has imported what `nav-eval run` needs and forks for each job: a job costs a fifth of a second.

    python -m attacks.evaluator WARM_UP.json

Reads jobs, one JSON line each, from stdin: {"commands": [[argv after nav-eval], ...], "cwd", "environment", "out",
"result", "limit" (s)}. In a child of its own each command is what the console script runs, one after the other in one
process, as an organiser's loop over teams is. stdout and stderr of the child go to `out`.0, `out`.1, ...; `result`
gets exit code, seconds and the peak of resident memory (MB) after each command, `result`.pid the child's id. For each
job a line comes back: how the child itself ended (JSON; "late": it was killed for taking longer than `limit`).
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

Job = dict[str, Any]
MAX_BYTES = 6 << 30
"""Of address space: an endless file must not take the machine with it."""
NOT_BEFORE_A_FORK = ("grpc", "google", "nav_eval_sdk.transport.grpc")


def main() -> int:
    warm_up: Job = json.loads(Path(sys.argv[1]).read_text())
    _import_what_it_loads(warm_up)
    for line in sys.stdin:
        job: Job = json.loads(line)
        child = os.fork()
        if child == 0:
            return run(job)
        sys.stdout.write(json.dumps(_wait(child, float(job["limit"]))) + "\n")
        sys.stdout.flush()
    return 0


def run(job: Job) -> int:
    """In the child; its own exit is the interpreter's usual one, so that threads that hold it up are noticed."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins deaf to it
    Path(f"{job['result']}.pid").write_text(str(os.getpid()))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    os.chdir(job["cwd"])
    os.environ.update(job["environment"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    told = []
    for number, command in enumerate(job["commands"]):
        log = os.open(f"{job['out']}.{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        begun, cpu = time.monotonic(), time.process_time()
        code = _exit_code(command)
        sys.stdout.flush()
        seconds = {"seconds": time.monotonic() - begun, "cpu": time.process_time() - cpu}
        told.append({"code": code, **seconds, "mb": _peak_mb()})
        Path(job["result"]).write_text(json.dumps(told))
    if "modules" in job:
        Path(job["modules"]).write_text(json.dumps(list(sys.modules)))
    return 0


def _exit_code(command: list[str]) -> int | str | None:
    from nav_eval.cli import main as nav_eval

    sys.argv = ["nav-eval", *command]
    try:
        nav_eval()
    except SystemExit as ended:
        return ended.code
    return 0


def _import_what_it_loads(warm_up: Job) -> None:
    """Run the warm-up in a child, and import here what it imported."""
    child = os.fork()
    if child == 0:
        sys.exit(run(warm_up))
    _wait(child, float(warm_up["limit"]))
    for name in json.loads(Path(warm_up["modules"]).read_text()):
        if name != "__main__" and not name.startswith(NOT_BEFORE_A_FORK):
            try:
                importlib.import_module(name)
            except ImportError:
                continue


def _wait(child: int, limit: float) -> dict[str, Any]:
    late = threading.Event()

    def kill() -> None:
        late.set()
        os.killpg(child, signal.SIGKILL) if os.getpgid(child) == child else os.kill(child, signal.SIGKILL)

    timer = threading.Timer(limit, kill)
    timer.start()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    timer.join()
    return {"code": os.waitstatus_to_exitcode(status), "late": late.is_set()}


def _peak_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    sys.exit(main())
