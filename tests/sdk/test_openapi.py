"""The OpenAPI document is valid, says what the structures say, and the scaffold keeps it under random requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import positive_data_acceptance, unsupported_method

from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.protocol import openapi

MEANING = [unsupported_method, positive_data_acceptance, not_a_server_error]
"""Checks that no schema can decide here: an observation must also be what reset declared, and the
agent's `stop` is a fault of its own where a random reset allows no such action."""


class Agent(VLNAgent):
    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing."""

    def act(self, observation: dict[str, Any]) -> str:
        return "stop"


def committed() -> str:
    return (files("nav_eval_sdk.protocol") / "openapi.json").read_text("utf-8")


def test_the_committed_document_is_what_the_messages_say() -> None:
    assert committed() == openapi.text()


def test_the_specifications_three_addresses_are_there() -> None:
    paths = json.loads(committed())["paths"]
    assert {"/api/v1/episode/reset", "/api/v1/agent/act", "/api/v1/episode/validate"} <= set(paths)


def test_the_document_is_valid_openapi() -> None:
    schemathesis.openapi.from_dict(json.loads(committed())).validate()


@pytest.fixture(scope="module")
def api_schema() -> Iterator[Any]:
    with start(Agent, port=0, max_sessions=4, idle_timeout=0.0).wait_loaded() as server:
        schema = schemathesis.openapi.from_dict(json.loads(committed()))
        schema.config.update(base_url=f"http://{server.endpoint}")
        yield schema


@pytest.mark.parametrize("mode", [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE])
@pytest.mark.parametrize(
    ("path", "method"), [(path, method) for path, calls in openapi.document()["paths"].items() for method in calls]
)
def test_the_scaffold_keeps_the_document(api_schema: Any, path: str, method: str, mode: Any) -> None:
    operation = api_schema[path][method]
    if mode is schemathesis.GenerationMode.NEGATIVE and method == "get":
        pytest.skip("nothing to spoil")

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def holds(case: Any) -> None:
        response = case.call_and_validate(excluded_checks=MEANING)
        assert b'"internal"' not in response.content
        assert b"Traceback" not in response.content

    holds()
