"""Fixtures that every test may use."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

import nav_eval_sdk.quiet  # noqa: F401  grpc's core reads its level once: before a test imports grpc for itself
from browsing import axe, browser  # noqa: F401  once for all: two of Playwright do not bear each other
from torch_python import trainer  # noqa: F401  once for all: torch takes minutes to install

settings.register_profile("same", derandomize=True)  # what passed once passes again: `make soak` draws other examples
settings.register_profile("other")
settings.load_profile("same")


def pytest_configure() -> None:
    """A shell's background job ignores SIGINT, and so would every process that a test begins, unless told otherwise."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data: $NAV_EVAL_SHARED_DATA, else ../shared/data from the project's root; skips where it is absent."""
    root = Path(__file__).parents[1]
    path = Path(os.environ.get("NAV_EVAL_SHARED_DATA") or root.parent / "shared" / "data").resolve()
    if not path.is_dir():
        pytest.skip(f"no real data at {path}: set NAV_EVAL_SHARED_DATA")
    return path
