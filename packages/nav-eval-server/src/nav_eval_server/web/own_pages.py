"""The competition's own pages and their files, for everybody (nav_eval_server.pages)."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from nav_eval_server import pages
from nav_eval_server.markdown import html
from nav_eval_server.settings import current
from nav_eval_server.web.context import LINKS, language

INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For a file that is opened by itself: an SVG has its colours, and no script."""


def page(request: HttpRequest, name: str) -> HttpResponse:
    found = pages.read(current().folder, language()).get(name)
    if found is None:
        raise Http404
    return render(request, "page.html", {"own": found, "text": html(found.text, LINKS)})


def file(_: HttpRequest, name: str) -> FileResponse:
    """A picture is shown, everything else is kept."""
    path = pages.files(current().folder).get(name)
    if path is None:
        raise Http404
    kind = {**pages.PICTURES, ".svg": "image/svg+xml"}.get(path.suffix)
    answer = FileResponse(path.open("rb"), as_attachment=kind is None, content_type=kind or "application/octet-stream")
    answer["Content-Security-Policy"] = INERT
    return answer
