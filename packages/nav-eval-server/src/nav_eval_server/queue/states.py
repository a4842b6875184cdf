"""What each state says to the team, and until when it lasts: no state is without a sentence and a deadline.

A submission is in one state until its `deadline`; what happens then is in Dispatcher.sweep, and said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import get_args
from zoneinfo import ZoneInfo

from nav_eval_sdk.chinese import of_packages
from nav_eval_server.images import ImageFault
from nav_eval_server.models import Submission
from nav_eval_server.queue.tally import Language as Language
from nav_eval_server.queue.tally import Tally

Sentence = Mapping[Language, str]
State = Submission.State
SPOKEN: Mapping[str, str] = {"rest": "REST", "grpc": "gRPC"}
"""Protocols as people write them; a service that calls us has none."""
FINAL = frozenset({State.DONE, State.FAILED, State.CANCELLED, State.VOID})
WAITING = frozenset({State.QUEUED, State.WAITING_SERVICE})
AT_WORK = frozenset({State.RUNNING, State.SCORING})

SENTENCES: Mapping[str, Sentence] = {
    State.QUEUED: {
        "en": "Waiting for its turn since {since}. If nobody takes it until {deadline}, that is our fault and costs "
        "you nothing.",
        "zh": "自 {since} 起排队。若到 {deadline} 仍无人处理，责任在我们，不占用您的名额。",
    },
    State.WAITING_SERVICE: {
        "en": "Your {spoken}service has not answered since {unready}; we try again from {retry} on, until "
        "{deadline}, and then a last time.",
        "zh": "您的{spoken}服务自 {unready} 起没有应答；我们将从 {retry} 起反复尝试，直到 {deadline}，"
        "之后再试最后一次。",
    },
    State.RUNNING: {
        "en": "Running since {since}, {played} played{of}. If the worker is silent until {deadline}, another goes on.",
        "zh": "自 {since} 起评测中，已完成 {played}{of}。若评测机到 {deadline} 仍无消息，将由另一台接着进行。",
    },
    State.SCORING: {
        "en": "Being scored since {since}. If the worker is silent until {deadline}, another begins.",
        "zh": "自 {since} 起评分中。若评测机到 {deadline} 仍无消息，将由另一台重新评分。",
    },
    State.DONE: {"en": "Done at {since}.", "zh": "已于 {since} 完成。"},
    State.CANCELLED: {"en": "Cancelled at {since}.", "zh": "已于 {since} 取消。"},
    State.VOID: {"en": "Declared void at {since}: {detail}", "zh": "已于 {since} 宣布无效：{detail}"},
}
"""Of each state that needs no reason."""
DONE_IN_VAIN: Sentence = {
    "en": "Done at {since}, but no episode was played to its end.",
    "zh": "已于 {since} 完成，但没有一个回合正常结束。",
}
BOOKED: Sentence = {
    "en": "Waits for the hour that you booked; it begins at {retry}.",
    "zh": "等待您预约的时段，将于 {retry} 开始。",
}
"""Of what is queued for an hour to come."""
PAUSED: Sentence = {
    "en": "Paused since {since}: your {spoken}service lost one episode after the other. It is asked from {retry} on "
    "whether it is ready; if it loses as many again, the run ends.",
    "zh": "自 {since} 起暂停：您的{spoken}服务连续丢失回合。从 {retry} 起将检查其是否就绪；"
    "若再次连续丢失同样多的回合，评测将终止。",
}
"""Of what waits for a service that has lost episodes in a row."""
FAILURES: Mapping[str, Sentence] = {
    "service_lost": {
        "en": "Failed at {since}: your {spoken}service lost one episode after the other, and again after a pause.",
        "zh": "已于 {since} 失败：您的{spoken}服务连续丢失回合，暂停后仍然如此。",
    },
    "service_silent": {
        "en": "Failed at {since}: your {spoken}service had not answered since {unready}.",
        "zh": "已于 {since} 失败：您的{spoken}服务自 {unready} 起一直没有应答。",
    },
    "image_unfit": {
        "en": "Failed at {since}: your image cannot be run: {detail}",
        "zh": "已于 {since} 失败：您的镜像无法运行：{detail}",
    },
    "image_ended": {
        "en": "Failed at {since}: your image ended with exit code {detail}, before the evaluation. Its log says more.",
        "zh": "已于 {since} 失败：评测结束之前，您的镜像以退出码 {detail} 退出。详见其日志。",
    },
    "image_memory": {
        "en": "Failed at {since}: your image needed more than the {detail} GiB of memory that it may have.",
        "zh": "已于 {since} 失败：您的镜像使用的内存超过允许的 {detail} GiB。",
    },
    "image_silent": {
        "en": "Failed at {since}: your image was not ready within {detail} s. Its log says more.",
        "zh": "已于 {since} 失败：您的镜像在 {detail} 秒内未就绪。详见其日志。",
    },
    "too_long": {
        "en": "Failed at {since}: the evaluation took more time than the rules allow; it came to {played}.",
        "zh": "已于 {since} 失败：评测用时超过规则允许的上限；已完成 {played}。",
    },
    "bad_file": {"en": "Failed at {since}: {detail}", "zh": "已于 {since} 失败：{detail}"},
    "not_taken": {
        "en": "Failed at {since} through our fault: no worker took it. It cost you nothing; please submit it again.",
        "zh": "已于 {since} 因我方原因失败：没有评测机处理。不占用您的名额，请重新提交。",
    },
    "crashed": {
        "en": "Failed at {since} through our fault: the evaluation broke off again and again. It cost you nothing, and "
        "the organisers can run it again.",
        "zh": "已于 {since} 因我方原因失败：评测多次中断。不占用您的名额，主办方可以重新运行。",
    },
    "misconfigured": {
        "en": "Failed at {since} through our fault: the evaluation itself is set up wrongly. It cost you nothing, and "
        "the organisers can fix it and run it again.",
        "zh": "已于 {since} 因我方原因失败：评测本身的配置有误。不占用您的名额，主办方可以修正后重新运行。",
    },
}
"""Of a failed submission by `why`."""
FAULTS: Mapping[str, Submission.Fault] = {
    "service_silent": Submission.Fault.PARTICIPANT,
    "service_lost": Submission.Fault.PARTICIPANT,
    **dict.fromkeys(get_args(ImageFault), Submission.Fault.PARTICIPANT),
    "too_long": Submission.Fault.PARTICIPANT,
    "bad_file": Submission.Fault.PARTICIPANT,
    "not_taken": Submission.Fault.OURS,
    "crashed": Submission.Fault.OURS,
    "misconfigured": Submission.Fault.OURS,
}


def sentence(
    submission: Submission, language: Language, *, zone: ZoneInfo, now: datetime, tally: Tally | None = None
) -> str:
    """How it stands with a submission, for its team. `tally`: its episodes so far."""
    counts = tally or Tally()
    told = _state(submission, language, zone, now, counts)
    failed = counts.sentence(language)
    return f"{told}{' ' if language == 'en' else ''}{failed}" if failed else told


def _state(submission: Submission, language: Language, zone: ZoneInfo, now: datetime, counts: Tally) -> str:
    booked = submission.state == State.QUEUED and submission.not_before is not None and submission.not_before > now
    said = FAILURES[submission.why] if submission.state == State.FAILED else SENTENCES[submission.state]
    said = BOOKED if booked else said
    said = PAUSED if submission.state == State.WAITING_SERVICE and submission.breaks else said
    said = DONE_IN_VAIN if submission.state == State.DONE and counts.failures == "all" else said
    total = submission.episodes_total
    return said[language].format(
        since=clock(submission.since, zone, now),
        deadline=clock(submission.deadline, zone, now),
        retry=clock(submission.retry_at, zone, now),
        unready=clock(submission.unready_since, zone, now),
        played=_episodes(counts.played, language),
        of="" if total is None else {"en": f" of {total}", "zh": f"（共 {total} 个）"}[language],
        detail=_detail(submission, language),
        spoken=_protocol_word(submission.protocol, language),
    )


def _episodes(count: int, language: Language) -> str:
    return {"en": f"{count} episode{'' if count == 1 else 's'}", "zh": f"{count} 个回合"}[language]


def _detail(submission: Submission, language: Language) -> str:
    """What an organiser wrote, or a worker said, which is in English."""
    if language == "en" or submission.why not in ("bad_file", "image_unfit"):
        return submission.detail
    return of_packages("nav_eval", "nav_eval_server").translate(submission.detail)


def _protocol_word(protocol: str, language: Language) -> str:
    """Before the word for a service: what we call it by, since a gRPC service called by REST does not answer."""
    name = SPOKEN.get(protocol)
    return "" if name is None else {"en": f"{name} ", "zh": f" {name} "}[language]


def clock(moment: datetime | None, zone: ZoneInfo, now: datetime) -> str:
    """10:02, or 2026-12-01 10:02 if that is another day than `now`."""
    if moment is None:
        return "-"
    there = moment.astimezone(zone)
    return f"{there:%H:%M}" if there.date() == now.astimezone(zone).date() else f"{there:%Y-%m-%d %H:%M}"
