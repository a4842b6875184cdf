"""Codes by which a service such as Prolific pays people: one each, told at the end, and DIR/codes.csv to compare."""

from __future__ import annotations

import base64
import csv
import hmac
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nav_eval.results.files import write_bytes

NAME = "codes.csv"
GROUP = 4


def payment_code(secret: str, person: int) -> str:
    """The same whenever it is asked for; 60 bits that nobody can guess who has not the organiser's secret."""
    letters = base64.b32encode(hmac.digest(secret.encode(), f"payment {person}".encode(), "sha256")).decode()
    return "-".join(letters[at : at + GROUP] for at in range(0, 3 * GROUP, GROUP))


def write_codes(out: Path, secret: str, shares: Sequence[dict[str, Any]]) -> Path:
    """A line for each person, for their owner to read only. `shares`: what each did, person 1 first."""
    table = io.StringIO()
    rows = [{"code": payment_code(secret, person), "person": person} | one for person, one in enumerate(shares, 1)]
    writer = csv.DictWriter(table, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_bytes(out / NAME, table.getvalue().encode(), mode=0o600)
    return out / NAME
