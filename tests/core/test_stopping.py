"""Signals that another thread takes away from the one that waits for them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

import pytest

from patience import PATIENCE

STOLEN = r"""
import os, queue, signal, sys, threading
from nav_eval.core.stopping import Attended, wait_for
from nav_eval_sdk.signals import get, join, wait

signal.signal(signal.SIGUSR1, lambda number, frame: os.write(1, b"heard\n"))
never = threading.Event()
busy = Attended(never.wait)
busy.start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # the main thread's only: the kernel chooses the other one
waits = {
    "wait_for": lambda: wait_for([busy]),
    "wait": lambda: wait(never),
    "wait a day": lambda: wait(never, 86400),
    "join": lambda: join(busy),
    "get": lambda: get(queue.SimpleQueue()),
}
print("ready", flush=True)
waits[sys.argv[1]]()
"""


def heard(how):
    """Whether a process that waits in this way hears a signal that another of its threads took."""
    process = subprocess.Popen([sys.executable, "-c", STOLEN, how], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, signal.SIGUSR1)
        return bool(select.select([process.stdout], [], [], PATIENCE)[0])
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", ["wait_for", "wait", "wait a day", "join", "get"])
def test_a_signal_that_another_thread_took_is_heeded_all_the_same(how):
    assert heard(how)
