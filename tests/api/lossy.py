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
from concurrent import futures
from contextlib import contextmanager
from typing import Any

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
    channel = grpc.insecure_channel(target)
    server = grpc.server(futures.ThreadPoolExecutor(32))
    server.add_generic_rpc_handlers((_Handlers(channel, fate),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait(2)
        channel.close()


class _Handlers(grpc.GenericRpcHandler):  # type: ignore[misc]
    def __init__(self, channel: Any, fate: Fate) -> None:
        self._channel = channel
        self._fate = fate

    def service(self, details: Any) -> Any:
        if details.method == f"/{SERVICE}/Session":
            return grpc.stream_stream_rpc_method_handler(self._stream(details.method))
        return grpc.unary_unary_rpc_method_handler(self._unary(details.method))

    def _unary(self, method: str) -> Callable[[bytes, Any], bytes]:
        def call(request: bytes, context: Any) -> bytes:
            answer: bytes = self._passed_on(
                lambda: self._channel.unary_unary(method)(request, timeout=PATIENCE), context
            )
            self._spoil(context)
            return answer

        return call

    def _stream(self, method: str) -> Callable[[Iterator[bytes], Any], Iterator[bytes]]:
        def call(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
            answers = self._channel.stream_stream(method)(requests)
            context.add_callback(answers.cancel)
            while True:
                answer = self._passed_on(lambda: next(answers, None), context)
                if answer is None:
                    return
                yield answer
                if self._spoil(context) == "double":
                    yield answer

        return call

    @staticmethod
    def _passed_on(call: Callable[[], Any], context: Any) -> Any:
        try:
            return call()
        except grpc.RpcError as error:
            context.set_trailing_metadata(error.trailing_metadata() or ())
            context.abort(error.code(), error.details())

    def _spoil(self, context: Any) -> str:
        drawn = self._fate.draw()
        if drawn == "drop":
            context.abort(grpc.StatusCode.UNAVAILABLE, "the connection was lost")
        time.sleep(DELAY if drawn == "delay" else 0)
        return drawn
