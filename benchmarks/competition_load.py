"""A competition under load: 300 spectators and 30 teams who look on while four runs are played.

Everything is real and of this machine: `nav-eval competition serve` with four evaluations at a time on a generated
building, four services that think for 50 ms, and clients that keep their connections as browsers do. A spectator opens
a page every 5 to 15 s; of each team one member watches a submission, which asks every 2 s, and opens the team's page
every 10 to 30 s. What is lost is counted in the actions that the services are asked for.
    python benchmarks/competition_load.py [--quick]
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from nav_eval_sdk import VLNAgent, start

QUICK = "--quick" in sys.argv
SPECTATORS, TEAMS, RUNS = 300, 30, 4
BEFORE, UNDER = (20, 30) if QUICK else (60, 300)
"""Seconds that are measured without load, twice, and with it."""
COMMAND = [sys.executable, "-c", "from nav_eval.cli import main; main()", "competition"]
THINKING = 0.05


class Thinking(VLNAgent):
    """Walks about and never stops; counts what it is asked."""

    asked: Any = None

    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing is remembered."""

    def act(self, observation: dict[str, Any]) -> str:
        time.sleep(THINKING)
        with self.asked.get_lock():
            self.asked.value += 1
        return random.choice(("move_forward", "move_forward", "turn_left"))


def teams_machine(asked: Any, pipe: Connection) -> None:
    """A process with the services of four teams; sends their addresses."""
    Thinking.asked = asked
    services = [start(Thinking, protocol="grpc", port=0) for _ in range(RUNS)]
    pipe.send([service.endpoint for service in services])
    pipe.recv()
    for service in services:
        service.stop()


@dataclass
class Met:
    """What clients met, by kind of page: seconds of each answer, and how many were not 200."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Client:
    """One connection that is kept; `cookie`: of somebody who is logged in."""

    def __init__(self, port: int, met: Met, cookie: str = "") -> None:
        self._port, self._met = port, met
        self._head = f"Host: 127.0.0.1:{port}\r\nAccept-Language: en\r\n" + (f"Cookie: {cookie}\r\n" if cookie else "")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, kind: str, path: str) -> None:
        begun = time.perf_counter()
        try:
            status = await asyncio.wait_for(self._get(path), 60)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            status, self._streams = type(error).__name__, None
        self._met.seconds[kind].append(time.perf_counter() - begun)
        if status != "200":
            self._met.wrong[kind].append(status)

    async def _get(self, path: str) -> str:
        for attempt in range(2):  # a connection that was quiet for long may have been closed: browsers ask again
            fresh = self._streams is None
            reader, writer = self._streams = self._streams or await asyncio.open_connection("127.0.0.1", self._port)
            try:
                writer.write(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
                await reader.readexactly(int(length[1]) if length else 0)
                return head.split()[1]
            except (OSError, EOFError):
                self._streams = None
                if fresh or attempt:
                    raise
        raise OSError

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


async def spectator(client: Client, end: float) -> None:
    await asyncio.sleep(random.uniform(0, 15))
    await client.get("style sheet", "/static/pages.css")
    while time.monotonic() < end:
        await client.get(*random.choice((("first page", "/"), ("board", "/board/standard/"))))
        await asyncio.sleep(random.uniform(5, 15))
    client.close()


async def watching(client: Client, submission: str, end: float) -> None:
    await asyncio.sleep(random.uniform(0, 2))
    await client.get("submission", f"/submissions/{submission}/")
    while time.monotonic() < end:
        await client.get("its progress", f"/submissions/{submission}/progress/")
        await asyncio.sleep(2)
    client.close()


async def at_home(client: Client, end: float) -> None:
    await asyncio.sleep(random.uniform(0, 20))
    while time.monotonic() < end:
        await client.get("team", "/team/")
        await asyncio.sleep(random.uniform(10, 30))
    client.close()


async def crowd(port: int, members: list[tuple[str, str]], seconds: float) -> Met:
    """`members`: cookie and submission."""
    met, end = Met(), time.monotonic() + seconds
    everybody = [spectator(Client(port, met), end) for _ in range(SPECTATORS)]
    everybody += [watching(Client(port, met, cookie), submission, end) for cookie, submission in members]
    everybody += [at_home(Client(port, met, cookie), end) for cookie, _ in members]
    await asyncio.gather(*everybody)
    return met


def found(folder: Path) -> Path:
    """A competition of one building whose teams are on this machine and whose episodes are long."""
    subprocess.run([*COMMAND, "init", str(folder), "--yes", "--buildings", "1"], check=True, capture_output=True)
    file = folder / "challenge.yaml"
    text = file.read_text().replace("allowed_networks: [public]", "allowed_networks: [loopback]")
    file.write_text(text.replace("max_steps: 250", "max_steps: 500"))
    return file


def fill(file: Path, endpoints: list[str]) -> list[tuple[str, str]]:
    """Thirty teams with a member each, a result each on the board, and four submissions; cookie and submission."""
    from nav_eval_server.challenge import load_challenge
    from nav_eval_server.serving import prepare

    challenge = load_challenge(file)
    prepare(challenge)
    from django.test import Client as Browser

    from nav_eval_server.models import Endpoint, Membership, Submission, Team, User
    from nav_eval_server.queue.dispatcher import Dispatcher

    members = []
    for n in range(TEAMS):
        team = Team.objects.create(name=f"Team {n:02}", state=Team.State.APPROVED)
        user = User.objects.create(username=f"member{n:02}")
        Membership.objects.create(team=team, user=user, captain=True)
        watched = score(team, n)
        if n < RUNS:
            endpoint = Endpoint.objects.create(team=team, name="main", protocol="grpc", url=endpoints[n])
            watched = Dispatcher(challenge).submit(team, "dev", endpoint=endpoint)
        browser = Browser(SERVER_NAME="localhost")
        browser.force_login(user, "django.contrib.auth.backends.ModelBackend")
        members.append((f"sessionid={browser.cookies['sessionid'].value}", watched.id))
    assert Submission.objects.count() == TEAMS + RUNS
    return members


def score(team: Any, n: int) -> Any:
    """A submission that is done, of fifty episodes in five buildings."""
    from django.utils import timezone

    from nav_eval_server.models import Attempt, Episode, Result, Submission, Token

    now, worker = timezone.now(), Token.objects.get(name="this machine")
    made = Submission.objects.create(
        team=team, phase="standard", kind="service", accepted_at=now, since=now, retry_at=now, state="done"
    )
    attempt = Attempt.objects.create(
        submission=made, n=1, fence=-1 - n, worker=worker, instance="i", started_at=now, heartbeat_at=now, live=False
    )
    values = [random.Random(60 * n + e).random() for e in range(50)]
    Episode.objects.bulk_create(
        Episode(
            submission=made, attempt=attempt, scene=f"b{e % 5}", episode=str(e), status="ok", metrics={"spl": value}
        )
        for e, value in enumerate(values)
    )
    Result.objects.create(submission=made, document={"metrics": {"spl": {"mean": sum(values) / 50}}}, at=now)
    return made


@contextmanager
def served(file: Path, jobs: int) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*COMMAND, "serve", str(file), "--port", str(port), "--jobs", str(jobs)])
    try:
        end = time.monotonic() + 60
        while not answers(port):
            assert time.monotonic() < end
            time.sleep(0.2)
        yield port, process
    finally:
        process.terminate()
        time.sleep(0.5)
        process.terminate()
        process.wait()


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
            return True
    except OSError:
        return False


def resident(pid: int) -> Iterator[tuple[str, float, float]]:
    """Of a process and all below it: the end of its command, resident MB, and MB with what is shared counted once."""
    folder = Path("/proc") / str(pid)
    told = dict(re.findall(r"^(Rss|Pss): +(\d+) kB", (folder / "smaps_rollup").read_text(), re.MULTILINE))
    words = (folder / "cmdline").read_text().split("\0")
    names = [word for word in words if word.startswith("nav_eval_server.")]
    yield names[0] if names else "supervisor", int(told["Rss"]) / 1024, int(told["Pss"]) / 1024
    for child in (folder / "task" / str(pid) / "children").read_text().split():
        yield from resident(int(child))


def rate(asked: Any, seconds: float) -> float:
    before, begun = asked.value, time.perf_counter()
    time.sleep(seconds)
    return float(asked.value - before) / (time.perf_counter() - begun)


def main() -> None:
    context = multiprocessing.get_context("spawn")
    asked, (here, there) = context.Value("q", 0), context.Pipe()
    machine = context.Process(target=teams_machine, args=(asked, there))
    with tempfile.TemporaryDirectory() as name:
        file = found(Path(name) / "homes")
        with served(file, RUNS) as (_, process):
            time.sleep(10)
            idle = list(resident(process.pid))
        machine.start()
        members = fill(file, here.recv())
        with served(file, RUNS) as (port, _):
            end = time.monotonic() + 240
            while len(playing(members)) < RUNS or asked.value < 50 * RUNS:
                assert time.monotonic() < end, "the runs did not begin"
                time.sleep(1)
            before = rate(asked, BEFORE)
            begun = asked.value, time.perf_counter()
            met = asyncio.run(crowd(port, members, UNDER))
            under = (asked.value - begun[0]) / (time.perf_counter() - begun[1])
            after = rate(asked, BEFORE)
            still = len(playing(members))
        here.send(None)
        machine.join()
    tell(idle, met, (before, under, after), still)


def playing(members: list[tuple[str, str]]) -> list[str]:
    from nav_eval_server.models import Submission

    known = [submission for _, submission in members]
    return list(Submission.objects.filter(pk__in=known, state="running").values_list("pk"))


def tell(idle: list[tuple[str, float, float]], met: Met, rates: tuple[float, float, float], still: int) -> None:
    print("Idle, MB                 resident  shared once   (less than 400 MB resident is wanted)")
    for name, rss, pss in [*idle, ("all", sum(one[1] for one in idle), sum(one[2] for one in idle))]:
        print(f"  {name.removeprefix('nav_eval_server.'):22} {rss:8.0f}     {pss:8.0f}")
    print(f"\n{SPECTATORS} spectators and {TEAMS} teams for {UNDER} s (p95 of at most 300 ms is wanted, and no 5xx)")
    print("page            requests  p50 ms  p95 ms  max ms  not 200")
    everything = [one for seconds in met.seconds.values() for one in seconds]
    wrong = [one for found in met.wrong.values() for one in found]
    for kind, seconds in [*met.seconds.items(), ("all", everything)]:
        ordered = sorted(1e3 * one for one in seconds)
        p50, p95 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
        told = wrong if kind == "all" else met.wrong[kind]
        print(f"{kind:15} {len(ordered):8}  {p50:6.1f}  {p95:6.1f}  {ordered[-1]:6.0f}  {len(told):7}", *set(told))
    before, under, after = rates
    lost = 1 - under / ((before + after) / 2)
    print(f"\n{still} runs going: {before:.1f} actions/s before, {under:.1f} under load, {after:.1f} after")
    print(f"they lose {100 * lost:.1f} %  (less than 10 % is wanted)")


if __name__ == "__main__":
    main()
