"""The SDK as a participant installs it: on every Python that is here, with nothing beside it, then with its servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bare_install import MINORS, Bare
from built_distributions import Built

SECONDS, KILOBYTES = 0.3, 40_000
IMPORT = """
import json, sys, time
begun = time.process_time()
from nav_eval_sdk import *
cpu = time.process_time() - begun
resident = open("/proc/self/status").read().split("VmRSS:")[1].split()[0]
heavy = {"numpy", "PIL", "flask", "grpc", "nav_eval"} & set(sys.modules)
print(json.dumps([cpu, int(resident), sorted(heavy)]))
"""
IN_PROCESS = """
import numpy as np
from nav_eval_sdk.client import in_new_session, synthetic_episode
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_sdk.protocol import tensors
from nav_eval_sdk.protocol.messages import ActionSpec, Envelope, TensorSpec
from nav_eval_sdk.server.service import Service
from nav_eval_sdk.server.serving import describe

frame = np.arange(48 * 64 * 3, dtype=np.uint8).reshape(48, 64, 3)
spec = TensorSpec(shape=frame.shape, dtype="uint8", encoding="png")
assert (tensors.decode(tensors.encode(frame, "png"), spec) == frame).all()

service = Service(RandomAgent, describe(RandomAgent, 1, 1, streaming=False))
service.load()
episode = in_new_session(synthetic_episode({"rgb": spec}, {name: ActionSpec() for name in ("stop", "move_forward")}))
service.reset(episode)
for step in range(3):
    print(service.act(Envelope(episode.session_id, step, f"r{step}"), lambda specs: {"rgb": frame}).action)
service.close()
"""


def imports_cheaply(environment: Bare, folder: Path) -> None:
    """Every public name: CPU seconds (best of five, so that bytecode is cached), resident size, nothing heavy."""
    runs = [json.loads(environment.run("python", "-c", IMPORT, cwd=folder)) for _ in range(5)]
    cpu, kilobytes, heavy = min(runs)
    assert cpu < SECONDS, runs
    assert kilobytes < KILOBYTES, runs
    assert heavy == []


def with_servers(sdk: Built) -> str:
    return f"nav-eval-sdk[rest,grpc] @ {sdk.wheel.as_uri()}"


def in_new_project(environment: Bare, folder: Path) -> Path:
    environment.run("nav-eval-agent", "new", "mine", cwd=folder)
    return folder / "mine"


@pytest.mark.parametrize(
    "minor",
    [pytest.param(minor, marks=[] if minor == MINORS[0] else pytest.mark.soak, id=f"3.{minor}") for minor in MINORS],
)
def test_it_works_alone_and_with_its_servers(minor: int, bare: Callable[..., Bare], sdk: Built, tmp_path: Path) -> None:
    environment = bare(minor, str(sdk.wheel))
    imports_cheaply(environment, tmp_path)
    acted = environment.run("python", "-c", IN_PROCESS, cwd=tmp_path).split()
    assert len(acted) == 3
    assert set(acted) <= {"stop", "move_forward"}
    project = in_new_project(environment, tmp_path)
    asks_for_what_it_lacks(environment, project)
    environment.install(with_servers(sdk))
    keeps_the_protocol(environment, project)


def asks_for_what_it_lacks(environment: Bare, project: Path) -> None:
    """Without an extra, a line says which to install."""
    grpc, serve = ("--protocol", "grpc"), ("serve", "agent:Agent")
    for arguments, extra in ((serve, "rest"), ((*serve, *grpc), "grpc"), (("check", "localhost:1", *grpc), "grpc")):
        said = environment.run("nav-eval-agent", *arguments, cwd=project, code=2)
        assert f"nav-eval-sdk[{extra}]" in said
        assert "Traceback" not in said
    for arguments in (("serve", "learned"), ("new", "trained", "--template", "learned")):
        said = environment.run("nav-eval-agent", *arguments, cwd=project, code=2)
        assert said.endswith("comes with a package of its own: pip install nav-eval-baselines\n")


def keeps_the_protocol(environment: Bare, project: Path) -> None:
    """Served over either protocol by the installed command, and judged by it."""
    for protocol in ("rest", "grpc"):
        with environment.serving(project, "--protocol", protocol) as endpoint:
            said = environment.run("nav-eval-agent", "check", endpoint, "--protocol", protocol, cwd=project)
        assert "The service keeps to the protocol." in said


@pytest.mark.soak
def test_it_works_with_the_oldest_dependencies_that_it_allows(
    bare: Callable[..., Bare], sdk: Built, tmp_path: Path
) -> None:
    pins = sdk.oldest("rest", "grpc")
    assert len(pins) == 8
    environment = bare(MINORS[0], with_servers(sdk), *pins)
    keeps_the_protocol(environment, in_new_project(environment, tmp_path))
