"""Agents in the evaluator's own process, told and shown exactly what they would be over a wire."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from nav_eval.api.base import Deadlines
from nav_eval.api.disclosure import Disclosed, Disclosure, disclose
from nav_eval.api.remote import limits
from nav_eval.core.actions import ActionSpace
from nav_eval.core.interfaces import AgentClient, AgentService, Decision, EpisodeOffer, ServiceStatus
from nav_eval.core.types import Observations
from nav_eval.errors import AgentError, InvalidAction
from nav_eval.logging import get_logger
from nav_eval_sdk.agent_interface import ActionFault, Agent, agent_episode, normalise
from nav_eval_sdk.protocol.values import canonical

MANY = 4096


class LocalService(AgentService):
    """`factory` (usually the agent's class) makes one agent per session, in the session's own thread."""

    def __init__(
        self,
        factory: Callable[[], Agent],
        *,
        disclosure: Literal["competition", "full"] = "competition",
        secret: bytes = b"",
        deadlines: Deadlines | None = None,
    ) -> None:
        self.name = str(getattr(factory, "name", "") or getattr(factory, "__name__", "agent"))
        self._version = str(getattr(factory, "version", ""))
        self._factory = factory
        self._disclosure = Disclosure(disclosure, secret)
        self._deadlines = deadlines or Deadlines()

    def health_check(self) -> ServiceStatus:
        return ServiceStatus(True, "in this process", self.name, self._version, MANY)

    def open_session(self) -> LocalAgentClient:
        return LocalAgentClient(self._factory, self._disclosure, self._deadlines)


class LocalAgentClient(AgentClient):
    """Deadlines cannot be enforced here: a call that hangs, hangs."""

    def __init__(self, factory: Callable[[], Agent], disclosure: Disclosure, deadlines: Deadlines) -> None:
        self._factory = factory
        self._disclosure = disclosure
        self._deadlines = deadlines
        self._agent: Agent | None = None
        self._episode: tuple[Disclosed, ActionSpace] | None = None

    def health_check(self) -> ServiceStatus:
        return ServiceStatus(True, "in this process")

    def reset_episode(self, offer: EpisodeOffer) -> None:
        disclosed = disclose(offer, self._disclosure, limits(offer, self._deadlines))
        if self._agent is None:
            self._agent = _guarded(self._factory)
        self._episode = disclosed, offer.action_space
        _guarded(self._agent.reset, agent_episode(disclosed.data))

    def get_action(self, observations: Observations) -> Decision:
        if self._agent is None or self._episode is None:
            raise AgentError("get_action was called outside an episode: call reset_episode first.")
        disclosed, space = self._episode
        seen = canonical(disclosed.data.observation_spec, disclosed.observation(observations))
        begun = time.perf_counter()
        answer = _guarded(self._agent.act, seen)
        latency = time.perf_counter() - begun
        try:
            name, arguments = normalise(answer)
        except ActionFault as fault:
            raise InvalidAction(str(fault)) from None
        return Decision(disclosed.action(name, arguments, space), latency)

    def end_episode(self, reason: str) -> None:
        self._episode = None

    def close(self) -> None:
        if self._agent is not None and hasattr(self._agent, "close"):
            _guarded(self._agent.close)
        self._agent = None


def _guarded(call: Callable[..., Any], *args: Any) -> Any:
    """The call's result; whatever an agent raises is the participant's fault."""
    try:
        return call(*args)
    except Exception as error:
        get_logger(__name__).debug("the agent's traceback", exc_info=True)
        raise AgentError(f"the agent raised {type(error).__name__}: {str(error)[:200]}{_place(error)}") from error


def _place(error: Exception) -> str:
    """The innermost line that raised: " (agent.py, line 12)"."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f" ({Path(frame.filename).name}, line {frame.lineno})"
