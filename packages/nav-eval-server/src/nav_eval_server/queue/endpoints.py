"""A team's services. It asks whether one can be reached from here; the answer and its time stay with the endpoint."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Literal, cast
from zoneinfo import ZoneInfo

from nav_eval.errors import InputError
from nav_eval_sdk.transport.address import is_public
from nav_eval_sdk.transport.base import TOKEN
from nav_eval_sdk.transport.base import Endpoint as Place
from nav_eval_sdk.transport.probe import Answer
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Endpoint, Submission, Team
from nav_eval_server.queue.probe import LOOPBACK, MAX_REPLICAS, WRITTEN, Protocol, ask, fits, lets, listed, replicas
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import SPOKEN, Language, Sentence, clock
from nav_eval_server.vault import Vault
from nav_eval_server.visible import visible

AT_ONCE = 2
"""Questions at a time in a process: each holds one of the web's four threads for some seconds."""
BETWEEN = timedelta(seconds=10)
"""Two questions to an endpoint."""
MAX_SERVICES = 20
"""Services of a team."""
SENTENCES: dict[Answer | Literal[""], Sentence] = {
    "": {"en": "Not asked yet.", "zh": "尚未检查。"},
    "ready": {"en": "Ready at {at}.", "zh": "{at} 检查：就绪。"},
    "refused": {
        "en": "No ready {spoken} service was found there at {at}. Does it run and speak {spoken}, can it be reached "
        "from outside, and do the rules let services lie there?",
        "zh": "{at} 检查：没有找到就绪的 {spoken} 服务。它在运行吗？用的是 {spoken} 吗？能从外部访问吗？"
        "地址在规则允许的范围内吗？",
    },
    "wrong token": {"en": "At {at} the service refused our token.", "zh": "{at} 检查：服务拒绝了我们的令牌。"},
}
PARTLY: Sentence = {
    "en": "{ready} of {all} ready at {at}, not {away}.",
    "zh": "{at} 检查：{all} 个地址中 {ready} 个就绪，未就绪：{away}。",
}
"""Of several addresses."""
BEST_FIRST: tuple[Answer, ...] = ("ready", "wrong token", "refused")
JOINED: dict[Answer | Literal[""], Sentence] = {
    "ready": {"en": "Here since {at}.", "zh": "{at} 起已连接。"},
    "refused": {
        "en": "Not here since {at}. Run nav-eval-agent join on your machine.",
        "zh": "{at} 起未连接。请在您的机器上运行 nav-eval-agent join。",
    },
}
"""Of a service that calls us."""
OPEN_TO_ALL: Sentence = {
    "en": " It asks for no token: a rival could enter it as its own. Serve it with --token-file and save it again.",
    "zh": "该服务没有令牌，对手可能将其作为自己的服务提交。请用 --token-file 启动服务，并重新保存。",
}
KEPT: dict[Answer | Literal[""], Sentence] = {
    "ready": {"en": "An image, kept since {at}.", "zh": "镜像，{at} 起保存。"}
}
SAID = {"join": JOINED, "image": KEPT}
"""Of what we do not call."""
_asking = threading.BoundedSemaphore(AT_ONCE)


def save(challenge: Challenge, team: Team, *, name: str, protocol: Protocol, url: str, token: str) -> Endpoint:
    """A new service, or in place of the team's of that name; its token is sealed. Raises InputError and Refusal."""
    name, token = visible(name), checked_token(token)
    url = _checked_addresses(challenge, url, protocol)
    check_name(team, name, "rest", "grpc")
    if Endpoint.objects.filter(team=team).exclude(name=name).count() >= MAX_SERVICES:
        raise Refusal(
            "too_many",
            f"A team has {MAX_SERVICES} services at most. Remove one.",
            f"最多 {MAX_SERVICES} 个服务，请先删除一个。",
        )
    sealed = Vault(Folder(challenge.folder)).seal(token)
    asked = {"probe": "", "probed_at": None, "machine": "", "away": ""}
    told = {"protocol": protocol, "url": url, "sealed_token": sealed} | asked
    return Endpoint.objects.update_or_create(team=team, name=name, defaults=told)[0]


def _checked_addresses(challenge: Challenge, urls: str, protocol: Protocol) -> str:
    """As they are kept, with a blank between two. Raises InputError and Refusal."""
    places = replicas(urls)
    if not fits(urls, protocol):
        raise InputError(WRITTEN)
    if len(places) > MAX_REPLICAS:
        raise Refusal(
            "too_many", f"A service has {MAX_REPLICAS} addresses at most.", f"一个服务最多 {MAX_REPLICAS} 个地址。"
        )
    if len(set(places)) < len(places):
        raise Refusal("address", "Name each address once.", "每个地址只能写一次。")
    if len(places) > 1:
        _check_allowed(challenge, places)
    return " ".join(listed(urls))


def _check_allowed(challenge: Challenge, places: list[Place]) -> None:
    """Of one alone its question says so; among several that are ready nobody would see it. Raises Refusal."""
    for where in places:
        if not lets(challenge.endpoints.networks, where):
            raise Refusal(
                "address",
                f"The rules let no service lie at {where.address}. Leave it out.",
                f"规则不允许服务位于 {where.address}，请将其去掉。",
            )


def check_name(team: Team, name: str, *protocols: str) -> None:
    """Raises Refusal where it is that of another kind of service, which would be lost."""
    if Endpoint.objects.filter(team=team, name=name).exclude(protocol__in=protocols).exists():
        raise Refusal(
            "name",
            "A service of another kind has this name. Choose another name, or remove that one.",
            "已有其他类型的服务使用此名称。请换一个名称，或先删除该服务。",
        )


def checked_token(token: str) -> str:
    """Raises InputError for what no header can carry."""
    if token and not TOKEN.fullmatch(token):
        raise InputError("A service's token must be printable ASCII on one line, because a header carries it.")
    return token


def check(challenge: Challenge, endpoint: Endpoint, now: datetime) -> Answer:
    """Ask now, and keep the answer. Raises Refusal where it was asked just before, or too many are being asked.

    Of a service that calls us the answer is known: it is here or not. An image is kept.
    """
    if endpoint.protocol in SAID:
        return cast(Answer, Endpoint.objects.values_list("probe", flat=True).get(pk=endpoint.pk))
    if not _asking.acquire(blocking=False):
        raise Refusal(
            "busy", "Other services are being checked. Try again in a few seconds.", "正在检查其他服务，请几秒后再试。"
        )
    try:
        if not Endpoint.objects.filter(pk=endpoint.pk).exclude(probed_at__gt=now - BETWEEN).update(probed_at=now):
            raise Refusal("too_soon", "It was asked a moment ago. Wait ten seconds.", "刚刚检查过，请等待十秒。")
        token = Vault(Folder(challenge.folder)).open(endpoint.sealed_token)
        rules = challenge.endpoints
        protocol = cast(Protocol, endpoint.protocol)
        found = ask(replicas(endpoint.url), protocol, token, rules.networks, rules.probe_seconds)
    finally:
        _asking.release()
    answer = min((one.answer for one in found), key=BEST_FIRST.index)
    away = [url for url, one in zip(listed(endpoint.url), found, strict=True) if one.answer != "ready"]
    told = {"probe": answer, "machine": ",".join(one.machine for one in found)}
    as_asked = {"url": endpoint.url, "protocol": endpoint.protocol, "sealed_token": endpoint.sealed_token}
    same = Endpoint.objects.filter(pk=endpoint.pk, **as_asked)  # it may have been saved anew meanwhile
    same.update(**told, away=" ".join(away) if answer == "ready" else "")
    return answer


def played(submission: Submission, now: datetime) -> None:
    """Episodes were played with its service, which is ready; of replicas that does not say which."""
    asked = Endpoint.objects.filter(team=submission.team_id, protocol=submission.protocol, url=submission.url)
    asked.exclude(protocol__in=SAID).exclude(url__contains=" ").update(probe="ready", probed_at=now)


def sentence(endpoint: Endpoint, language: Language, *, zone: ZoneInfo, now: datetime) -> str:
    """What the last question found out."""
    said = SAID.get(endpoint.protocol, SENTENCES)[cast(Answer, endpoint.probe)]
    every, away = listed(endpoint.url), listed(endpoint.away)
    told = (PARTLY if away else said)[language].format(
        at=clock(endpoint.probed_at, zone, now),
        spoken=SPOKEN.get(endpoint.protocol),
        ready=len(every) - len(away),
        all=len(every),
        away=", ".join(away),
    )
    open_to_all = endpoint.probe == "ready" and endpoint.protocol not in SAID and not endpoint.sealed_token
    return told + OPEN_TO_ALL[language] if open_to_all else told


def key(endpoint: Endpoint) -> str | None:
    """A word for each address, the same for whatever leads there: of two submissions that share one, one plays at a
    time.

    None for an image: each run has a container of its own. Behind one public address a gateway may have many services,
    which their names tell apart.
    """
    if endpoint.protocol == "image":
        return None
    if endpoint.protocol == "join":
        return f"join:{endpoint.team_id}"
    here = replicas(present(endpoint))
    return " ".join(sorted({_host_and_port(where, _inner(at)) for where, at in _replicas(endpoint) if where in here}))


def present(endpoint: Endpoint) -> str:
    """Its addresses, without those that were away while others were ready: what is not played holds up nobody."""
    away = listed(endpoint.away)
    return " ".join(url for url in listed(endpoint.url) if url not in away)


def _host_and_port(where: Place, machine: str = "") -> str:
    return f"{machine or where.host.lower()}:{where.port}"


def _replicas(endpoint: Endpoint) -> Iterator[tuple[Place, str]]:
    """Each with the machine that its name led to, "" where that is unknown."""
    places, machines = replicas(endpoint.url), endpoint.machine.split(",")
    yield from zip(places, [*machines, *("" for _ in places)], strict=False)


def _inner(machine: str) -> str:
    """As it is, but "" for one in the open internet."""
    return "" if machine not in ("", LOOPBACK) and is_public(ip_address(machine)) else machine


def shared_machines() -> list[tuple[str, list[Endpoint]]]:
    """Those that services of several teams are on, whatever their port: one team may have two accounts."""
    rows = Endpoint.objects.exclude(protocol__in=SAID).select_related("team").order_by("team__name", "pk")
    lie = [(one, where.host.lower(), machine) for one in rows for where, machine in _replicas(one)]
    known = {host: machine for _, host, machine in lie if machine}
    found = defaultdict[str, dict[int, Endpoint]](dict)
    for one, host, machine in lie:
        found[machine or known.get(host, host)][one.pk] = one
    shared = {machine: [*some.values()] for machine, some in found.items()}
    return [(machine, some) for machine, some in shared.items() if len({one.team_id for one in some}) > 1]
