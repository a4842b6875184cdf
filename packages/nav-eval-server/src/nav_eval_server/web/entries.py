"""The public page of an entry: what a board says of it, and the files that prove it.

The files come from a run of somebody's, so a browser takes none of them for a page of ours: they are saved, not shown,
and the report is shown in a sandbox, without our cookies and with no script but the one that belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404

from nav_eval.report.page import page_policy
from nav_eval.report.words import said
from nav_eval.results import audit
from nav_eval_server.board import usage
from nav_eval_server.board.proofs import Proof
from nav_eval_server.board.visibility import visible_to
from nav_eval_server.folder import Folder
from nav_eval_server.models import Submission, User
from nav_eval_server.settings import current
from nav_eval_server.web.alike import kept, page
from nav_eval_server.web.columns import Row
from nav_eval_server.web.context import language
from nav_eval_server.web.standings import Standings, measured, standings
from nav_eval_server.web.words import LINKS, METHOD

SANDBOX = "sandbox allow-scripts; frame-ancestors 'none'"


NOBODY = AnonymousUser()


def lines(reader: User | AnonymousUser, submission: Submission) -> list[tuple[Standings, Row]]:
    """Where the reader finds the entry: on which boards, in which line."""
    phase = submission.phase
    boards = (
        standings(phase, reader)
        if reader.is_authenticated
        else kept(("standings", phase), lambda: standings(phase, NOBODY))
    )
    return [(board, row) for board in boards for row in board.rows if row.entry["submission"] == submission.pk]


def entry(request: HttpRequest, key: str) -> HttpResponse:
    return page(request, "entry.html", key, lambda: _entry(request, key))


def _entry(request: HttpRequest, key: str) -> dict[str, Any]:
    found = get_object_or_404(Submission.objects.select_related("team"), pk=key)
    places = lines(request.user, found)
    if not places:
        raise Http404
    sight, proof = visible_to(request.user), Proof(Folder(current().folder), key)
    return {
        "entry": found,
        "places": [(board, row, *board.score(row), board.counts(row)) for board, row in places],
        "about": [
            (METHOD[name], value, name in LINKS) for name, value in places[0][1].method.items() if name in METHOD
        ],
        "sensors": places[0][1].sensors,
        "figures": measured(sight.figures(key), found),
        "usage": usage.lines(next((row.usage for _, row in places if row.usage), {}), language()),
        **{f"usage_{part}": said(language(), f"usage.{part}") for part in ("title", "note")},
        "by": current().ranking.by,
        "evidence": visible_to(NOBODY).evidence(key),
        "proof": proof,
        "key": audit.signer(proof.path) if proof.names else None,
    }


def proved(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view that takes the proof of an entry, once everybody may see it; one answer for hidden and absent."""

    @wraps(view)
    def checked(request: HttpRequest, key: str, **named: str) -> HttpResponseBase:
        found = get_object_or_404(Submission, pk=key)
        proof = Proof(Folder(current().folder), key)
        if not lines(NOBODY, found) or not visible_to(NOBODY).evidence(key) or not proof.names:
            raise Http404
        return view(proof, **named)

    return checked


@proved
def report(proof: Proof) -> HttpResponse:
    if not proof.report.exists():
        raise Http404
    answer = HttpResponse(proof.report.read_bytes(), content_type="text/html; charset=utf-8")
    answer["Content-Security-Policy"] = f"{page_policy()}; {SANDBOX}"
    return answer


@proved
def file(proof: Proof, name: str) -> FileResponse:
    if name not in proof.names:
        raise Http404
    return FileResponse((proof.path / name).open("rb"), as_attachment=True, filename=name)


@proved
def archive(proof: Proof) -> HttpResponse:
    answer = HttpResponse(proof.packed(), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{proof.path.name}.zip"'
    return answer
