"""What every command of nav-eval-agent ends with: its exit codes, and a line for the user."""

from __future__ import annotations

import sys

FINDINGS, BAD_INPUT, UNUSABLE, OUR_FAULT = 1, 2, 3, 4
"""Of nav-eval-agent; 0 is done. OUR_FAULT: not the user's."""


class UsageError(Exception):
    """Something the user gave us; the message says what to do."""


def complain(message: str, code: int) -> int:
    """Say it on stderr; the code."""
    sys.stderr.write(f"nav-eval-agent: {message}\n")
    return code
