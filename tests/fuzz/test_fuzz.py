"""Every decoder holds for some CPU seconds of fuzzing, and against every input that once broke it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from fuzz import TARGETS
from fuzz.__main__ import fuzz

REGRESSIONS = Path(__file__).with_name("regressions")
INPUTS = [path for target in TARGETS for path in sorted((REGRESSIONS / target).glob("*"))]


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_broke_a_decoder(path: Path) -> None:
    importlib.import_module(f"fuzz.{path.parent.name}").one(path.read_bytes())


@pytest.mark.parametrize("seconds", [1, pytest.param(20, marks=pytest.mark.soak)])
@pytest.mark.parametrize("target", TARGETS)
def test_some_seconds(target: str, seconds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the same seed each time: `make fuzz` draws new ones."""
    monkeypatch.setenv("FUZZ_SEED", "1")
    pytest.importorskip("atheris", reason=f"atheris has no wheel for Python {sys.version_info.minor} here")
    outcome = fuzz(target, seconds, tmp_path / "corpus", tmp_path / "findings")
    told = [_read_report(path) for path in outcome.findings]
    assert not told, f"inputs in {tmp_path / 'findings'}:\n" + "\n".join(told)
    assert outcome.executions > 5


def _read_report(path: Path) -> str:
    text = path if path.suffix == ".txt" else path.with_name(f"{path.name}.txt")
    return f"{path.name}: {text.read_text(errors='replace')[-2000:] if text.exists() else 'hang, crash or memory'}"
