"""The web process: `python -m nav_eval_server.web CHALLENGE HOST PORT`, a waitress of a few threads."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType

from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from nav_eval_server.challenge import load_challenge
from nav_eval_server.settings import configure

THREADS = 8


def healthz(_: HttpRequest) -> JsonResponse:
    """200 while the database answers, the scheduler sweeps and nothing is stuck; else 503. It says nothing more."""
    from nav_eval_server.queue.health import health

    well = health(timezone.now()).well
    return JsonResponse({"status": "ok" if well else "unwell"}, status=200 if well else 503)


def main(file: str, host: str, port: str) -> None:
    configure(load_challenge(Path(file)))
    from django.core.wsgi import get_wsgi_application
    from waitress import serve

    signal.signal(signal.SIGTERM, _leave)
    serve(get_wsgi_application(), host=host, port=int(port), threads=THREADS, ident=None, _quiet=True)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
