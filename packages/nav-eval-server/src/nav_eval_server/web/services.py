"""A team's services: saved with the token sealed, and asked whether they are ready, few at a time."""

from __future__ import annotations

import threading
from typing import cast

from django.utils import timezone

from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Endpoint, Team
from nav_eval_server.queue.probe import Protocol, ask
from nav_eval_server.vault import Vault

ASKING = threading.BoundedSemaphore(3)
"""A probe keeps a thread of the web for seconds: the others are for everybody else."""


def save(challenge: Challenge, team: Team, name: str, protocol: str, url: str, token: str) -> Endpoint:
    """A new one, or in place of the one of that name; an empty token leaves out authentication."""
    sealed = Vault(Folder(challenge.folder)).seal(token)
    told = {"protocol": protocol, "url": url, "sealed_token": sealed, "probe": "", "probed_at": None}
    return Endpoint.objects.update_or_create(team=team, name=name, defaults=told)[0]


def try_out(challenge: Challenge, endpoint: Endpoint) -> bool:
    """Note what a probe says; False if too many are being asked just now."""
    if not ASKING.acquire(blocking=False):
        return False
    try:
        rules = challenge.endpoints
        token = Vault(Folder(challenge.folder)).open(endpoint.sealed_token)
        protocol = cast("Protocol", endpoint.protocol)
        said = ask(endpoint.url, protocol, token, rules.allowed_networks, rules.probe_seconds)
    finally:
        ASKING.release()
    Endpoint.objects.filter(pk=endpoint.pk, url=endpoint.url).update(probe=said, probed_at=timezone.now())
    return True
