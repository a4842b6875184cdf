"""Errors of the wire. A service answers with a Problem; a client raises one of the classes below.

WireError
├── Unreachable       nobody answers, or the connection broke before an answer came: may be tried again
│   └── Forbidden     the address lies in no network that we may connect to; nothing was sent
├── DeadlineMissed    no answer in time
├── BadAnswer         an answer came that is none: garbage, too large, of another session, step or request
│   └── OtherProtocol gRPC where REST was asked, or REST where gRPC was: waiting mends nothing
├── Refused           the service answered with a problem
└── BadMessage        what was received does not fit what was declared (the sender's fault)
"""

from __future__ import annotations

from msgspec.structs import replace

from nav_eval_sdk.protocol.messages import Problem
from nav_eval_sdk.protocol.text import CODE, cleaned, line

CODES: dict[str, tuple[int, str]] = {
    "bad_request": (400, "The request could not be understood"),
    "unauthorized": (401, "The token is missing or wrong"),
    "not_found": (404, "There is no such address"),
    "unknown_session": (404, "There is no such session"),
    "method_not_allowed": (405, "Use the method that the address asks for"),
    "step_conflict": (409, "This step is not the next one"),
    "superseded": (409, "The same request was sent again"),
    "too_large": (413, "The request is larger than the limit"),
    "unsupported_media_type": (415, "Use application/json or application/msgpack"),
    "invalid_action": (500, "The agent chose an action that is not in the action space"),
    "agent_error": (500, "The agent failed"),
    "internal": (500, "The service failed"),
    "unimplemented": (501, "The service does not offer this call"),
    "loading": (503, "The agent is still loading"),
    "draining": (503, "The service is shutting down"),
    "busy": (503, "All sessions are taken"),
}
RETRYABLE = frozenset({"loading", "busy", "superseded"})
"""Codes of a service that may be asked on until the deadline."""
ABSENT = frozenset({"not_found", "method_not_allowed", "unimplemented"})
"""Codes that say that a service does not offer a call."""


class WireError(Exception):
    """Root of the tree; `str(error)` is one line fit for a user. `after`: seconds that the peer asks us to wait."""

    def __init__(self, text: str = "", *, after: float = 0.0) -> None:
        super().__init__(line(text))
        self.after = after


class Unreachable(WireError):
    pass


class Forbidden(Unreachable):
    pass


class DeadlineMissed(WireError):
    pass


class BadAnswer(WireError):
    pass


class OtherProtocol(BadAnswer):
    pass


class BadMessage(WireError):
    pass


class Refused(WireError):
    """`problem` is what the service said, each text a line; a code that is no word of a-z and _ is `agent_error`."""

    def __init__(self, problem: Problem, *, after: float = 0.0) -> None:
        code = problem.code if CODE.fullmatch(problem.code) else "agent_error"
        self.problem = replace(cleaned(problem), code=code)
        super().__init__(f"{code}: {self.problem.detail or self.problem.title}", after=after)


class ServiceProblem(Exception):
    """Raised inside a service; becomes a Problem on the wire."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail

    @property
    def problem(self) -> Problem:
        status, title = CODES[self.code]
        return Problem(code=self.code, title=title, status=status, detail=self.detail)
