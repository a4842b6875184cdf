"""`nav-eval` in a process of its own, forked from one that has its modules: a start costs no second of imports.

A program on the path (`program`) hands its process id to a server and waits. The server's fork takes arguments, folder,
environment and files from that process, as the system tells them, and does what the real program does. That this one
starts too, tests/packaging knows.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from patience import PATIENCE, until

SERVER = """
import ctypes, gc, os, sys
from contextlib import suppress

sys.path.insert(0, sys.argv[2])
from server.warm import run_and_end
del sys.path[0]

import cyclopts, PIL.Image, rich.console, rich.panel, rich.table, scipy.special
import nav_eval.api.local, nav_eval.api.remote, nav_eval.cli.inspect, nav_eval.cli.progress, nav_eval.cli.report
import nav_eval.cli.score, nav_eval.engine.navmesh.walk, nav_eval.engine.render.cpu, nav_eval.engine.render.renderer
import nav_eval.report.document, nav_eval.report.page, nav_eval.runs.comparison, nav_eval.runs.evaluation
import nav_eval.runs.scoring, nav_eval.simulator.backends.custom, nav_eval.simulator.backends.nav_graph
import nav_eval.metrics.navigation, nav_eval.metrics.reference, nav_eval.tasks.navigation
import nav_eval_extras.annotate.session, nav_eval_extras.human.command, nav_eval_sdk.server.agents
from nav_eval.config.loader import load_config

def read(caller, name):
    with open(f"/proc/{caller}/{name}", encoding="utf-8", errors="surrogateescape") as file:
        return file.read().split("\\0")[:-1]

def become(caller):
    os.chdir(f"/proc/{caller}/cwd")
    environment = dict(entry.split("=", 1) for entry in read(caller, "environ"))
    os.environ.clear()
    os.environ.update(environment)
    sys.path[1:1] = [part for part in environment.get("PYTHONPATH", "").split(":") if part and part not in sys.path]
    for number, mode in enumerate((os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_APPEND)):
        # While the shell waits and gives its order, its 0 and 1 are its own.
        os.dup2(os.open(f"/proc/{caller}/fd/{(4, 5, 2)[number]}", mode), number)
    _, called, *arguments = read(caller, "cmdline")
    sys.argv = [*arguments] if called.endswith("/python") else ["nav-eval", *arguments]

def tend(caller):
    # In a process for each caller: one that runs the command, and one that waits for it and tells its exit code.
    child = os.fork()
    if child == 0:
        os.setsid()
        become(caller)
        return
    with open(f"{program}.{caller}.child", "w") as file:
        file.write(f"{child}\\n")
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with suppress(OSError):  # the caller is gone
        answer = os.open(f"{program}.{caller}", os.O_WRONLY | os.O_NONBLOCK)
        os.write(answer, b"%d\\n" % (code if code >= 0 else 128 - code))
    os._exit(0)

program = sys.argv[1]
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
for benchmark in ("r2r", "pointnav", "vln-demo", "pointnav-demo"):  # it imports and is kept; a fork may have plug-ins
    load_config(benchmark, environment={}, overrides=["dataset.limit=1", "task.measurements=[spl]"])
gc.collect()
gc.freeze()  # else a fork's end looks through all that it was given, and copies it
orders = open(os.open(f"{program}.orders", os.O_RDWR))  # of which it is a writer too, so that it never ends
print("ready", flush=True)
for line in iter(orders.readline, ""):
    if os.fork() == 0:
        tend(int(line))
        break
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                break
        except ChildProcessError:
            break
if sys.argv[0] == "-":
    run_and_end(lambda: exec(compile(sys.stdin.read(), "<stdin>", "exec"), {"__name__": "__main__"}))
run_and_end(nav_eval.cli.main)
"""
PROGRAM = """#!/bin/sh
{elsewhere} exec {real} "$@"
rm -f "{path}.$$.child"
mkfifo "{path}.$$"
exec 3<> "{path}.$$" 4<&0 5>&1
echo $$ > "{path}.orders"
read -r code <&3
rm "{path}.$$"
exit "$code"
"""


@cache
def program() -> Path:
    """`nav-eval`; beside it, in `scripts`, a `python` that runs what it reads (`python -`) in such a process too."""
    folder = TemporaryDirectory()
    path = Path(folder.name) / "nav-eval"
    # What serves is ended by signals.
    _write(path, path, Path(sys.executable).with_name("nav-eval"), '[ "$1 $2" != "competition serve" ] ||')
    _write(path.parent / "scripts" / "python", path, Path(sys.executable), '[ "$*" = - ] ||')
    os.mkfifo(f"{path}.orders")
    command = [sys.executable, "-c", SERVER, path, Path(__file__).parent]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    atexit.register(end, server, folder)
    return path


def _write(script: Path, path: Path, real: Path, elsewhere: str) -> None:
    script.parent.mkdir(exist_ok=True)
    script.write_text(PROGRAM.format(path=path, real=real, elsewhere=elsewhere))
    script.chmod(0o755)


def end(server: subprocess.Popen[str], folder: TemporaryDirectory[str]) -> None:
    """When the tests are over."""
    server.kill()
    server.wait()
    folder.cleanup()


def nav_eval(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command with `environment` besides ours; its exit code and what it said."""
    return subprocess.run(
        [program(), *map(str, arguments)],
        cwd=cwd, env=own() | environment, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


class Running:
    """The command while it runs, in a session of its own. `said`: the file that gets all that it prints.

    `script`: Python that runs instead.
    """

    def __init__(
        self,
        *arguments: object,
        environment: dict[str, str] | None = None,
        said: Path | None = None,
        script: str = "",
    ) -> None:
        command = [program().parent / "scripts/python", "-"] if script else [program(), *map(str, arguments)]
        given = {"stdin": subprocess.PIPE if script else None, "env": own() | (environment or {})}
        with said.open("w") if said else nullcontext(subprocess.PIPE) as out:
            self._caller = subprocess.Popen(command, stdout=out, stderr=out, text=True, **given)
        if self._caller.stdin:
            self._caller.stdin.write(script)
            self._caller.stdin.close()
        caller = Path(f"{program()}.{self._caller.pid}")  # its pipe; before that an earlier one's child may be there
        child = caller.with_name(f"{caller.name}.child")
        begun = lambda: caller.exists() or self._caller.poll() is not None  # noqa: E731
        until(lambda: begun() and child.exists() and child.read_text().endswith("\n"), "a process")
        self.pid = int(child.read_text())
        child.unlink()
        self.stderr = self._caller.stderr
        self.poll, self.wait, self.communicate = self._caller.poll, self._caller.wait, self._caller.communicate

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has ended
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    @property
    def returncode(self) -> int | None:
        return self._caller.returncode


def own() -> dict[str, str]:
    """Our environment but for what silences grpc, as the command does itself."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
