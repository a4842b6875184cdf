"""A model server of the vla-evaluation-harness: msgpack messages {type, payload, seq, timestamp} over a websocket.

As of allenai/vla-evaluation-harness, src/vla_eval/protocol (messages.py, numpy_codec.py), connection.py and
model_servers/serve.py: hello is answered, episode_start and episode_end are not, an observation is answered by an
action, or by an error, with its own seq. A server with a chunk size hands its chunks out action by action itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nav_eval_baselines import __version__
from nav_eval_baselines.bridges.base import Actions, PolicyAgent, PolicyOptions, PolicyServerError, actions_of, chosen
from nav_eval_baselines.bridges.link import Link, packed, unpacked
from nav_eval_sdk.options import option
from nav_eval_sdk.protocol.usage import Usage

PROTOCOL = 1
FIELDS = {"type", "payload", "seq", "timestamp"}


@dataclass(frozen=True)
class VlaEvalOptions(PolicyOptions):
    """`VlaEvalOptions(observations="front=rgb")`: pictures go into `images`, other sensors beside it."""

    observations: str = option("front=rgb", "what is sent, as KEY=SENSOR, parted by commas; a picture's is its camera")
    instruction_key: str = option("task_description", "the key of the instruction")
    picture_size: str = option("", "pictures become WIDTHxHEIGHT, with black borders; empty: as the sensor has it")


class VlaEvalAgent(PolicyAgent):
    """Asks a model server of the vla-evaluation-harness: `VlaEvalAgent(VlaEvalOptions(url="ws://gpu:8000"))`.

    `server`: what it said of itself in its hello, its specs of actions and observations among it.
    """

    name = "vla_eval"
    version = "1"
    Options = VlaEvalOptions

    def __init__(self, options: VlaEvalOptions | None = None) -> None:
        super().__init__(options)
        self._link, self._seq, self._playing = Link(self.options), 0, False
        self.server: Mapping[str, Any] = {}

    def start(self, episode: Mapping[str, Any]) -> None:
        if self._link.opened and self._playing:
            self._send("episode_end", {})
        if not self._link.opened:
            self._link.open()
            self._greet()
        self._send("episode_start", {"task": {"name": self.instruction, "suite": str(episode.get("task") or "")}})
        self._playing = True

    def ask(self, observation: Mapping[str, Any]) -> tuple[Actions, Usage]:
        sent: dict[str, Any] = {"images": {}, self.options.instruction_key: self.instruction}
        for key, value in chosen(observation, self.options).items():
            picture = getattr(value, "ndim", 0) == 3 and value.dtype == "u1"
            (sent["images"] if picture else sent)[key] = value
        reply = self._receive("action", self._send("observation", sent), self.seconds)
        return actions_of(reply, self.options, self.space), Usage(requests=1)

    def _greet(self) -> None:
        hello = {"harness_version": f"nav-eval-baselines {__version__}", "protocol_version": PROTOCOL}
        self.server = self._receive("hello", self._send("hello", hello), self.options.timeout)
        if self.server.get("protocol_version") != PROTOCOL:
            self._link.close()
            spoken = self.server.get("protocol_version")
            raise PolicyServerError(f"the policy server speaks protocol {spoken!r}; this agent speaks {PROTOCOL}.")

    def _send(self, kind: str, payload: Mapping[str, Any]) -> int:
        self._seq += 1
        message = {"type": kind, "payload": payload, "seq": self._seq, "timestamp": time.time()}
        self._link.send(packed(message, str))
        return self._seq

    def _receive(self, kind: str, seq: int, seconds: float) -> Mapping[str, Any]:
        data = self._link.receive(seconds)
        reply = unpacked(data if isinstance(data, bytes) else data.encode(), str)
        if not isinstance(reply, Mapping) or not set(reply) >= FIELDS or not isinstance(reply["payload"], Mapping):
            self._link.close()
            raise PolicyServerError("the policy server's reply is no message: is this a vla-eval model server?")
        if reply["type"] == "error":
            self._link.close()
            raise PolicyServerError(f"the policy server failed: {reply['payload'].get('error')}"[:400])
        if (reply["type"], reply["seq"]) != (kind, seq):
            self._link.close()
            was = f"{reply['type']!r} to message {reply['seq']}"
            raise PolicyServerError(f"the policy server answers with {was}, not with {kind!r} to message {seq}.")
        return dict(reply["payload"])

    def close(self) -> None:
        if self._link.opened and self._playing:
            with suppress(PolicyServerError):
                self._send("episode_end", {})
        self._link.close()
