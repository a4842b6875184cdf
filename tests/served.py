"""`nav-eval-agent serve` in a process of its own, and ports where nobody serves yet."""

from __future__ import annotations

import secrets
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from patience import PATIENCE


def free_port() -> int:
    """One that nobody gets by chance before it is used: not of those that connections are made from."""
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", secrets.choice(range(10_000, 32_768)))) as probe:
            return int(probe.getsockname()[1])


@contextmanager
def served(command: Sequence[str], project: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """`command`, an agent being served, in `project`; gives its endpoint, and ends it as a signal does."""
    process = subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("Serving at "), line
        yield line.split()[-1].rstrip(".")
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()
