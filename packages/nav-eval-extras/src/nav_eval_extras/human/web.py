"""The page's server: what a browser may load, and three calls that only the holder of a link's key may make.

Each key opens the game of one person.

The key stands after the # of the link, so that it is in no log and no Referer, and travels in a header, which no
foreign page can set. A request that names this machine by a foreign name is refused: such a page could otherwise reach
the server by DNS rebinding.
"""

from __future__ import annotations

import hmac
import logging
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import Any

import msgspec
from flask import Flask, Response, abort, request
from werkzeug.exceptions import HTTPException

from nav_eval.errors import ConfigError
from nav_eval.report.rebinding import is_ours
from nav_eval_extras.human.game import Game, NotAsked, PlayedElsewhere

BODY_BYTES = 6000
"""More than any choice takes, with what is written with it."""
WAIT_SECONDS = 10.0
"""A page that waits for news asks again after so long."""
FAREWELL_SECONDS = 5.0
POLL_SECONDS = 0.2
THREADS = 12
"""For one person; each further one may wait at a page of its own, and choose meanwhile."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
PAGE = ("page.html", "page.css", "page.js", "words.js")


class Claim(msgspec.Struct, forbid_unknown_fields=True):
    """A page that is to play: a name that it made up."""

    page: str


class Wait(msgspec.Struct, forbid_unknown_fields=True):
    """A page that has shown version `seen`."""

    page: str
    seen: int


class Chosen(msgspec.Struct, forbid_unknown_fields=True):
    """A choice in answer to question `turn`, and what was written with it."""

    page: str
    turn: int
    choice: str
    text: str = ""


def make_app(games: Mapping[str, Game], page: Mapping[str, bytes]) -> Flask:
    """The page, its files by name, and the calls of each key's game."""
    app = Flask(__name__, static_folder=None)

    def check_host() -> None:
        if not is_ours(request.host) or request.headers.get("Origin", f"{request.scheme}://{request.host}") not in (
            f"http://{request.host}",
            f"https://{request.host}",
        ):
            abort(403)

    def opened() -> Game:
        given = request.headers.get("Authorization", "").encode()
        found = [game for key, game in games.items() if hmac.compare_digest(given, f"Bearer {key}".encode())]
        return found[0] if found else abort(401)

    def file(name: str) -> Response:
        return Response(page[name], mimetype=KINDS[name.rpartition(".")[2]])

    def claim() -> Response:
        opened().claim(_body(Claim).page)
        return Response(status=204)

    def wait() -> Response:
        game, asked = opened(), _body(Wait)
        shown = game.wait(asked.page, asked.seen, WAIT_SECONDS)
        answer = _json(shown)
        answer.call_on_close(lambda: game.deliver(shown["version"]))
        return answer

    def choose() -> Response:
        game, chosen = opened(), _body(Chosen)
        game.choose(chosen.page, chosen.turn, chosen.choice, chosen.text)
        return Response(status=204)

    app.before_request(check_host)
    app.after_request(_with_headers)
    app.add_url_rule("/", view_func=lambda: file("page.html"), endpoint="page")
    for name in page:
        app.add_url_rule(f"/{name}", view_func=lambda name=name: file(name), endpoint=name)
    for call in (claim, wait, choose):
        app.add_url_rule(f"/{call.__name__}", view_func=call, methods=["POST"])
    app.register_error_handler(HTTPException, lambda error: _json({"error": error.name}, error.code or 500))
    app.register_error_handler(PlayedElsewhere, lambda _: _json({"error": "played elsewhere"}, 409))
    app.register_error_handler(NotAsked, lambda _: _json({"error": "not asked"}, 409))
    app.register_error_handler(KeyError, lambda _: _json({"error": "no such choice"}, 400))
    return app


def _body(kind: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.json.decode(request.get_data(), type=kind)
    except msgspec.MsgspecError:
        abort(400)


def _json(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, mimetype="application/json")


def _with_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


def _reached_at(host: str) -> str:
    """The address to write into a link: of 0.0.0.0, the one that this machine has in its network."""
    if host in ("0.0.0.0", "::"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way_out, suppress(OSError):
            way_out.connect(("192.0.2.1", 9))  # of a network for documentation; a datagram socket sends nothing here
            return str(way_out.getsockname()[0])
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def read_page(package: str, names: Sequence[str]) -> dict[str, bytes]:
    """The files of a package's page."""
    return {name: (files(package) / "page" / name).read_bytes() for name in names}


@contextmanager
def serving(
    games: Mapping[str, Game], host: str, port: int, page: Mapping[str, bytes] | None = None
) -> Iterator[list[str]]:
    """Serve until the block ends: each game's link with its key. Raises ConfigError where nothing can listen there."""
    from waitress.server import create_server

    if not 0 <= port < 1 << 16:
        raise ConfigError(f"--port {port}: is not a port. Choose one from 0 (any free one) to 65535.")
    try:
        server: Any = create_server(
            make_app(games, page or read_page(__package__, PAGE)),
            host=host,
            port=port,
            threads=THREADS + 2 * (len(games) - 1),
            max_request_body_size=BODY_BYTES,
            channel_timeout=30,
            clear_untrusted_proxy_headers=True,
            ident="nav-eval",
        )
    except OSError as error:
        raise ConfigError(
            f"--port {port}: nothing can listen at {host}:{port} ({error.strerror}). Choose another."
        ) from None
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # nobody at a terminal acts on a queue of one
    server.adj.send_bytes = 1  # a small answer leaves at once, from the thread that made it
    stopping = threading.Event()
    thread = threading.Thread(target=_listen, args=(server, stopping), name="human-page", daemon=True)
    thread.start()
    try:
        yield [f"http://{_reached_at(host)}:{server.effective_port}/#{key}" for key in games]
    finally:
        for game in games.values():
            game.close()
        server.task_dispatcher.shutdown(timeout=1)
        stopping.set()
        thread.join(FAREWELL_SECONDS)


def _listen(server: Any, stopping: threading.Event) -> None:
    """waitress's own loop, which nobody can end from another thread."""
    from waitress import wasyncore

    while not stopping.is_set():
        wasyncore.loop(timeout=POLL_SECONDS, map=server._map, use_poll=True, count=1)
    wasyncore.close_all(server._map, ignore_all=True)
