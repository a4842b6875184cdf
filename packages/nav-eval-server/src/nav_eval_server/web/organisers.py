"""Pages of the organisers; to everybody else they are not there."""

from __future__ import annotations

from functools import wraps

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from nav_eval_server import events
from nav_eval_server.board import decisions
from nav_eval_server.models import Event, Submission, Team
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.health import health
from nav_eval_server.queue.phases import phases
from nav_eval_server.settings import current
from nav_eval_server.web import roster
from nav_eval_server.web.teams import View, person, refusals, stand

PER_PAGE = 50


def organiser(view: View) -> View:
    @wraps(view)
    def asked(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        if not person(request).is_staff:
            raise Http404
        return view(request, *args, **named)

    return asked


@organiser
def home(request: HttpRequest) -> HttpResponse:
    """Health first, then who waits for a decision, then the newest submissions."""
    now = timezone.now()
    entries = Paginator(Submission.objects.select_related("team").order_by("-accepted_at"), PER_PAGE)
    page = entries.get_page(request.GET.get("page"))
    teams = Team.objects.annotate(people=Count("members", distinct=True), sent=Count("submissions", distinct=True))
    told = {
        "health": health(now),
        "pending": teams.filter(state=Team.State.PENDING).order_by("created_at"),
        "teams": teams.exclude(state=Team.State.PENDING).order_by("name"),
        "phases": phases(current(), now),
        "page": page,
        "entries": [stand(entry, now) for entry in page],
    }
    return render(request, "organiser.html", told)


@require_POST
@organiser
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    state = request.POST.get("state", "")
    if state not in (Team.State.APPROVED, Team.State.BLOCKED):
        raise Http404
    roster.decide(get_object_or_404(Team, pk=pk), Team.State(state), person(request))
    return redirect("organiser")


@require_POST
@organiser
def close(request: HttpRequest, phase: str) -> HttpResponse:
    """Before its time; what has been accepted is still evaluated."""
    if phase not in current().phases:
        raise Http404
    decisions.close(phase, person(request).username, timezone.now())
    return redirect("organiser")


@require_POST
@organiser
def reveal(request: HttpRequest, phase: str) -> HttpResponse:
    """The final board, to everybody."""
    with refusals(request):
        decisions.reveal(current(), phase, person(request).username, timezone.now())
        return redirect("board", phase)
    return redirect("organiser")


@require_POST
@organiser
def rerun(request: HttpRequest, key: str) -> HttpResponse:
    with refusals(request):
        Dispatcher(current()).rerun(get_object_or_404(Submission, pk=key), person(request).username)
    return redirect("submission", key)


@require_POST
@organiser
def void(request: HttpRequest, key: str) -> HttpResponse:
    """With a reason, which its team reads."""
    found, reason = get_object_or_404(Submission, pk=key), request.POST.get("reason", "").strip()
    if not reason:
        messages.error(request, _("Say why: the team reads it."))
    elif found.state != Submission.State.VOID:
        Dispatcher(current()).void(found, reason, person(request).username)
    return redirect("submission", key)


@organiser
def log(request: HttpRequest) -> HttpResponse:
    """The audit log, newest first, and whether its chain holds."""
    page = Paginator(Event.objects.order_by("-pk"), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "events.html", {"page": page, "broken": events.broken()})
