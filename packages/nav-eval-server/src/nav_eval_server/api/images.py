"""How a team sends a container image: in pieces, from where an earlier try ended."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema

from nav_eval_server.api.problems import answers
from nav_eval_server.api.teams import BINARY, EndpointOut, TeamToken, shown_endpoint, token_team
from nav_eval_server.images import storage
from nav_eval_server.settings import current

router = Router(auth=TeamToken(), tags=["team"])
Sum = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


class ImageOut(Schema):
    """`received`: bytes that are here, where to go on; `piece`: of how many bytes a request may be, at most.

    `endpoint`: what to submit, once all has arrived and has this SHA-256.
    """

    sha256: str
    received: int
    piece: int
    endpoint: EndpointOut | None = None


@router.get("/images/{sha256}", response={200: ImageOut} | answers(401, 422))
def image(request: HttpRequest, sha256: Sum) -> dict[str, Any]:
    """How much of an archive is here."""
    return _upload_state(sha256, storage.received(current(), token_team(request), sha256))


@router.put(
    "/images/{sha256}",
    response={200: ImageOut} | answers(401, 403, 409, 413, 422, 503),
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}},
)
def send_image(
    request: HttpRequest,
    sha256: Sum,
    name: Annotated[str, Query(max_length=60)],
    offset: Annotated[int, Query(ge=0)],
    whole: Annotated[int, Query(gt=0)],
) -> dict[str, Any]:
    """A piece of what `docker save` wrote, from `offset` on; `whole`: bytes of all, `name`: of the endpoint."""
    team = token_team(request)
    size, endpoint = storage.receive(current(), team, name, sha256, offset, request.body, whole)
    return _upload_state(sha256, size) | {"endpoint": shown_endpoint(endpoint) if endpoint else None}


def _upload_state(sha256: str, size: int) -> dict[str, Any]:
    return {"sha256": sha256, "received": size, "piece": min(storage.PIECE, current().web.upload_mb << 20)}
