"""openpi's websocket policy server: msgpack with arrays, its metadata first, then a reply to each observation.

As of Physical-Intelligence/openpi, src/openpi/serving/websocket_policy_server.py and packages/openpi-client
(websocket_client_policy.py, msgpack_numpy.py). A reply in text is the server's traceback. The protocol has no reset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nav_eval_baselines.bridges.base import Actions, PolicyAgent, PolicyOptions, PolicyServerError, actions_of, chosen
from nav_eval_baselines.bridges.link import Link, packed, unpacked
from nav_eval_sdk.protocol.usage import Usage
from nav_eval_sdk.variables import POLICY_API_KEY


class OpenpiAgent(PolicyAgent):
    """Asks a policy that openpi serves: `OpenpiAgent(PolicyOptions(url="ws://gpu:8000"))`. A key is in POLICY_API_KEY.

    `metadata`: what the server said of itself when it was connected to.
    """

    name = "openpi"
    version = "1"

    def __init__(self, options: PolicyOptions | None = None) -> None:
        super().__init__(options)
        key = POLICY_API_KEY.get()
        self._link = Link(self.options, {"Authorization": f"Api-Key {key}"} if key else None)
        self.metadata: Mapping[str, Any] = {}

    def start(self, episode: Mapping[str, Any]) -> None:
        if not self._link.opened:
            self._link.open()
            self.metadata = self._receive(self.options.timeout)

    def ask(self, observation: Mapping[str, Any]) -> tuple[Actions, Usage]:
        options = self.options
        sent = chosen(observation, options)
        self._link.send(packed({**sent, options.instruction_key: self.instruction}, str.encode))
        reply = self._receive(self.seconds)
        timing = reply.get("server_timing")
        spent = timing.get("infer_ms") if isinstance(timing, Mapping) else None
        seconds = max(0.0, spent / 1000) if isinstance(spent, int | float) else 0.0
        return actions_of(reply, options, self.space), Usage(requests=1, accelerator_seconds=seconds)

    def _receive(self, seconds: float) -> Mapping[str, Any]:
        data = self._link.receive(seconds)
        if isinstance(data, str):
            self._link.close()
            last = data.strip().rpartition("\n")[2]
            raise PolicyServerError(f"the policy server failed: {last[:300]}")
        reply = unpacked(data, str.encode)
        if not isinstance(reply, Mapping):
            raise PolicyServerError(f"the policy server answers a {type(reply).__name__}: is this an openpi server?")
        return reply

    def close(self) -> None:
        self._link.close()
