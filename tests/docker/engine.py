"""A container engine to try the images on: the machine's, else a Docker daemon of our own in a temporary folder.

Where no registry can be reached, a Debian root made by debootstrap stands in for the base image, under its name. It
differs from the published one in that it is as new as the mirror, holds ca-certificates, and knows this machine's pip
settings and certificates.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
import yaml

from patience import PATIENCE

CLEAN = """\
DPkg::Post-Invoke {"rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true";};
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
"""
POSTGRES = """\
FROM {base}
RUN apt-get update \\
 && apt-get install -y --no-install-recommends postgresql \\
 && rm -rf /var/lib/apt/lists/* \\
 && install -d -o postgres -g postgres /var/lib/postgresql/data \\
 && chmod 3777 /run/postgresql \\
 && ln -s /usr/lib/postgresql/*/bin /opt/bin
ENV PATH=/opt/bin:$PATH PGDATA=/var/lib/postgresql/data
COPY entry /entry
VOLUME ["/var/lib/postgresql/data"]
STOPSIGNAL SIGINT
ENTRYPOINT ["/entry"]
"""
ENTRY = """\
#!/bin/sh
set -eu
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  initdb -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 \\
    -E UTF8 --no-locale
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl start -w -o "-c listen_addresses=''"
  createdb -U "$POSTGRES_USER" "$POSTGRES_USER"
  pg_ctl stop -w -m fast
fi
exec postgres -c "listen_addresses=*"
"""
"""What the published image does with the variables that we set."""
SLIM = "".join(f"path-exclude /usr/share/{name}/*\n" for name in ("doc", "man", "info", "locale", "lintian"))


@dataclass(frozen=True)
class Engine:
    """`docker` and compose, with what tells them where the daemon is."""

    environment: Mapping[str, str]

    def docker(self, *arguments: str, timeout: float = 1200.0) -> str:
        """What the command prints, both streams; an AssertionError with all of it if it fails."""
        code, said = self.attempt(["docker", *arguments], timeout)
        assert code == 0, said
        return said

    def attempt(
        self, command: Sequence[str], timeout: float = 1200.0, stdin: IO[bytes] | None = None
    ) -> tuple[int, str]:
        given: Any = {"stdin": stdin, "env": os.environ | self.environment, "text": True, "timeout": timeout}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **given)
        return done.returncode, done.stdout

    def has(self, tag: str) -> bool:
        """An image, there already or pulled."""
        return any(self.attempt(["docker", *words, tag])[0] == 0 for words in (["image", "inspect"], ["pull"]))

    def build(self, file: Path, context: Path, tag: str, *arguments: str) -> None:
        self.docker("build", "--network", "host", "-f", str(file), "-t", tag, *arguments, str(context))

    def compose(self, file: Path, folder: Path) -> list[str]:
        """The program with its file; the old one, which Debian 12 has, does not know `name`."""
        if self.attempt(["docker", "compose", "version"])[0] == 0:
            return ["docker", "compose", "-f", str(file)]
        if shutil.which("docker-compose") is None:
            pytest.skip("docker compose is not installed")
        content: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
        old = folder / "old.yaml"
        name = content.pop("name")
        old.write_text(yaml.safe_dump(content), "utf-8")
        return ["docker-compose", "-p", name, "-f", str(old)]


@contextmanager
def running_engine() -> Iterator[Engine]:
    """Skips the test, and says why, where there is none and none can be started."""
    if shutil.which("docker") is None:
        pytest.skip("docker is not installed")
    own = Engine({})
    if own.attempt(["docker", "info"], 30)[0] == 0:
        yield own
        return
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("no Docker daemon answers, and starting one needs root and Debian's docker.io")
    with tempfile.TemporaryDirectory(prefix="nav-eval-docker-") as folder, _daemon(Path(folder)) as engine:
        yield engine


@contextmanager
def _daemon(folder: Path) -> Iterator[Engine]:
    address = f"unix://{folder}/docker.sock"
    places = ["--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid"]
    with (folder / "log").open("wb") as log:
        command = ["setpriv", "--pdeathsig", "TERM", "dockerd", *places, "-H", address]
        daemon = subprocess.Popen([*command, "--bridge", "none", "--userland-proxy=false"], stdout=log, stderr=log)
    engine = Engine({"DOCKER_HOST": address})
    if engine.attempt(["docker", "buildx", "version"])[0]:
        engine = Engine({"DOCKER_HOST": address, "DOCKER_BUILDKIT": "0"})
    try:
        while engine.attempt(["docker", "info"], 30)[0]:
            if daemon.poll() is not None:
                pytest.skip(f"dockerd does not run here: {(folder / 'log').read_text()[-300:]}")
            time.sleep(0.5)
        yield engine
    finally:
        daemon.terminate()
        daemon.wait(PATIENCE)


def have_base(engine: Engine, tag: str) -> None:
    """The base image: there already, pulled, or made."""
    if engine.has(tag):
        return
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip(f"{tag} cannot be pulled, and making a stand-in needs root and debootstrap")
    with tempfile.TemporaryDirectory(prefix="nav-eval-root-") as folder:
        root = Path(folder) / "root"
        command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", str(root)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        _slim(root)
        archive = Path(folder) / "root.tar"
        subprocess.run(["tar", "-C", str(root), "-cf", str(archive), "."], check=True)
        engine.docker("import", str(archive), tag)


def have_postgres(engine: Engine, tag: str, base: str) -> None:
    """The database's image: there already, pulled, or Debian's PostgreSQL laid over `base`."""
    if engine.has(tag):
        return
    with tempfile.TemporaryDirectory(prefix="nav-eval-postgres-") as folder:
        file = Path(folder) / "Dockerfile"
        file.write_text(POSTGRES.format(base=base))
        entry = Path(folder) / "entry"
        entry.write_text(ENTRY)
        entry.chmod(0o755)
        engine.build(file, Path(folder), tag)


def _slim(root: Path) -> None:
    """What the published image does too, and this machine's way to packages."""
    (root / "etc/apt/apt.conf.d/docker-clean").write_text(CLEAN)
    (root / "etc/dpkg/dpkg.cfg.d/docker").write_text(SLIM)
    for name in (
        *(f"usr/share/{name}" for name in ("doc", "man", "locale", "info")),
        "var/cache/apt",
        "var/lib/apt/lists",
    ):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    for known in (Path("/etc/pip.conf"), Path("/etc/ssl/certs/ca-certificates.crt")):
        if known.is_file():
            shutil.copy(known, root / known.relative_to("/"))
