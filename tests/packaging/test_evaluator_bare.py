"""The evaluator as an organiser installs it, judging a service that runs from the SDK's own environment.

CI takes one Python, the newest other than its own; `make soak` takes all of them, with the whole demonstration, and
the oldest dependencies that are allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bare_install import MINORS, RUNNING, Bare, find_python
from built_distributions import Built
from graphs import write_r2r

OLDEST = 11
SUPPORTED = [minor for minor in MINORS if minor >= OLDEST]


READY_TO_DRAW = "import nav_eval; nav_eval.make_renderer('cpu', nav_eval.load_scene('room.obj'))"
"""All of a frame but its kernels, whose compilation for another Python takes half a minute."""


def other_python() -> int:
    """The newest that can be had and is not the one that runs the tests; else that one."""
    return next((minor for minor in reversed(SUPPORTED) if minor != RUNNING and find_python(minor)), RUNNING)


def sdk_python() -> int:
    """The oldest that the SDK supports, if it is here: participants' Pythons are older than organisers'."""
    return next(minor for minor in MINORS if find_python(minor))


def judges_a_service(evaluator: Bare, participant: Bare, folder: Path) -> None:
    """A small graph's episodes, over REST, with what the wire and the results must then hold."""
    overrides = write_r2r(folder / "data")
    participant.run("nav-eval-agent", "new", "mine", cwd=folder)
    with participant.serving(folder / "mine") as endpoint:
        remote = [f"agent_service.{key}" for key in ("type=remote", "protocol=rest", f"endpoint={endpoint}")]
        evaluator.run("nav-eval", "run", "r2r", *overrides, *remote, "--out", "run", cwd=folder)
    results = json.loads((folder / "run" / "results.json").read_text())
    assert (results["n_episodes"], results["n_failed"]) == (5, 0)
    assert results["metrics"]["steps"]["mean"] == 11  # the template agent: ten moves, then stop
    evaluator.run("nav-eval", "report", "run", cwd=folder)
    assert "<script" in (folder / "run" / "report.html").read_text("utf-8")


def has_its_parts(environment: Bare, folder: Path) -> None:
    """The commands that read files of the wheel, and those that look at the installation."""
    shown = json.loads(environment.run("nav-eval", "list", "benchmarks", "--json", cwd=folder))
    assert {"r2r", "r2r-ce", "vln-demo", "objectnav-hm3d"} <= {row["name"] for row in shown}
    assert "run" in environment.run("nav-eval", "--help", cwd=folder)
    assert environment.run("nav-eval", "--version", cwd=folder).strip()
    environment.run("nav-eval", "config", "show", "vln-demo", cwd=folder)
    environment.run("nav-eval", "doctor", cwd=folder)
    (folder / "room.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n")
    environment.run("python", "-c", READY_TO_DRAW, cwd=folder)


def says_what_makes_homes(environment: Bare, folder: Path) -> None:
    """In a sentence with the line to install it, where a configuration or a command asks for generated homes.

    An earlier demonstration is left as it is, and nothing is compiled.
    """
    earlier = folder / "demo-results" / "report.html"
    earlier.parent.mkdir()
    earlier.touch()
    for command in (("run", "vln-demo"), ("demo",), ("generate", "scenes", "homes")):
        said = environment.run("nav-eval", *command, cwd=folder, code=2)
        assert said.endswith("pip install 'nav-eval[demo]'\n")
        assert "ompil" not in said
    assert earlier.exists()


def test_it_judges_a_service_of_another_environment(
    bare: Callable[..., Bare], distributions: dict[str, Built], tmp_path: Path
) -> None:
    evaluator, sdk = distributions["nav-eval"], distributions["nav-eval-sdk"]
    environment = bare(other_python(), str(evaluator.wheel), str(sdk.wheel))
    participant = bare(sdk_python(), f"nav-eval-sdk[rest] @ {sdk.wheel.as_uri()}")
    has_its_parts(environment, tmp_path)
    judges_a_service(environment, participant, tmp_path)
    says_what_makes_homes(environment, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("minor", "oldest"),
    [*(pytest.param(minor, False, id=f"3.{minor}") for minor in SUPPORTED), pytest.param(OLDEST, True, id="oldest")],
)
def test_the_demonstration_runs_on_every_python_and_with_the_oldest_dependencies(
    minor: int, oldest: bool, bare: Callable[..., Bare], distributions: dict[str, Built], tmp_path: Path
) -> None:
    evaluator, worlds, sdk = (distributions[name] for name in ("nav-eval", "nav-eval-worlds", "nav-eval-sdk"))
    pins = evaluator.oldest() if oldest else []
    environment = bare(minor, str(evaluator.wheel), str(worlds.wheel), str(sdk.wheel), *pins)
    has_its_parts(environment, tmp_path)
    said = environment.run("nav-eval", "demo", "--quick", "--out", "demo", cwd=tmp_path, seconds=1800)
    assert "success" in said
    assert (tmp_path / "demo" / "report.html").stat().st_size > 100_000
