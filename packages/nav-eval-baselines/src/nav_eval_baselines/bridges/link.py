"""A websocket that carries msgpack with arrays, as openpi and the vla-evaluation-harness speak it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import msgspec
import numpy as np

from nav_eval_baselines.bridges.base import PAUSE, PolicyServerError, ServerOptions

MAX_REPLY = 1 << 26
"""Bytes."""


def packed(message: Any, key: Callable[[str], Any]) -> bytes:
    """msgpack; an array is a map with the keys __ndarray__, data, dtype and shape, as `key` writes them."""

    def of_array(value: Any) -> Any:
        array = np.asarray(value)
        parts = {"__ndarray__": True, "data": array.tobytes(), "dtype": array.dtype.str, "shape": list(array.shape)}
        return {key(name): part for name, part in parts.items()}

    return msgspec.msgpack.encode(message, enc_hook=of_array)


def unpacked(data: bytes, key: Callable[[str], Any]) -> Any:
    """The same back; raises PolicyServerError. Arrays of numbers only: nothing in a reply is ever executed."""

    def walked(value: Any) -> Any:
        if isinstance(value, list):
            return [walked(part) for part in value]
        if isinstance(value, dict):
            return _array(value, key) if key("__ndarray__") in value else {k: walked(v) for k, v in value.items()}
        return value

    try:
        return walked(msgspec.msgpack.decode(data))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise PolicyServerError(f"the server's reply cannot be read: {error!r}."[:300]) from None


def _array(value: Mapping[Any, Any], key: Callable[[str], Any]) -> Any:
    kind = np.dtype(value[key("dtype")])
    if kind.kind not in "biuf":
        raise ValueError(f"an array of {kind}")
    return np.frombuffer(value[key("data")], kind).reshape(value[key("shape")])


class Link:
    """One websocket connection; whatever fails closes it, so that no late reply is taken for the next one."""

    def __init__(self, options: ServerOptions, headers: Mapping[str, str] | None = None) -> None:
        self._options, self._headers = options, dict(headers or {})
        self._connection: Any = None
        self._opened = ExitStack()

    @property
    def opened(self) -> bool:
        return self._connection is not None and self._connection.protocol.state.name == "OPEN"

    def open(self) -> None:
        """Connect; a server that does not listen yet is tried again until `connect_within` is over."""
        from websockets.sync.client import connect

        self.close()
        until = time.monotonic() + self._options.connect_within
        while True:
            try:
                connecting = connect(
                    self._options.url,
                    additional_headers=self._headers,
                    compression=None,
                    max_size=MAX_REPLY,
                    ping_interval=None,  # a server that computes does not answer pings
                    open_timeout=max(until - time.monotonic(), 1.0),
                )
                self._connection = self._opened.enter_context(connecting)
                return
            except ConnectionRefusedError:
                if time.monotonic() + PAUSE >= until:
                    raise self._fault("nobody listens there; start the server, or check --url") from None
                time.sleep(PAUSE)
            except Exception as error:  # noqa: BLE001 - whatever the handshake meets is said in one sentence
                raise self._fault(f"{type(error).__name__}: {error}") from None

    def send(self, message: bytes) -> None:
        if not self.opened:
            raise PolicyServerError("the connection to the policy server was lost in this episode.")
        with self._explain_errors():
            self._connection.send(message)

    def receive(self, seconds: float) -> bytes | str:
        with self._explain_errors(seconds):
            return cast("bytes | str", self._connection.recv(timeout=seconds))

    def close(self) -> None:
        self._opened.close()
        self._connection = None

    @contextmanager
    def _explain_errors(self, seconds: float = 0.0) -> Iterator[None]:
        from websockets.exceptions import ConnectionClosed

        try:
            yield
        except TimeoutError:
            self._connection.close_timeout = 0.1
            self.close()
            raise self._fault(f"no answer within {seconds:g} s; raise --timeout and agent_service.timeout") from None
        except (ConnectionClosed, OSError) as error:
            self.close()
            raise self._fault(f"it closed the connection: {error}") from None

    def _fault(self, said: str) -> PolicyServerError:
        return PolicyServerError(f"the policy server at {self._options.url}: {said}."[:400])
