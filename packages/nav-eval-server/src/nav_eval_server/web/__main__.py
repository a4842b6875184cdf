"""The web process: `python -m nav_eval_server.web CHALLENGE HOST PORT PROXY [FD]`, a waitress of a few threads.

PROXY: the address of the proxy that speaks TLS. FD: its end of join.fd_passing.pair(), if services may join.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType

from nav_eval_server.challenge import load_challenge
from nav_eval_server.join.fd_passing import passing_fds
from nav_eval_server.settings import configure

THREADS = 4
"""One computes at a time, and more would all be slower; up to two wait for services of teams (queue.endpoints)."""
LOCK_SECONDS = 10.0
"""Each request that waits for the database holds a thread."""
HEADERS = {"x-forwarded-for", "x-forwarded-proto"}
"""What the proxy says of who asks; from anywhere else these are thrown away."""
KEEP_SECONDS = 60.0
SWITCH_SECONDS = 0.0005
"""A page asks the database 15 to 40 times, and after each answer waits for whoever computes: by Python's own 5 ms, a
tenth of a second for nothing."""


def main(file: str, host: str, port: str, proxy: str, relay: str = "") -> None:
    challenge = load_challenge(Path(file))
    configure(challenge, lock_seconds=LOCK_SECONDS, keep_seconds=KEEP_SECONDS)
    from django.core.wsgi import get_wsgi_application

    from nav_eval_server.web.connections import serve

    signal.signal(signal.SIGTERM, _leave)
    sys.setswitchinterval(SWITCH_SECONDS)
    most = (challenge.web.upload_mb + 1) << 20
    limits = {"threads": THREADS, "max_request_body_size": most, "clear_untrusted_proxy_headers": True}
    trusted = {"trusted_proxy": proxy, "trusted_proxy_headers": HEADERS}
    app = passing_fds(get_wsgi_application(), int(relay)) if relay else get_wsgi_application()
    serve(app, host=host, port=int(port), ident=None, **trusted, **limits)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
