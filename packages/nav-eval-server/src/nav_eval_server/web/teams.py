"""Pages of a team's members. Whatever is not the team's answers as if it were not there."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from nav_eval_server import appeals, terms
from nav_eval_server.board import decisions
from nav_eval_server.board.visibility import visible_to
from nav_eval_server.images import storage
from nav_eval_server.models import Announcement, Appeal, Charge, Endpoint, Method, Slot, Submission, Team, Token, User
from nav_eval_server.queue import endpoints, quota, slots, standing
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.outlook import Queue
from nav_eval_server.queue.phases import phase_view, phases
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.standing import Standing
from nav_eval_server.settings import current
from nav_eval_server.tokens import issue
from nav_eval_server.web import invitations, roster
from nav_eval_server.web.context import language
from nav_eval_server.web.entries import NOBODY, lines
from nav_eval_server.web.forms import About, Name, Service, TokenName, number
from nav_eval_server.web.standings import measured

View = Callable[..., HttpResponse]


def person(request: HttpRequest) -> User:
    """Who asks. Raises Http404 for nobody."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def member(view: View) -> View:
    """A view that takes the team of who asks; without one they are led to creating it."""

    @wraps(view)
    @login_required
    def checked(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        team = roster.team_of(person(request))
        return redirect("team") if team is None else view(request, team, *args, **named)

    return checked


def captain(view: View) -> View:
    """As member, for captains; to others it is not there."""

    @wraps(view)
    @member
    def checked(request: HttpRequest, team: Team, *args: object, **named: object) -> HttpResponse:
        if not roster.leads(team, person(request)):
            raise Http404
        return view(request, team, *args, **named)

    return checked


@contextmanager
def refusals(request: HttpRequest) -> Iterator[None]:
    """What is refused within is told on the next page, and goes no further."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, refusal.zh if language() == "zh" else str(refusal))
    except roster.Denied as denied:
        messages.error(request, str(denied))


def stand_all(submissions: Iterable[Submission], now: datetime) -> list[Standing]:
    queue = Queue(current(), now)
    return [standing.stand_in(queue, one, language()) for one in submissions]


def stand_for(reader: User, submission: Submission, now: datetime) -> Standing:
    """An organiser reads every reason of a failure."""
    return standing.stand(current(), submission, language(), now, everything=reader.is_staff)


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The team's page, or the form that founds one; before both, terms that were changed."""
    if terms.outstanding(current(), person(request)):
        return redirect("terms")
    team = roster.team_of(person(request))
    return _create_team(request) if team is None else _page(request, team, Service())


def _create_team(request: HttpRequest) -> HttpResponse:
    form = Name(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            roster.create(current(), person(request), form.cleaned_data["name"])
            return redirect("team")
        except roster.Denied as denied:
            form.add_error("name", str(denied))
    return render(request, "create_team.html", {"form": form})


def _page(request: HttpRequest, team: Team, form: Service, status: int = 200) -> HttpResponse:
    now = timezone.now()
    entries = team.submissions.order_by("-accepted_at")[:50]
    here = request.build_absolute_uri("/").rstrip("/")
    link = reverse("join", args=[roster.invitation(team)])
    open_phases = [phase for phase in phases(current(), now) if phase.status == "open"]
    told = {
        "team": team,
        "members": team.membership_set.select_related("user").order_by("pk"),
        "captain": roster.leads(team, person(request)),
        "invitation": request.build_absolute_uri(link),
        "join_at": here if current().endpoints.join else "",
        "push_to": here if current().takes_images else "",
        "endpoints": [(row, _answer(row, now)) for row in team.endpoints.order_by("name")],
        "form": form,
        "token_form": TokenName(),
        "dry_run": current().dry_run,
        "dry_key": uuid.uuid4(),
        "tokens": team.tokens.filter(revoked_at=None).order_by("pk"),
        "phases": [(phase, quota.standing(current(), team, phase.name, now), uuid.uuid4()) for phase in open_phases],
        "entries": stand_all(entries, now),
        "hours": team.slots.filter(begins__gt=now - slots.HOUR).order_by("begins"),
        "free_hours": slots.free_hours(current(), now) if current().slots.per_week else [],
        "slot_rules": current().slots,
        "decisions": team.decisions.filter(submission=None).order_by("-pk"),
        "announcements": Announcement.objects.order_by("-pk")[:3],
    }
    return render(request, "team.html", told, status=status)


def _answer(endpoint: Endpoint, now: datetime) -> str:
    return endpoints.sentence(endpoint, language(), zone=current().zone, now=now)


@require_POST
@member
def save_service(request: HttpRequest, team: Team) -> HttpResponse:
    form = Service(request.POST)
    if not form.is_valid():
        return _page(request, team, form, status=422)
    with refusals(request):
        return _check_endpoint(request, endpoints.save(current(), team, **form.cleaned_data))
    return redirect(reverse("team") + "#services")


@require_POST
@member
def probe_service(request: HttpRequest, team: Team, pk: int) -> HttpResponse:
    return _check_endpoint(request, get_object_or_404(Endpoint, team=team, pk=pk))


def _check_endpoint(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    with refusals(request):
        endpoints.check(current(), endpoint, timezone.now())
    return redirect(reverse("team") + "#services")


@require_POST
@member
def remove_service(request: HttpRequest, team: Team, pk: int) -> HttpResponse:
    get_object_or_404(Endpoint, team=team, pk=pk).delete()
    storage.tidy(current())
    return redirect(reverse("team") + "#services")


@require_POST
@member
def submit(request: HttpRequest, team: Team) -> HttpResponse:
    """An endpoint of the team's, or a file; `key` makes a form that is sent twice one submission."""
    with refusals(request):
        return redirect("submission", _accept(request, team, request.POST.get("phase", "")).id)
    return redirect("team")


def _accept(request: HttpRequest, team: Team, phase: str) -> Submission:
    dispatcher, user, key = Dispatcher(current()), person(request), request.POST.get("key", "")[:100] or None
    file = request.FILES.get("predictions")
    if file is not None:
        most = current().web.upload_mb << 20
        return dispatcher.submit(team, phase, predictions=file.read(most + 1), user=user, key=key)
    wanted = request.POST.get("endpoint", "")
    endpoint = get_object_or_404(Endpoint, team=team, pk=number(wanted))
    hour = _moment(request.POST.get("hour", ""))
    return dispatcher.submit(team, phase, endpoint=endpoint, user=user, key=key, not_before=hour)


def _moment(text: str) -> datetime | None:
    """What a form of ours wrote into its options."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


@require_POST
@member
def book(request: HttpRequest, team: Team) -> HttpResponse:
    hours, begins = request.POST.get("hours", ""), _moment(request.POST.get("begins", ""))
    if not current().slots.per_week or begins is None:
        raise Http404
    with refusals(request):
        slots.book(current(), team, begins, number(hours), person(request).username, timezone.now())
    return redirect(reverse("team") + "#hours")


@require_POST
@member
def give_back(request: HttpRequest, team: Team, pk: int) -> HttpResponse:
    with refusals(request):
        slots.give_back(get_object_or_404(Slot, team=team, pk=pk), person(request).username, timezone.now())
    return redirect(reverse("team") + "#hours")


def visible(request: HttpRequest, key: str) -> Submission:
    """One that belongs to the reader's team, or any for an organiser. Raises Http404."""
    user = person(request)
    rows = Submission.objects.all() if user.is_staff else Submission.objects.filter(team__membership__user=user)
    return get_object_or_404(rows.select_related("team"), pk=key)


@login_required
def submission(request: HttpRequest, key: str) -> HttpResponse:
    found = visible(request, key)
    told = {
        "entry": stand_for(person(request), found, timezone.now()),
        "figures": measured(visible_to(person(request)).figures(key), found),
        "by": current().ranking.by,
        "on_board": bool(lines(NOBODY, found)),
        "appeals": found.appeals.order_by("-pk").prefetch_related("words__user"),
        "may_appeal": not person(request).is_staff and appeals.may_appeal(found),
    }
    if decisions.choosable(current(), found, timezone.now()):
        told["final"] = phase_view(current(), found.phase, timezone.now())
        told["chosen"] = decisions.finalists(found).count()
        told["captain"] = roster.leads(found.team, person(request))
    told["files"] = Dispatcher(current()).inbox(key).present(visible_to(person(request)).records(key))
    told["decisions"] = found.decisions.select_related("user").order_by("pk")
    told["new_run"] = found.rerun_as.order_by("-accepted_at").first()
    told["place"] = person(request).is_staff and Charge.objects.filter(submission=found).exists()
    told |= {"attempts": found.attempts.order_by("n") if person(request).is_staff else (), "submission": found}
    return render(request, "submission.html", told)


@login_required
def record(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """Log or records of a dry run, or what an image said, to be kept as a file."""
    found, inbox = visible(request, key), Dispatcher(current()).inbox(key)
    if name not in inbox.present(visible_to(person(request)).records(found.pk)):
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{key}-{name}"'}
    return HttpResponse(inbox.read(name), content_type="application/octet-stream", headers=headers)


@login_required
def progress(request: HttpRequest, key: str) -> HttpResponse:
    """The part of its page that changes while it runs."""
    return render(
        request, "_progress.html", {"entry": stand_for(person(request), visible(request, key), timezone.now())}
    )


@require_POST
@member
def cancel(request: HttpRequest, team: Team, key: str) -> HttpResponse:
    found = get_object_or_404(Submission, team=team, pk=key)
    with refusals(request):
        Dispatcher(current()).cancel(found, person(request).username)
    return redirect("submission", key)


@require_POST
@member
def appeal(request: HttpRequest, team: Team, key: str) -> HttpResponse:
    """A new one, or more words to the one that is open."""
    found, text = get_object_or_404(Submission, team=team, pk=key), request.POST.get("text", "")
    running = found.appeals.filter(state=Appeal.State.OPEN).first()
    with refusals(request):
        if running is None:
            appeals.appeal(current(), found, text, person(request), timezone.now())
        else:
            appeals.say(current(), running, text, person(request), timezone.now(), organiser=False)
    return redirect(reverse("submission", args=[key]) + "#appeals")


@member
def about(request: HttpRequest, team: Team, key: str) -> HttpResponse:
    """What boards say of an entry; at first what the team said of its last one."""
    found = get_object_or_404(Submission, team=team, pk=key)
    own = Method.objects.filter(submission=found).first()
    last = own or Method.objects.filter(submission__team=team).order_by("-submission__accepted_at").first()
    form = About(request.POST or None, instance=own or Method(submission=found), initial=last.told if last else {})
    if request.method == "POST" and form.is_valid():
        form.keep()
        return redirect("submission", key)
    return render(request, "form.html", {"form": form, "heading": _("About this entry"), "action": _("Save")})


@require_POST
@captain
def choose(request: HttpRequest, team: Team, key: str) -> HttpResponse:
    """For the final board, or no longer."""
    found, chosen = get_object_or_404(Submission, team=team, pk=key), request.POST.get("chosen")
    if chosen not in ("yes", "no"):
        raise Http404
    with refusals(request):
        decisions.choose(current(), found, person(request).username, timezone.now(), chosen=chosen == "yes")
    return redirect("submission", key)


@require_POST
@member
def new_token(request: HttpRequest, team: Team) -> HttpResponse:
    """Its text is in this one answer, and nowhere else."""
    form = TokenName(request.POST)
    if not form.is_valid():
        return redirect(reverse("team") + "#tokens")
    text = issue(Token.Scope.TEAM, form.cleaned_data["name"], team, person(request))
    return render(request, "token.html", {"text": text})


@require_POST
@member
def revoke_token(request: HttpRequest, team: Team, pk: int) -> HttpResponse:
    get_object_or_404(Token, team=team, pk=pk)
    Token.objects.filter(pk=pk, revoked_at=None).update(revoked_at=timezone.now())
    return redirect(reverse("team") + "#tokens")


@login_required
def join(request: HttpRequest, invitation: str) -> HttpResponse:
    team = roster.invited(invitation)
    if team is None:
        raise Http404
    if request.method == "POST":
        with refusals(request):
            roster.join(team, person(request))
        return redirect("team")
    return render(request, "join.html", {"team": team})


def accept(request: HttpRequest, key: str) -> HttpResponse:
    """What an organiser's list has sent somebody: without an account they make one first."""
    found = invitations.found(key)
    if found is None:
        raise Http404
    form = Name({"name": found.team} if found.team else request.POST or None)
    has_team = request.user.is_authenticated and roster.team_of(person(request)) is not None
    if request.method == "POST" and (has_team or form.is_valid()):
        name = form.cleaned_data["name"] if form.is_valid() else ""
        with refusals(request):
            invitations.accept(current(), found, person(request), name, timezone.now())
            return redirect("team")
    return render(request, "accept.html", {"invitation": found, "form": form, "has_team": has_team})


@require_POST
@captain
def remove_member(request: HttpRequest, team: Team, pk: int) -> HttpResponse:
    leaving = get_object_or_404(User, membership__team=team, pk=pk)
    with refusals(request):
        roster.leave(team, leaving, person(request))
    return redirect("team")
