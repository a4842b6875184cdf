"""A participant's service is not called `random` because that is the local agent's default."""

from __future__ import annotations

import pytest

from nav_eval.runs.evaluation import agent_name
from nav_eval.runs.registry import benchmark_config


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ([], "random"),
        (["agent_service.agent=forward"], "forward"),
        (["agent_service.type=remote"], None),
        (["agent_service.type=remote", "agent_service.agent=team-a"], "team-a"),
    ],
)
def test_a_service_has_the_name_that_it_was_given(overrides: list[str], name: str | None) -> None:
    assert agent_name(benchmark_config("vln-demo", overrides=overrides)) == name
