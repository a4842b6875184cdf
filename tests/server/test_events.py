"""The audit log cannot be changed without a trace."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nav_eval_server import events
from nav_eval_server.models import Event
from server.conftest import Make


@pytest.fixture
def logged(make: Make) -> list[int]:
    make()
    for n in range(5):
        events.record("void", f"s{n}", actor="ada", reason="because", n=n)
    return list(Event.objects.order_by("pk").values_list("pk", flat=True))


def test_an_untouched_log_holds(logged: list[int]) -> None:
    assert events.broken() is None


@pytest.mark.parametrize(
    "tamper",
    [
        lambda pk: Event.objects.filter(pk=pk).update(actor="bob"),
        lambda pk: Event.objects.filter(pk=pk).update(details={"reason": "another", "n": 2}),
        lambda pk: Event.objects.filter(pk=pk).delete(),
    ],
    ids=["actor", "details", "deleted"],
)
def test_what_was_changed_or_taken_out_is_found(logged: list[int], tamper: Callable[[int], object]) -> None:
    tamper(logged[2])
    assert events.broken() in (logged[2], logged[3])
