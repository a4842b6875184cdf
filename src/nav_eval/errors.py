"""Every error that nav_eval raises on purpose; each says whose fault it is, what is wrong and what to do next.

```text
NavEvalError                    exit 4: the evaluator's own fault, unless a subclass says otherwise
├── InputError                  exit 2: something the user gave us
│   ├── ConfigError             a key, a value or a file of the configuration (every fault at once)
│   ├── DatasetError            a data set file, an episode in it
│   ├── SceneError              a mesh, a texture, a connectivity graph
│   ├── NavmeshError            a navmesh file or its parameters
│   ├── PredictionsError        a submission that is scored offline
│   └── RunDirectoryError       a run directory that is locked, changed or damaged
├── ServiceError                exit 3: the participant's service
│   ├── ServiceUnavailable      nobody answers, or it is not ready in time
│   ├── AgentTimeout            it answers, but after the deadline
│   ├── AgentError              it answers with an error, or with something that is no answer
│   └── InvalidAction           it answers with an action that the task does not allow
├── SimulatorError              exit 4: a simulator backend failed during an episode
│   └── SimulatorUnavailable    exit 3: nobody answers where a simulator should run, or its command does not start
├── ResourceExhausted           exit 4: this machine is out of files, memory, threads or disk
└── BudgetExceeded              an episode used up the budget that the organiser set
```
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

LONGEST_LINE = 1000
LONGEST_WORD = 300
"""Characters between blanks and slashes: no file system knows a name as long, so it is a stranger's filling."""
LONGEST_REASON = 300
_FILLING = re.compile(rf"[^\s/]{{{LONGEST_WORD + 1},}}")


def printable(text: str) -> str:
    """`text` with its control characters, direction marks and halves of surrogate pairs spelt out (\\x1b, \\ud800).

    Words longer than LONGEST_WORD and lines longer than LONGEST_LINE lose their middle. Messages quote files and
    services of strangers, and are shown on terminals and written as UTF-8.
    """
    spelt = _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    if len(spelt) <= LONGEST_WORD:
        return spelt
    short = _FILLING.sub(lambda found: _fitting(found[0], LONGEST_WORD), spelt)
    return "\n".join(_fitting(line, LONGEST_LINE) for line in short.split("\n"))


def is_printable(text: str) -> bool:
    """Whether `printable` finds nothing to spell out."""
    return not _UNPRINTABLE.search(text)


def one_line(text: str) -> str:
    """`printable`, with the ends of lines spelt out too: a name that holds one must not look like two lines."""
    return printable(text.replace("\n", "\\n"))


def as_reason(error: BaseException) -> str:
    """What a record, a log and a table keep of `error`: one printable line of at most LONGEST_REASON characters."""
    told = str(error) if isinstance(error, NavEvalError) else f"{type(error).__name__}: {error}"
    line = printable(" ".join(told.split()))
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 4]} ..."


def _fitting(text: str, longest: int) -> str:
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


_CALLS_FROM_PYTHON: list[None] = []


@contextmanager
def from_python() -> Iterator[None]:
    """While it lasts, advice in this process is for who calls from Python. Also a decorator."""
    _CALLS_FROM_PYTHON.append(None)
    try:
        yield
    finally:
        _CALLS_FROM_PYTHON.pop()


def asked_from_python() -> bool:
    """Whether a program of the user's asks, and not one of our commands."""
    return bool(_CALLS_FROM_PYTHON)


def advice(command: str, python: str) -> str:
    """What to do next, in the words of the command line or of Python, whichever asks."""
    return python if asked_from_python() else command


class NavEvalError(Exception):
    """Root of the tree. `str(error)` is one or two lines fit for a user, and safe to print."""

    exit_code: ClassVar[int] = 4
    status: ClassVar[str] = "evaluator_error"

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(NavEvalError):
    exit_code = 2


class ConfigError(InputError):
    pass


class DatasetError(InputError):
    pass


class SceneError(InputError):
    pass


class NavmeshError(InputError):
    pass


class PredictionsError(InputError):
    pass


class RunDirectoryError(InputError):
    pass


class ServiceError(NavEvalError):
    exit_code = 3
    status = "agent_error"


class ServiceUnavailable(ServiceError):
    status = "service_unavailable"


class AgentTimeout(ServiceError):
    status = "agent_timeout"


class AgentError(ServiceError):
    pass


class InvalidAction(ServiceError):
    status = "invalid_action"


class SimulatorError(NavEvalError):
    pass


class SimulatorUnavailable(SimulatorError):
    exit_code = 3


class ResourceExhausted(NavEvalError):
    pass


class BudgetExceeded(NavEvalError):
    status = "budget_exceeded"


DISK = {
    errno.ENOSPC: "the disk is full.",
    errno.EDQUOT: "the quota of the disk is used up.",
    errno.EROFS: "the disk is read-only.",
    errno.EIO: "the disk reports an error.",
    errno.EFBIG: "a file has reached its size limit: raise `ulimit -f`.",
}
EXHAUSTED = DISK | {
    errno.EMFILE: "the process has too many open files: raise `ulimit -n`, or lower evaluation.parallel.sessions.",
    errno.ENFILE: "the system has too many open files: lower evaluation.parallel.sessions.",
    errno.ENOMEM: "there is no memory left: lower evaluation.parallel.workers.",
}


def exhausted(error: BaseException, file: object = None) -> ResourceExhausted | None:
    """What this machine lacks, if `error` was caused by that, however often it was wrapped.

    `file`: what was being written, where the system's error does not name it. What else an InputError says of a file
    stands: memory that a stranger's file asks for is not this machine's fault.
    """
    known = DISK if isinstance(error, InputError) else EXHAUSTED
    for cause in _chain(error):
        if isinstance(cause, ResourceExhausted):
            return cause
        number = errno.ENOMEM if isinstance(cause, MemoryError) else getattr(cause, "errno", None)
        if number in known:
            named = getattr(cause, "filename2", None) or getattr(cause, "filename", None) or file
            where = f"{named}: " if named and number in DISK else ""
            go_on = advice(" What is finished is safe; go on with --resume.", "")
            return ResourceExhausted(f"{where}{known[number]}{go_on}")
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
