"""Exit codes and messages: 0 done, 1 findings, 2 bad input, 3 the participant's service, 4 our own fault.

What a signal ended has its number and 128, as in a shell.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

from nav_eval.cli.chinese import spoken
from nav_eval.core.stopping import DRAINS, Draining, Terminated
from nav_eval.errors import NavEvalError, exhausted, printable

DONE, FINDINGS, BAD_INPUT, SERVICE, OURS = 0, 1, 2, 3, 4
INTERRUPTED, TERMINATED, DRAINED = (128 + number for number in (signal.SIGINT, signal.SIGTERM, DRAINS))


def guarded(command: Callable[[list[str]], int], arguments: list[str], *, debug: bool) -> int:
    """Run a command; every exception becomes a short message on stderr and the right exit code."""
    from nav_eval.logging import show_on_terminal

    try:
        show_on_terminal(lambda text: spoken(printable(text)), verbose=debug)
        code = command(arguments)
        sys.stdout.flush()
        return code
    except NavEvalError as error:
        told = exhausted(error) or error
        return _say(str(told), told.exit_code, debug)
    except KeyboardInterrupt as stop:
        code = TERMINATED if isinstance(stop, Terminated) else INTERRUPTED
        resumable = arguments[:1] in (["run"], ["sweep"])
        words = "stopped. What was finished is safe; --resume continues the run." if resumable else "stopped."
        return _say(words, code, debug)
    except Draining:
        return _say("drained: what had begun is finished. --resume plays the rest.", DRAINED, debug)
    except BrokenPipeError:
        _close_stdout()
        return DONE
    except Exception as error:  # noqa: BLE001 - the last place where an error can become a message
        return _report_unexpected(error, debug)


def _report_unexpected(error: Exception, debug: bool) -> int:
    if type(error).__module__.startswith("cyclopts"):
        return _say(f"{error} `nav-eval COMMAND --help` shows what it takes.", BAD_INPUT, debug)
    lacking = exhausted(error)
    if lacking is not None:
        _close_stdout()
        return _say(str(lacking), lacking.exit_code, debug)
    hint = "" if debug else " Run it again with --debug and report what it prints."
    return _say(f"internal error: {type(error).__name__}: {error}.{hint}", OURS, debug)


def _close_stdout() -> None:
    """What cannot be written shall not be tried again at the interpreter's end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"nav-eval: {spoken(printable(message))}\n")
    return code
