"""A team asks whether its service can be reached from here; the answer and its time stay with the endpoint."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Literal, cast
from zoneinfo import ZoneInfo

from nav_eval_sdk.transport.probe import Answer
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Endpoint
from nav_eval_server.queue.probe import Protocol, ask
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import Language, Sentence, clock
from nav_eval_server.vault import Vault

AT_ONCE = 3
"""Questions at a time in a process: each holds one of the web's threads for some seconds."""
BETWEEN = timedelta(seconds=10)
"""Two questions to an endpoint."""
SENTENCES: dict[Answer | Literal[""], Sentence] = {
    "": {"en": "Not asked yet.", "zh": "尚未检查。"},
    "ready": {"en": "Ready at {at}.", "zh": "{at} 检查：就绪。"},
    "refused": {
        "en": "No ready service was found there at {at}. Is it running, and reachable from outside?",
        "zh": "{at} 检查：没有找到就绪的服务。它在运行吗？能从外部访问吗？",
    },
    "wrong token": {"en": "At {at} the service refused our token.", "zh": "{at} 检查：服务拒绝了我们的令牌。"},
}
_asking = threading.BoundedSemaphore(AT_ONCE)


def check(challenge: Challenge, endpoint: Endpoint, now: datetime) -> Answer:
    """Ask now, and keep the answer. Raises Refusal where it was asked just before, or too many are being asked."""
    if not _asking.acquire(blocking=False):
        raise Refusal("busy", "Others are asking. Try again in a few seconds.", "正在检查其他服务，请几秒后再试。")
    try:
        if not Endpoint.objects.filter(pk=endpoint.pk).exclude(probed_at__gt=now - BETWEEN).update(probed_at=now):
            raise Refusal("too_soon", "It was asked a moment ago. Wait ten seconds.", "刚刚检查过，请等待十秒。")
        token = Vault(Folder(challenge.folder)).open(endpoint.sealed_token)
        rules = challenge.endpoints
        protocol = cast(Protocol, endpoint.protocol)
        answer = ask(endpoint.url, protocol, token, rules.allowed_networks, rules.probe_seconds)
    finally:
        _asking.release()
    Endpoint.objects.filter(pk=endpoint.pk).update(probe=answer)
    return answer


def sentence(endpoint: Endpoint, language: Language, *, zone: ZoneInfo, now: datetime) -> str:
    """What the last question found out."""
    said = SENTENCES[cast(Answer, endpoint.probe)]
    return said[language].format(at=clock(endpoint.probed_at, zone, now))
