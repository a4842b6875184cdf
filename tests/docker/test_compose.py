"""compose.yaml and competition.yaml: all are confined, secrets are files, and what they start is known to the commands.

Agents reach nothing but the evaluator, and nobody but the competition the database.
"""

from __future__ import annotations

import ipaddress
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from docker.dockerfiles import ROOT, read_image
from nav_eval.cli.run import split_arguments
from nav_eval.config.loader import environment_overrides
from nav_eval.runs.registry import benchmark_config
from nav_eval.variables import DATABASE_PASSWORD_FILE
from nav_eval_server.cli import app
from nav_eval_server.serving import LOCAL
from patience import PATIENCE

FOLDER = ROOT / "docker"
AGENTS = ("grounded", "random")
POSTGRESQL_OF_DEBIAN = {"12": 15, "13": 17}
"""By their release notes."""


def read(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    return read("compose.yaml")


@pytest.fixture(scope="module")
def competition() -> dict[str, Any]:
    return read("competition.yaml")


LIMITED = {"mem_limit", "cpus", "pids_limit"}
NEVER = {"privileged", "network_mode"}


@pytest.mark.parametrize(
    ("file", "names", "has", "lacks"),
    [
        ("compose.yaml", ["evaluator", *AGENTS], LIMITED, NEVER | {"ports", "user"}),
        ("competition.yaml", ["competition", "database"], LIMITED | {"healthcheck"}, NEVER | {"cap_add"}),
    ],
)
def test_every_container_is_confined(file: str, names: list[str], has: set[str], lacks: set[str]) -> None:
    services = read(file)["services"]
    assert sorted(services) == names
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert has <= set(service)
        assert not lacks & set(service)
        assert service.get("user") == (None if "build" in service else "postgres")
        if build := service.get("build"):
            path = FOLDER / build["context"] / build["dockerfile"]
            read_image(path, target=build.get("target", "")).last("USER")


@pytest.mark.parametrize(
    ("file", "secret", "word"), [("compose.yaml", "token", "TOKEN"), ("competition.yaml", "database", "PASSWORD")]
)
def test_the_secret_is_a_file_and_in_no_variable(file: str, secret: str, word: str) -> None:
    composed, kept = read(file), {"token": "token", "database": "database-password"}[secret]
    assert composed["secrets"] == {secret: {"file": f"./{kept}"}}
    assert kept in (FOLDER / ".gitignore").read_text().split()
    for service in composed["services"].values():
        assert service["secrets"] == [secret]
        named = {name: value for name, value in service["environment"].items() if word in name}
        assert {name[-5:] for name in named} == {"_FILE"}
        assert set(named.values()) == {f"/run/secrets/{secret}"}


def test_agents_reach_nothing_but_the_evaluator(composed: dict[str, Any]) -> None:
    services = composed["services"]
    assert all(network["internal"] is True for network in composed["networks"].values())
    assert not set(services["random"]["networks"]) & set(services["grounded"]["networks"])
    assert set(services["evaluator"]["networks"]) == set(composed["networks"])
    assert all("volumes" not in services[name] for name in AGENTS)


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


def test_only_the_competition_reaches_the_database(competition: dict[str, Any]) -> None:
    services = competition["services"]
    assert competition["networks"]["database"]["internal"] is True
    assert services["database"]["networks"] == ["database"]
    assert "ports" not in services["database"]
    assert services["competition"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    asked = services["database"]["healthcheck"]["test"]
    assert asked[asked.index("-h") + 1] == LOCAL  # its socket answers before it is set up


def test_the_competitions_variables_name_the_passwords_file_alone(competition: dict[str, Any]) -> None:
    variables = competition["services"]["competition"]["environment"]
    assert set(variables) == {DATABASE_PASSWORD_FILE.name}
    assert environment_overrides(variables) == ()  # an evaluator inherits them


def test_pg_dump_is_no_older_than_the_database(competition: dict[str, Any]) -> None:
    debian = read_image(ROOT / "docker" / "evaluator.Dockerfile").head[0][1].split(":")[1].split(".")[0]
    major, minor = competition["services"]["database"]["image"].removeprefix("postgres:").split("-")[0].split(".")
    assert int(minor) >= 0
    assert int(major) <= POSTGRESQL_OF_DEBIAN[debian]


def test_the_server_takes_its_words_and_trusts_the_gateway(competition: dict[str, Any]) -> None:
    service = competition["services"]["competition"]
    _, bound, rest = app.parse_args(service["command"], print_error=False, exit_on_error=False)
    assert rest == {} or not rest
    given = bound.arguments
    (world,) = competition["networks"]["world"]["ipam"]["config"]
    assert (given["host"], given["proxy"]) == ("0.0.0.0", world["gateway"])
    assert ipaddress.ip_address(world["gateway"]) in ipaddress.ip_network(world["subnet"])
    assert service["ports"] == [f"{LOCAL}:8000:8000"]  # else anybody comes through the gateway
    assert "world" in service["networks"]


class Plain(yaml.SafeDumper):
    """Without anchors: what is merged is written out."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@pytest.mark.parametrize("name", ["compose.yaml", "compose.gpu.yaml", "competition.yaml"])
def test_it_keeps_the_compose_specification(name: str) -> None:
    written_out = yaml.dump(yaml.safe_load((FOLDER / name).read_text("utf-8")), Dumper=Plain)
    specification: Any = pytest.importorskip("compose_spec")
    specification.PyCompose.from_yaml(written_out).validate()
    with pytest.raises(ValueError, match="capdrop"):
        specification.PyCompose.from_yaml(written_out.replace("environment:", "capdrop: [ALL]\n    environment:", 1))


@pytest.mark.parametrize(
    "files", [("compose.yaml",), ("compose.yaml", "compose.gpu.yaml"), ("competition.yaml",)], ids="+".join
)
def test_compose_itself_accepts_it(files: tuple[str, ...]) -> None:
    """The official program reads the file and checks it against the specification; it needs no daemon."""
    compose = ["docker", "compose"]
    if shutil.which("docker") is None or subprocess.run([*compose, "version"], capture_output=True).returncode:
        pytest.skip("docker compose is not installed")
    checked = [*compose, *(word for file in files for word in ("-f", str(FOLDER / file))), "config", "-q"]
    done = subprocess.run(checked, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
