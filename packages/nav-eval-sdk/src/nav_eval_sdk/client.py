"""A client to try a service with, before an evaluator does: synthetic episodes over either wire."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import (
    Action,
    ActionSpec,
    EpisodeData,
    EpisodeEnd,
    Info,
    Instruction,
    Limits,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.protocol.version import JSON, MSGPACK
from nav_eval_sdk.transport.base import Ask, ClientTls, Connection, Deadline, Endpoint, Transport

WIRES = ("rest-json", "rest-msgpack", "grpc-unary", "grpc-stream")


def open_transport(connection: Connection, wire: str) -> Transport:
    """`wire`: one of WIRES."""
    if wire.startswith("rest"):
        from nav_eval_sdk.transport.rest import RestTransport

        return RestTransport(connection, JSON if wire == "rest-json" else MSGPACK)
    if wire not in WIRES:
        raise ValueError(f"wire {wire!r} is not one of {', '.join(WIRES)}.")
    from nav_eval_sdk.transport.grpc import GrpcTransport

    return GrpcTransport(connection, stream=wire == "grpc-stream")


class TestClient:
    """Plays episodes with a service: reset(episode), for example a synthetic_episode, then act(observation), then end.

    `endpoint`: host:port or a URL. `wire`: one of WIRES. `timeout`: seconds for one answer. Raises WireError.

    >>> from nav_eval_sdk.examples.forward import ForwardAgent
    >>> with start(ForwardAgent, port=0).wait_loaded() as server:
    ...     client = TestClient(server.endpoint)
    ...     episode = client.reset(synthetic_episode({}, {"move_forward": ActionSpec()}))
    ...     client.act({}).action
    ...     client.end()
    ...     client.close()
    'move_forward'
    """

    __test__ = False

    def __init__(
        self,
        endpoint: str,
        *,
        wire: str = "rest-json",
        token: str | None = None,
        tls: ClientTls | None = None,
        timeout: float = Deadlines.act,
    ) -> None:
        self.transport = open_transport(Connection(Endpoint.parse(endpoint), token, tls), wire)
        self._timeout = timeout
        self._episode: EpisodeData | None = None
        self._step = 0

    def info(self) -> Info:
        """What the service says of itself: name, version, sensors, encodings, sessions."""
        return self.transport.info(self.deadline())

    def health(self) -> ServiceStatus:
        """Whether it is ready."""
        return self.transport.health(self.deadline())

    def validate(self, episode: EpisodeData | None = None) -> Validation:
        """Whether it can play an episode with these observations and actions."""
        return self.transport.validate(episode, self.deadline())

    def reset(self, episode: EpisodeData) -> EpisodeData:
        """Begin `episode` in a session of its own."""
        self._episode, self._step = in_new_session(episode), 0
        self.transport.reset(self._episode, self.deadline())
        return self._episode

    def act(self, observation: Mapping[str, Any]) -> Action:
        """The agent's answer to one observation; `reset` comes first."""
        action = self.transport.act(self.ask(observation), self.deadline())
        self._step += 1
        return action

    def ask(self, observation: Mapping[str, Any]) -> Ask:
        """The request that `act` would send next."""
        if self._episode is None:
            raise RuntimeError("Call reset first.")
        specs = self._episode.observation_spec
        key = self._episode.session_id, self._step, secrets.token_hex(8)
        return Ask(*key, specs=specs, observation=observation)

    def end(self, reason: str = "done") -> None:
        """The episode is over."""
        if self._episode is not None:
            self.transport.end(EpisodeEnd(session_id=self._episode.session_id, reason=reason), self.deadline())
        self._episode = None

    def close(self) -> None:
        """Drop the connection."""
        self.transport.drop()

    def deadline(self) -> Deadline:
        return Deadline(self._timeout)


def in_new_session(episode: EpisodeData) -> EpisodeData:
    """The same episode with a session and a request of its own."""
    from msgspec.structs import replace

    return replace(episode, session_id=secrets.token_hex(8), request_id=secrets.token_hex(8))


def synthetic_episode(specs: Mapping[str, Any], actions: Mapping[str, ActionSpec], seed: int = 0) -> EpisodeData:
    """An episode that no data set has, with the limits of an ordinary benchmark."""
    text = "Walk past the table and stop at the door."
    return EpisodeData(
        episode_id=f"synthetic-{seed}",
        scene_id="synthetic",
        instruction=Instruction(text, tuple(text.lower().replace(".", " .").split())),
        start_position=(0.0, 0.0, 0.0),
        start_rotation=(0.0, 0.0, 0.0, 1.0),
        seed=seed,
        task="vln",
        observation_spec=dict(specs),
        action_space=dict(actions),
        limits=Limits(max_steps=500, reset_timeout=Deadlines.reset, act_timeout=Deadlines.act),
    )
