"""What a team is told when a request of theirs cannot be granted."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from nav_eval_server.models import Team

Code = Literal[
    "not_found", "phase_unknown", "phase_closed", "not_approved", "wrong_kind", "quota_day", "quota_total",
    "quota_concurrent", "key_reused", "too_large", "too_many", "not_captain",
    "finished", "too_soon", "busy", "unfinished", "not_closed",
    "revealed", "not_done", "finals", "dry_run_off", "dry_run_running", "dry_run_done",
    "appeal_open", "appeal_closed", "appeals", "words", "no_words", "last_organiser",
    "no_place", "no_image", "unlike", "name", "address", "date", "grant", "merge", "terms",
    "slot", "slot_far", "slot_week", "slot_taken", "slot_begun",
]  # fmt: skip


class Refusal(Exception):
    """`str()` is English, `zh` the same in Chinese; `resets_at`: when it may be granted, where that is known."""

    def __init__(self, code: Code, en: str, zh: str, resets_at: datetime | None = None) -> None:
        super().__init__(en)
        self.code = code
        self.zh = zh
        self.resets_at = resets_at


def not_let_in(team: Team) -> Refusal:
    """Of a team that waits for an organiser, or is blocked or disqualified by one."""
    if team.disqualified:
        return Refusal(
            "not_approved",
            "Your team is disqualified. Its page says why.",
            "您的队伍已被取消参赛资格，队伍页面写有理由。",
        )
    if team.state == Team.State.BLOCKED:
        return Refusal(
            "not_approved", "Your team is blocked. Write to the organisers.", "您的队伍已被封禁，请联系主办方。"
        )
    return Refusal(
        "not_approved",
        "Your team is not approved yet. Wait for an organiser to approve it.",
        "您的队伍尚未获得批准，请等待主办方批准。",
    )
