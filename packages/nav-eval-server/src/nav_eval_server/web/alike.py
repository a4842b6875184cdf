"""What all who are not logged in see alike is made every few seconds, and not for each of them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, TypeVar, cast

from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import get_language

Kept = TypeVar("Kept")
SECONDS = 5.0
"""So old may a spectator's page be, twice that while it is made anew, and an entry's as much more, whose board is kept
too."""
_LOCKS: defaultdict[tuple[str, ...], Lock] = defaultdict(Lock)
"""Of each page, so that one that takes long holds up no other."""
_KEPT: dict[tuple[str, ...], tuple[float, Any]] = {}
"""What it is -> until when it may be shown, and it."""


def page(request: HttpRequest, template: str, subject: str, told: Callable[[], Mapping[str, Any]]) -> HttpResponse:
    """A page without forms of the reader's own. `told` is asked for what stands in it when it is made anew."""
    if request.user.is_authenticated or get_messages(request):
        return render(request, template, {**told()})
    key = (template, subject, get_language() or "")
    return HttpResponse(kept(key, lambda: render_to_string(template, {**told()}, request)))


def kept(key: tuple[str, ...], make: Callable[[], Kept]) -> Kept:
    """What `make` made not long ago; while one reader waits for the next, others have the last."""
    until, made = _KEPT.get(key, (-SECONDS, None))
    now = time.monotonic()
    lock = _LOCKS[key]
    if now >= until and lock.acquire(blocking=now >= until + SECONDS):
        try:
            made = _make_once(key, make)
        finally:
            lock.release()
            if key not in _KEPT:
                _LOCKS.pop(key, None)  # there is no such page
    return cast(Kept, made)


def _make_once(key: tuple[str, ...], make: Callable[[], Kept]) -> Kept:
    """By another reader, while this one waited for the lock, or now."""
    until, made = _KEPT.get(key, (0.0, None))
    if time.monotonic() >= until:
        made = make()
        _forget(time.monotonic())
        _KEPT[key] = (time.monotonic() + SECONDS, made)
    return cast(Kept, made)


def _forget(now: float) -> None:
    """What is too old to be shown, and nobody makes anew."""
    for key, lock in list(_LOCKS.items()):
        if not lock.locked() and _KEPT.get(key, (0.0, ""))[0] + SECONDS < now:
            _KEPT.pop(key, None)
            _LOCKS.pop(key, None)
