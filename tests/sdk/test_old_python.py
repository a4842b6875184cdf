"""The one-file server for old Pythons: it keeps the protocol, and an evaluation over it equals one in this process."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import nav_eval
from nav_eval_sdk.conformance import Target, check
from rooms import write_room

EXAMPLE = Path(__file__).parents[2] / "examples" / "old_python"


@contextmanager
def serving(python: str = sys.executable) -> Iterator[str]:
    process = subprocess.Popen([python, "agent.py", "0"], cwd=EXAMPLE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"serving on (\S+)", process.stdout.readline())
        assert found is not None
        yield found[1]
    finally:
        process.kill()
        process.communicate()


def findings(endpoint: str) -> list[str]:
    wires = ("rest-json", "rest-msgpack")
    return [f"{f.check}: {f.detail}" for wire in wires for f in check(Target(endpoint, wire)) if not f.ok]


def without_times(results: Any) -> Any:
    """What an evaluation found out, but for what a clock says."""
    timed = {"agent_latency", "agent_latency_p95", "episode_time"}
    return results.statuses, {name: value for name, value in results.metrics.items() if name not in timed}


def test_it_keeps_the_protocol() -> None:
    with serving() as endpoint:
        assert findings(endpoint) == []


def test_an_evaluation_over_it_equals_one_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    spec = importlib.util.spec_from_file_location("old_agent", EXAMPLE / "agent.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    few = [*write_room(tmp_path), "dataset.limit=2"]
    here = nav_eval.evaluate("pointnav", agent=module.WallAvoider, overrides=few)
    with serving() as endpoint:
        remote = ["agent_service.type=remote", f"agent_service.endpoint={endpoint}"]
        there = nav_eval.evaluate("pointnav", overrides=[*few, *remote])
    assert without_times(here) == without_times(there)
    assert dict(there.statuses) == {"ok": 2}
    assert there.metrics["path_length"]["mean"] > 0


@pytest.mark.soak
@pytest.mark.parametrize("version", ["3.6", "3.7", "3.8", "3.9"])
def test_it_runs_on_old_pythons(version: str, tmp_path: Path) -> None:
    roots = Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")
    python = next(map(str, roots), None) or shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    subprocess.run([python, "-m", "venv", "env"], cwd=tmp_path, check=True)
    own = str(tmp_path / "env/bin/python")
    subprocess.run([own, "-m", "pip", "install", "-q", "numpy"], check=True)
    with serving(own) as endpoint:
        assert findings(endpoint) == []
