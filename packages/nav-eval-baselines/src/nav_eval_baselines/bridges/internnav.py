"""InternNav's agent server: HTTP and JSON, an observation as a pickle in base64, discrete actions back.

As of InternRobotics/InternNav, internnav/utils/comm_utils/server.py, client.py and configs/agent/__init__.py: POST
/agent/init with the agent's configuration, then /agent/NAME/reset and /agent/NAME/step. The reply is JSON, and nothing
here is ever unpickled. The server holds one agent of a name, with one memory: it plays one episode at a time.
"""

from __future__ import annotations

import base64
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.bridges.base import (
    PAUSE,
    Actions,
    PolicyAgent,
    PolicyServerError,
    ServerOptions,
    discrete,
    prepared,
    sensor,
)
from nav_eval_baselines.bridges.pickles import pickled
from nav_eval_sdk.options import option
from nav_eval_sdk.protocol.usage import Usage

AGAIN, TIMES, FAR = "again", 8, 10.0
"""An action that stands still; how often in a row the server may want it; metres of depth that are sent as 1."""
FAULTS = (
    (ConnectionRefusedError, "nobody listens there; start the server, or check --url."),
    (TimeoutError, "no answer in time; raise --timeout and agent_service.timeout."),
)
_playing: dict[tuple[str, str], int] = {}
"""By server and name, the agent object here that reset it last."""


@dataclass(frozen=True)
class InternNavOptions(ServerOptions):
    """`InternNavOptions(model="internvla_n1", settings="{...}")`: as `AgentCfg` of InternNav's evaluation has them."""

    schemes: ClassVar[tuple[str, str]] = ("http://", "https://")

    url: str = option("http://localhost:8087", "the server's address")
    model: str = option("internvla_n1", "the agent's name at the server (model_name)")
    checkpoint: str = option("", "its checkpoint at the server (ckpt_path)")
    settings: str = option("{}", "its model_settings, as a JSON object")
    load_within: float = option(600.0, "seconds for the server to load the model")
    table: str = option(
        "0=stop,1=move_forward,2=turn_left,3=turn_right,-1=again",
        "the action of each number, as NUMBER=ACTION, parted by commas; again: nobody moves, and the server is asked "
        "again with the same observation",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.model_settings, dict):
            raise ValueError("--settings: is no JSON object.")

    @property
    def model_settings(self) -> Any:
        try:
            return json.loads(self.settings)
        except ValueError as error:
            raise ValueError(f"--settings: is no JSON object: {error}.") from None


class InternNavAgent(PolicyAgent):
    """Asks an agent that InternNav serves: `InternNavAgent(InternNavOptions(url="http://gpu:8087"))`. RGB and depth."""

    name = "internnav"
    version = "1"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"rgb": (0, 0), "depth": (0, 0)}
    Options = InternNavOptions

    def __init__(self, options: InternNavOptions | None = None) -> None:
        super().__init__(options)
        given = self.options
        config = {"model_name": given.model, "ckpt_path": given.checkpoint, "model_settings": given.model_settings}
        until = time.monotonic() + given.connect_within
        reply = self._post("init", {"agent_config": config}, given.load_within, until)
        self._server = (given.url, str(reply.get("agent_name")))

    def start(self, episode: Mapping[str, Any]) -> None:
        depth = (episode.get("observation_spec") or {}).get("depth")
        if depth is not None and depth.get("unit") != "m":
            raise PolicyServerError("the sensor depth is not in metres: set simulator.sensors.depth.normalize=false.")
        _playing[self._server] = id(self)
        self._post(f"{self._server[1]}/reset", {"reset_index": [0]}, self.options.timeout)

    def ask(self, observation: Mapping[str, Any]) -> tuple[Actions, Usage]:
        if _playing.get(self._server) != id(self):
            raise PolicyServerError("another session has reset this server: it plays one episode at a time.")
        until = time.monotonic() + self.seconds
        body = {"observation": base64.b64encode(pickled([self._encode_observation(observation)])).decode()}
        for times in range(1, TIMES + 1):
            reply = self._post(f"{self._server[1]}/step", body, until - time.monotonic())
            number = _number(reply)
            if self.options.actions.get(number) != AGAIN:
                return [discrete(number, self.options, self.space)], Usage(requests=times)
        raise PolicyServerError(f"the server stood still {TIMES} times in a row.")

    def _encode_observation(self, observation: Mapping[str, Any]) -> dict[str, Any]:
        """rgb (H, W, 3) uint8, depth (H, W, 1) float32 from 0 to 1, the instruction."""
        depth = prepared(sensor(observation, "depth"), None)
        near = np.clip(np.nan_to_num(depth, nan=FAR, posinf=FAR), 0.0, FAR) / np.float32(FAR)
        return {"rgb": prepared(sensor(observation, "rgb"), None), "depth": near, "instruction": self.instruction}

    def _post(self, path: str, body: Any, seconds: float, until: float = 0.0) -> Mapping[str, Any]:
        """The reply to a POST; until then, a server that does not listen yet is tried again."""
        address = f"{self.options.url.rstrip('/')}/agent/{path}"
        request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
        while True:
            try:
                with urllib.request.urlopen(request, timeout=max(seconds, 0.001)) as response:
                    return _object(json.load(response))
            except urllib.error.HTTPError as error:
                said = f"it answers {error.code}: {' '.join(error.read(2000).decode('utf-8', 'replace').split())}"
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, ConnectionRefusedError) and time.monotonic() + PAUSE < until:
                    time.sleep(PAUSE)
                    continue
                said = next((text for kind, text in FAULTS if isinstance(reason, kind)), f"{reason!r}")
            raise PolicyServerError(f"{address}: {said}"[:300])


def _object(reply: Any) -> Mapping[str, Any]:
    if not isinstance(reply, Mapping):
        raise ValueError("this is no JSON object; is it InternNav's agent server?")
    return reply


def _number(reply: Mapping[str, Any]) -> int:
    """The one number of {"action": [{"action": [n], "ideal_flag": true}]}; raises PolicyServerError."""
    match reply:
        case {"action": [{"action": [[int(number)]] | [int(number)] | int(number), "ideal_flag": True}]} if (
            not isinstance(number, bool)
        ):
            return number
    raise PolicyServerError(f"the server's reply is no discrete action of one robot: {str(reply)[:200]}")
