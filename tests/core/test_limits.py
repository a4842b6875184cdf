"""A limit is a field of one structure, from the configuration over the rules to the agent."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from nav_eval.config.loader import load_config
from nav_eval.config.schema import EvaluationConfig
from nav_eval.results.rules import LIMITS, rules_of
from nav_eval_sdk.protocol.limits import Limits
from nav_eval_sdk.protocol.messages import Limits as OfTheWire

ROOT = Path(__file__).parents[2]


def test_it_is_named_where_it_is_declared_carried_out_and_sent_and_nowhere_else() -> None:
    """Generated files (descriptor set, openapi.json, reference pages) and benchmarks, which set it, aside."""
    files = [path for folder in ("src", "packages") for path in (ROOT / folder).rglob("*") if "site-" not in str(path)]
    sources = [path for path in files if path.suffix in (".py", ".proto")]
    named = {path.name for path in sources if re.search(r"\bmax_moves\b", path.read_text(encoding="utf-8"))}
    assert named == {"limits.py", "inference.proto", "schema.py", "environment.py"}


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_what_a_configuration_sets_is_told_and_a_rule(name: str) -> None:
    config = load_config("r2r", environment={}, overrides=[f"evaluation.{name}=7"])
    assert getattr(Limits.of(dict(config.evaluation)), name) == 7
    assert rules_of(config)[f"evaluation.{name}"] == 7


def test_the_wire_has_the_structure_of_the_rules() -> None:
    assert OfTheWire is Limits
    assert {"max_steps", "max_moves", "max_chunk"} == LIMITS


def test_a_limit_that_nobody_uses_is_not_on_the_wire() -> None:
    usual = Limits.of(dict(EvaluationConfig()))
    assert (usual.max_chunk, usual.step_seconds, usual.chunk) == (msgspec.UNSET, msgspec.UNSET, 1)
    assert msgspec.json.encode(usual) == msgspec.json.encode(Limits(max_steps=500))
