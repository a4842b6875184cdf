"""What a team is told when a request of theirs cannot be granted."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

Code = Literal[
    "phase_unknown", "phase_closed", "not_approved", "wrong_kind", "quota_day", "quota_total", "quota_concurrent",
    "key_reused", "too_large", "too_many", "not_captain", "finished", "too_soon", "busy", "unfinished", "not_closed",
    "revealed", "not_done", "finals", "dry_run_off", "dry_run_running", "dry_run_done",
    "appeal_open", "appeal_closed", "appeals", "words", "no_words", "last_organiser",
    "slot", "slot_far", "slot_week", "slot_taken", "slot_begun",
]  # fmt: skip


class Refusal(Exception):
    """`str()` is English, `zh` the same in Chinese; `resets_at`: when it may be granted, where that is known."""

    def __init__(self, code: Code, en: str, zh: str, resets_at: datetime | None = None) -> None:
        super().__init__(en)
        self.code = code
        self.zh = zh
        self.resets_at = resets_at
