"""The order of the tests is repeatable and keeps neighbours together; the processes of tests hear Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

NAMES = [f"tests/{a}/test_{b}.py::test_{c}[x/{d}]" for a in "pqr" for b in "pqr" for c in "pqr" for d in range(3)]


@pytest.fixture
def conftest(request: pytest.FixtureRequest) -> Any:
    plugins = request.config.pluginmanager.get_plugins()
    (found,) = [p for p in plugins if getattr(p, "__file__", "") == str(Path(__file__).with_name("conftest.py"))]
    return found


def ordered(conftest: Any, seed: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("TEST_ORDER_SEED", seed)
    items = [SimpleNamespace(nodeid=name) for name in NAMES]
    conftest.pytest_collection_modifyitems(items)
    return [item.nodeid for item in items]


def test_a_seed_is_an_order_in_which_neighbours_stay_together(conftest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = [ordered(conftest, seed, monkeypatch) for seed in ("1", "1", "2", "3")]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) == 3
    for order in orders:
        assert sorted(order) == sorted(NAMES)
        modules = [name.split("::")[0] for name in order]
        assert len([*groupby(modules)]) == 9
        assert len([*groupby(module.split("/")[1] for module in modules)]) == 3


def test_what_a_background_job_ignores_its_tests_processes_hear(conftest: Any) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        conftest.pytest_configure()
        child = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
        assert subprocess.run([sys.executable, "-c", child], stderr=subprocess.DEVNULL).returncode == -signal.SIGINT
    finally:
        signal.signal(signal.SIGINT, before)
