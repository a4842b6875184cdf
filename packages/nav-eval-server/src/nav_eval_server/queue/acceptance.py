"""What a team may submit, and when: the rules at the door. Dispatcher.submit asks them in its transaction."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from nav_eval_server import terms
from nav_eval_server.challenge import DRY_RUN, Challenge
from nav_eval_server.models import Endpoint, Slot, Submission, Team, User
from nav_eval_server.queue import endpoints, phases, quota
from nav_eval_server.queue.refusal import Refusal, not_let_in
from nav_eval_server.queue.states import FINAL

KINDS = {"service": ("a service", "服务"), "predictions": ("a predictions file", "预测文件")}
"""What a phase takes, in English and Chinese."""


def drawn_up(
    challenge: Challenge,
    team: Team,
    phase: str,
    endpoint: Endpoint | None,
    predictions: bytes | None,
    user: User | None,
    key: str | None,
    now: datetime,
) -> Submission:
    """A submission that is not kept yet, whether it may be or not."""
    fresh = Submission(team=team, phase=phase, user=user, idempotency_key=key, accepted_at=now, since=now)
    fresh.retry_at, fresh.deadline = now, now + timedelta(seconds=challenge.queue.queued_seconds)
    fresh.kind = "service" if predictions is None else "predictions"
    if predictions is not None:
        fresh.predictions = hashlib.sha256(predictions).hexdigest()
    if endpoint is not None:
        fresh.protocol, fresh.sealed_token = endpoint.protocol, endpoint.sealed_token
        fresh.url = endpoints.present(endpoint)
        fresh.endpoint_key = endpoints.key(endpoint)
    return fresh


def check(challenge: Challenge, fresh: Submission, predictions: bytes | None, now: datetime) -> None:
    """Whether its team may submit this now. Raises Refusal."""
    team, phase, kind = fresh.team, fresh.phase, fresh.kind
    if team.state != Team.State.APPROVED or team.disqualified:
        raise not_let_in(team)
    if phase == DRY_RUN:
        _check_dry_run(challenge, team, kind)
    else:
        _check_phase(challenge, phase, kind, predictions, now)
        quota.check(challenge, quota.standing(challenge, team, phase, now))
    if kind == "service":
        _check_image(challenge.images_in(phase), phase, image=fresh.protocol == "image")


def _check_image(rule: str | None, phase: str, *, image: bool) -> None:
    if image and rule is None:
        raise Refusal("wrong_kind", f"{phase} takes no container images.", f"{phase} 不接受容器镜像。")
    if not image and rule == "only":
        raise Refusal(
            "wrong_kind",
            f"The phase {phase} takes container images only: nav-eval-agent push.",
            f"阶段 {phase} 只接受容器镜像：nav-eval-agent push。",
        )


def check_terms(challenge: Challenge, user: User | None) -> None:
    """Whether the member who submits has accepted them as they are now. Raises Refusal."""
    if user is not None and terms.outstanding(challenge, user):
        raise Refusal(
            "terms",
            "You have not accepted the terms as they are now. Log in and open your team's page.",
            "您尚未接受现行的参赛条款。请登录并打开您的队伍页面。",
        )


def _check_dry_run(challenge: Challenge, team: Team, kind: str) -> None:
    if challenge.dry_run is None:
        raise Refusal("dry_run_off", "This competition offers no dry runs.", "本次竞赛不提供试运行。")
    if kind != "service":
        raise Refusal("wrong_kind", "A dry run takes a service.", "试运行只接受服务。")
    if running := Submission.objects.filter(team=team, phase=DRY_RUN).exclude(state__in=FINAL).first():
        cancel = f"nav-eval-agent cancel {running.pk}"
        raise Refusal(
            "dry_run_running",
            f"Your dry run {running.pk} has not ended. Wait for it, or cancel it: {cancel}",
            f"试运行 {running.pk} 尚未结束，请等待，或取消：{cancel}",
        )


def _check_phase(challenge: Challenge, phase: str, kind: str, predictions: bytes | None, now: datetime) -> None:
    rules = phases.rules(challenge, phase)
    if phases.status(challenge, phase, now) != "open":
        raise Refusal("phase_closed", f"The phase {phase} is not open.", f"阶段 {phase} 未开放。")
    if kind != rules.kind:
        en, zh = KINDS[rules.kind]
        raise Refusal("wrong_kind", f"The phase {phase} takes {en}.", f"阶段 {phase} 只接受{zh}。")
    if predictions is not None and len(predictions) > challenge.web.upload_mb << 20:
        most = challenge.web.upload_mb
        raise Refusal("too_large", f"The file is larger than {most} MiB.", f"文件超过 {most} MiB。")


def wait_for(challenge: Challenge, fresh: Submission, begins: datetime) -> None:
    """Tie it to an hour. Raises Refusal if its team has not booked it."""
    if not Slot.objects.filter(team=fresh.team, begins=begins).exists():
        raise Refusal("slot", "Your team has not booked this hour.", "您的队伍没有预约该时段。")
    fresh.not_before = fresh.retry_at = begins
    fresh.deadline = begins + timedelta(seconds=challenge.queue.queued_seconds)


def same(earlier: Submission, fresh: Submission) -> Submission:
    """The earlier one with this key, if the same was asked for. Raises Refusal."""
    if any(
        getattr(earlier, name) != getattr(fresh, name) for name in ("phase", "kind", "protocol", "url", "predictions")
    ):
        raise Refusal(
            "key_reused",
            "This Idempotency-Key belongs to another submission. Draw a new one.",
            "该 Idempotency-Key 属于另一次提交，请换一个新的。",
        )
    return earlier
