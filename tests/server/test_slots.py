"""Booked hours: who may book, whom a worker is given before, in and after one, and what is kept free meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Endpoint, Slot, Submission, Team
from nav_eval_server.queue import slots
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import State, sentence
from server.boards import team, worker
from server.competition import phase
from server.conftest import Make
from server.crowd import crowd

MONDAY = datetime(2026, 6, 1, tzinfo=UTC)
RULES = {"per_week": 4, "days_ahead": 14, "places": 1, "lead_minutes": 30, "grace_minutes": 10}


def at(hour: float, minute: float = 0) -> datetime:
    return MONDAY + timedelta(hours=hour, minutes=minute)


def competition(make: Make, **rules: Any) -> tuple[Challenge, Dispatcher, SimpleNamespace]:
    """With a clock of the test's own."""
    challenge, clock = make(phases={"dev": phase()}, slots=RULES | rules), SimpleNamespace(now=at(8))
    return challenge, Dispatcher(challenge, lambda: clock.now), clock


def submit(dispatcher: Dispatcher, owner: Team, **more: Any) -> Submission:
    endpoint, _ = Endpoint.objects.get_or_create(team=owner, name="a", protocol="rest", url=f"127.0.0.1:{owner.pk}")
    return dispatcher.submit(owner, "dev", endpoint=endpoint, **more)


def claimed(dispatcher: Dispatcher) -> str | None:
    found = dispatcher.claim(worker(), "i")
    return None if found is None else Submission.objects.get(pk=found.submission).team.name


@pytest.mark.parametrize(
    ("minute", "comes", "expected"),
    [
        (-31, True, "other"),  # before the lead
        (-29, True, None),  # kept for the hour to come
        (5, False, None),  # nothing submitted yet, within the grace
        (11, False, "other"),  # nothing submitted, and the grace is over
        (61, False, "other"),  # the hour is over
    ],
)
def test_a_place_is_kept_from_the_lead_to_the_grace(make: Make, minute: int, comes: bool, expected: str | None) -> None:
    challenge, dispatcher, clock = competition(make)
    slots.book(challenge, team("booker"), at(10), 1, "x", clock.now)
    submit(dispatcher, team("other"))
    if comes:
        submit(dispatcher, team("booker"), not_before=at(10))
    clock.now = at(10, minute)
    assert claimed(dispatcher) == expected


def test_other_places_are_not_kept(make: Make) -> None:
    challenge, dispatcher, clock = competition(make, places=2)
    slots.book(challenge, team("booker"), at(10), 1, "x", clock.now)
    for name in ("one", "two"):
        submit(dispatcher, team(name))
        clock.now += timedelta(seconds=1)
    clock.now = at(9, 45)
    assert [claimed(dispatcher), claimed(dispatcher)] == ["one", None]
    clock.now = at(10, 1)
    submit(dispatcher, team("booker"))
    assert claimed(dispatcher) == "booker"  # though it came last


def test_what_waits_for_its_hour_is_not_asked_before(make: Make) -> None:
    challenge, dispatcher, clock = competition(make)
    (slot,) = slots.book(challenge, team("booker"), at(10), 1, "x", clock.now)
    made = submit(dispatcher, team("booker"), not_before=at(10))
    told = sentence(Submission.objects.get(), "en", zone=challenge.zone, now=clock.now)
    assert told == "Waits for the hour that you booked; it begins at 10:00."
    clock.now = at(9, 59)
    assert claimed(dispatcher) is None
    clock.now = at(9, 59.5)
    slots.give_back(slot, "x", clock.now)
    assert claimed(dispatcher) == "booker"
    assert Submission.objects.get(pk=made.pk).state == State.RUNNING
    with pytest.raises(Refusal, match="has not booked"):
        submit(dispatcher, team("booker"), not_before=at(11))


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refused:
        call()
    return refused.value.code


def test_bounds(make: Make) -> None:
    challenge, _, clock = competition(make)
    one, other = team("one"), team("other")

    def book(owner: Team, begins: datetime, hours: int = 1) -> object:
        return slots.book(challenge, owner, begins, hours, "x", clock.now)

    book(one, at(10), 2)
    assert refusal(lambda: book(other, at(9), 2)) == "slot_taken"
    assert [slot.team.name for slot in Slot.objects.all()] == ["one", "one"]  # all or none
    book(one, at(20), 2)
    assert refusal(lambda: book(one, at(30))) == "slot_week"
    book(one, at(7 * 24 + 1))  # the next week
    assert refusal(lambda: book(other, at(8))) == refusal(lambda: book(other, at(15 * 24))) == "slot_far"
    wrong = [(at(9, 30), 1), (at(9), 0), (at(9), 13)]
    assert [refusal(lambda case=case: book(other, *case)) for case in wrong] == ["slot"] * 3
    Team.objects.filter(pk=other.pk).update(state=Team.State.BLOCKED)
    assert refusal(lambda: book(other, at(9))) == "not_approved"
    clock.now = at(10, 1)
    assert refusal(lambda: slots.give_back(Slot.objects.earliest("begins"), "x", clock.now)) == "slot_begun"
    hours = slots.free_hours(challenge, clock.now)
    assert at(11) not in hours
    assert {at(12), at(14 * 24 + 10)} <= set(hours)
    assert max(hours) <= clock.now + timedelta(days=14)


def test_an_hour_that_many_want_at_once_has_one_taker(make: Make) -> None:
    challenge, _, clock = competition(make)
    owners = [team(f"t{n}") for n in range(8)]

    def book(owner: Team) -> bool:
        try:
            return bool(slots.book(challenge, owner, at(10), 1, "x", clock.now))
        except Refusal:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(book, owners)) == 1


def test_on_the_page(make: Make) -> None:
    full = crowd(make(phases={"dev": phase(), "hidden": phase() | {"board": "private"}}, slots=RULES))
    member, other = full.visitor("member"), full.visitor("other")
    hour = slots.free_hours(full.challenge, timezone.now())[0].isoformat()
    assert f'value="{hour}"' in member.get(reverse("team")).content.decode()
    member.post(reverse("book"), {"begins": hour, "hours": "1"})
    slot = Slot.objects.get()
    taken = other.post(reverse("book"), {"begins": hour, "hours": "1"}, follow=True)
    assert "is taken already" in taken.content.decode()
    form = {"phase": "dev", "endpoint": Endpoint.objects.get().pk, "hour": hour}
    page = member.post(reverse("submit"), form, follow=True).content.decode()
    assert "Waits for the hour that you booked" in page
    assert other.post(reverse("give_back", args=[slot.pk])).status_code == 404
    member.post(reverse("give_back", args=[slot.pk]))
    assert not Slot.objects.exists()
