"""Serve an agent from an old Python (3.6 or newer): one file, the standard library and numpy.

Published models often live in environments that the SDK (Python 3.10 or newer) cannot be installed in. Copy this file
beside yours and end yours with `serve(MyAgent)`. It keeps the REST contract in JSON: each step is decided once, a
repeated request gets the same answer. The SDK is faster and checks more; prefer it wherever it installs.
"""

import base64
import hmac
import json
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn

import numpy as np

LARGEST_BODY = 256 << 20
STATUS = {
    "bad_request": 400,
    "unauthorized": 401,
    "not_found": 404,
    "unknown_session": 404,
    "method_not_allowed": 405,
    "step_conflict": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "agent_error": 500,
    "busy": 503,
}


class Problem(Exception):
    """What a client is told; `code` is a key of STATUS."""

    def __init__(self, code, detail=""):
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Session:
    """One episode in progress: its agent, what it will be shown, and the last decision."""

    def __init__(self, agent):
        self.agent = agent
        self.lock = threading.Lock()
        self.reset_request = None
        self.specs = {}
        self.step = 0
        self.answer = None

    def reset(self, episode):
        """A repeated request does nothing."""
        with self.lock:
            if not self.reset_request or self.reset_request != episode.get("request_id"):
                self.specs, self.step, self.answer = episode.get("observation_spec") or {}, 0, None
                called(self.agent.reset, episode)
                self.reset_request = episode.get("request_id")

    def act(self, request):
        """The decision of a step: made once, repeated as often as it is asked for."""
        with self.lock:
            step = self.step if request.get("step") is None else request["step"]
            again = self.answer is not None and step == self.step - 1
            if again and self.answer["request_id"] == request.get("request_id"):
                return self.answer
            if step != self.step:
                raise Problem("step_conflict", f"step {self.step} is due, not {step}.")
            self.answer = self.decided(request, step)
            self.step += 1
            return self.answer

    def decided(self, request, step):
        observation = read_struct(self.specs, request.get("observation") or {})
        action = called(self.agent.act, observation)
        named = {"action": action} if isinstance(action, str) else dict(action)
        return {
            "action": named["action"],
            "action_args": named.get("action_args") or {},
            "session_id": request.get("session_id", "default"),
            "step": step,
            "request_id": request.get("request_id", ""),
        }


def called(method, value):
    """The agent's own errors go to the log; the evaluator is told that there was one."""
    try:
        return method(value)
    except Exception:  # noqa: BLE001 - whatever a stranger's model raises; the log holds it
        traceback.print_exc()
        raise Problem("agent_error", "the agent failed; see its log.") from None


def read_struct(specs, values):
    """An observation as the agent sees it: arrays, texts, numbers, dicts, lists; None for what is absent."""
    alien = set(values) - set(specs)
    if alien:
        raise Problem("bad_request", f"{sorted(alien)[0][:60]} was not declared at reset.")
    missing = [name for name in specs if name not in values and not specs[name].get("optional")]
    if missing:
        raise Problem("bad_request", f"{missing[0][:60]} is missing.")
    return {name: read_value(specs[name], values[name]) if name in values else None for name in specs}


def read_value(spec, value):
    if spec["kind"] == "tensor":
        return read_tensor(spec, value)
    if spec["kind"] == "struct":
        return read_struct(spec.get("parts") or {}, value)
    if spec["kind"] == "list":
        return [read_value(spec["item"], item) for item in value]
    return value


def read_tensor(spec, value):
    """Base64 of the bytes, or for fewer than two dimensions a list of numbers or one number."""
    try:
        dtype = np.dtype(spec["dtype"]).newbyteorder("<")
        if not isinstance(value, str):
            return np.array(value, dtype).reshape(spec.get("shape", ()))
        return np.frombuffer(base64.b64decode(value, validate=True), dtype).reshape(spec.get("shape", ()))
    except (TypeError, ValueError) as error:
        raise Problem("bad_request", f"an array does not fit its declaration: {error}") from None


class Service:
    """The sessions of one server; `agents` are made before the first request, so that models load once."""

    def __init__(self, agents, info):
        self.info = info
        self.lock = threading.Lock()
        self.idle = list(agents)
        self.sessions = {}

    def reset(self, episode):
        name = episode.get("session_id", "default")
        with self.lock:
            if name not in self.sessions:
                if not self.idle:
                    raise Problem("busy", "all sessions are taken.")
                self.sessions[name] = Session(self.idle.pop())
            session = self.sessions[name]
        session.reset(episode)
        return {"status": "ready"}

    def act(self, request):
        session = self.sessions.get(request.get("session_id", "default"))
        if session is None:
            raise Problem("unknown_session", "reset comes first.")
        return session.act(request)

    def end(self, request):
        with self.lock:
            session = self.sessions.pop(request.get("session_id", "default"), None)
            if session is not None:
                self.idle.append(session.agent)
        return {"status": "ok"}


class Handler(BaseHTTPRequestHandler):
    """Routes of /api/v1. `service` and `token` are set on a subclass by `serve`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    service = None
    token = None

    def do_GET(self):
        self.answer({"info": lambda _: self.service.info, "health": lambda _: {"status": "ready"}})

    def do_POST(self):
        self.answer(
            {
                "episode/validate": lambda _: {"status": "ready", "ok": True},
                "episode/reset": self.service.reset,
                "agent/act": self.service.act,
                "episode/end": self.service.end,
            }
        )

    def answer(self, routes):
        try:
            body = self.body()
            self.admit()
            route = routes.get(self.path.split("?")[0].replace("/api/v1/", "", 1))
            if route is None:
                raise Problem("not_found")
            self.write(200, "application/json", route(self.message(body)))
        except Problem as problem:
            status = STATUS[problem.code]
            document = {"code": problem.code, "title": problem.code, "status": status, "detail": problem.detail}
            self.write(status, "application/problem+json", document)

    def admit(self):
        given = (self.headers.get("Authorization") or "").encode("utf-8", "replace")
        if self.token and not hmac.compare_digest(given, ("Bearer " + self.token).encode("utf-8")):
            raise Problem("unauthorized", "the token is missing or wrong.")

    def body(self):
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LARGEST_BODY:
            self.close_connection = True
            raise Problem("too_large")
        return self.rfile.read(length)

    def message(self, body):
        if not body:
            return {}
        if self.headers.get_content_type() != "application/json":
            raise Problem("unsupported_media_type", "this service speaks application/json.")
        try:
            message = json.loads(body.decode("utf-8"))
        except ValueError as error:
            raise Problem("bad_request", str(error)) from None
        if not isinstance(message, dict):
            raise Problem("bad_request", "the body must be a JSON object.")
        return message

    def write(self, status, kind, document):
        body = json.dumps(document).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Every step is a request: they are not logged."""


class Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True


def serve(agent_class, host="127.0.0.1", port=8085, token=None, sessions=1):
    """Serve until interrupted. `agent_class()` is made once per session and has reset(episode) and act(observation)."""
    info = {
        "protocols": [1],
        "name": getattr(agent_class, "name", "") or agent_class.__name__,
        "version": getattr(agent_class, "version", ""),
        "sdk": "serve_old, Python {}.{}".format(*sys.version_info[:2]),
        "content_types": ["application/json"],
        "encodings": ["raw"],
        "max_sessions": sessions,
    }
    service = Service([agent_class() for _ in range(sessions)], info)
    handler = type("BoundHandler", (Handler,), {"service": service, "token": token})
    server = Server((host, port), handler)
    sys.stdout.write("serving on {}:{}\n".format(*server.server_address))
    sys.stdout.flush()
    server.serve_forever()
