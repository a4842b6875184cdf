"""`nav-eval-agent` as a participant meets it: a new project that works, a check that finds faults, exit codes."""

from __future__ import annotations

import json
import os
import runpy
import socket
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from attacks.raw_rest import Reply, Request, answer, rest_service
from nav_eval_sdk import VLNAgent, cli, start
from nav_eval_sdk.agent_interface import ActionFault, normalise
from nav_eval_sdk.conformance import Target, check, suitable_episode
from nav_eval_sdk.errors import Refused
from nav_eval_sdk.examples.forward import ForwardAgent
from nav_eval_sdk.protocol.version import SDK_VERSION
from patience import PATIENCE
from relays import Relay
from served import served

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "nav_eval_sdk"]


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str) -> Done:
    """The command in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err, pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """In one of its own, with all that gRPC itself says."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=PATIENCE, cwd=cwd)


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_new_project_is_served_and_passes_the_check(tmp_path: Path, protocol: str) -> None:
    project = tmp_path / "mine"
    made = run("new", str(project))
    assert made.returncode == 0, made.stderr
    written = sorted(path.name for path in project.iterdir())
    assert written == [".dockerignore", "Dockerfile", "README.md", "README.zh-CN.md", "agent.py", "requirements.txt"]
    assert "{{" not in "".join(path.read_text("utf-8") for path in project.iterdir())
    command = [*COMMAND, "serve", "agent:Agent", "--port", "0", "--protocol", protocol, "--max-sessions", "2"]
    with served([*command, "--token", "t"], project, os.environ) as endpoint:
        checked = run("check", endpoint, "--protocol", protocol, "--token", "t")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert "FAULT" not in checked.stdout
        refused = run("check", endpoint, "--protocol", protocol)
        assert refused.returncode == 3
        assert "unauthorized" in refused.stdout
        assert "--token-file" in refused.stdout
        assert "running" not in refused.stdout
        other, said = {"rest": ("grpc", "REST"), "grpc": ("rest", "gRPC")}[protocol]
        mistaken = run("check", endpoint, "--protocol", other, "--token", "t", "--timeout", "5")
        assert mistaken.returncode == 3, mistaken
        assert f"answer, perhaps it speaks {said}" in mistaken.stdout
        assert f"--protocol {protocol}" in mistaken.stdout
        assert mistaken.stdout.strip().isprintable()
        assert len(mistaken.stdout) < 250
    assert {"token", "*.pem", "logs", "venv"} <= set((project / ".dockerignore").read_text("utf-8").split())


def test_a_learned_project_tests_itself_and_brings_what_trains_it(tmp_path: Path) -> None:
    project = tmp_path / "mine"
    made = run("new", str(project), "--template", "learned")
    assert made.returncode == 0, made.stderr
    assert {"agent.py", "test_agent.py", "Dockerfile", "requirements.txt", "train_vln"} <= {
        path.name for path in project.iterdir()
    }
    own = {path.name for path in (project / "train_vln").iterdir()}
    assert own == {path.name for path in (ROOT / "examples" / "train_vln").iterdir()} - {"__pycache__"}
    for page in project.rglob("*"):
        assert page.is_dir() or "{{version" not in page.read_text("utf-8"), page
    assert f"nav-eval-baselines=={SDK_VERSION}" in (project / "requirements.txt").read_text("utf-8").split()
    tested = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=project, capture_output=True, text=True, check=False
    )
    assert tested.returncode == 0, tested.stderr
    assert "Ran 2 tests" in tested.stderr


def test_a_sample_agent_is_loaded_by_its_name() -> None:
    with start(cli.load_agent("learned"), port=0).wait_loaded() as server:
        checked = run("check", server.endpoint, "--steps", "2")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_directory_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    made = run("new", str(tmp_path / "mine"))
    assert (made.returncode, made.stderr.count("\n")) == (2, 1)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("serve", "nowhere:Agent"), 2, "MODULE:CLASS"),
        (("serve", "json:Nothing"), 2, "MODULE:CLASS"),
        (("serve", "json"), 2, "MODULE:CLASS"),
        (("serve", "json:JSONDecoder", "--host", "0.0.0.0"), 2, "--token"),
        (("serve", "json:JSONDecoder", "--tls-cert", "x"), 2, "--tls-key"),
        (("check", "localhost:9", "--timeout", "2"), 3, "Is the service running"),
        (("check", "ftp://x"), 2, "host:port"),
        (("health", "ftp://x"), 2, ""),
        (("dance",), 2, "usage"),
        ((), 2, "usage"),
    ],
)
def test_mistakes_are_told_in_a_line_or_two(arguments: tuple[str, ...], code: int, says: str) -> None:
    done = run(*arguments)
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert says in said
    assert "Traceback" not in said


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_port_that_is_taken_is_told(protocol: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "nav_eval_sdk.examples.forward:ForwardAgent", "--protocol", protocol, "--port", port)
    assert done.returncode == 2, done.stderr
    assert f"cannot listen at 127.0.0.1:{port}" in done.stderr


def test_an_agent_that_cannot_be_made_ends_serve(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "class Agent:\n    def __init__(self):\n        raise OSError('no weights')\n    def act(self, o): pass\n"
    )
    done = process("serve", "agent:Agent", "--port", "0", cwd=tmp_path)
    assert done.returncode == 3
    assert "no weights" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1


def test_importing_the_sdk_loads_no_server_library() -> None:
    code = "import sys, nav_eval_sdk, nav_eval_sdk.cli; from nav_eval_sdk import VLNAgent, serve, TestClient;"
    heavy = {"flask", "waitress", "grpc", "google.protobuf", "PIL", "nav_eval"}
    subprocess.run([sys.executable, "-c", f"{code} assert not {heavy} & set(sys.modules)"], check=True)


def test_the_public_names_are_all_there() -> None:
    import nav_eval_sdk

    assert set(dir(nav_eval_sdk)) == set(nav_eval_sdk.__all__)
    for name in nav_eval_sdk.__all__:
        assert getattr(nav_eval_sdk, name).__name__ == name
    with pytest.raises(AttributeError, match="VLNAgent"):
        _ = nav_eval_sdk.Nothing


def test_help_names_every_command() -> None:
    shown = run("--help").stdout
    assert all(command in shown for command in ("serve", "check", "new"))


class Slow(ForwardAgent):
    """Loads until it is let go."""

    loaded = threading.Event()

    def __init__(self) -> None:
        assert self.loaded.wait(PATIENCE)


@pytest.mark.parametrize(("protocol", "other"), [("rest", "grpc"), ("grpc", "rest")])
def test_health_of_what_is_ready_loading_refused_and_gone(
    protocol: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What container health checks call: exit code 0 only for a service that is ready."""
    monkeypatch.delenv("NAV_EVAL_AGENT_TOKEN", raising=False)
    token = tmp_path / "token"
    token.write_text("t\n")

    def health(*arguments: str) -> tuple[int, str]:
        done = run("health", server.endpoint, *arguments)
        return done.returncode, done.stdout

    told = ("--token-file", str(token))
    Slow.loaded.clear()
    with start(Slow, protocol=protocol, port=0, token="t") as server:
        assert health(*told) == (1, "loading\n")
        Slow.loaded.set()
        server.wait_loaded()
        assert health(*told) == health(*told, "--protocol", protocol) == (0, "ready\n")
        assert health(*told, "--protocol", other)[0] == 1
        code, said = health()
        assert (code, "unauthorized" in said) == (1, True)
    code, said = health(*told)
    assert (code, "refused" in said) == (1, True)


READY = {"status": "ready"}
UNPROTECTED = {
    "info": {"protocols": [1]}, "health": READY, "reset": READY, "validate": READY, "act": {"action": "move_forward"},
}  # fmt: skip
"""A service that tells of itself and has none of the protections, with Flask's kind of mistakes."""


def unprotected(request: Request) -> Reply:
    found = UNPROTECTED.get(request.call)
    return answer(json.dumps(found).encode(), status="200 OK" if found else "404 Not Found", kind="text/html")


def test_check_finds_what_is_wrong() -> None:
    with rest_service(unprotected) as service:
        found = {finding.check: finding for finding in check(Target(service.endpoint))}
    assert not found["info"].ok
    assert not found["plays episodes"].ok
    assert not found["keeps the order of steps"].ok
    assert not found["knows its sessions"].ok
    assert not found["refuses nonsense"].ok
    assert found["health"].ok


class Dropping(Relay):
    """Lets `kept` connections through and drops all later ones."""

    def __init__(self, port: int, kept: int) -> None:
        self._left = kept
        super().__init__(port)

    def admits(self) -> bool:
        self._left -= 1
        return self._left >= 0


@pytest.mark.parametrize(("protocol", "kept"), [("rest", 1), ("rest", 10), ("grpc", 2), ("grpc", 6)])
def test_check_survives_a_service_that_drops_connections(protocol: str, kept: int) -> None:
    with (
        start(ForwardAgent, protocol=protocol, port=0).wait_loaded() as server,
        Dropping(server.port, kept) as relay,
    ):
        check_it = run if protocol == "rest" else process
        done = check_it("check", relay.endpoint, "--protocol", protocol, "--timeout", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr == ""
    faults = done.stdout.count("FAULT")
    assert faults > 1
    assert done.stdout.splitlines()[-1] == f"{faults} faults."


def test_check_finds_an_agent_that_answers_outside_its_space() -> None:
    class Wild(VLNAgent):
        action_space = ("stop",)

        def reset(self, episode: dict[str, Any]) -> None:
            """Nothing."""

        def act(self, observation: dict[str, Any]) -> str:
            return "fly"

    with start(Wild, port=0).wait_loaded() as server:
        found = {finding.check: finding for finding in check(Target(server.endpoint))}
    assert "fly" in found["plays episodes"].detail
    assert found["refuses nonsense"].ok


class AsTheGuideSays(VLNAgent):
    """Relies on the shapes and limits that the participants' guide tells."""

    sensors: ClassVar[dict[str, tuple[int, int]]] = {"semantic": (0, 0)}

    def reset(self, episode: dict[str, Any]) -> None:
        self.left = min(80, episode["limits"]["max_steps"])
        assert episode["limits"]["act_timeout"] > 1

    def act(self, observation: dict[str, Any]) -> str:
        height, width = observation["semantic"].shape
        assert observation["rgb"].shape[2] == 3
        assert observation["depth"].shape[2] == 1
        return "turn_left" if height < width else "stop"


@pytest.mark.parametrize("wire", ["rest-json", "grpc-stream"])
def test_check_sends_what_a_run_sends(wire: str) -> None:
    with start(AsTheGuideSays, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        found = list(check(Target(server.endpoint, wire)))
    assert [finding for finding in found if not finding.ok] == []


def test_arguments_under_another_name_are_told_not_lost() -> None:
    with pytest.raises(ActionFault, match="'action_args', not 'args'"):
        normalise({"action": "waypoint", "args": {"range": 1.0}})
    assert normalise({"action": "stop", "thought": "I am there"}) == ("stop", {})


def test_an_action_that_is_none_is_in_the_services_log(caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(VLNAgent):
        def reset(self, episode: dict[str, Any]) -> None:
            pass

        def act(self, observation: dict[str, Any]) -> str:
            return "forward"

    with start(Wrong, port=0).wait_loaded() as server:
        client = Target(server.endpoint).client()
        episode = suitable_episode(client.info())
        client.reset(episode)
        rng = np.random.default_rng(0)
        with pytest.raises(Refused, match="'forward' is not one of"):
            client.act({name: spec.sample(rng) for name, spec in episode.observation_spec.items()})
        client.close()
    assert "step 0: action 'forward' is not one of" in caplog.text


class Jumper(VLNAgent):
    name, action_space = "jumper", ("stop", "jump")

    def reset(self, episode: dict[str, Any]) -> None:
        self.farthest = episode["action_space"]["jump"]["arguments"]["metres"]["high"]

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        return {"action": "jump", "action_args": {"metres": self.farthest}}


def test_check_knows_a_tasks_own_actions_when_it_is_given_them(tmp_path: Path) -> None:
    file = tmp_path / "actions.json"
    file.write_text('{"jump": {"arguments": {"metres": {"unit": "m", "low": 0, "high": 3}}}}')
    with start(Jumper, port=0).wait_loaded() as server:
        assert run("check", server.endpoint, "--actions", str(file)).returncode == 0
        assert run("check", server.endpoint).returncode == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"jump": 5}', "--actions: "),
        ('{"jump": {"argument": {}}}', "jump: unknown key 'argument'. Did you mean 'arguments'?"),
        (
            '{"jump": {"arguments": {"far": {"units": "m"}}}}',
            "jump.arguments.far: unknown key 'units'. Did you mean 'unit'?",
        ),
        ('{"jump": {"arguments": {"far": {"q": 1}}}}', "unknown key 'q'. Known: kind, unit, low, high."),
    ],
)
def test_what_is_wrong_with_an_actions_file_is_told_with_the_nearest_key(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "actions.json").write_text(text)
    refused = run("check", "localhost:1", "--actions", str(tmp_path / "actions.json"))
    assert refused.returncode == 2
    assert told in refused.stderr


def test_an_agent_that_reads_small_sensors_without_naming_them_is_checked(tmp_path: Path) -> None:
    """The agent of docs/extending/task.md, as it stands there."""
    page = (ROOT / "docs/extending/task.md").read_text()
    (tmp_path / "teller.py").write_text(page.partition('title="teller.py"\n')[2].partition("```")[0])
    scope = runpy.run_path(str(tmp_path / "teller.py"))
    metres = '{"arguments": {"metres": {"unit": "m", "low": 0, "high": 5}}}'
    (tmp_path / "actions.json").write_text(f'{{"walk": {metres}, "estimate": {metres}}}')
    with start(scope["Teller"], port=0).wait_loaded() as server:
        told = run("check", server.endpoint, "--actions", str(tmp_path / "actions.json"))
    assert told.returncode == 0, told.stdout


def test_threads_are_set_before_numpy_is_imported(tmp_path: Path) -> None:
    """Its libraries read them once. The agent's module tells what it finds, in a fresh process."""
    agent = "import os, sys\nprint('numpy' in sys.modules, *(os.environ[name] for name in NAMES), flush=True)\n"
    (tmp_path / "heavy.py").write_text(agent.replace("NAMES", repr(cli.THREADS)) + "\n\nclass Agent: ...\n")
    words = ["serve", "heavy:Nobody", "--cpu-threads", "2"]
    told = process(*words, cwd=tmp_path)
    assert told.returncode == 2
    assert told.stdout.split()[: 1 + len(cli.THREADS)] == ["False", *["2"] * len(cli.THREADS)]


@pytest.mark.parametrize("threads", ["0", "-4", "many"])
def test_a_count_of_threads_is_one_or_more(threads: str) -> None:
    refused = run("serve", "random", "--cpu-threads", threads)
    assert (refused.returncode, "--cpu-threads" in refused.stderr) == (2, True)
