"""A served competition, in processes of its own, and teams with services, for tests that look from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval_server.challenge import Challenge
from nav_eval_server.evaluator import COMMAND
from nav_eval_server.folder import Folder
from nav_eval_server.models import Token
from nav_eval_server.tokens import issue
from patience import PATIENCE
from served import free_port
from server.warm import NAME, Popen

WITH = (sys.executable, str(Path(__file__).with_name("serve_with.py")))


@dataclass
class Served:
    """`port`: of the web; the supervisor is `process`."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    host: str = "127.0.0.1"

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def pids(self) -> dict[str, int]:
        with suppress(FileNotFoundError, ValueError):
            found: dict[str, int] = json.loads((self.folder / "pids").read_text())
            return found
        return {}

    def kill(self, name: str) -> bool:
        """SIGKILL for a child; whether there was one."""
        with suppress(ProcessLookupError, KeyError):
            os.kill(self.pids()[name], signal.SIGKILL)
            return True
        return False

    def healthz(self) -> int:
        """The status of GET /healthz; 0 if nobody answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=30) as answer:
                status: int = answer.status
                return status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0


def nav_eval(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command's exit code, and what it said."""
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with Popen([*COMMAND, *map(str, words)], **piped, **options) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(words, process.returncode, out, err)


@contextmanager
def serving(challenge: Challenge, *, evaluator: str = "-", jobs: int = 1, host: str = "127.0.0.1") -> Iterator[Served]:
    """Ended by SIGTERM, as systemd does it, if the test has not killed it; whatever is left is killed."""
    port, folder = free_port(), challenge.folder
    words = ["serve", evaluator, str(Folder(folder).challenge), str(port), str(jobs), host]
    with (folder / "served.log").open("ab") as log:
        process = Popen([*WITH, *words], stdout=log, stderr=log)
    try:
        yield Served(folder, port, process, host)
        if process.poll() is None:
            process.terminate()
            assert process.wait(PATIENCE) == 0, (folder / "served.log").read_text()
    finally:
        process.kill()
        process.wait()


@contextmanager
def joined(challenge: Challenge, served: Served, evaluator: str, number: int) -> Iterator[subprocess.Popen[bytes]]:
    """One more worker, as on another machine: a token and a folder of its own."""
    folder = challenge.folder / f"machine{number}"
    folder.mkdir()
    (folder / "token").write_text(issue(Token.Scope.WORKER, f"machine{number}"))
    url = f"http://127.0.0.1:{served.port}"
    words = ["work", evaluator, url, str(folder / "token"), str(challenge.folder), str(folder / "work"), "2"]
    with (folder / "log").open("ab") as log:
        process = Popen([*WITH, *words], stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def children_of(process: int) -> Iterator[int]:
    """Whichever of its threads began them; none that others are only forked from."""
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            pids = path.read_text().split()
            yield from (int(pid) for pid in pids if Path(f"/proc/{pid}/comm").read_bytes().strip() != NAME)
