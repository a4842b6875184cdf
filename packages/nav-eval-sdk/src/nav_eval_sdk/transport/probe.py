"""Is a service there? For somebody whose word we do not trust, such as a team that registers an address.

There are three answers, so that nobody can map a network by asking about addresses: what listens there, what it said
and how quickly it did are not told. An address outside `networks` and a closed port look the same.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import Literal

from nav_eval_sdk.client import open_transport
from nav_eval_sdk.errors import Refused, WireError
from nav_eval_sdk.protocol.version import PROTOCOL_VERSION
from nav_eval_sdk.transport.base import Connection, Deadline

Answer = Literal["ready", "refused", "wrong token"]
WIRES = {"rest": "rest-json", "grpc": "grpc-unary"}


def probe(connection: Connection, protocol: Literal["rest", "grpc"], seconds: float = 3.0) -> Answer:
    """Ask once. "ready" comes as soon as it is known, every other answer after `seconds`, whatever happened."""
    until = time.monotonic() + seconds
    answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    asking = threading.Thread(target=lambda: answers.put(_ask_readiness(connection, protocol, seconds)), daemon=True)
    asking.start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        return "refused"
    if answer != "ready":
        time.sleep(max(0.0, until - time.monotonic()))
    return answer


def _ask_readiness(connection: Connection, protocol: str, seconds: float) -> Answer:
    """Whatever goes wrong is a refusal, but for a token that our own protocol says is wrong."""
    deadline = Deadline(seconds)
    try:
        transport = open_transport(connection, WIRES[protocol])
        try:
            ready = transport.health(deadline).status == "ready"
            return "ready" if ready and PROTOCOL_VERSION in transport.info(deadline).protocols else "refused"
        finally:
            transport.drop()
    except Refused as refused:
        return "wrong token" if refused.problem.code == "unauthorized" else "refused"
    except (WireError, OSError, ValueError):
        return "refused"
