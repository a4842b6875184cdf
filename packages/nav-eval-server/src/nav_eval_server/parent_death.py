"""Processes that do not outlive the one that started them, even if that one is killed with SIGKILL."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

WRAPPER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL; it survives execv
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""In a small interpreter and not in preexec_fn, which may hang where there are threads."""


def killed_with_parent(command: Sequence[str]) -> list[str]:
    """`command`, whose first word is a path, as a child of this thread that dies with it."""
    return [sys.executable, "-I", "-S", "-c", WRAPPER, str(os.getpid()), *command]
