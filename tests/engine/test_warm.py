"""Warming up reaches every package with kernels that each run needs, and says once that it goes on."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from nav_eval.engine import warm
from nav_eval.machine_code import Notice

RARE = {"scene"}
"""Kernels that only files with meshopt's compression need."""


def test_every_package_with_kernels_is_warmed() -> None:
    root = Path(warm.__file__).parent
    with_kernels = {path.relative_to(root).parts[0] for path in root.rglob("*.py") if "\n@kernel(" in path.read_text()}
    assert with_kernels - RARE == set(warm.PARTS)


def test_a_warm_cache_is_not_warmed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_CACHE", str(tmp_path))
    monkeypatch.setattr(warm, "PARTS", {})
    said: list[str] = []
    warm.warm(said.append)
    warm.warm(said.append)
    assert len(said) == 1
    assert str(tmp_path) in said[0]


def test_compiling_is_told_once_and_then_every_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    notice = Notice()
    with caplog.at_level(logging.WARNING, "nav_eval"):
        for _ in range(30):
            notice.compiled(0.9, Path("/cache/kernels/x"))
    first, *others = caplog.messages
    assert first.startswith("Compiling for this machine, once")
    assert len(others) == 2
    assert "functions in" in others[0]


def test_a_short_compilation_is_not_worth_a_word(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "nav_eval"):
        Notice().compiled(0.4, Path("/cache/kernels/x"))
    assert caplog.messages == []
