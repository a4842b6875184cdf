"""One attempt on a worker: see that the service is there, run the evaluator, send what it writes, tell how it ended.

The server may be away for a while: the evaluator goes on, up to the end of the lease; then it is killed before the
server can give the submission to somebody else. So two evaluators never play on one service.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from nav_eval.logging import get_logger
from nav_eval_sdk.transport.address import Networks
from nav_eval_sdk.transport.base import Endpoint
from nav_eval_server.challenge import Images
from nav_eval_server.disk import full, has_room
from nav_eval_server.evaluator import environment
from nav_eval_server.images.container import Container, running
from nav_eval_server.images.loading import IMAGES, Broken, Store
from nav_eval_server.parent_death import killed_with_parent
from nav_eval_server.queue.client import Away, Fenced, Server
from nav_eval_server.queue.files import AGENT_LOG, PREDICTIONS, SCORED
from nav_eval_server.queue.files import LOG as LOG_FILE
from nav_eval_server.queue.probe import Protocol, ask, listed, parsed
from nav_eval_server.queue.run_folder import RunFolder

T = TypeVar("T")
LOG = get_logger("nav_eval.competition")
PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {"join": ("rest",), "image": ("rest", "grpc")}
"""Of services whose protocol nobody has said."""
SHARE = 0.7
"""Of a lease: so long an evaluator goes on without a word from the server; it is dead before the lease is over."""
DRAIN_SECONDS = 60.0
"""So long the running episodes have when the worker is told to end; then they are broken off."""
YIELD_SECONDS = 900.0
"""So long where the run only hands its worker over."""
FOLDERS = re.compile(r"(?<![\w:/.~-])~?/(?:[^\s/:,;=()'\"]+/)*(?=[^\s/])")
"""Of an absolute path; not of a URL, nor of one that is relative."""
SAID = "nav-eval: "
"""How a message of the evaluator's begins."""
LINE = "500"
"""Columns of the evaluator's terminal: a path that goes on in a second line would not be known for one."""
LOG_BYTES = 256 << 10
"""Of an evaluator's log that a team reads."""
FINAL = ("done", "failed", "cancelled", "void")


class Play:
    """`claim`: as the server gave it; `data`: the folder that the evaluation's paths are relative to."""

    def __init__(
        self,
        server: Server,
        claim: Mapping[str, Any],
        *,
        work: Path,
        data: Path,
        command: Sequence[str],
        stop: threading.Event,
        tick: float,
    ) -> None:
        self._server, self._claim, self._data, self._command = server, claim, data, command
        self._stop, self._tick = stop, min(tick, claim["lease_seconds"] / 6)
        self._id: tuple[int, int] = (claim["attempt"], claim["fence"])
        self.folder = work / claim["submission"]
        self._run = RunFolder(self.folder / "run", server, *self._id)
        self._lease = Lease(claim["lease_seconds"])
        self._joined, self._ours = (claim["protocol"] == name for name in ("join", "ours"))
        self._protocols: tuple[Protocol, ...] = PROTOCOLS.get(claim["protocol"]) or (claim["protocol"],)
        """Those that the service may speak; one, once it was ready."""
        self._found: list[str] = []
        """Addresses of the replicas that were ready."""
        self._container: Container | None = None
        self._token: str = claim["token"]
        self._yields = False

    def play(self) -> None:
        """To the end; whatever happens no process is left."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            ending = self._ending()
        except Fenced:
            ending = {"outcome": "stopped"}
        except Expired:
            ending = {"outcome": "interrupted", "message": "the server was away for longer than the lease"}
        self._tell(ending)

    def _ending(self) -> dict[str, Any]:
        if self._claim["kind"] == "predictions":
            return self._score()
        self._patiently(self._run.fetch)
        if self._claim["protocol"] == "image":
            return self._play_image()
        if not self._ours and not self._ready(self._claim["patience_seconds"]):
            return {"outcome": "interrupted" if self._stop.is_set() else "not_ready"}
        return self._evaluate()

    # The service

    @property
    def _networks(self) -> Networks:
        return Networks(tuple(self._claim["networks"]), tuple(self._claim["ports"]))

    @property
    def _places(self) -> dict[str, Endpoint]:
        """Its replicas by address, without those at ports that are not allowed: the evaluator knows no ports."""
        if self._joined:
            return {self._server.joined: Endpoint.parse(self._server.joined)}
        urls = listed(self._claim["url"]) if self._container is None else [self._container.address]
        return {url: where for url in urls if self._networks.open((where := parsed(url)).port)}

    def _ready(self, patience: float) -> bool:
        """Whether the service is ready, asked until our patience is at its end."""
        until = time.monotonic() + patience
        while not self._stop.is_set():
            answers = self._answers()
            if answers or time.monotonic() >= until:
                return answers
            self._stop.wait(self._tick)
        return False

    def _answers(self) -> bool:
        """Whether a replica is ready now, in one of its protocols, which is kept."""
        places, seconds = self._places, self._claim["probe_seconds"]
        for protocol in self._protocols:
            found = ask([*places.values()], protocol, self._token, self._networks, seconds)
            self._patiently(self._beat)
            self._look_after_container()
            self._found = [url for url, one in zip(places, found, strict=True) if one.answer == "ready"]
            if self._found:
                self._protocols = (protocol,)
                return True
        return False

    def _play_image(self) -> dict[str, Any]:
        """Run it, play with the service in it, and send what it said, however it ends."""
        rules, images = Images.model_validate(self._claim["image"]), self.folder.parent / IMAGES
        store = Store(images, rules, self._piece, lambda: self._patiently(self._beat))
        sha256, owner = self._claim["url"].removeprefix("sha256:"), (images.parent / "instance").read_text()
        try:
            with running(store, rules, sha256, owner) as container:
                self._container, self._token = container, container.token
                try:
                    return self._play_container(container, rules)
                finally:
                    self._send_agent_log(container)
        except Broken as broken:
            self._patiently(self._run.send)
            return {"outcome": broken.fault, "message": broken.detail}

    def _play_container(self, container: Container, rules: Images) -> dict[str, Any]:
        if self._ready(rules.ready_seconds):
            return self._evaluate()
        if self._stop.is_set():
            return {"outcome": "interrupted"}
        raise container.silent()

    def _piece(self, offset: int) -> bytes:
        return self._patiently(lambda: self._server.image(*self._id, offset))

    def _look_after_container(self) -> None:
        if self._container is not None and not self._stop.is_set():
            self._container.check()

    def _send_agent_log(self, container: Container) -> None:
        said = container.log()
        with suppress(Fenced, Expired):
            self._patiently(lambda: self._server.upload(*self._id, AGENT_LOG, 0, said, len(said)))

    def _evaluate(self) -> dict[str, Any]:
        claim, token = self._claim, self.folder / "token"
        if self._token:
            token.touch(mode=0o600)
            token.write_text(self._token, encoding="ascii")
        service = self._own_agent() if self._ours else self._service(token)
        options = ["--out", str(self._run.path), "--resume", "--progress", "json"]
        options += [] if claim["log"] else ["--quiet"]
        try:
            rc = self._watch(["run", *self._rules(), *service, *options], self._report)
        finally:
            token.unlink(missing_ok=True)
        self._patiently(self._send_log)
        if (self._stop.is_set() or self._yields) and rc not in (0, 1):
            self._patiently(self._run.send)
            return {"outcome": "yielded" if self._yields else "interrupted", "rc": rc}
        whole = rc in (0, 1)
        manifest = self._patiently(self._run.send_ended) if whole else self._patiently(self._run.send)
        return {
            "outcome": "played",
            "rc": rc,
            "message": "" if whole else self._last_words(),
            "manifest": manifest or "",
        }

    def _own_agent(self) -> list[str]:
        return [f"agent_service.agent={self._claim['url']}", "agent_service.type=local"]

    def _service(self, token: Path) -> list[str]:
        """The evaluator meets what was ready alone: what it says of an address can be read in a dry run's log."""
        networks = self._claim["networks"]
        service = [f"agent_service.allowed_networks={json.dumps(networks)}"] if networks else []
        service += [f"agent_service.token_file='{token}'"] if self._token else []
        urls = self._found
        one_or_all = f"endpoint='{urls[0]}'" if len(urls) == 1 else f"endpoints={json.dumps(urls)}"
        service += [f"agent_service.{one_or_all}", f"agent_service.protocol={self._protocols[0]}"]
        return [*service, "agent_service.type=remote"]

    def _send_log(self) -> None:
        """The end of what the evaluator said, without its progress and this machine's paths."""
        with (self.folder / "log").open("rb") as file:
            file.seek(max(0, (self.folder / "log").stat().st_size - LOG_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
        told = "".join(f"{without_folders(line)}\n" for line in lines if not line.startswith("{")).encode()
        self._server.upload(*self._id, LOG_FILE, 0, told, len(told))

    def _report(self) -> None:
        self._run.send()
        self._beat(self._total())
        self._look_after_container()

    # A file

    def _score(self) -> dict[str, Any]:
        data = self._patiently(lambda: self._server.predictions(*self._id))
        file = self.folder / PREDICTIONS
        file.write_bytes(data)
        episodes, scored = self.folder / "episodes.jsonl", self.folder / SCORED
        for path in (episodes, scored):
            path.unlink(missing_ok=True)
        written = ["--out", str(scored), "--episodes", str(episodes)]
        rc = self._watch(["score", str(file), *self._rules(), *written], self._beat)
        self._patiently(self._send_log)
        if self._stop.is_set() and rc not in (0, 1):
            return {"outcome": "interrupted", "rc": rc}
        for path in (episodes, scored):
            if path.exists():
                self._send(path)
        return {"outcome": "played", "rc": rc, "message": self._last_words()}

    def _send(self, path: Path) -> None:
        whole = path.read_bytes()
        self._patiently(lambda: self._server.upload(*self._id, path.name, 0, whole, len(whole)))

    # The evaluator's process

    def _rules(self) -> list[str]:
        config = self.folder / "evaluation.yaml"
        config.write_text(self._claim["evaluation"], encoding="utf-8")
        return ["--config", str(config), *self._claim["overrides"]]

    def _watch(self, arguments: Sequence[str], report: Callable[[], None]) -> int:
        """Run the evaluator, `report` while it goes on; its exit code.

        After it is dead raises Fenced, Expired, and OSError where our disk was full.
        """
        self._patiently(self._beat)
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                killed_with_parent([*self._command, *arguments]),
                cwd=self._data, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env=environment() | {"COLUMNS": LINE},
            )  # fmt: skip
        ended = threading.Event()
        guard = threading.Thread(target=self._guard, args=(process, ended))
        guard.start()
        try:
            self._wait(process, report)
        finally:
            _kill(process)
            ended.set()
            guard.join()
        self._lease.check()
        if process.returncode not in (0, 1) and not has_room(self.folder):
            raise full()
        return process.returncode

    def _guard(self, process: subprocess.Popen[bytes], ended: threading.Event) -> None:
        """Kill it at the lease's end, even while a call to the server hangs."""
        while not ended.wait(self._tick):
            if self._lease.over:
                _kill(process)
                return

    def _wait(self, process: subprocess.Popen[bytes], report: Callable[[], None]) -> None:
        told = 0.0
        while process.poll() is None:
            told = self._pass_on_stop(process, told)
            try:
                report()
            except Away as away:
                LOG.warning("%s: %s", self._claim["submission"], away)
            with suppress(subprocess.TimeoutExpired):
                process.wait(self._tick)

    def _pass_on_stop(self, process: subprocess.Popen[bytes], told: float) -> float:
        """Drain the evaluator when the worker or this turn is to end; break it off when that takes too long."""
        if not self._stop.is_set() and not self._yields:
            return told
        if not told:
            process.send_signal(signal.SIGUSR1)
            return time.monotonic()
        if time.monotonic() - told > (DRAIN_SECONDS if self._stop.is_set() else YIELD_SECONDS):
            process.terminate()
        return told

    def _last_words(self) -> str:
        """The evaluator's last message, in one line or several, without this machine's paths."""
        lines = [without_folders(line) for line in self._log_tail() if line and not line.startswith("{")]
        begins = [n for n, line in enumerate(lines) if line.startswith(SAID)]
        return "\n".join(lines[begins[-1] if begins else -1 :])[:500]

    def _total(self) -> int | None:
        for line in reversed(self._log_tail()):
            with suppress(ValueError, KeyError, TypeError):
                return int(json.loads(line)["progress"]["total"])
        return None

    def _log_tail(self) -> list[str]:
        path = self.folder / "log"
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 8192))
            tail: bytes = file.read()
        return tail.decode(errors="replace").splitlines()

    # The server

    def _beat(self, total: int | None = None) -> None:
        """The lease counts from when this was sent."""
        sent = time.monotonic()
        self._yields = bool(self._server.heartbeat(*self._id, total)) or self._yields
        self._lease.renew(sent)

    def _patiently(self, call: Callable[[], T]) -> T:
        """`call`, again until the server answers. Raises Expired."""
        while True:
            try:
                return call()
            except Away as away:
                LOG.warning("%s: %s", self._claim["submission"], away)
                self._lease.check()
            time.sleep(self._tick)

    def _tell(self, ending: Mapping[str, Any]) -> None:
        """Until the server has heard it, or says that it does not matter any more."""
        while not (self._stop.is_set() and self._lease.over):
            try:
                state = self._server.finish(self._id[0], {"fence": self._id[1], **ending})
                if state in FINAL:
                    shutil.rmtree(self.folder, ignore_errors=True)
                return
            except Fenced:
                return
            except Away:
                time.sleep(self._tick)


class Lease:
    """How long the attempt is surely ours. It ends a good while before the server gives it to somebody else."""

    def __init__(self, seconds: float) -> None:
        self._seconds = SHARE * seconds
        self.renew(time.monotonic())

    def renew(self, sent: float) -> None:
        self._until = sent + self._seconds

    @property
    def over(self) -> bool:
        return time.monotonic() > self._until

    def check(self) -> None:
        if self.over:
            raise Expired


class Expired(Exception):
    """The server was away until the lease was over."""


def without_folders(line: str) -> str:
    """A line of the evaluator's with files by their names only: where they lie on this machine is nobody's business."""
    return FOLDERS.sub("", line).rstrip()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """With all that it began; it has a session of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
