"""Pages of the organisers; to everybody else they are not there."""

from __future__ import annotations

from datetime import datetime
from functools import wraps

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from nav_eval_server import appeals, events, privacy, second_factor
from nav_eval_server.archive import publishing
from nav_eval_server.archive.backups import LAST
from nav_eval_server.board import decisions
from nav_eval_server.models import Appeal, Event, Mark, Submission, Team, User
from nav_eval_server.notices import outbox
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.health import health
from nav_eval_server.queue.phases import phases
from nav_eval_server.settings import current
from nav_eval_server.web import people as accounts
from nav_eval_server.web import roster
from nav_eval_server.web.teams import View, person, refusals, stand

PER_PAGE = 50


def organiser(view: View) -> View:
    @wraps(view)
    def checked(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        if not person(request).is_staff:
            raise Http404
        return view(request, *args, **named)

    return checked


@organiser
def home(request: HttpRequest) -> HttpResponse:
    """Health first, then who waits for a decision, then the newest submissions."""
    now = timezone.now()
    entries = Paginator(Submission.objects.select_related("team").order_by("-accepted_at"), PER_PAGE)
    page = entries.get_page(request.GET.get("page"))
    teams = Team.objects.annotate(people=Count("members", distinct=True), sent=Count("submissions", distinct=True))
    told = {
        "health": health(now),
        "signup": request.build_absolute_uri(reverse("signup")),
        "backup": _age(now),
        "pending": teams.filter(state=Team.State.PENDING).order_by("created_at"),
        "teams": teams.exclude(state=Team.State.PENDING).order_by("name"),
        "roles": Team.Role.values,
        "phases": [(phase, decisions.board_state(current(), phase.name)) for phase in phases(current(), now)],
        "appeals": Appeal.objects.filter(state=Appeal.State.OPEN).select_related("submission__team").order_by("pk"),
        "notices": outbox.standing(current()),
        "page": page,
        "entries": [stand(entry, now) for entry in page],
    }
    return render(request, "organiser.html", told)


def _age(now: datetime) -> float | None:
    """Seconds since the last backup."""
    last = Mark.objects.filter(name=LAST).first()
    return (now - last.at).total_seconds() if last and last.at else None


@require_POST
@organiser
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    state = request.POST.get("state", "")
    if state not in (Team.State.APPROVED, Team.State.BLOCKED):
        raise Http404
    roster.decide(current(), get_object_or_404(Team, pk=pk), Team.State(state), person(request))
    return redirect("organiser")


@require_POST
@organiser
def assign(request: HttpRequest, pk: int) -> HttpResponse:
    """Whether a team takes part, or is a baseline or an oracle of ours."""
    role = request.POST.get("role", "")
    if role not in Team.Role.values:
        raise Http404
    roster.assign(get_object_or_404(Team, pk=pk), Team.Role(role), person(request))
    return redirect("organiser")


@require_POST
@organiser
def close(request: HttpRequest, phase: str) -> HttpResponse:
    """Before its time; what has been accepted is still evaluated. Where nothing is left, it is frozen."""
    if phase not in current().phases:
        raise Http404
    publishing.freeze(current(), phase, timezone.now(), person(request).username)
    return redirect("organiser")


@require_POST
@organiser
def reveal(request: HttpRequest, phase: str) -> HttpResponse:
    """The final board, to everybody; the phase is frozen with it."""
    with refusals(request):
        publishing.reveal(current(), phase, timezone.now(), person(request).username)
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


@require_POST
@organiser
def judge(request: HttpRequest, pk: int) -> HttpResponse:
    """An answer to an appeal; with a decision other than `open`, its end."""
    found, state = get_object_or_404(Appeal, pk=pk), request.POST.get("decision", "")
    if state not in Appeal.State.values:
        raise Http404
    text, now = request.POST.get("text", ""), timezone.now()
    with refusals(request):
        if state == Appeal.State.OPEN:
            appeals.say(current(), found, text, person(request), now, organiser=True)
        else:
            appeals.decide(current(), found, Appeal.State(state), text, person(request), now)
    return redirect(reverse("submission", args=[found.submission_id]) + "#appeals")


@organiser
def log(request: HttpRequest) -> HttpResponse:
    """The audit log, newest first, and whether its chain holds."""
    page = Paginator(Event.objects.order_by("-pk"), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "events.html", {"page": page, "broken": events.broken()})


@organiser
def people(request: HttpRequest) -> HttpResponse:
    """Everybody with an account, and what to do for them."""
    wanted = request.GET.get("q", "").strip()[:100]
    rows = User.objects.prefetch_related("teams").order_by("-is_staff", "username")
    if wanted:
        rows = rows.filter(Q(username__icontains=wanted) | Q(email__icontains=wanted))
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "people.html", {"page": page, "wanted": wanted})


@require_POST
@organiser
def password_link(request: HttpRequest, pk: int) -> HttpResponse:
    """An address for one new password, to be handed over by whoever knows the person."""
    found = get_object_or_404(User, pk=pk, is_active=True)
    events.record("password_link", found.username, actor=person(request).username)
    return render(request, "link.html", {"found": found, "link": accounts.link(request, found)})


@require_POST
@organiser
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Take away another's second factor, whose app and recovery codes are lost."""
    found = get_object_or_404(User.objects.exclude(pk=person(request).pk), pk=pk)
    if found.sealed_totp:
        second_factor.disable(found, person(request).username)
    return redirect("people")


@organiser
def export(request: HttpRequest, pk: int) -> HttpResponse:
    return accounts.exported(get_object_or_404(User, pk=pk))


@require_POST
@organiser
def erase(request: HttpRequest, pk: int) -> HttpResponse:
    """Once the name has been typed, so that it is not the wrong person."""
    found = get_object_or_404(User.objects.exclude(pk=person(request).pk), pk=pk)
    if request.POST.get("name") != found.username:
        messages.error(request, _("Type the name of the person to erase."))
        return redirect("people")
    with refusals(request):
        privacy.erase(current(), found, person(request).username)
    return redirect("people")
