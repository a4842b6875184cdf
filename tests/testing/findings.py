"""What a kit found."""

from __future__ import annotations

from collections.abc import Iterable

from nav_eval.testing import Finding


def wrong(findings: Iterable[Finding]) -> dict[str, str]:
    """What is not as it should be, by check."""
    return {finding.check: finding.detail for finding in findings if not finding.ok}
