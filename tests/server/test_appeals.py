"""Appeals: what a team may say, who reads it, and what each decision does."""

from __future__ import annotations

import pytest
from django.urls import reverse

from nav_eval_server import appeals, events
from nav_eval_server.models import Appeal, Event, Submission
from nav_eval_server.queue.states import State
from server.crowd import Crowd

WHY = "Our machine lost its power at 10:02; <b>the log</b> is with you."
ANSWER = "We saw it too."


def page(full: Crowd, who: str, state: str) -> str:
    return full.visitor(who).get(reverse("submission", args=[full.mine[state].pk])).content.decode()


def write(full: Crowd, state: str, text: str = WHY) -> None:
    full.visitor("member").post(reverse("appeal", args=[full.mine[state].pk]), {"text": text})


def decide(full: Crowd, decision: str, text: str = ANSWER) -> None:
    pk = Appeal.objects.latest("pk").pk
    full.visitor("organiser").post(reverse("judge", args=[pk]), {"decision": decision, "text": text})


@pytest.mark.parametrize(
    ("state", "decision", "then"),
    [
        ("done", "stands", State.DONE),
        ("failed", "rerun", State.QUEUED),
        ("done", "rerun", State.VOID),
        ("done", "place", State.DONE),
        ("done", "void", State.VOID),
    ],
)
def test_appeal_answer_decision(full: Crowd, state: str, decision: str, then: State) -> None:
    write(full, state)
    assert full.mine[state].pk in full.visitor("organiser").get(reverse("organiser")).content.decode()
    for who in ("member", "organiser"):
        assert "&lt;b&gt;the log&lt;/b&gt;" in page(full, who, state)
    decide(full, "open", "Which log do you mean?")
    write(full, state, "The one of the worker.")
    decide(full, decision)
    assert Submission.objects.get(pk=full.mine[state].pk).state == then
    told = page(full, "member", state)
    places = [told.rindex(text) for text in ("10:02", "Which log", "The one of the worker.", ANSWER)]
    assert places == sorted(places)
    assert "(<bdi>organiser" not in told
    actions = list(Event.objects.filter(action__startswith="appeal").order_by("pk").values_list("action", flat=True))
    assert actions == ["appealed", "appeal_answered", "appeal_added", f"appeal_{decision}"]
    mine = [*full.mine["done"].decisions.values_list("kind", flat=True)]
    assert mine == ({"place": ["give_back"], "stands": []}.get(decision, [decision]) if state == "done" else [])
    assert not any(WHY[:20] in str(row.details) for row in Event.objects.all())
    assert events.broken() is None


def test_nobody_else_reads_or_writes(full: Crowd) -> None:
    write(full, "done")
    pk = Appeal.objects.get().pk
    for who in ("other", "nobody"):
        client = full.visitor(who)
        client.post(reverse("appeal", args=[full.mine["done"].pk]), {"text": "x"})
        client.post(reverse("judge", args=[pk]), {"decision": "void", "text": "x"})
    full.visitor("member").post(reverse("judge", args=[pk]), {"decision": "void", "text": "x"})
    assert Appeal.objects.get().words.count() == 1
    assert Submission.objects.get(pk=full.mine["done"].pk).state == State.DONE


@pytest.mark.parametrize("state", ["running", "queued", "cancelled"])
def test_only_what_has_ended_is_appealed(full: Crowd, state: str) -> None:
    write(full, state)
    assert not Appeal.objects.exists()


def test_bounds(full: Crowd) -> None:
    """One open at a time, a few in all, so many words, each so long; none without reasons or after the decision."""
    write(full, "done", "  ")
    assert not Appeal.objects.exists()
    for _ in range(appeals.MAX_WORDS + 2):
        write(full, "done", "x" * 3000)
    assert Appeal.objects.count() == 1
    assert [len(word.text) for word in Appeal.objects.get().words.all()] == [appeals.LONGEST] * appeals.MAX_WORDS
    decide(full, "stands", " ")
    assert Appeal.objects.get().state == Appeal.State.OPEN
    for _ in range(appeals.MAX_APPEALS + 1):
        decide(full, "stands")
        decide(full, "void")
        write(full, "done")
    assert Appeal.objects.count() == appeals.MAX_APPEALS
    assert Submission.objects.get(pk=full.mine["done"].pk).state == State.DONE


def test_what_cannot_be_run_again_leaves_the_appeal_open(full: Crowd) -> None:
    """A new run of it is under way."""
    write(full, "done")
    decide(full, "rerun")
    assert Appeal.objects.get().state == Appeal.State.RERUN
    write(full, "done", "Once more.")
    decide(full, "rerun")
    again = Appeal.objects.latest("pk")
    assert (again.state, again.words.count()) == (Appeal.State.OPEN, 1)
    assert Submission.objects.filter(reruns=full.mine["done"]).count() == 1
