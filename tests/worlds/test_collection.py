"""Buildings that a run makes for itself: whoever waits for them is told how far they are."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from nav_eval.worlds import collection, telling


def test_what_is_made_for_a_run_tells_its_progress_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(collection, "cache_home", lambda: tmp_path)
    monkeypatch.setattr(telling, "SECONDS_BEFORE_SHARES", 0.0)
    monkeypatch.setattr(telling, "SECONDS_BETWEEN_SHARES", 0.2)
    caplog.set_level(logging.INFO, "nav_eval")
    collection.cached_collection("pointnav", "a", 1, 2, 1, "home", 20_000, 1)
    lines = [line for line in caplog.messages if line.startswith("1 buildings: ")]
    shares = [int(line.split()[2].rstrip("%,")) for line in lines]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert all(0 < share < 100 and line.endswith(" s left") for share, line in zip(shares, lines))
