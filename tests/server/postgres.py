"""A PostgreSQL server of the test's own, on a socket of 127.0.0.1, that can be killed and begun again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from patience import until
from served import free_port


def programs() -> Path | None:
    """The folder of initdb and postgres; Debian keeps it off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@dataclass
class Postgres:
    """`url`: of the database `competition`; `template`: how it is made anew with tables, once they were made."""

    bin: Path
    data: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    template: Sequence[str] = ()

    @property
    def url(self) -> str:
        return f"postgresql://competition@127.0.0.1:{self.port}/competition"

    @property
    def there(self) -> list[str]:
        """Options of its programs."""
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "competition"]

    def begin(self) -> None:
        options = ["-D", str(self.data), "-p", str(self.port), "-h", "127.0.0.1", "-k", str(self.data)]
        log = (self.data.parent / "postgres.log").open("ab")
        command = _as_nobody([str(self.bin / "postgres"), *options])
        self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        ready = [str(self.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        until(lambda: subprocess.run(ready, check=False).returncode == 0, log.name)

    def kill(self) -> None:
        """The whole server, as a power cut does."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def run(self, program: str, *arguments: str) -> None:
        subprocess.run(_as_nobody([str(self.bin / program), *arguments]), check=True, capture_output=True)


def _as_nobody(command: Sequence[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    other = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    return [*other, *command] if os.getuid() == 0 else [*command]


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Skips where there is none."""
    found = programs()
    if found is None:
        pytest.skip("NOT TESTED: there is no PostgreSQL here (apt: postgresql)")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # its own user must get in, and TMPDIR may be ours alone
    server = Postgres(found, folder / "data", free_port())
    try:
        if os.getuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        server.run("initdb", "-D", str(server.data), "-U", "competition", "-A", "trust", "-E", "UTF8", "--locale=C")
        server.begin()
        server.run("createdb", *server.there, "competition")
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
