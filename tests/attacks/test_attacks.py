"""No attack finds anything. `python -m attacks`, from tests/, shows the same as a table, one by one if wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from attacks import everything
from attacks.__main__ import line
from attacks.arena import campaign

AT_LEAST = 1000


@pytest.mark.soak
def test_no_attack_finds_anything(tmp_path: Path) -> None:
    attacks = everything()
    assert len(attacks) >= AT_LEAST
    findings = [line(attack, outcome) for attack, outcome in campaign(attacks, tmp_path) if outcome.findings]
    assert not findings, "\n".join(findings)
