"""podman or docker: how a team's image is confined, and whether this machine's engine can do it.

What the engine itself needs on a machine, such as another runtime, is its own configuration's business:
containers.conf or daemon.json.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import subprocess
import tarfile
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from nav_eval.errors import ConfigError
from nav_eval_server.challenge import Images

SECONDS = 60.0
"""For a call that loads nothing. Each has a session of its own, so that Ctrl-C ends a worker's runs and not these."""
TICK = 0.5
USER = "10001:10001"
LABEL = "nav-eval.worker"
PROBE = "localhost/nav-eval-probe"
PROBING = threading.Lock()
PROBED = Images(memory_gb=1 / 16, pids=16)
LIMITS = (
    "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/pids.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/pids/pids.max",
)  # fmt: skip
"""Where a container reads its own, in cgroups of either version."""
STORAGE = {"podman": "{{.Store.GraphRoot}}", "docker": "{{.DockerRootDir}}"}
"""How each says where it keeps images."""


class EngineError(Exception):
    """A call failed; `str()` is the last line that it said."""

    def __init__(self, said: str) -> None:
        super().__init__((said.strip().splitlines() or ["no word"])[-1])


def call(*command: str, expect: tuple[int, ...] = (0,)) -> str:
    """What it says on stdout. Raises EngineError."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SECONDS, start_new_session=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(str(error)) from None
    if done.returncode not in expect:
        raise EngineError(done.stderr or done.stdout)
    return done.stdout


def patiently(alive: Callable[[], None], *command: str, cwd: str | None = None) -> tuple[int, str]:
    """Exit code and all that it says, however long it takes."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=cwd, start_new_session=True
        )
        try:
            while process.poll() is None:
                alive()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(TICK)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        return process.returncode, out.read().decode(errors="replace")


def inspect(engine: str, kind: str, name: str) -> Any:
    (about,) = json.loads(call(engine, kind, "inspect", name))
    return about


def confined(rules: Images, *volumes: str) -> list[str]:
    """Options of `run`: no network, no privilege, nothing to write to but a memory of its own, which counts.

    `volumes`: what the image declares so; on the disk they would have no limit.
    """
    memory = str(round(rules.memory_gb * 2**30))
    writable = [f"--tmpfs={place}:rw,exec,mode=1777,size={memory}" for place in {"/tmp", *volumes}]
    return [
        "--network=none", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", f"--user={USER}",
        f"--memory={memory}", f"--memory-swap={memory}", f"--cpus={rules.cpus:g}", f"--pids-limit={rules.pids}",
        *writable, "--env=HOME=/tmp", "--env=USER=agent",
        "--pull=never", "--no-healthcheck", "--stop-timeout=0", "--log-driver=json-file", "--log-opt=max-size=1m",
        *_gpus(rules),
    ]  # fmt: skip


def _gpus(rules: Images) -> list[str]:
    if not rules.gpus:
        return []
    if rules.engine == "podman":
        return [f"--device=nvidia.com/gpu={rules.gpus}"]
    return ["--gpus=all" if rules.gpus == "all" else f"--gpus=device={rules.gpus}"]


@lru_cache
def probe(rules: Images) -> bool:
    """Whether memory and processes are limited, as a container made of this machine's own `cat` reads it.

    It is run as a team's would be. Raises EngineError if it cannot.
    """
    image = f"{PROBE}-{secrets.token_hex(8)}"  # another process may probe at the same time
    asked = rules.model_copy(update={"memory_gb": PROBED.memory_gb, "pids": PROBED.pids})
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root.tar"
        _write_root(root)
        call(rules.engine, "import", str(root), image)
    try:
        told = call(rules.engine, "run", "--rm", *confined(asked), image, "/bin/cat", *LIMITS, expect=(0, 1)).split()
    finally:
        call(rules.engine, "rmi", image)
    return {str(round(PROBED.memory_gb * 2**30)), str(PROBED.pids)} <= set(told)


def _write_root(file: Path) -> None:
    cat = shutil.which("cat") or "/bin/cat"
    linked = call("ldd", cat, expect=(0, 1))  # 1: with nothing
    with tarfile.open(file, "w") as tar:
        tar.add(Path(cat).resolve(), "bin/cat")
        for library in re.findall(r"(/\S+) \(", linked):
            tar.add(Path(library).resolve(), library)


def refuse(rules: Images) -> str:
    """What the engine can do here, in words. Raises ConfigError if that is not what the rules want."""
    try:
        with PROBING:
            limited = probe(rules)
    except EngineError as error:
        raise ConfigError(
            f"images: {rules.engine} runs no container here ({error}). Install it, or set it up (containers.conf or "
            "daemon.json), for the user who serves."
        ) from None
    if not limited and not rules.allow_unlimited:
        raise ConfigError(
            f"images: {rules.engine} does not limit memory and processes here, so one image could stop the machine. "
            "Use cgroups v2 with both controllers delegated to the user, or images.allow_unlimited: true."
        )
    if limited:
        return f"{rules.engine} runs images here, with limits of memory and processes"
    return f"{rules.engine} runs images here, without limits of memory and processes"


def require_room(rules: Images, size: float) -> None:
    """Raises EngineError where an image that unpacks to so many bytes cannot be loaded: podman unpacks it twice."""
    root = Path(call(rules.engine, "info", "--format", STORAGE[rules.engine]).strip())
    needs = {root: size}
    if rules.engine == "podman":
        unpacked = Path("/var/tmp")
        same = root.exists() and unpacked.stat().st_dev == root.stat().st_dev
        needs = {root: 2 * size} if same else {root: size, unpacked: size}
    for place, wanted in needs.items():
        if place.exists() and shutil.disk_usage(place).free < wanted:
            raise EngineError(f"{place} has no room for an image of {size / 2**30:.1f} GiB")


def check_machine(rules: Images) -> None:
    """After a call about a team's image has failed: raises EngineError, or ConfigError, if no image can be run here.

    What the engine said proves nothing: there are words of the image in it.
    """
    probe.cache_clear()
    refuse(rules)
