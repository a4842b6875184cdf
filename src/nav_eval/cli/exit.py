"""Exit codes and messages: 0 done, 1 findings, 2 bad input, 3 the participant's service, 4 our own fault."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

from nav_eval.errors import NavEvalError, printable

DONE, FINDINGS, BAD_INPUT, SERVICE, OURS = 0, 1, 2, 3, 4


def guarded(command: Callable[[list[str]], int], arguments: list[str], *, debug: bool) -> int:
    """Run a command; every exception becomes a short message on stderr and the right exit code."""
    from nav_eval.logging import show_on_terminal

    try:
        show_on_terminal(verbose=debug)
        return command(arguments)
    except NavEvalError as error:
        return _say(str(error), error.exit_code, debug)
    except KeyboardInterrupt:
        return _say("stopped. What was finished is safe; --resume continues the run.", 130, debug)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:  # noqa: BLE001 - the last place where an error can become a message
        return _unexpected(error, debug)


def _unexpected(error: Exception, debug: bool) -> int:
    if type(error).__module__.startswith("cyclopts"):
        return _say(f"{error} `nav-eval COMMAND --help` shows what it takes.", BAD_INPUT, debug)
    hint = "" if debug else " Run it again with --debug and report what it prints."
    return _say(f"internal error: {type(error).__name__}: {printable(str(error))}.{hint}", OURS, debug)


def _say(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"nav-eval: {message}\n")
    return code
