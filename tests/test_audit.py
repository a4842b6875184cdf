"""The dependency audit never says that all is well when it could ask nobody."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "requirements" / "audit.py"
SOUND = {"name": "a", "version": "1", "vulns": []}
SKIPPED = {"name": "b", "skip_reason": "not found"}
FAULTY = {"name": "c", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}


@pytest.mark.parametrize(
    ("answer", "code", "told"),
    [
        (json.dumps({"dependencies": [SOUND]}), 0, "1 packages, 0 vulnerabilities"),
        (json.dumps({"dependencies": [SOUND, FAULTY]}), 1, "c 2: CVE-1, mended in ['3']"),
        (json.dumps({"dependencies": [SOUND, SKIPPED]}), 2, "knew nothing of 1 of 2"),
        ("", 2, "cannot be asked (no route)"),
    ],
)
def test_what_it_says(monkeypatch: Any, capsys: Any, answer: str, code: int, told: str) -> None:
    spec = importlib.util.spec_from_file_location("audit", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    audit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(audit)
    done = subprocess.CompletedProcess([], 1, stdout=answer, stderr="Traceback\nno route\n\n")
    monkeypatch.setattr(audit.subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(audit.sys, "argv", ["audit.py"])
    assert audit.main() == code
    assert told in capsys.readouterr().out
