"""The demonstration: the same figures for whoever runs it again, and its services in the user's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs import write_r2r
from nav_eval.core.orchestrator import Watcher
from nav_eval.errors import ServiceUnavailable
from nav_eval.runs import demo
from nav_eval.runs.evaluation import agent_name
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import TestClient
from playing import lines


def walks(folder: Path, seed: int) -> list[list[str]]:
    """What the served random agent did in each episode."""
    config = benchmark_config("r2r", overrides=[*write_r2r(folder / "data"), f"seed={seed}"])
    with demo.started("random", "rest") as service:
        demo._evaluate(service, config, folder, lambda _: None, Watcher())
    return [row["steps"] for row in lines(folder / "random", "trajectories.jsonl")]


def test_its_random_agent_draws_from_the_seed(tmp_path: Path) -> None:
    once, again, other = (walks(tmp_path / name, seed) for name, seed in (("a", 0), ("b", 0), ("c", 1)))
    assert once == again
    assert once != other


def test_a_file_of_the_users_folder_is_no_module_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "copy.py").write_text("raise RuntimeError('the wrong one')")
    monkeypatch.chdir(tmp_path)
    with demo.started("random", "rest") as service:
        client = TestClient(service.wait())
        assert client.health().status in ("loading", "ready")
        client.close()


def test_a_service_that_ends_is_not_waited_for() -> None:
    ended = pytest.raises(ServiceUnavailable, match=r"no_such_module:Agent ended with exit code 2")
    with ended, demo.started("no_such_module:Agent", "rest") as service:
        service.wait()


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
    """And is not called `random` because that is the local agent's default."""
    assert agent_name(benchmark_config("vln-demo", overrides=overrides)) == name
