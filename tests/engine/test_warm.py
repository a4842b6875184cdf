"""Warming up reaches every package with kernels that each run needs, and says once that it goes on."""

from __future__ import annotations

import logging
import platform
from pathlib import Path

import numba
import pytest

from nav_eval import machine_code
from nav_eval.engine import warm
from nav_eval.jit import kernel_cache
from nav_eval.machine_code import Notice, kept

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
    assert warm.is_warm()
    warm.warm(said.append)
    assert said == []


def test_what_a_wheel_brings_is_warm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(machine_code, "WHEEL", tmp_path)
    kernel_cache.cache_clear()
    assert not warm.is_warm()
    for directory in warm._directories():
        (tmp_path / directory.name).mkdir()
    assert warm.is_warm() == (platform.machine() == "x86_64")
    kernel_cache.cache_clear()


class Compiling:
    """A process that ends when it was asked five times."""

    asked = 0

    def is_alive(self) -> bool:
        self.asked += 1
        return self.asked < 5


@pytest.mark.parametrize(("held", "told"), [([7, 7, 7, 7, 7], 0), ([7, 7, 8, 9, 9], 1)])
def test_compiling_is_spoken_of_where_something_is_compiled(
    held: list[int], told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = iter(held)
    monkeypatch.setattr(warm, "_compiled", lambda: next(counts))
    said: list[str] = []
    warm._tell_until_ended([Compiling()], said.append)  # type: ignore[list-item]
    assert len(said) == told


def test_a_kernel_that_is_compiled_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_CACHE", str(tmp_path))
    kernel_cache.cache_clear()
    directory = kernel_cache(Path(warm.__file__).parent / "navmesh")
    assert directory is not None
    before = warm._compiled()
    kept(numba.njit(lambda number: number + 1), "int64(int64)", {}, directory)
    kernel_cache.cache_clear()
    assert (before, warm._compiled()) == (0, 1)
    assert warm._kernels() > 20


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
