"""What workers call. An answer 409 means: the attempt is not yours any more; end its process and keep nothing."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from django.http import FileResponse, HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from ninja.security import HttpBearer

from nav_eval_server.api.problems import answers
from nav_eval_server.challenge import Images
from nav_eval_server.images import storage
from nav_eval_server.models import Attempt, Token
from nav_eval_server.queue.client import Fenced
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.files import NAMES
from nav_eval_server.queue.inbox import Junk
from nav_eval_server.queue.verdict import Ending, Outcome
from nav_eval_server.settings import current
from nav_eval_server.tokens import find


class WorkerToken(HttpBearer):
    """A valid token of scope worker; the answer to every other is the same."""

    def authenticate(self, request: HttpRequest, token: str) -> Token | None:
        return find(token, Token.Scope.WORKER)


router = Router(auth=WorkerToken(), tags=["worker"])
BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
FOUND: dict[int, Any] = {200: None}
FILE: dict[str, Any] = {"responses": {200: {"content": BINARY}}}


class Instance(Schema):
    """`instance`: a name of the folder that the worker works in, which it has locked."""

    instance: str


class Wanted(Instance):
    """`images`: whether entries by image are taken; not where no engine runs them."""

    images: bool = True


class ClaimOut(Schema):
    attempt: int
    fence: int
    submission: str
    kind: str
    evaluation: str
    overrides: list[str]
    log: bool
    protocol: str
    url: str
    token: str
    networks: list[str]
    ports: list[str]
    lease_seconds: float
    probe_seconds: float
    patience_seconds: float
    image: Images | None


class Beat(Schema):
    """`total`: episodes of the whole run, once known."""

    fence: int
    total: int | None = None


class Turn(Schema):
    """`over`: give the run up at the end of an episode, and finish with outcome yielded."""

    over: bool


class EndingIn(Schema):
    """See queue.verdict.Ending."""

    fence: int
    outcome: Outcome
    rc: int | None = None
    message: str = ""
    manifest: str = ""


class FileOut(Schema):
    name: str
    size: int
    sha256: str


class Size(Schema):
    """How much of a file is here."""

    size: int


class StateOut(Schema):
    state: str


def _dispatcher() -> Dispatcher:
    return Dispatcher(current())


def _worker(request: HttpRequest) -> Token:
    token: Token = request.auth  # type: ignore[attr-defined]
    return token


@router.post("/hello", response={204: None} | answers(400, 401, 422))
def hello(request: HttpRequest, body: Instance) -> HttpResponse:
    """A worker has begun: what this instance had before is over."""
    _dispatcher().hello(_worker(request), body.instance)
    return HttpResponse(status=204)


@router.post("/claim", response={200: ClaimOut, 204: None} | answers(400, 401, 422))
def claim(request: HttpRequest, body: Wanted) -> HttpResponse | dict[str, Any]:
    """The next attempt, or 204 where there is none."""
    found = _dispatcher().claim(_worker(request), body.instance, images=body.images)
    return HttpResponse(status=204) if found is None else asdict(found)


@router.post("/attempts/{attempt}/heartbeat", response={200: Turn} | answers(400, 401, 409, 422))
def heartbeat(request: HttpRequest, attempt: int, body: Beat) -> dict[str, bool]:
    """Within lease_seconds of the last one, or the attempt is lost."""
    return {"over": _dispatcher().heartbeat(_worker(request), attempt, body.fence, body.total)}


@router.get("/attempts/{attempt}/files", response={200: list[FileOut]} | answers(401, 409, 422))
def files(request: HttpRequest, attempt: int, fence: int) -> list[dict[str, Any]]:
    """What has arrived of the run so far, for whoever goes on with it."""
    return _dispatcher().inbox(_own_attempt(request, attempt, fence).submission_id).listing()


@router.get("/attempts/{attempt}/files/{name}", response=FOUND | answers(401, 404, 409, 422), openapi_extra=FILE)
def download(request: HttpRequest, attempt: int, fence: int, name: str) -> HttpResponse:
    """A file of the run."""
    held = _own_attempt(request, attempt, fence)
    if name not in NAMES:
        raise HttpError(404, "No such file.")
    return HttpResponse(_dispatcher().inbox(held.submission_id).read(name), content_type="application/octet-stream")


@router.get("/attempts/{attempt}/predictions", response=FOUND | answers(401, 404, 409, 422), openapi_extra=FILE)
def predictions(request: HttpRequest, attempt: int, fence: int) -> FileResponse:
    """The file that the team sent."""
    held = _own_attempt(request, attempt, fence)
    return FileResponse((_dispatcher().folder.uploads / held.submission_id).open("rb"))


@router.get("/attempts/{attempt}/image", response=FOUND | answers(401, 404, 409, 422), openapi_extra=FILE)
def image(request: HttpRequest, attempt: int, fence: int, offset: Annotated[int, Query(ge=0)]) -> HttpResponse:
    """A piece of the image that the team sent; nothing behind its end."""
    entry = _own_attempt(request, attempt, fence).submission
    if entry.protocol != "image":
        raise HttpError(404, "It is no image.")
    return HttpResponse(_piece(storage.path(current(), entry.url), offset), content_type="application/octet-stream")


def _piece(file: Path, offset: int) -> bytes:
    if not file.exists():
        return b""
    with file.open("rb") as opened:
        opened.seek(offset)
        return opened.read(storage.PIECE)


@router.put(
    "/attempts/{attempt}/files/{name}",
    response={200: Size} | answers(401, 409, 413, 422),
    openapi_extra={"requestBody": {"content": BINARY, "required": True}},
)
def upload(
    request: HttpRequest, attempt: int, fence: int, name: str, offset: int, whole: int | None = None
) -> dict[str, int]:
    """Part of a file, from `offset` on; with `whole`, of one of that size that replaces it. Counts as a heartbeat."""
    try:
        size = _dispatcher().receive(_worker(request), attempt, fence, name, offset, request.body, whole)
    except ValueError as error:
        raise HttpError(422, str(error)) from None
    return {"size": size}


@router.post("/attempts/{attempt}/finish", response={200: StateOut} | answers(400, 401, 409, 422))
def finish(request: HttpRequest, attempt: int, body: EndingIn) -> dict[str, str]:
    """The attempt has ended; the state of its submission."""
    ending = Ending(body.outcome, body.rc, body.message, body.manifest)
    try:
        return {"state": _dispatcher().finish(_worker(request), attempt, body.fence, ending).value}
    except Junk as junk:
        raise HttpError(422, str(junk)) from None


def _own_attempt(request: HttpRequest, attempt: int, fence: int) -> Attempt:
    found = Attempt.objects.filter(pk=attempt, fence=fence, worker=_worker(request), live=True).first()
    if found is None:
        raise Fenced
    return found
