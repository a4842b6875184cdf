"""What a participant writes: a class with reset and act.

One object of the class lives per session and is called from one thread only, from its constructor to `close`; after
an episode the same object is reset for the next, so load the model in the constructor. `act_batch` is optional: with
it, the waiting sessions are answered together (see VLNAgent.act_batch).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

import msgspec

from nav_eval_sdk.protocol.actions import ActionFault as ActionFault
from nav_eval_sdk.protocol.actions import chunk_of
from nav_eval_sdk.protocol.messages import Envelope, EpisodeData, Message, Usage
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.text import passage

WIRE_ONLY = ("session_id", "request_id", "protocol", "step")
"""What no agent is told of a message's fields."""


class Agent(Protocol):
    """The two calls that any agent object must have."""

    def reset(self, episode: dict[str, Any]) -> None: ...

    def act(self, observation: dict[str, Any]) -> Any: ...


class VLNAgent(ABC):
    """Inherit and fill in `reset` and `act`; the class attributes tell the evaluator what the agent needs.

    name, version: shown in reports. sensors: {"rgb": (640, 480)} (width, height; (0, 0) = any) for those it cannot
    work without. action_space: the names it may answer, () = any.

    >>> class Walker(VLNAgent):
    ...     def reset(self, episode):
    ...         self.left = 2
    ...
    ...     def act(self, observation):
    ...         self.left -= 1
    ...         return "move_forward" if self.left else "stop"
    >>> agent = Walker()
    >>> agent.reset({"instruction": {"text": "Walk on."}})
    >>> agent.act({}), agent.act({})
    ('move_forward', 'stop')
    """

    name: ClassVar[str] = ""
    version: ClassVar[str] = ""
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {}
    action_space: ClassVar[Sequence[str]] = ()
    Options: ClassVar[Any] = None
    """Optional. A frozen dataclass of the agent's own settings, see nav_eval_sdk.options: `nav-eval-agent serve` shows
    and reads them, and the constructor takes one."""

    act_batch: ClassVar[Any] = None
    """Optional. Either a class method `act_batch(cls, agents, observations) -> list of actions`, where agents[i] is
    the object of the session that sent observations[i]; or, for an agent that remembers nothing between steps, a plain
    method `act_batch(self, observations) -> list of actions`. All calls then come from one thread."""

    max_chunk: int = 1
    """How many actions `act` may return at once in this episode; set before `reset` is called."""

    @abstractmethod
    def reset(self, episode: dict[str, Any]) -> None:
        """A new episode begins. Keys: episode_id, scene_id, instruction {text, tokens, language} or None,
        start_position, start_rotation, seed, task, observation_spec, action_space, limits."""

    @abstractmethod
    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str | list[dict[str, Any] | str]:
        """The next action: {"action": "move_forward", "action_args": {}}, or just its name; or a list of up to
        `self.max_chunk` of them, or {"actions": [...]}, which are carried out before it is asked again.

        A dictionary may also hold what the answer cost, as in "usage": {"input_tokens": 900, "output_tokens": 12,
        "requests": 1, "cost": {"USD": 0.002}} (nav_eval_sdk.protocol.usage), and what the model "said": both are shown
        in the report.

        `observation` has a key per sensor: read-only arrays (rgb (H, W, 3) uint8, depth (H, W, 1) float32 in metres),
        text, numbers, dicts and lists; None for a sensor that is absent at this step.
        """

    def close(self) -> None:
        """The service shuts down."""


def begin(agent: Any, data: EpisodeData) -> None:
    """Tell the agent that an episode begins."""
    if isinstance(agent, VLNAgent):
        agent.max_chunk = data.limits.chunk
    agent.reset(agent_episode(data))


def agent_episode(data: EpisodeData) -> dict[str, Any]:
    """What `reset` is given, the same on every wire."""
    episode: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
    return {key: value for key, value in episode.items() if key not in WIRE_ONLY}


def agent_observation(envelope: Envelope, sensors: dict[str, Any]) -> dict[str, Any]:
    """What `act` is given, the same on every wire: what is said beside the sensors, and these."""
    return {key: value for key, value in envelope.said().items() if key not in WIRE_ONLY} | sensors


MEANT = ("args", "arguments", "action_arguments", "parameters", "params", "kwargs")
"""Names that stand for action_args in other programs; an answer with one of them would lose its arguments."""


def moves(answer: Any, most: int = 1) -> list[tuple[str, dict[str, Any]]]:
    """(name, arguments) of each action that `act` returned, one or a list of up to `most`; raises ActionFault."""
    listed = isinstance(answer, Mapping) and "actions" in answer
    if not listed and not isinstance(answer, list):
        return [normalise(answer)]
    found = []
    for index, part in enumerate(chunk_of(answer["actions"] if listed else answer, most)):
        try:
            found.append(normalise(part))
        except ActionFault as fault:
            raise ActionFault(f"actions[{index}]: {fault}") from None
    return found


class Answer(Message, frozen=True):
    """What `act` returned, read: (name, arguments) of each action, what it cost, the model's own words."""

    actions: tuple[tuple[str, dict[str, Any]], ...] = ()
    usage: Usage | None = None
    said: str = ""


known(globals())


def read_answer(answer: Any, most: int) -> Answer:
    """Of what `act` returned, with at most so many actions; raises ActionFault."""
    return Answer(tuple(moves(answer, most)), *remarks(answer))


def remarks(answer: Any) -> tuple[Usage | None, str]:
    """What `act` returned beside the action: {"action": ..., "usage": {...}, "said": "..."}; raises ActionFault."""
    if not isinstance(answer, Mapping):
        return None, ""
    usage, said = answer.get("usage"), answer.get("said") or ""
    if not isinstance(said, str):
        raise ActionFault(f"said must be a text, not {type(said).__name__}.")
    return None if usage is None else _usage(usage), passage(said)


def _usage(given: Any) -> Usage:
    unknown = [key for key in given if key not in Usage.__struct_fields__] if isinstance(given, Mapping) else []
    if unknown:
        raise ActionFault(f"usage has no {str(unknown[0])[:40]!r}; it has {', '.join(Usage.__struct_fields__)}.")
    try:
        return msgspec.convert(given, Usage, from_attributes=True)
    except msgspec.ValidationError as error:
        raise ActionFault(f"usage: {error}.") from None


def normalise(answer: Any) -> tuple[str, dict[str, Any]]:
    """(name, arguments) of what `act` returned, numpy scalars made plain; raises ActionFault.

    Nothing is repaired: what is no action stays an error.
    """
    if isinstance(answer, str):
        return answer, {}
    if not isinstance(answer, Mapping) or not isinstance(answer.get("action"), str):
        raise ActionFault(f"act must return a name or {{'action': ..., 'action_args': ...}}, not {str(answer)[:80]!r}.")
    arguments = answer.get("action_args")
    if arguments is None:
        if meant := [key for key in MEANT if key in answer]:
            raise ActionFault(f"the arguments of an action are called 'action_args', not {meant[0]!r}.")
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise ActionFault(f"action_args must be a dict, not {type(arguments).__name__}.")
    return answer["action"], {str(key): _plain(str(key), value) for key, value in arguments.items()}


def _plain(key: str, value: Any) -> Any:
    value = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    if not isinstance(value, str | int | float | bool):
        raise ActionFault(f"argument {key!r} must be a number or a string, not {type(value).__name__}.")
    if isinstance(value, float) and value - value != 0.0:
        raise ActionFault(f"argument {key!r} must be finite, not {value}.")
    if isinstance(value, int) and abs(value) >= 1 << 63:
        raise ActionFault(f"argument {key!r} is too large.")
    return value
