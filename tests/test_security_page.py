"""SECURITY.md claims nothing without a proof that is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`((?:[\w/]+\.py)?)((?:::\w+)?)`")


def test_every_proof_is_there() -> None:
    missing, path = [], ROOT
    for file, test in NAMED.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8")):
        path = ROOT / "tests" / file if file else path
        if (file or test) and not (path.is_file() and f"def {test.removeprefix('::')}" in path.read_text("utf-8")):
            missing.append(f"{path.name}{test}")
    assert missing == []
