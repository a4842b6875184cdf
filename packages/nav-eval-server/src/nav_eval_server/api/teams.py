"""What a team's programs call. The rules are the pages': Dispatcher, quota, endpoints, decisions, visible_to."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Header, Query, Router, Schema, Status
from ninja.security import HttpBearer
from pydantic import Field

from nav_eval_server.api.boards import PublicPhase
from nav_eval_server.api.problems import answers
from nav_eval_server.board import decisions
from nav_eval_server.board.visibility import visible_to
from nav_eval_server.images import storage
from nav_eval_server.models import Decision, Endpoint, Membership, Submission, Team, Token
from nav_eval_server.notices.words import RULINGS
from nav_eval_server.queue import endpoints, quota
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.outlook import Queue
from nav_eval_server.queue.phases import PhaseView, phases
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.standing import stand_in
from nav_eval_server.settings import current
from nav_eval_server.tokens import find
from nav_eval_server.web.context import language
from nav_eval_server.web.forms import describe


class TeamToken(HttpBearer):
    """A valid token of scope team; the answer to every other is the same."""

    def authenticate(self, request: HttpRequest, token: str) -> Token | None:
        return find(token, Token.Scope.TEAM)


router = Router(auth=TeamToken(), tags=["team"])
BINARY = {"schema": {"type": "string", "format": "binary"}}
FOUND: dict[int, Any] = {200: None}
PHASE = r"^[a-z0-9_-]{1,40}$"
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=100, pattern=r"^[!-~]+$")]
"""The same one again is the same submission."""


class Me(Schema):
    """Whose token it is. `user`: the member who made it; `captain`: may choose finals; `dry_run`: there are any."""

    team: str
    state: Literal["pending", "approved", "blocked"]
    token: str
    user: str | None
    captain: bool
    competition: str
    dry_run: bool
    rules_sha256: str
    timezone: str
    now: datetime


class PhaseOut(PublicPhase):
    """`private`: its board is shown when an organiser reveals it; `finals`: how many a team may choose."""

    private: bool
    finals: int
    quota: quota.Standing


class EndpointIn(Schema):
    """A service. `url`: of replicas their addresses, with blanks, lines or commas between them, 8 at most.

    `token`: what it asks of callers, the same for all replicas; kept encrypted, never shown.
    """

    name: str = Field(max_length=60)
    protocol: Literal["rest", "grpc"] = "rest"
    url: str = Field(max_length=1000)
    token: str = Field("", max_length=300)


class EndpointOut(Schema):
    """`probe`: what the last question found, "" before the first; `sentence` says it in words.

    Replicas have their addresses in `url`, with a blank between two; one that is ready makes the service ready, and
    `away` names those that are not.

    Of protocol join it calls us (`nav-eval-agent join`): it has no url, and `probe` says whether it is here. Of
    protocol image it is a container image, and its url sha256:....
    """

    id: int
    name: str
    protocol: Literal["rest", "grpc", "join", "image"]
    url: str
    has_token: bool
    probe: Literal["", "ready", "refused", "wrong token"]
    probed_at: datetime | None
    sentence: str
    away: list[str]


class SubmissionIn(Schema):
    """`phase`: its name, or dry_run, which costs no quota. `endpoint`: the id of one of the team's."""

    phase: str = Field(pattern=PHASE)
    endpoint: int = Field(ge=0, lt=1 << 63)


class Accepted(Schema):
    """What does not change of a submission, so that the same Idempotency-Key has the same answer."""

    id: str
    phase: str
    kind: Literal["service", "predictions"]
    accepted_at: datetime


class ReasonOut(Schema):
    """Why an episode failed: its status, and what the service said."""

    status: str
    text: str


class DecisionOut(Schema):
    """What an organiser has decided about it, and why."""

    kind: str
    sentence: str
    reason: str
    at: datetime


class SubmissionOut(Accepted):
    """`sentence`: how it stands, and until when; `fault`: whose, where it failed; `figures`: those that may be seen.

    `predictions`: the file's SHA-256. `seconds_left`: of the run, at its pace so far. `files`: which may be
    read: agent.txt is what an image said, log.txt, episodes.jsonl and the like are of a dry run. `by_status`: played
    episodes by how they ended; `failures`: how much of it failed; `reasons`: why the newest did, as the service said.
    `place`: in the queue, 1 is next. `reruns`: the id of the struck submission that it runs again. `method`: what the
    team has said of it.
    """

    state: Literal["queued", "waiting_service", "running", "scoring", "done", "failed", "cancelled", "void"]
    final: bool
    sentence: str
    since: datetime
    deadline: datetime | None
    played: int
    failed_episodes: int
    failures: Literal["", "some", "most", "all"]
    by_status: dict[str, int]
    reasons: list[ReasonOut]
    total: int | None
    seconds_left: float | None
    place: int | None
    expected_start: datetime | None
    reruns: str | None
    decisions: list[DecisionOut]
    why: str
    fault: Literal["", "participant", "ours"]
    protocol: str
    url: str
    predictions: str
    chosen: bool
    method: dict[str, str]
    figures: dict[str, float | None] | None
    files: list[str]


class Choice(Schema):
    chosen: bool


class MethodIn(Schema):
    """What boards and its page say of an entry. What is left out stays as it is, and "" takes it away.

    `sensors`: one of `sensor_classes` of GET /competition.
    """

    name: str = Field("", max_length=80)
    affiliation: str = Field("", max_length=80)
    paper: str = Field("", max_length=300)
    code: str = Field("", max_length=300)
    model_size: str = Field("", max_length=40)
    sensors: str = Field("", max_length=60)


def _token(request: HttpRequest) -> Token:
    token: Token = request.auth  # type: ignore[attr-defined]
    return token


def token_team(request: HttpRequest) -> Team:
    team = _token(request).team
    if team is None:
        raise Http404
    return team


def _mine(request: HttpRequest, submission: str) -> Submission:
    """Raises Refusal for what is another team's, as for what is not there."""
    found = Submission.objects.filter(team=token_team(request), pk=submission).first() if submission.isalnum() else None
    if found is None:
        named = submission[:40]
        raise Refusal("not_found", f"There is no submission {named!r} of your team.", f"您的队伍没有提交 {named!r}。")
    return found


def _service(request: HttpRequest, endpoint: int) -> Endpoint:
    return get_object_or_404(Endpoint, team=token_team(request), pk=endpoint)


def _captain(token: Token) -> bool:
    return token.user is not None and Membership.objects.filter(team=token.team, user=token.user, captain=True).exists()


@router.get("/me", response={200: Me} | answers(401))
def me(request: HttpRequest) -> dict[str, Any]:
    """Whose token this is."""
    token, team, challenge = _token(request), token_team(request), current()
    return {
        "team": team.name,
        "state": team.state,
        "token": token.name,
        "user": token.user.username if token.user else None,
        "captain": _captain(token),
        "competition": challenge.name,
        "dry_run": challenge.dry_run is not None,
        "rules_sha256": challenge.rules_sha256,
        "timezone": challenge.timezone,
        "now": timezone.now(),
    }


@router.get("/phases", response={200: list[PhaseOut]} | answers(401))
def list_phases(request: HttpRequest) -> list[dict[str, Any]]:
    """In the order of the rules, each with what the team has used of its quota."""
    now = timezone.now()
    return [_phase(request, view, now) for view in phases(current(), now)]


def _phase(request: HttpRequest, view: PhaseView, now: datetime) -> dict[str, Any]:
    return vars(view) | {"quota": quota.standing(current(), token_team(request), view.name, now)}


@router.get("/endpoints", response={200: list[EndpointOut]} | answers(401))
def list_endpoints(request: HttpRequest) -> list[dict[str, Any]]:
    """The team's services by name."""
    return [shown_endpoint(row) for row in Endpoint.objects.filter(team=token_team(request)).order_by("name")]


@router.post("/endpoints", response={200: EndpointOut} | answers(400, 401, 409, 422))
def save_endpoint(request: HttpRequest, body: EndpointIn) -> dict[str, Any]:
    """Register a service, or change the one of that name. Nothing is asked of it yet."""
    return shown_endpoint(endpoints.save(current(), token_team(request), **body.dict()))


@router.post("/endpoints/{endpoint}/probe", response={200: EndpointOut} | answers(401, 404, 422, 429, 503))
def probe_endpoint(request: HttpRequest, endpoint: int) -> dict[str, Any]:
    """Ask whether it is ready. What is not ready has one answer, always after the same time."""
    asked = _service(request, endpoint)
    endpoints.check(current(), asked, timezone.now())
    return shown_endpoint(_service(request, endpoint))


@router.delete("/endpoints/{endpoint}", response={204: None} | answers(401, 404, 422))
def remove_endpoint(request: HttpRequest, endpoint: int) -> HttpResponse:
    """Forget a service; submissions that name it go on."""
    _service(request, endpoint).delete()
    storage.tidy(current())
    return HttpResponse(status=204)


def shown_endpoint(row: Endpoint) -> dict[str, Any]:
    said = endpoints.sentence(row, language(), zone=current().zone, now=timezone.now())
    names = ("id", "name", "protocol", "url", "probe", "probed_at")
    told = {"has_token": bool(row.sealed_token), "sentence": said, "away": row.away.split()}
    return {name: getattr(row, name) for name in names} | told


@router.get("/submissions", response={200: list[SubmissionOut]} | answers(401, 422))
def list_submissions(
    request: HttpRequest,
    phase: Annotated[str | None, Query(pattern=PHASE)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> list[dict[str, Any]]:
    """The team's, the newest first."""
    rows = token_team(request).submissions.select_related("method").order_by("-accepted_at", "pk")
    rows = rows if phase is None else rows.filter(phase=phase)
    queue = Queue(current(), timezone.now())
    return [_submission(row, queue) for row in rows[offset : offset + limit]]


@router.post("/submissions", response={201: Accepted} | answers(400, 401, 403, 404, 409, 422, 429))
def submit(request: HttpRequest, body: SubmissionIn, key: Key = None) -> Status[Submission]:
    """A service, to be evaluated in a phase."""
    endpoint = _service(request, body.endpoint)
    made = _dispatcher().submit(token_team(request), body.phase, endpoint=endpoint, user=_token(request).user, key=key)
    return Status(201, made)


@router.post(
    "/submissions/predictions",
    response={201: Accepted} | answers(401, 403, 404, 409, 413, 422, 429),
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}},
)
def submit_predictions(
    request: HttpRequest, phase: Annotated[str, Query(pattern=PHASE)], key: Key = None
) -> Status[Submission]:
    """A predictions file, to be scored in a phase; the body is the file."""
    user = _token(request).user
    return Status(201, _dispatcher().submit(token_team(request), phase, predictions=request.body, user=user, key=key))


# 405: /submissions/predictions is an address of its own.
@router.get("/submissions/{submission}", response={200: SubmissionOut} | answers(401, 404, 405))
def show_submission(request: HttpRequest, submission: str) -> dict[str, Any]:
    """How it stands."""
    return _submission(_mine(request, submission))


@router.get(
    "/submissions/{submission}/files/{name}",
    response=FOUND | answers(401, 404),
    openapi_extra={"responses": {200: {"content": {"application/octet-stream": BINARY}}}},
)
def download_file(request: HttpRequest, submission: str, name: str) -> HttpResponse:
    """Log or records of a dry run, or what an image said."""
    found, inbox = _mine(request, submission), _dispatcher().inbox(submission)
    if name not in inbox.present(visible_to(found.team).records(found.id)):
        raise Http404
    return HttpResponse(inbox.read(name), content_type="application/octet-stream")


@router.post("/submissions/{submission}/cancel", response={200: SubmissionOut} | answers(401, 404, 409))
def cancel_submission(request: HttpRequest, submission: str) -> dict[str, Any]:
    """End it. Its place in the quota comes back if no episode was played."""
    token = _token(request)
    return _submission(
        _dispatcher().cancel(_mine(request, submission), token.user.username if token.user else token.name)
    )


@router.put("/submissions/{submission}/chosen", response={200: SubmissionOut} | answers(400, 401, 403, 404, 409, 422))
def choose_submission(request: HttpRequest, submission: str, body: Choice) -> dict[str, Any]:
    """For the final board, or no longer; with a captain's token."""
    found, token = _mine(request, submission), _token(request)
    if not _captain(token) or token.user is None:
        raise Refusal(
            "not_captain",
            "Only a captain can choose finals. Use a captain's token.",
            "只有队长可以选择，请使用队长的令牌。",
        )
    decisions.choose(current(), found, token.user.username, timezone.now(), chosen=body.chosen)
    return _submission(_mine(request, submission))


@router.patch("/submissions/{submission}/method", response={200: SubmissionOut} | answers(400, 401, 404, 422))
def describe_submission(request: HttpRequest, submission: str, body: MethodIn) -> dict[str, Any]:
    """Say what it is: method, affiliation, links, model size, sensors. At any time; boards follow."""
    found = _mine(request, submission)
    describe(found, body.dict(exclude_unset=True))
    return _submission(found)


def _dispatcher() -> Dispatcher:
    return Dispatcher(current())


def _decision(one: Decision) -> dict[str, Any]:
    return {"kind": one.kind, "sentence": RULINGS[one.kind][language()], "reason": one.reason, "at": one.at}


def _submission(row: Submission, queue: Queue | None = None) -> dict[str, Any]:
    """`queue`: the moment that several are shown at."""
    standing = stand_in(queue or Queue(current(), timezone.now()), row, language())
    names = ("id", "phase", "kind", "accepted_at", "state", "since", "deadline", "why", "fault", "protocol", "url")
    return {name: getattr(row, name) for name in names} | {
        "final": standing.final,
        "sentence": standing.sentence,
        "played": standing.played,
        "failed_episodes": standing.tally.failed,
        "failures": standing.tally.failures,
        "by_status": standing.tally.by_status,
        "place": standing.outlook.place if standing.outlook else None,
        "expected_start": standing.outlook.expected_start if standing.outlook else None,
        "reruns": row.reruns_id,
        "decisions": [_decision(one) for one in row.decisions.order_by("pk")],
        "reasons": [vars(reason) for reason in standing.reasons],
        "total": row.episodes_total,
        "seconds_left": standing.seconds_left,
        "predictions": row.predictions,
        "chosen": row.chosen_at is not None,
        "method": method.told if (method := getattr(row, "method", None)) else {},
        "figures": visible_to(row.team).figures(row.id),
        "files": _dispatcher().inbox(row.id).present(visible_to(row.team).records(row.id)),
    }
