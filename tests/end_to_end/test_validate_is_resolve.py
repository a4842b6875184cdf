"""What `config validate` calls valid begins to play, and what it refuses `run` refuses in the same words."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from end_to_end.mutations import applied, draw_changes
from graphs import write_r2r
from nav_eval.config.loader import load_config, validate
from nav_eval.errors import NavEvalError
from nav_eval.runs import builder
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.plan import resolved
from nav_eval_sdk import VLNAgent
from rooms import write_room

NUMBER, LONG = 250, 2_500


class Stops(VLNAgent):
    """Notes that it was asked."""

    asked = 0

    def reset(self, episode):
        pass

    def act(self, observation):
        Stops.asked += 1
        return "stop"


class NoLayers:
    """In place of a file and a command line."""

    def origin(self, key):
        return "[the test]"

    def given_now(self, key):
        return False


@pytest.fixture
def bases(tmp_path, monkeypatch):
    """Configurations of two tiny worlds that do run; whoever is to play, an agent that stops plays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.fsync", lambda file: None)  # a thousand runs that nobody will need after a power cut
    real = builder.Plan.service

    def service(plan, secret, agent=None):
        real(plan, secret, agent).close()
        return builder.local_service(plan.config, Stops, secret, limited=False)

    monkeypatch.setattr(builder.Plan, "service", service)
    graph, room = write_r2r(tmp_path / "graph"), write_room(tmp_path / "room")
    (tmp_path / "R2R_train.json").write_bytes((tmp_path / "graph" / "R2R_val.json").read_bytes())
    limit = ["dataset.limit=1", "agent_service.agent=random"]
    return [
        load_config(name, environment={}, overrides=[*words, *limit]).model_dump()
        for name, words in (("r2r", graph), ("pointnav", room))
    ]


def validated(content):
    """What `config validate` says against a configuration, or None."""
    try:
        with resolved(validate(content, NoLayers())):
            return None
    except NavEvalError as error:
        return str(error)


def begun(content, out: Path):
    """What `run` says against it, or None if it came to the agent's first action."""
    before = Stops.asked
    said = "no action was asked for"
    try:
        run_benchmark(validate(content, NoLayers()), out)
    except NavEvalError as error:
        said = str(error)
    return None if Stops.asked > before else said


def agree(bases, seeds, folder):
    """How many configurations were valid. Fails at the first on which the two do not agree."""
    valid = 0
    for seed in seeds:
        chance = random.Random(seed)
        changes = draw_changes(chance)
        content, out = applied(chance.choice(bases), changes), folder / str(seed)
        verdict, outcome = validated(content), begun(content, out)
        assert verdict == outcome, f"seed {seed}: {changes}"
        assert verdict is None or not out.exists(), f"seed {seed}: {changes} left {out}"
        valid += verdict is None
    return valid


def test_the_bases_run(bases, tmp_path):
    for number, content in enumerate(bases):
        assert (validated(content), begun(content, tmp_path / str(number))) == (None, None)


def test_hundreds_of_changed_configurations(bases, tmp_path):
    valid = agree(bases, range(NUMBER), tmp_path / "runs")
    assert NUMBER / 5 < valid < NUMBER * 4 / 5, "both verdicts were put to the test"


@pytest.mark.soak
def test_many_changed_configurations(bases, tmp_path):
    with contextlib.chdir(tmp_path):
        agree(bases, range(NUMBER, LONG), tmp_path / "runs")
