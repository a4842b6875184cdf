"""A team that nobody can call completes a submission: the real server, evaluator and participant's command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.utils import timezone

from nav_eval.results.audit import check_files
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Endpoint, Episode, Submission, Team, Token
from nav_eval_server.queue import endpoints
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import State
from nav_eval_server.tokens import issue
from patience import PATIENCE, until
from server.conftest import Make
from server.serving import serving

QUICK = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 3}
RANDOM = "nav_eval_sdk.examples.random_agent:RandomAgent"
SERVER, TEAM = "10.213.77.1", "10.213.77.2"
LISTENING = "0A"
"""The state of a socket in /proc/net/tcp."""


@contextmanager
def namespace() -> Iterator[list[str]]:
    """The words that run a command on a machine of its own, which has a wire to this one and takes no connection."""
    name = f"nav{os.getpid()}"
    try:
        run("ip", "netns", "add", name)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a network namespace needs root and iproute2: {error}")
    try:
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "wire", "netns", name)
        run("ip", "address", "add", f"{SERVER}/24", "dev", name)
        run("ip", "link", "set", name, "up")
        inside = ["ip", "netns", "exec", name]
        run(*inside, "ip", "address", "add", f"{TEAM}/24", "dev", "wire")
        run(*inside, "ip", "link", "set", "wire", "up")
        yield inside
    finally:
        run("ip", "netns", "delete", name)


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def joined(inside: Sequence[str], url: str, token: Path, agent: str = RANDOM) -> Iterator[subprocess.Popen[str]]:
    token.chmod(0o600)
    command = [*inside, sys.executable, "-m", "nav_eval_sdk", "join", url, agent, "--token-file", str(token)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "without https" not in line)
        assert said.startswith("Joined ")
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()


def here(answer: str) -> bool:
    return Endpoint.objects.filter(protocol="join", probe=answer).exists()


def test_a_team_that_nobody_can_call_is_judged(make: Make) -> None:
    with namespace() as inside:
        judge(make, inside, SERVER)


@pytest.mark.soak
def test_a_team_on_this_machine_is_judged(make: Make) -> None:
    """Where there are no namespaces."""
    judge(make, [], "127.0.0.1")


def judge(make: Make, inside: list[str], host: str) -> None:
    """The team joins, and leaves; its submission waits for it; it comes back, and the submission is done."""
    challenge = make(endpoints=QUICK, web={"hosts": [host]})
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    token = challenge.folder / "token"
    token.write_text(issue(Token.Scope.TEAM, "at home", aurora))
    with serving(challenge, host=host) as served:
        until(lambda: served.healthz() == 200, "healthz")
        with joined(inside, served.url, token):
            until(lambda: here("ready"), "an endpoint")
            if inside:
                assert listening(inside) == []
        until(lambda: here("refused"), "a farewell")
        endpoint = aurora.endpoints.get()
        assert endpoints.check(challenge, endpoint, timezone.now()) == "refused"
        submission = Dispatcher(challenge).submit(aurora, "dev", endpoint=endpoint)
        until(lambda: state(submission) == State.WAITING_SERVICE, "somebody misses it")
        with joined(inside, served.url, token):
            until(lambda: state(submission) == State.DONE, f"the end {list(Attempt.objects.values())}")
    assert set(Episode.objects.values_list("status", flat=True)) == {"ok"}
    assert Episode.objects.filter(submission=submission).count() == 5
    folder = Folder(challenge.folder).runs / submission.id
    assert check_files(folder) == []
    assert not any("nav_team_" in path.read_text() for path in folder.iterdir())


def state(submission: Submission) -> str:
    return Submission.objects.values_list("state", flat=True).get(pk=submission.pk)


def listening(inside: list[str]) -> list[str]:
    rows = run(*inside, "cat", "/proc/net/tcp", "/proc/net/tcp6").splitlines()
    return [row for row in rows if row.split()[3] == LISTENING]


SLOW = """
import time
from nav_eval_sdk.examples.random_agent import RandomAgent
class Slow(RandomAgent):
    def act(self, observation):
        time.sleep(0.1)
        return super().act(observation)
"""


@pytest.mark.soak
@pytest.mark.parametrize("victim", ["relay", "web"])
def test_an_episode_outlasts_the_death_of_what_carries_it(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str
) -> None:
    challenge = make(endpoints=QUICK)
    (tmp_path / "slow.py").write_text(SLOW)
    monkeypatch.chdir(tmp_path)
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    token = challenge.folder / "token"
    token.write_text(issue(Token.Scope.TEAM, "at home", aurora))
    with serving(challenge) as served:
        until(lambda: served.healthz() == 200, "healthz")
        with joined([], served.url, token, "slow:Slow"):
            until(lambda: here("ready"), "an endpoint")
            submission = Dispatcher(challenge).submit(aurora, "dev", endpoint=aurora.endpoints.get())
            for count in range(1, 4):
                until(lambda count=count: Episode.objects.count() >= count, "an episode")  # type: ignore[misc]
                time.sleep(2)
                until(lambda: served.kill(victim), f"a {victim} to kill")
            until(lambda: state(submission) == State.DONE, f"the end {list(Attempt.objects.values())}")
    assert list(Attempt.objects.values_list("outcome", flat=True)) == ["played"]
    assert list(Episode.objects.values_list("status", flat=True)) == ["ok"] * 5
