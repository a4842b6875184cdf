"""The images are built and the demonstration runs across containers, on a real engine: minutes, root and a network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
import yaml

from docker.dockerfiles import ROOT, read_image
from docker.engine import Engine, have_base, have_postgres, running_engine
from docker.visitor import Visitor
from nav_eval_sdk.project import create
from patience import PATIENCE, until

pytestmark = pytest.mark.soak
SERVED = "http://127.0.0.1:8000"
SECRET = "correct horse battery"
RANDOM = "nav_eval_sdk.examples.random_agent:RandomAgent"
PROBE = """
import os, pathlib, socket
for place in (("grounded", 8085), ("evaluator", 80), ("1.1.1.1", 53)):
    try:
        socket.create_connection(place, 2)
    except OSError:
        continue
    raise SystemExit(f"{place} can be reached")
for name in ("/agent/x", "/opt/venv/x", "/home/agent/x"):
    try:
        pathlib.Path(name).write_text("x")
    except OSError:
        continue
    raise SystemExit(f"{name} can be written")
pathlib.Path("/cache/x").write_text("x")
pathlib.Path("/tmp/x").write_text("x")
status = dict(line.split(":\\t", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
print(os.getuid(), status["CapBnd"], status["NoNewPrivs"], [name for name in os.environ if name.endswith("TOKEN")])
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with running_engine() as found:
        have_base(found, base_tag())
        yield found


def base_tag() -> str:
    return read_image(ROOT / "docker" / "agent.Dockerfile").head[0][1].removeprefix("BASE=")


@dataclass(frozen=True)
class Composed:
    """A compose file's containers."""

    engine: Engine
    command: list[str]

    def __call__(self, *arguments: str, expect: int = 0, stdin: IO[bytes] | None = None) -> str:
        code, said = self.engine.attempt([*self.command, *arguments], stdin=stdin)
        assert code == expect, said
        return said


@contextmanager
def composed(engine: Engine, folder: Path, name: str, file: str, secret: str, text: str) -> Iterator[Composed]:
    """The file with a secret of the test's own, under a name of its own."""
    (folder / "secret").write_text(text)
    content = yaml.safe_load((ROOT / "docker" / file).read_text("utf-8"))
    content |= {"name": name, "secrets": {secret: {"file": str(folder / "secret")}}}
    (folder / file).write_text(yaml.safe_dump(content), "utf-8")
    made = Composed(engine, engine.compose(folder / file, folder))
    made("down", "-v")
    yield made
    made("down", "-v")


@pytest.fixture(scope="module")
def compose(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    for name, tag in (("agent", "nav-eval-agent"), ("evaluator", "nav-eval")):
        engine.build(ROOT / "docker" / f"{name}.Dockerfile", ROOT, tag)
    given = ("nav-eval-soak", "compose.yaml", "token", "a-token-for-this-test\n")
    with composed(engine, tmp_path_factory.mktemp("compose"), *given) as made:
        yield made


def test_the_demonstration_runs_across_containers(compose: Composed, tmp_path: Path) -> None:
    said = compose("up", "--no-build", "--exit-code-from", "evaluator")
    assert said.count("6 episodes, 0 failed") == 2, said
    assert "Compiling" not in said
    container = compose("ps", "-a", "-q", "evaluator").split()[-1]
    compose.engine.docker("cp", f"{container}:/results/report.html", str(tmp_path))
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "grounded" in page
    assert "a-token-for-this-test" not in page + said
    for name in ("random", "grounded"):
        stopped = compose("ps", "-a", "-q", name).split()[-1]
        assert compose.engine.docker("inspect", "-f", "{{.State.ExitCode}}", stopped).split() == ["0"]


def test_an_agent_is_confined_healthy_and_ends_when_told(compose: Composed) -> None:
    compose("up", "--no-build", "-d", "random", "grounded")
    agent, docker = healthy(compose, "random"), compose.engine.docker
    assert docker("exec", agent, "python", "-c", PROBE).split() == ["10001", "0000000000000000", "1", "[]"]
    compose("stop")
    assert docker("inspect", "-f", "{{.State.ExitCode}}", agent).split() == ["0"]


def test_the_evaluator_ends_cleanly_when_told(compose: Composed) -> None:
    """Without an init process, as `docker run` starts it."""
    docker = compose.engine.docker
    asked = ("vln-demo", "agent_service.type=remote", "dataset.generate.rooms=2")
    container = docker("run", "-d", "nav-eval", "run", *asked).split()[-1]
    until(lambda: "/cache/worlds" in docker("logs", container), "its buildings")
    docker("stop", "--time", "60", container)
    assert docker("inspect", "-f", "{{.State.ExitCode}}", container).split() == ["143"]
    docker("rm", "-v", container)


def test_a_participants_project_becomes_a_healthy_container(engine: Engine, tmp_path: Path) -> None:
    """The SDK comes from a wheel in the base image, as it is on no index that a test may count on."""
    wheels, project = tmp_path / "wheels", tmp_path / "mine"
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", str(wheels)]
    subprocess.run([*build, str(ROOT / "packages" / "nav-eval-sdk")], check=True)
    (tmp_path / "Dockerfile").write_text(f"FROM {base_tag()}\nCOPY wheels /wheels\nENV PIP_FIND_LINKS=/wheels\n")
    engine.build(tmp_path / "Dockerfile", tmp_path, "nav-eval-soak-base")
    create(project)
    engine.build(project / "Dockerfile", project, "nav-eval-soak-mine", "--build-arg", "BASE=nav-eval-soak-base")
    options = ["--read-only", "--tmpfs", "/tmp", "--network", "none", "-e", "NAV_EVAL_AGENT_TOKEN=t"]
    container = engine.docker("run", "-d", *options, "nav-eval-soak-mine").split()[-1]
    checked = ["docker", "exec", container, "nav-eval-agent", "check", "localhost:8085"]
    health = ["docker", "exec", container, "nav-eval-agent", "health"]
    until(lambda: engine.attempt(health)[0] == 0, "a healthy agent")
    code, said = engine.attempt(checked)
    engine.docker("rm", "-f", "-v", container)
    assert (code, "keeps to the protocol" in said) == (0, True), said


@pytest.fixture(scope="module")
def competition(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    services = yaml.safe_load((ROOT / "docker" / "competition.yaml").read_text("utf-8"))["services"]
    build, image = ("--target", "competition"), services["competition"]["image"]
    engine.build(ROOT / "docker" / "evaluator.Dockerfile", ROOT, image, *build)
    have_postgres(engine, services["database"]["image"], base_tag())
    given = ("nav-eval-soak-cup", "competition.yaml", "database", "a pass@word/% for this test\n")
    with composed(engine, tmp_path_factory.mktemp("competition"), *given) as made:
        yield made


def healthy(compose: Composed, service: str) -> str:
    """The container, once it is."""
    container = compose("ps", "-q", service).split()[-1]
    state = ["inspect", "-f", "{{.State.Health.Status}}", container]
    until(lambda: "healthy" in compose.engine.docker(*state).split(), f"a healthy {service}")
    return container


@dataclass(frozen=True)
class Begun:
    """Ids of the two containers, and the organiser's password."""

    server: str
    database: str
    password: str


def begin(compose: Composed) -> Begun:
    """A competition of a building, founded and served from empty volumes."""
    compose("down", "-v")
    compose("up", "--no-build", "-d", "database")
    database = healthy(compose, "database")
    url = "postgresql://competition@database/competition"
    said = compose("run", "--rm", "-T", "competition", "init", "cup", "--yes", "--buildings", "1", "--database", url)
    password = re.search(r"password (\S+) \(shown this once\)", said)
    assert password is not None, said
    assert "pass@word" not in said
    compose("up", "--no-build", "-d")
    return Begun(healthy(compose, "competition"), database, password.group(1))


def test_a_competition_with_postgresql(competition: Composed, tmp_path: Path) -> None:
    docker, begun = competition.engine.docker, begin(competition)
    server, database = begun.server, begun.database

    def query_database(query: str) -> str:
        return docker("exec", database, "psql", "-U", "competition", "-Atc", query).strip()

    assert query_database("SELECT username FROM competition_user") == "organiser"
    assert docker("exec", server, "sh", "-c", "ls /competition/cup/state/db.sqlite3 || true").count("cannot access")
    for container, user in ((server, "10001"), (database, "postgres")):
        status = docker("exec", container, "sh", "-c", "id -un; id -u; grep CapBnd /proc/self/status; touch /x || true")
        assert user in status.split()
        assert "0000000000000000" in status
        assert "Read-only file system" in status
    # From this machine, as its proxy with TLS does: it comes from the gateway, and is believed.
    request = urllib.request.Request("http://127.0.0.1:8000/signup/", headers={"X-Forwarded-Proto": "https"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as page:
        assert (page.status, b"password" in page.read()) == (200, True)
        assert "Secure" in page.headers["Set-Cookie"]
    docker("exec", server, "nav-eval", "competition", "backup", "cup/challenge.yaml", "--out", "kept.tar")
    docker("cp", f"{server}:/competition/kept.tar", str(tmp_path))
    with tarfile.open(tmp_path / "kept.tar") as tar:
        dump = tar.extractfile("state/database")
        assert dump is not None
        assert dump.read(5) == b"PGDMP"
    competition("stop")
    for container in (server, database):
        assert docker("inspect", "-f", "{{.State.ExitCode}}", container).split() == ["0"]
    variables = docker("inspect", "-f", "{{.Config.Env}}{{.Args}}", server, database)
    assert "pass@word" not in variables


def enter(begun: Begun, token: Path) -> None:
    """A team signs up, is let in, and keeps its token in a file."""
    organiser, captain = Visitor(SERVED), Visitor(SERVED)
    organiser.sends("/login/", "/login/", username="organiser", password=begun.password)
    told = {"username": "grace", "email": "grace@example.org", "password1": SECRET, "password2": SECRET}
    captain.sends("/signup/", "/signup/", **told)
    captain.sends("/team/", "/team/", name="Aurora")
    waits = re.search(r"/organiser/teams/\d+/", organiser.looks("/organiser/"))
    assert waits is not None
    organiser.sends(waits.group(), "/organiser/", state="approved")
    shown = re.search(r'class="secret">([^<]+)<', captain.sends("/team/tokens/", "/team/", name="laptop"))
    assert shown is not None
    token.touch(0o600)
    token.write_text(shown.group(1))


def submit(token: Path) -> str:
    """From a machine that calls the server through its published port, to the end; the submission's id."""
    agent, there = [sys.executable, "-m", "nav_eval_sdk"], ["--token-file", str(token)]
    joined = subprocess.Popen([*agent, "join", SERVED, RANDOM, *there], stderr=subprocess.PIPE, text=True)
    try:
        assert joined.stderr is not None
        said = []
        while not (said and said[-1].startswith("Joined ")):
            said.append(joined.stderr.readline())
            assert said[-1], said
        command = [*agent, "submit", "join", "--phase", "dev", "--wait", "--json", "--server", SERVED, *there]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        made: str = json.loads(done.stdout)["id"]
        return made
    finally:
        joined.terminate()
        joined.communicate(timeout=PATIENCE)


def read_pages(entry: str) -> list[str]:
    """The board and an entry of it to a spectator, once its report and its signed files are made."""
    spectator = Visitor(SERVED)
    until(lambda: f"{entry}report/" in spectator.main(entry), "a report")
    return [spectator.main(page) for page in ("/board/dev/", entry)]


def test_a_competition_comes_back_from_its_backup(competition: Composed, tmp_path: Path) -> None:
    """On another machine: its volumes are gone, and what docs/docker.md says brings back every page."""
    docker, begun = competition.engine.docker, begin(competition)
    enter(begun, tmp_path / "token")
    entry = f"/entries/{submit(tmp_path / 'token')}/"
    before = read_pages(entry)
    assert "Aurora" in before[0]
    docker("exec", begun.server, "nav-eval", "competition", "backup", "cup/challenge.yaml", "--out", "kept.tar")
    docker("cp", f"{begun.server}:/competition/kept.tar", str(tmp_path))
    competition("down", "-v")
    assert "nav-eval-soak-cup" not in docker("volume", "ls", "-q")
    competition("up", "--no-build", "-d", "database")
    healthy(competition, "database")
    put = ["run", "--rm", "-T", "--entrypoint", "sh", "competition", "-c", "umask 077; cat > kept.tar"]
    with (tmp_path / "kept.tar").open("rb") as backup:
        competition(*put, stdin=backup)
    assert "is as it was at" in competition("run", "--rm", "-T", "competition", "restore", "kept.tar", "cup")
    competition("up", "--no-build", "-d")
    healthy(competition, "competition")
    assert read_pages(entry) == before
    again = Visitor(SERVED).sends("/login/", "/login/", username="grace", password=SECRET)
    assert "Aurora" in again
