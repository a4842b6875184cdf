"""A real HTTP server that answers as an OpenAI-compatible chat endpoint does, faults included; it counts what it sees.

`python chat_server.py PORT` serves one that always answers action 1 and, the tenth time, stops.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Act:
    """One answer: `message` or `content`, or a `status` with `text`; `cut` bytes are missing at its end.

    `usage`: of the model that gave it; else a fourth of the request's bytes, and 7 tokens."""

    content: Any = None
    message: dict[str, Any] | None = None
    status: int = 200
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    delay: float = 0.0
    cut: int = 0
    usage: dict[str, Any] | None = None


class ChatServer(ThreadingHTTPServer):
    """`plan` holds what is answered next, then `default(body)`. More than `limit` in flight get 429."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.plan: list[Act] = []
        self.default: Callable[[dict[str, Any]], Act] = lambda body: Act('{"action": 1}')
        self.limit, self.in_flight, self.most_in_flight = 1000, 0, 0
        self.asked: list[dict[str, Any]] = []
        self.statuses: list[int] = []
        self.input_tokens = self.output_tokens = self.paid = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def log_message(self, *arguments: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        server, raw = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        with server.lock:
            server.in_flight += 1
            server.most_in_flight = max(server.most_in_flight, server.in_flight)
            over = server.in_flight > server.limit
            server.asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
            limited = Act(status=429, text="too many", headers={"Retry-After": "0.1"})
            act = limited if over else server.plan.pop(0) if server.plan else server.default(body)
        try:
            time.sleep(act.delay)
            self._answer(act, len(raw))
        except OSError:
            pass  # who asked has gone
        finally:
            with server.lock:
                server.in_flight -= 1

    def _answer(self, act: Act, size: int) -> None:
        message = act.message or {"role": "assistant", "content": act.content}
        usage = act.usage or {"prompt_tokens": size // 4, "completion_tokens": 7}
        found = {"choices": [{"message": message, "finish_reason": act.finish}], "usage": usage}
        data = json.dumps(found).encode() if act.status == 200 else act.text.encode()
        with self.server.lock:
            self.server.statuses.append(act.status)
            if act.status == 200 and not act.cut:
                self.server.paid += 1
                self.server.input_tokens += usage["prompt_tokens"]
                self.server.output_tokens += usage["completion_tokens"]
        self.send_response(act.status)
        for name, value in {"Content-Length": str(len(data)), **act.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) - act.cut])
        self.close_connection = True


@contextmanager
def chatting(port: int = 0) -> Iterator[ChatServer]:
    server = ChatServer(port)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    chat = ChatServer(int(sys.argv[1]))
    chat.default = lambda body: Act(json.dumps({"action": int(len(chat.asked) % 10 != 0)}))
    chat.serve_forever()
