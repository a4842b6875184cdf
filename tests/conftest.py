"""Fixtures that every test may use."""

from __future__ import annotations

import os
import random
import signal
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import nav_eval_sdk.quiet  # noqa: F401  grpc's core reads its level once: before a test imports grpc for itself
import once
from browsing import axe, browser  # noqa: F401  once for all: two of Playwright do not bear each other
from recordings import SHARED_DATA
from torch_python import engine_python, trainer  # noqa: F401  once for all: torch takes minutes to install

PATIENT: Any = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# What passed once passes again: `make soak` draws other examples.
settings.register_profile("same", derandomize=True, **PATIENT)
settings.register_profile("other", **PATIENT)
settings.load_profile("same")


def pytest_configure() -> None:
    # A shell's background job ignores SIGINT, and so would every process that a test begins.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("TEST_ORDER_SEED", str(random.SystemRandom().randrange(10**6)))  # xdist's workers' too
    once.begin()


def pytest_sessionstart(session: pytest.Session) -> None:
    if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
        reporter.write_line(f"order of the tests: TEST_ORDER_SEED={os.environ['TEST_ORDER_SEED']}")
        if not SHARED_DATA.is_dir():
            reporter.write_line(f"no real data at {SHARED_DATA}: our own recordings and look-alike files stand in")


@pytest.hookimpl(tryfirst=True)  # pytest then brings together what shares a fixture's parameter
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders, a folder's modules and a module's tests in an order of their own each: neighbours stay together."""

    @cache
    def place(prefix: str) -> float:
        return random.Random(f"{os.environ['TEST_ORDER_SEED']} {prefix}").random()

    items.sort(key=lambda item: [place(prefix) for prefix in accumulate(item.nodeid.replace("::", "/").split("/"))])


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data: $NAV_EVAL_SHARED_DATA, else ../shared/data from the project's root; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no real data at {SHARED_DATA}: set NAV_EVAL_SHARED_DATA")
    return SHARED_DATA


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files in the released formats: the real ones, or a small set of our own with the same names."""
    if SHARED_DATA.is_dir():
        return SHARED_DATA
    from lookalike import make

    return make(tmp_path_factory.mktemp("lookalike"))
