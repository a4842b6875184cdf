"""A proxy between evaluator and service that drops, delays and doubles answers, on a seeded tenth of them.

Byte for byte for REST (an answer is what the service sends until the next request) and for gRPC by messages, because
HTTP/2 frames mean nothing on their own: a doubled one is a broken connection, which `drop` is already. A doubled gRPC
answer can only exist in a stream.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from attacks.raw_grpc import GrpcRequest, grpc_service
from nav_eval_sdk.protocol.grpc import SERVICE
from nav_eval_sdk.quiet import grpc
from patience import PATIENCE
from relays import Relay

DELAY = 0.05


class Fate:
    """What happens to the next answer; `happened` counts."""

    def __init__(self, share: float, seed: int) -> None:
        self._random = random.Random(seed)
        self._share = share
        self._lock = threading.Lock()
        self.happened: Counter[str] = Counter()

    def draw(self) -> str:
        with self._lock:
            spoiled = self._random.random() < self._share
            fate = self._random.choice(["drop", "delay", "double"]) if spoiled else "pass"
            self.happened[fate] += 1
            return fate


class Lossy(Relay):
    def __init__(self, port: int, fate: Fate) -> None:
        self._fate = fate
        super().__init__(port)

    def to_client(self, data: bytes) -> bytes:
        drawn = self._fate.draw()
        time.sleep(DELAY if drawn == "delay" else 0)
        return {"drop": b"", "double": data * 2}.get(drawn, data)


@contextmanager
def lossy_rest(target: str, fate: Fate) -> Iterator[str]:
    """Yields the proxy's endpoint."""
    with Lossy(int(target.rpartition(":")[2]), fate) as relay:
        yield relay.endpoint


@contextmanager
def lossy_grpc(target: str, fate: Fate) -> Iterator[str]:
    """Yields the proxy's endpoint; a dropped answer is a call that breaks as a lost connection does."""
    with grpc.insecure_channel(target) as channel:

        def answer(request: GrpcRequest, context: Any) -> bytes:
            ask = channel.unary_unary(f"/{SERVICE}/{request.call}")
            said: bytes = _passed_on(lambda: ask(request.message, timeout=PATIENCE), context)
            _spoil(fate, context)
            return said

        def session(requests: Iterator[bytes], context: Any, _: object) -> Iterator[bytes]:
            answers = channel.stream_stream(f"/{SERVICE}/Session")(requests)
            context.add_callback(answers.cancel)
            while (said := _passed_on(lambda: next(answers, None), context)) is not None:
                yield said
                if _spoil(fate, context) == "double":
                    yield said

        with grpc_service(answer, session) as proxy:
            yield proxy.endpoint


def _passed_on(call: Callable[[], Any], context: Any) -> Any:
    try:
        return call()
    except grpc.RpcError as error:
        context.set_trailing_metadata(error.trailing_metadata() or ())
        context.abort(error.code(), error.details())


def _spoil(fate: Fate, context: Any) -> str:
    drawn = fate.draw()
    if drawn == "drop":
        context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was lost")
    time.sleep(DELAY if drawn == "delay" else 0)
    return drawn
