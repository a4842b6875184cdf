"""A competition under load: 200 spectators and 30 teams who look on while four runs are played.

Everything is real and of this machine: `nav-eval competition serve` with four evaluations at a time on a generated
building, four services that think for 50 ms, and clients that keep their connections as browsers do. A spectator opens
the first page, a board or an entry every 5 to 15 s; of each team one member watches a submission, which asks every 2 s,
and opens the team's page every 10 to 30 s. What is lost is counted in the actions that the services are asked for. In
the end one client asks for each kind of page alone: the CPU time that the web server takes for it does not depend on
what else the machine does, unlike the times of answers, beside which the machine's load is told.
    python benchmarks/competition_load.py [--quick] [--spectators 200] [--database postgresql://USER@HOST/EMPTY]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
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

TEAMS, RUNS = 30, 4
WANTED = {"board": 100, "entry": 200}
"""Milliseconds of the 95th percentile on two quiet cores; 300 for other pages."""
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


async def spectator(client: Client, entries: list[str], end: float) -> None:
    await asyncio.sleep(random.uniform(0, 15))
    await client.get("style sheet", "/static/pages.css")
    while time.monotonic() < end:
        pages = (("first page", "/"), ("board", "/board/standard/"), ("entry", f"/entries/{random.choice(entries)}/"))
        await client.get(*random.choice(pages))
        await asyncio.sleep(random.uniform(5, 15))
    client.close()


async def watching(client: Client, submission: str, end: float) -> None:
    await asyncio.sleep(random.uniform(0, 15))  # as spectators come; before 2026-11-27 all came within two seconds
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


async def crowd(port: int, spectators: int, teams: Teams, seconds: float) -> Met:
    met, end, members = Met(), time.monotonic() + seconds, teams.members
    everybody = [spectator(Client(port, met), teams.entries, end) for _ in range(spectators)]
    everybody += [watching(Client(port, met, cookie), submission, end) for cookie, submission in members]
    everybody += [at_home(Client(port, met, cookie), end) for cookie, _ in members]
    await asyncio.gather(*everybody)
    return met


async def alone(port: int, kind: str, paths: list[str], cookie: str = "") -> None:
    client = Client(port, Met(), cookie)
    for path in paths:
        await client.get(kind, path)
    client.close()


def cpu_seconds(pid: int) -> float:
    """That a process has taken so far."""
    told = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def cpu_of_pages(port: int, web: int, teams: Teams) -> dict[str, float]:
    """Milliseconds of the web server's CPU time for one page of each kind."""
    cookie, submission = teams.members[-1]
    pages = {
        "first page": ([f"/?{n}" for n in range(200)], ""),
        "board": ([f"/board/standard/?{n}" for n in range(200)], ""),
        "entry": ([f"/entries/{random.choice(teams.entries)}/" for _ in range(200)], ""),
        "its progress": (200 * [f"/submissions/{submission}/progress/"], cookie),
        "team": (200 * ["/team/"], cookie),
    }
    taken = {}
    for kind, (paths, whose) in pages.items():
        before = cpu_seconds(web)
        asyncio.run(alone(port, kind, paths, whose))
        taken[kind] = 1e3 * (cpu_seconds(web) - before) / len(paths)
    return taken


def found(folder: Path, database: str | None) -> Path:
    """A competition of one building whose teams are on this machine and whose episodes are long."""
    more = ["--database", database] if database else []
    subprocess.run([*COMMAND, "init", str(folder), "--yes", "--buildings", "1", *more], check=True, capture_output=True)
    file = folder / "challenge.yaml"
    text = file.read_text().replace("allowed_networks: [public]", "allowed_networks: [loopback]")
    file.write_text(text.replace("baselines: [", "baselines: []  # ["))
    return file


@dataclass
class Teams:
    """`members`: cookie and the submission that is watched; `entries`: what is on the board."""

    members: list[tuple[str, str]] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)


def fill(file: Path, endpoints: list[str]) -> Teams:
    """Thirty teams with a member each, a result each on the board, and four submissions."""
    from nav_eval_server.challenge import load_challenge
    from nav_eval_server.serving import prepare

    challenge = load_challenge(file)
    prepare(challenge)
    from django.test import Client as Browser

    from nav_eval_server.models import Endpoint, Membership, Submission, Team, User
    from nav_eval_server.queue.dispatcher import Dispatcher

    teams = Teams()
    for n in range(TEAMS):
        team = Team.objects.create(name=f"Team {n:02}", state=Team.State.APPROVED)
        user = User.objects.create(username=f"member{n:02}")
        Membership.objects.create(team=team, user=user, captain=True)
        watched = score(team, n)
        teams.entries.append(watched.id)
        if n < RUNS:
            endpoint = Endpoint.objects.create(team=team, name="main", protocol="grpc", url=endpoints[n])
            watched = Dispatcher(challenge).submit(team, "dev", endpoint=endpoint)
        browser = Browser(SERVER_NAME="localhost")
        browser.force_login(user, "django.contrib.auth.backends.ModelBackend")
        teams.members.append((f"sessionid={browser.cookies['sessionid'].value}", watched.id))
    assert Submission.objects.count() == TEAMS + RUNS
    return teams


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
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="measure for half a minute, not for five")
    options.add_argument("--spectators", type=int, default=200)
    options.add_argument("--database", help="an empty PostgreSQL database in place of SQLite")
    asked = options.parse_args()
    around, under = (20, 30) if asked.quick else (60, 300)
    measure(asked.spectators, asked.database, around, under)


def measure(spectators: int, database: str | None, around: float, under: float) -> None:
    """`around`: the seconds that are measured without load, before and after; `under`: with it."""
    context = multiprocessing.get_context("spawn")
    asked, (here, there) = context.Value("q", 0), context.Pipe()
    machine = context.Process(target=teams_machine, args=(asked, there))
    with tempfile.TemporaryDirectory() as name:
        file = found(Path(name) / "homes", database)
        with served(file, RUNS) as (_, process):
            time.sleep(10)
            idle = list(resident(process.pid))
        machine.start()
        teams = fill(file, here.recv())
        with served(file, RUNS) as (port, process):
            end = time.monotonic() + 240
            while playing(teams) < RUNS or asked.value < 50 * RUNS:
                assert time.monotonic() < end, "the runs did not begin"
                time.sleep(1)
            quiet, load = [rate(asked, around)], [os.getloadavg()[0]]
            begun = asked.value, time.perf_counter()
            met = asyncio.run(crowd(port, spectators, teams, under))
            busy = (asked.value - begun[0]) / (time.perf_counter() - begun[1])
            load.append(os.getloadavg()[0])
            quiet.append(rate(asked, around))
            still = playing(teams)
            cpu = cpu_of_pages(port, web_of(process.pid), teams)
        here.send(None)
        machine.join()
    tell_memory(idle)
    print(f"\n{spectators} spectators and {TEAMS} teams for {under} s on {'PostgreSQL' if database else 'SQLite'}")
    print(f"{os.cpu_count()} cores, load average {load[0]:.1f} before and {load[1]:.1f} at the end")
    tell_pages(met, cpu)
    lost = 1 - busy / (sum(quiet) / 2)
    print(f"\n{still} runs going: {quiet[0]:.1f} actions/s before, {busy:.1f} under load, {quiet[1]:.1f} after")
    print(f"they lose {100 * lost:.1f} %  (less than 10 % is wanted)")


def playing(teams: Teams) -> int:
    from nav_eval_server.models import Submission

    known = [submission for _, submission in teams.members]
    return Submission.objects.filter(pk__in=known, state="running").count()


def web_of(supervisor: int) -> int:
    children = (Path("/proc") / str(supervisor) / "task" / str(supervisor) / "children").read_text().split()
    (web,) = [pid for pid in children if "nav_eval_server.web" in (Path("/proc") / pid / "cmdline").read_text()]
    return int(web)


def tell_memory(idle: list[tuple[str, float, float]]) -> None:
    print("Idle, MB                 resident  shared once   (less than 400 MB resident is wanted)")
    for name, rss, pss in [*idle, ("all", sum(one[1] for one in idle), sum(one[2] for one in idle))]:
        print(f"  {name.removeprefix('nav_eval_server.'):22} {rss:8.0f}     {pss:8.0f}")


def tell_pages(met: Met, cpu: dict[str, float]) -> None:
    print("page            requests  p50 ms  p95 ms  wanted  max ms  CPU ms  not 200")
    everything = [one for seconds in met.seconds.values() for one in seconds]
    wrong = [one for found in met.wrong.values() for one in found]
    for kind, seconds in [*met.seconds.items(), ("all", everything)]:
        ordered = sorted(1e3 * one for one in seconds)
        p50, p95 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
        told = wrong if kind == "all" else met.wrong[kind]
        of_cpu = f"{cpu[kind]:6.1f}" if kind in cpu else 6 * " "
        times = f"{p50:6.1f}  {p95:6.1f}  {WANTED.get(kind, 300):6}  {ordered[-1]:6.0f}"
        print(f"{kind:15} {len(ordered):8}  {times}  {of_cpu}  {len(told):7}", *set(told))


if __name__ == "__main__":
    main()
