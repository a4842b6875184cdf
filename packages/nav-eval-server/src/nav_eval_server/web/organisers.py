"""Pages of the organisers; to everybody else they are not there."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import datetime
from functools import wraps

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from nav_eval_server import appeals, events, merging, organising, privacy, second_factor
from nav_eval_server.archive import publishing
from nav_eval_server.archive.backups import LAST
from nav_eval_server.board import decisions
from nav_eval_server.challenge import FOREVER
from nav_eval_server.models import Announcement, Appeal, Attempt, Event, Invitation, Mark, Submission, Team, Token, User
from nav_eval_server.notices import outbox
from nav_eval_server.queue import endpoints, quota
from nav_eval_server.queue.health import SEEN, health
from nav_eval_server.queue.phases import phases
from nav_eval_server.settings import current
from nav_eval_server.web import invitations, roster
from nav_eval_server.web import people as accounts
from nav_eval_server.web.context import language
from nav_eval_server.web.forms import number
from nav_eval_server.web.roster_file import MAX_BYTES, Fault
from nav_eval_server.web.teams import View, person, refusals, stand_all

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
        "shared": endpoints.shared_machines(),
        "appeals": Appeal.objects.filter(state=Appeal.State.OPEN).select_related("submission__team").order_by("pk"),
        "notices": outbox.standing(current()),
        "page": page,
        "entries": stand_all(page, now),
    }
    return render(request, "organiser.html", told)


def _age(now: datetime) -> float | None:
    """Seconds since the last backup."""
    last = Mark.objects.filter(name=LAST).first()
    return (now - last.at).total_seconds() if last and last.at else None


@organiser
def listed(request: HttpRequest) -> HttpResponse:
    """Invite people by a file of a spreadsheet; and who was invited so."""
    faults: list[Fault] = []
    file = request.FILES.get("roster")
    if file is not None:
        data = file.read(MAX_BYTES + 1)
        faults = invitations.upload(current(), data, _link(request), person(request), timezone.now())
        if not faults:
            return redirect("listed")
    told = {
        "faults": [(fault.line, fault.said[language()]) for fault in faults],
        "mails": current().notify.mail is not None,
        "page": Paginator(Invitation.objects.select_related("user").order_by("pk"), PER_PAGE).get_page(
            request.GET.get("page")
        ),
    }
    return render(request, "listed.html", told, status=422 if faults else 200)


def _link(request: HttpRequest) -> invitations.Link:
    return lambda one: accounts.absolute(request, reverse("accept", args=[invitations.key(one)]))


@organiser
def links(request: HttpRequest) -> HttpResponse:
    """Of all who have not come yet, as a file."""
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="invitations.csv"'
    answer.write("\ufeff")  # without it Excel takes UTF-8 for something else
    waiting = Invitation.objects.filter(used_at=None).order_by("pk")
    csv.writer(answer).writerows(invitations.rows(waiting, _link(request)))
    return answer


@require_POST
@organiser
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """An invitation that nobody has followed yet."""
    found = get_object_or_404(Invitation, pk=pk, used_at=None)
    found.delete()
    events.record("invitation_withdrawn", found.name, actor=person(request).username)
    return redirect("listed")


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
def decide_all(request: HttpRequest) -> HttpResponse:
    """The chosen ones of the teams that wait; `all`: every one that the page has shown."""
    state = request.POST.get("state", "")
    if state not in (Team.State.APPROVED, Team.State.BLOCKED):
        raise Http404
    chosen = request.POST.getlist("shown" if "all" in request.POST else "team")
    with transaction.atomic():
        for team in Team.objects.filter(pk__in=map(number, chosen), state=Team.State.PENDING):
            roster.decide(current(), team, Team.State(state), person(request))
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
def move(request: HttpRequest, phase: str) -> HttpResponse:
    """When it closes; an empty field: never."""
    try:
        told = request.POST.get("closes", "?")
        closes = datetime.fromisoformat(told) if told else FOREVER
    except ValueError:
        raise Http404 from None
    closes = closes if closes.tzinfo else closes.replace(tzinfo=current().zone)
    with refusals(request):
        organising.move(current(), phase, closes, _reason(request), person(request), timezone.now())
    return redirect(reverse("organiser") + "#phases")


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "")


@require_POST
@organiser
def rerun(request: HttpRequest, key: str) -> HttpResponse:
    """The page of the new run, which may be the old one's."""
    found = get_object_or_404(Submission, pk=key)
    with refusals(request):
        key = organising.rerun(current(), found, _reason(request), person(request), timezone.now()).pk
    return redirect("submission", key)


def _with_reason(decide: Callable[..., object]) -> Callable[[HttpRequest, str], HttpResponse]:
    """With a reason, which its team reads."""

    @require_POST
    @organiser
    def decided(request: HttpRequest, key: str) -> HttpResponse:
        with refusals(request):
            found = get_object_or_404(Submission, pk=key)
            decide(current(), found, _reason(request), person(request), timezone.now())
        return redirect("submission", key)

    return decided


place, void = _with_reason(organising.give_back), _with_reason(organising.void)


@organiser
def manage(request: HttpRequest, pk: int) -> HttpResponse:
    """One team: what was decided about it, and what may be."""
    team = get_object_or_404(Team, pk=pk)
    now = timezone.now()
    if request.method == "POST":
        with refusals(request):
            return redirect("manage", _manage(request, team, now).pk)
        return redirect("manage", pk)
    told = {
        "team": team,
        "others": Team.objects.exclude(pk=pk).order_by("name"),
        "members": team.membership_set.select_related("user").order_by("pk"),
        "decisions": team.decisions.select_related("user", "submission").order_by("-pk"),
        "standings": [(name, quota.standing(current(), team, name, now)) for name in current().phases],
        "entries": stand_all(team.submissions.order_by("-accepted_at")[:PER_PAGE], now),
    }
    return render(request, "manage.html", told)


def _manage(request: HttpRequest, team: Team, now: datetime) -> Team:
    """What the button that was pressed does; the team whose page is next. Raises Refusal."""
    told, reason, organiser = request.POST, _reason(request), person(request)
    deed = told.get("deed", "")
    if deed == "grant":
        places = number(told.get("places", ""))
        organising.grant(current(), team, told.get("phase", ""), places, reason, organiser, now)
    elif deed == "rename":
        organising.rename(current(), team, told.get("name", ""), reason, organiser, now)
    elif deed in Team.Disqualified.values:
        organising.disqualify(current(), team, Team.Disqualified(deed), reason, organiser, now)
    elif deed == "reinstate":
        organising.reinstate(current(), team, reason, organiser, now)
    elif deed == "merge":
        to = get_object_or_404(Team, pk=number(told.get("to", "")))
        merging.merge_teams(current(), team, to, reason, organiser, now)
        return to
    else:
        raise Http404
    return team


@organiser
def workers(request: HttpRequest) -> HttpResponse:
    """Tokens of workers, and what each plays now."""
    now = timezone.now()
    rows = Token.objects.filter(scope=Token.Scope.WORKER, revoked_at=None).order_by("pk")
    playing = Attempt.objects.filter(live=True).select_related("submission__team").order_by("started_at")
    told = [(row, row.last_used_at and row.last_used_at > now - SEEN, playing.filter(worker=row)) for row in rows]
    return render(request, "workers.html", {"workers": told})


@require_POST
@organiser
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Token, pk=pk, scope=Token.Scope.WORKER, revoked_at=None)
    organising.revoke(current(), found, person(request), timezone.now())
    return redirect("workers")


@organiser
def announce(request: HttpRequest) -> HttpResponse:
    """To all teams; and what was announced before."""
    if request.method == "POST":
        with refusals(request):
            organising.announce(current(), request.POST.get("text", ""), person(request), timezone.now())
        return redirect("announce")
    page = Paginator(Announcement.objects.select_related("user").order_by("-pk"), PER_PAGE)
    return render(request, "announce.html", {"page": page.get_page(request.GET.get("page"))})


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
def merge_person(request: HttpRequest, pk: int) -> HttpResponse:
    """Into the account whose name is given."""
    found = get_object_or_404(User.objects.exclude(pk=person(request).pk), pk=pk)
    to = User.objects.filter(username=request.POST.get("to", "").strip()).first()
    if to is None:
        messages.error(request, _("Nobody has this name."))
        return redirect("people")
    with refusals(request):
        merging.merge_people(current(), found, to, _reason(request), person(request), timezone.now())
    return redirect("people")


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
