"""Python that has imported the server and the evaluator: its processes are forks, and cost no second of imports.

`Popen` is subprocess's. A command that is this Python with -m, -c or a script becomes a fork of `warm.py SOCKET`, with
a parent, files, folder, environment and death of its own, as always; what it starts in turn is forked too. That the
real program starts as well, test_serve, test_challenge and tests/packaging know.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import inspect
import json
import os
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl
from functools import partial
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 1, 15, 36
prctl = ctypes.CDLL(None).prctl
SIGNATURE = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]
LOCK = threading.Lock()
MESSAGE = 1 << 17
HIGH = 500
"""From here on our sockets and files on their way have their numbers: a process is given its files under low ones."""
KIND = (socket.AF_UNIX, socket.SOCK_SEQPACKET)
PATIENCE: float = runpy.run_path(str(Path(__file__).parents[1] / "patience.py"))["PATIENCE"]
"""A process forked from this one cannot import it."""
NAME = b"forked from"
"""Of the processes that others are forked from, in /proc/PID/comm."""
MIGRATED = "migrated"
"""What the tests of a run call the database that they begin with."""
LINES: list[socket.socket] = []
"""To the one that this process's are forked from, if it is a fork itself or has begun one."""


def words_of(command: Any) -> tuple[list[str], int]:
    """What follows the name of this Python, and whose death is to be this process's end (0: nobody's)."""
    from nav_eval_server.parent_death import WRAPPER

    parent = 0
    words = [command] if isinstance(command, str) else [os.fspath(word) for word in command]
    if words[1:5] == ["-I", "-S", "-c", WRAPPER]:
        parent, words = int(words[5]), words[6:]
    known = len(words) > 1 and words[0] == sys.executable and (words[1] in ("-m", "-c") or words[1].endswith(".py"))
    return (words[1:], parent) if known else ([], 0)


BEFORE = (
    "cyclopts", "rich.console", "rich.panel", "rich.table", "waitress", "django.core.wsgi", "nav_eval.cli",
    "nav_eval.api.remote", "nav_eval.cli.inspect", "nav_eval.cli.progress", "nav_eval.cli.run", "nav_eval.dataset.r2r",
    "nav_eval.engine.navmesh.walk", "nav_eval.metrics.navigation", "nav_eval.metrics.reference",
    "nav_eval.report.document", "nav_eval.runs.contents", "nav_eval.runs.evaluation", "nav_eval.runs.scoring",
    "nav_eval.simulator.backends.nav_graph", "nav_eval.tasks.navigation", "nav_eval_server.join.__main__",
    "nav_eval_server.queue.scheduler", "nav_eval_server.queue.worker", "nav_eval_server.web.__main__",
)  # fmt: skip
AFTER = (
    "nav_eval_server.archive.commands", "nav_eval_server.archive.doctor", "nav_eval_server.board.proofs",
    "nav_eval_server.join.relay", "nav_eval_server.notices.delivery", "nav_eval_server.urls",
)  # fmt: skip
"""What is imported before Django is set up, and after."""
REAL = subprocess.Popen


class Popen(subprocess.Popen[Any]):
    """subprocess.Popen, whose processes are forks where they can be."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        words, parent = words_of(args)
        if not words:
            super()._execute_child(args, *rest)  # type: ignore[misc]
            return
        told = SIGNATURE.bind(self, args, *rest).arguments
        pipes = [told[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        files = {n: n if pipe == -1 else pipe for n, pipe in enumerate(pipes)} | {n: n for n in told["pass_fds"]}
        environment = dict(os.environ if told["env"] is None else told["env"])
        order = {
            "words": words, "cwd": os.fspath(told["cwd"] or Path.cwd()), "environment": environment,
            "session": told["start_new_session"], "caller": os.getpid(), "dies": parent != 0, "files": [*files],
        }  # fmt: skip
        self.pid = _ask(order, [*files.values()])
        self._child_created = True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(told[name] for name in ends))  # type: ignore[attr-defined]


def _ask(order: dict[str, Any], files: list[int]) -> int:
    """The pid of a fork, which is a child of this process: it inherits those whose parent has ended."""
    with LOCK:
        line = _line()
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        try:
            socket.send_fds(line, [json.dumps(order).encode("utf-8", "surrogateescape")], files)
            said = line.recv(MESSAGE).decode()
        finally:
            prctl(PR_SET_CHILD_SUBREAPER, 0)
        if not said:
            LINES.clear()
    if not said.isdecimal():
        raise OSError(f"no process could be forked: {said or 'the one that forks has ended'}")
    return int(said)


def _line() -> socket.socket:
    """To a process that ends when nobody holds this end any more."""
    if not LINES:
        ours, theirs = socket.socketpair(*KIND)
        REAL([sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        theirs.close()
        ours.settimeout(PATIENCE)
        LINES.append(ours)
    return LINES[0]


def import_all() -> None:
    """Django is set up with a competition that nobody uses: models want that."""
    for name in BEFORE:
        importlib.import_module(name)
    from django.core.management import call_command
    from django.db import connections

    from nav_eval.config.loader import load_config
    from nav_eval_server.challenge import Challenge, Web
    from nav_eval_server.folder import Folder
    from nav_eval_server.init import Answers, create
    from nav_eval_server.settings import configure

    load_config("r2r", environment={}, overrides=["dataset.limit=1", "task.measurements=[spl]"])  # a parser learns
    with tempfile.TemporaryDirectory() as place:
        create(Path(place), Answers("homes", "Homes", "UTC", "ada", 1))
        configure(Challenge.model_construct(folder=Path(place), database=None, web=Web()))
        for name in AFTER:
            importlib.import_module(name)
        made = Path(os.environ.get("TEST_RUN_FOLDER", ""), f"{MIGRATED}-folder", "database")
        if made.exists():
            shutil.copy(made, Folder(Path(place)).database)
        call_command("migrate", verbosity=0)
        connections.close_all()
    del connections["default"]


def let_configure_again() -> None:
    """Django keeps what its apps have added to the settings, and a competition takes the place of nobody's."""
    from django.conf import settings
    from django.db import connections

    def configure(**told: Any) -> None:
        for name, value in told.items():
            setattr(settings, name, value)

    vars(settings)["configure"] = configure
    connections._settings = None  # type: ignore[attr-defined]
    vars(connections).pop("settings", None)


def take_orders(line: socket.socket) -> list[str]:
    """Fork whatever is asked for, until nobody asks any more. Returns in each fork: what it is to run."""
    while (said := socket.recv_fds(line, MESSAGE, 64))[0]:
        order, files = json.loads(said[0]), said[1]
        between = os.fork()
        if between == 0:
            if os.fork():
                os._exit(0)  # so that the caller inherits the fork
            become(order, files, line)
            return have_line() or order["words"]
        os.waitpid(between, 0)
        for file in files:
            os.close(file)
    os._exit(0)


def become(order: dict[str, Any], files: list[int], line: socket.socket) -> None:
    """All of a process that execv leaves as it is. It ends where its caller has ended."""
    while os.getppid() != order["caller"]:  # until the process between has ended
        if not Path(f"/proc/{order['caller']}").exists():
            os._exit(1)
        time.sleep(0.001)
    if order["dies"]:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != order["caller"]:  # it ended meanwhile
            os._exit(1)
    prctl(PR_SET_NAME, b"python")
    if order["session"]:
        os.setsid()
    for number, file in zip(order["files"], [*map(high, files)], strict=True):
        os.dup2(file, number)
        os.close(file)
    try:
        os.chdir(order["cwd"])
    except OSError as error:
        line.send(str(error).encode())
        os._exit(1)
    os.environ.clear()
    os.environ.update(order["environment"])
    line.send(str(os.getpid()).encode())
    line.close()


def high(file: int) -> int:
    """The file under a number that nobody asks for."""
    moved = fcntl(file, F_DUPFD_CLOEXEC, HIGH)
    os.close(file)
    return moved


def have_line() -> list[str]:
    """A process that this one's are forked from; in their turn they are told what to run."""
    ours, theirs = (socket.socket(fileno=high(one.detach())) for one in socket.socketpair(*KIND))
    if os.fork():
        theirs.close()
        LINES[:] = [ours]
        return []
    ours.close()
    prctl(PR_SET_NAME, NAME)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    return take_orders(theirs)


def be_python(words: list[str]) -> None:
    """Run what follows the name of Python."""
    subprocess.Popen = Popen  # type: ignore[misc]
    let_configure_again()
    way, sys.argv = words[0], words if words[0].endswith(".py") else words[1:]
    if way == "-m":
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif way == "-c":
        sys.path.insert(0, "")
        sys.argv[0] = "-c"
        exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(0, str(Path(way).parent))
        runpy.run_path(way, run_name="__main__")


def main() -> None:
    del sys.path[0]
    line = socket.socket(fileno=high(int(sys.argv[1])))
    import_all()
    gc.collect()
    gc.freeze()  # else a fork's end looks through all that it was given, and copies it
    words = take_orders(line)
    warnings.simplefilter("ignore")  # a module that is run was imported before
    run_and_end(partial(be_python, words))


def run_and_end(program: Callable[[], object]) -> None:
    """As Python does, but for taking everything apart, which would copy all that the fork was given."""
    code: object = None
    try:
        program()
    except SystemExit as ended:
        code = ended.code
    if isinstance(code, int | None):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code or 0)
    sys.exit(code)


if __name__ == "__main__":
    main()
