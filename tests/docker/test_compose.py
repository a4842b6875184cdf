"""compose.yaml: agents are confined, the token is a secret, and what the evaluator is told to run can be run."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from docker.dockerfiles import ROOT
from nav_eval.cli.run import split_arguments
from nav_eval.runs.registry import benchmark_config
from patience import PATIENCE

COMPOSE = ROOT / "docker" / "compose.yaml"
AGENTS = ("grounded", "random")


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return loaded


def test_every_container_is_confined(composed: dict[str, Any]) -> None:
    assert sorted(composed["services"]) == ["evaluator", *AGENTS]
    for service in composed["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert {"mem_limit", "cpus", "pids_limit"} <= set(service)
        assert not {"ports", "privileged", "network_mode", "user"} & set(service)
        assert (COMPOSE.parent / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_agents_reach_nothing_but_the_evaluator(composed: dict[str, Any]) -> None:
    services = composed["services"]
    assert all(network["internal"] is True for network in composed["networks"].values())
    assert not set(services["random"]["networks"]) & set(services["grounded"]["networks"])
    assert set(services["evaluator"]["networks"]) == set(composed["networks"])
    assert all("volumes" not in services[name] for name in AGENTS)


def test_the_token_is_a_secret_and_in_no_variable(composed: dict[str, Any]) -> None:
    assert composed["secrets"] == {"token": {"file": "./token"}}
    for service in composed["services"].values():
        assert service["secrets"] == ["token"]
        tokens = {name: value for name, value in service["environment"].items() if "TOKEN" in name}
        assert all(name.endswith("_FILE") for name in tokens)
        assert set(tokens.values()) == {"/run/secrets/token"}
    assert (COMPOSE.parent / ".gitignore").read_text().split() == ["database-password", "token"]


def test_the_evaluator_waits_until_the_agents_are_healthy(composed: dict[str, Any]) -> None:
    services = composed["services"]
    assert services["evaluator"]["depends_on"] == {name: {"condition": "service_healthy"} for name in reversed(AGENTS)}
    assert all(services[name]["healthcheck"]["test"] == ["CMD", "nav-eval-agent", "health"] for name in AGENTS)


def test_what_the_evaluator_runs_is_valid(composed: dict[str, Any], tmp_path: Path) -> None:
    """The real shell runs the real lines with a nav-eval that only writes down how it was called."""
    said = tmp_path / "said"
    stub = tmp_path / "nav-eval"
    stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {shlex.quote(str(said))}\n')
    stub.chmod(0o755)
    evaluator = composed["services"]["evaluator"]
    script = evaluator["command"][0].replace("$$", "$").replace("/results", str(tmp_path / "results"))
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([*evaluator["entrypoint"], script], env=environment, check=True, timeout=PATIENCE)
    calls = [shlex.split(line) for line in said.read_text().splitlines()]
    assert [call[0] for call in calls] == ["run", "run", "compare", "report"]
    for call, protocol, name in ((calls[0], "rest", "random"), (calls[1], "grpc", "grounded")):
        benchmark, overrides = split_arguments((call[1], *call[4:]))
        service = benchmark_config(benchmark, overrides=overrides).agent_service
        assert (service.type, service.protocol, service.endpoint) == ("remote", protocol, f"{name}:8085")
        assert protocol in composed["services"][name]["command"]


class Plain(yaml.SafeDumper):
    """Without anchors: what is merged is written out."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@pytest.mark.parametrize("name", ["compose.yaml", "compose.gpu.yaml", "competition.yaml"])
def test_it_keeps_the_compose_specification(name: str) -> None:
    written_out = yaml.dump(yaml.safe_load((COMPOSE.parent / name).read_text("utf-8")), Dumper=Plain)
    specification: Any = pytest.importorskip("compose_spec")
    specification.PyCompose.from_yaml(written_out).validate()
    with pytest.raises(ValueError, match="capdrop"):
        specification.PyCompose.from_yaml(written_out.replace("environment:", "capdrop: [ALL]\n    environment:", 1))


@pytest.mark.parametrize(
    "files", [("compose.yaml",), ("compose.yaml", "compose.gpu.yaml"), ("competition.yaml",)], ids="+".join
)
def test_compose_itself_accepts_it(files: tuple[str, ...]) -> None:
    """The official program reads the file and checks it against the specification; it needs no daemon."""
    probe = ["docker", "compose", "version"]
    if shutil.which("docker") is None or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("docker compose is not installed")
    named = [word for file in files for word in ("-f", str(COMPOSE.parent / file))]
    done = subprocess.run(
        ["docker", "compose", *named, "config", "-q"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
