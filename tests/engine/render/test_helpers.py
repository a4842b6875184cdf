"""Threads that help with frames: where they run."""

from __future__ import annotations

import os
import threading
from collections import deque

import pytest

from nav_eval.engine.render import helpers
from nav_eval.engine.render.helpers import APART, Helper
from patience import PATIENCE


@pytest.fixture(autouse=True)
def idle_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers that are called here lie down among idle ones of their own: frames of other tests may not find them."""
    monkeypatch.setattr(helpers, "_idle", deque())


def cores_after(helper: Helper, met: int) -> set[int]:
    """Those that a helper may use once it has met its caller on one of them."""
    taken, looked, found = threading.Event(), threading.Event(), set[int]()

    def meet() -> int:
        taken.set()
        return met

    def look() -> int:
        found.update(os.sched_getaffinity(0))
        looked.set()
        return APART

    for work, done in ((meet, taken), (look, looked)):
        helper.call(work)
        assert done.wait(PATIENCE)
    return found


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: there is nowhere to go")
def test_a_helper_keeps_off_the_core_of_its_caller() -> None:
    cores = os.sched_getaffinity(0)
    helper = Helper()
    assert cores_after(helper, APART) == cores
    for core in sorted(cores)[:2]:
        assert cores_after(helper, core) == cores - {core}
    assert os.sched_getaffinity(0) == cores


def test_a_helper_on_the_only_core_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    core = min(os.sched_getaffinity(0))
    with monkeypatch.context() as alone:
        alone.setattr(os, "sched_getaffinity", lambda _: {core})
        helper = Helper()
    assert cores_after(helper, core) == os.sched_getaffinity(0)
