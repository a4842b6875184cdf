"""A mail server and a webhook's listener on loopback, as small as they can be."""

from __future__ import annotations

import base64
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Mailbox:
    """`refuse`: recipients that get 550; `busy`: so many deliveries that get 451 first.

    `starttls`: what a client may turn to TLS with (RFC 3207), and must before anything else. `clear`: what came before
    that, for whoever listens on the way; `users`: who has logged in, and with what.
    """

    port: int = 0
    refuse: set[str] = field(default_factory=set)
    busy: int = 0
    mails: list[tuple[str, Message]] = field(default_factory=list)
    starttls: ssl.SSLContext | None = None
    clear: list[str] = field(default_factory=list)
    users: list[tuple[str, str]] = field(default_factory=list)


class _Smtp(socketserver.StreamRequestHandler):
    """RFC 5321, so far as a client needs it."""

    box: Mailbox

    def handle(self) -> None:
        self._say("220 here")
        to, secure = "", self.box.starttls is None
        while line := self.rfile.readline().decode().strip():
            if line.endswith("HTTP/1.1"):
                return  # A browser of another test still calls the page that stood at this port before.
            verb = line[:4].upper()
            if not secure:
                self.box.clear.append(line)
            if verb == "EHLO":
                self._say(f"250-here\r\n250-AUTH PLAIN\r\n250 {'8BITMIME' if secure else 'STARTTLS'}")
            elif verb == "STAR" and self.box.starttls is not None:
                self._say("220 go ahead")
                self._turn(self.box.starttls)
                secure = True
            elif not secure:
                self._say("530 turn to TLS first")
            elif verb == "AUTH":
                _, user, password = base64.b64decode(line.split()[2]).decode().split("\0")
                self.box.users.append((user, password))
                self._say("235 welcome")
            elif verb == "RCPT":
                to = line.partition("<")[2].partition(">")[0]
                self._say("550 no such user" if to in self.box.refuse else "250 ok")
            elif verb == "DATA":
                self._say("354 go on")
                self._take(to)
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _turn(self, tls: ssl.SSLContext) -> None:
        self.connection = tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def _take(self, to: str) -> None:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b".") else line)
        if self.box.busy:
            self.box.busy -= 1
            self._say("451 come back later")
        else:
            self.box.mails.append((to, message_from_bytes(b"".join(lines), policy=default)))
            self._say("250 ok")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class _Threaded(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Whoever goes away in between says so to the client."""


@contextmanager
def _running(server: socketserver.TCPServer, tls: ssl.SSLContext | None) -> Iterator[int]:
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def mail_server(tls: ssl.SSLContext | None = None, starttls: ssl.SSLContext | None = None) -> Iterator[Mailbox]:
    box = Mailbox(starttls=starttls)
    with _running(_Threaded(("127.0.0.1", 0), type("Handler", (_Smtp,), {"box": box})), tls) as port:
        box.port = port
        yield box


@dataclass
class Hook:
    """`answers`: statuses, the last one again and again; what came stands in `seen`."""

    port: int = 0
    answers: list[int] = field(default_factory=lambda: [204])
    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def listener(tls: ssl.SSLContext | None = None) -> Iterator[Hook]:
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            hook.seen.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            status = hook.answers.pop(0) if len(hook.answers) > 1 else hook.answers[0]
            self.send_response(status)
            if status in (301, 307):
                self.send_header("Location", f"http://127.0.0.1:{hook.port}/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with _running(ThreadingHTTPServer(("127.0.0.1", 0), Handler), tls) as port:
        hook.port = port
        yield hook
