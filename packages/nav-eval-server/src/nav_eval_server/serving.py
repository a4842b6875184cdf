"""nav-eval competition serve, worker and token."""

from __future__ import annotations

import fcntl
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nav_eval.cli.chinese import spoken
from nav_eval.cli.say import say
from nav_eval.errors import InputError
from nav_eval_server.challenge import Challenge, load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.join.fd_passing import pair
from nav_eval_server.queue.client import Server
from nav_eval_server.queue.play import DRAIN_SECONDS
from nav_eval_server.queue.worker import work
from nav_eval_server.supervisor import Child, supervise

LOCAL = "127.0.0.1"


def serve(file: Path, /, *, host: str = LOCAL, port: int = 8000, jobs: int = 1, proxy: str = LOCAL) -> int:
    """Serve a competition: nav-eval competition serve FILE.

    Brings the database up to date, then runs web, relay, scheduler and a worker until SIGTERM or Ctrl-C, which let
    running episodes end; a second one does not wait.

    Parameters
    ----------
    file
        challenge.yaml, as `nav-eval competition init` wrote it.
    host
        The address to listen on. For other machines put a proxy that speaks TLS in front of it.
    port
        The port to listen on.
    jobs
        Evaluations at a time on this machine; 0 leaves them all to others.
    proxy
        The proxy's address. X-Forwarded-For and X-Forwarded-Proto are trusted only from there.
    """
    challenge = load_challenge(file)
    _check_free(host, port)
    with _alone(Folder(challenge.folder)):
        prepare(challenge)
        from nav_eval_server import opening

        if jobs:
            sys.stderr.write(f"{spoken('Playing a step of each phase ...')}\n")
        opening.lock(challenge, opening.verify(challenge) if jobs else None)
        told = f"{challenge.name} at http://{host}:{port}; rules {challenge.rules_sha256[:12]}"
        sys.stderr.write(f"{spoken(told)}\n")
        supervise(children(file.resolve(), challenge, host, port, jobs, proxy))
    return 0


def _check_free(host: str, port: int) -> None:
    """Better one message now than a web process that dies again and again."""
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        raise InputError(f"{host}:{port}: {error.strerror or error}. Choose another --port or --host.") from None


@contextmanager
def _alone(folder: Folder) -> Iterator[None]:
    folder.make()
    with (folder.path / "state" / ".serving").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{folder.path}: is being served already. End that one first.") from None
        yield


def opened(file: Path) -> Challenge:
    """The competition of a challenge.yaml, with which this process then works; see `prepare`."""
    challenge = load_challenge(file)
    prepare(challenge)
    return challenge


def prepare(challenge: Challenge) -> None:
    """Settings, tables, the token of this machine's worker; raises ConfigError if the rules changed after opening."""
    from nav_eval_server.settings import configure

    folder = Folder(challenge.folder)
    configure(challenge)
    folder.make()
    from django.core.management import call_command

    from nav_eval_server.models import Token
    from nav_eval_server.opening import check
    from nav_eval_server.tokens import find, issue

    if not _is_current():
        call_command("migrate", verbosity=0)
    check(challenge)
    if challenge.notify.webhook is not None:
        folder.write_secret("webhook.key", secrets.token_hex(32))
    if folder.worker_token.exists() and find(folder.worker_token.read_text().strip(), Token.Scope.WORKER) is None:
        folder.worker_token.unlink()  # an organiser has revoked it
    if not folder.worker_token.exists():
        folder.write_secret("worker.token", issue(Token.Scope.WORKER, "this machine"))


def _is_current() -> bool:
    """Whether there is nothing to migrate; to have Django find that out costs each command a third of a second."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def children(file: Path, challenge: Challenge, host: str, port: int, jobs: int, proxy: str = LOCAL) -> list[Child]:
    """In the order in which they are ended: who needs the web goes first."""
    folder = Folder(challenge.folder)
    local = LOCAL if host in ("0.0.0.0", "::", "") else host
    url = f"http://[{local}]:{port}" if ":" in local else f"http://{local}:{port}"
    worker = [str(folder.worker_token), str(folder.path), str(folder.work), str(jobs)]
    found = [
        Child("worker", module("queue.worker", url, *worker), grace=DRAIN_SECONDS + 15),
        Child("scheduler", module("queue.scheduler", str(file), str(jobs))),
    ]
    return [*(found if jobs else found[1:]), *_web(challenge, [str(file), host, str(port), proxy])]


def _web(challenge: Challenge, words: list[str]) -> list[Child]:
    """The web, which is told `words`, and the relay that it hands connections to."""
    if not challenge.endpoints.join:
        return [Child("web", module("web", *words))]
    webs, relays = pair()
    return [
        Child("relay", module("join", words[0], str(relays)), fds=[relays]),
        Child("web", module("web", *words, str(webs)), fds=[webs]),
    ]


def module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"nav_eval_server.{name}", *arguments]


def worker(*, join: str, token_file: Path, data: Path = Path(), work_in: Path | None = None, jobs: int = 1) -> int:
    """Evaluate for a competition on another machine: nav-eval competition worker --join URL --token-file FILE.

    Parameters
    ----------
    join
        The competition's address.
    token_file
        What `nav-eval competition token` printed; a file that only you can read.
    data
        The folder to which the evaluation's paths are relative; it holds a copy of the competition's data/.
    work_in
        Where runs are kept until the server has them; by default `work` in the data's folder.
    jobs
        Evaluations at a time.
    """
    try:
        token = token_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{token_file}: cannot be read ({error}).") from None
    work(Server(join, token), work=work_in or data / "work", data=data.resolve(), jobs=jobs)
    return 0


def token(file: Path, /, *, name: str) -> int:
    """Print a token for a worker on another machine; it cannot be shown again: nav-eval competition token FILE.

    Parameters
    ----------
    file
        challenge.yaml.
    name
        The machine's name in the organisers' lists.
    """
    opened(file)
    from nav_eval_server.models import Token
    from nav_eval_server.tokens import issue

    say(issue(Token.Scope.WORKER, name))
    return 0
