"""competition.yaml: confined, the database out of reach, and what it starts is what the commands know."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
import yaml

from docker.dockerfiles import ROOT, read_image
from nav_eval.config.loader import environment_overrides
from nav_eval.variables import DATABASE_PASSWORD_FILE
from nav_eval_server.cli import app
from nav_eval_server.serving import LOCAL

COMPOSE = ROOT / "docker" / "competition.yaml"
POSTGRESQL_OF_DEBIAN = {"12": 15, "13": 17}
"""By their release notes."""


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return loaded


def test_every_container_is_confined_and_watched(composed: dict[str, Any]) -> None:
    assert sorted(composed["services"]) == ["competition", "database"]
    for service in composed["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert {"mem_limit", "cpus", "pids_limit", "healthcheck"} <= set(service)
        assert not {"privileged", "network_mode", "cap_add"} & set(service)
        assert service.get("user", "postgres") == "postgres"
    build = composed["services"]["competition"]["build"]
    read_image(COMPOSE.parent / build["context"] / build["dockerfile"], target=build["target"]).last("USER")


def test_only_the_competition_reaches_the_database(composed: dict[str, Any]) -> None:
    services = composed["services"]
    assert composed["networks"]["database"]["internal"] is True
    assert services["database"]["networks"] == ["database"]
    assert "ports" not in services["database"]
    assert services["competition"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    asked = services["database"]["healthcheck"]["test"]
    assert asked[asked.index("-h") + 1] == LOCAL  # its socket answers before it is set up


def test_the_password_is_a_secret_and_in_no_variable(composed: dict[str, Any]) -> None:
    assert composed["secrets"] == {"database": {"file": "./database-password"}}
    for service in composed["services"].values():
        assert service["secrets"] == ["database"]
        named = {name: value for name, value in service["environment"].items() if "PASSWORD" in name}
        assert {name[-5:] for name in named} == {"_FILE"}
        assert set(named.values()) == {"/run/secrets/database"}
    variables = composed["services"]["competition"]["environment"]
    assert set(variables) == {DATABASE_PASSWORD_FILE.name}
    assert environment_overrides(variables) == ()  # an evaluator inherits them
    assert "database-password" in (COMPOSE.parent / ".gitignore").read_text().split()


def test_pg_dump_is_no_older_than_the_database(composed: dict[str, Any]) -> None:
    debian = read_image(ROOT / "docker" / "evaluator.Dockerfile").head[0][1].split(":")[1].split(".")[0]
    major, minor = composed["services"]["database"]["image"].removeprefix("postgres:").split("-")[0].split(".")
    assert int(minor) >= 0
    assert int(major) <= POSTGRESQL_OF_DEBIAN[debian]


def test_the_server_takes_its_words_and_trusts_the_gateway(composed: dict[str, Any]) -> None:
    service = composed["services"]["competition"]
    _, bound, rest = app.parse_args(service["command"], print_error=False, exit_on_error=False)
    assert rest == {} or not rest
    given = bound.arguments
    (world,) = composed["networks"]["world"]["ipam"]["config"]
    assert (given["host"], given["proxy"]) == ("0.0.0.0", world["gateway"])
    assert ipaddress.ip_address(world["gateway"]) in ipaddress.ip_network(world["subnet"])
    assert service["ports"] == [f"{LOCAL}:8000:8000"]  # else anybody comes through the gateway
    assert "world" in service["networks"]
