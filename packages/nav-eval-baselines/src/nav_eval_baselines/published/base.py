"""What the agents of this room share: where the published code and weights lie, and which actions its numbers are."""

from __future__ import annotations

import importlib
import sys
import threading
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.options import option, read
from nav_eval_sdk.protocol.usage import Usage
from nav_eval_sdk.variables import POLICY_OPTIONS, Variable

NAMES = ("stop", "move_forward", "turn_left", "turn_right")
"""Habitat's numbers of the four actions, which all of them use."""


class PublishedError(RuntimeError):
    """The published code cannot be used, or its model's answer is no action; the message says what to do."""


@dataclass(frozen=True)
class PublishedOptions:
    """`PublishedOptions("StreamVLN", "checkpoints/streamvln")`"""

    variable: ClassVar[Variable] = POLICY_OPTIONS

    repository: str = option("", "the checkout of its repository, installed as its README says")
    checkpoint: str = option("", "its weights, as its own evaluation takes them")

    def __post_init__(self) -> None:
        """Raises ValueError, saying what to do."""
        for name in ("repository", "checkpoint"):
            if not getattr(self, name):
                raise ValueError(f"--{name} is missing: name the folder, also in POLICY_OPTIONS.")
        if not Path(self.repository).is_dir():
            raise ValueError(f"--repository: {self.repository} is no folder; clone the repository and name it.")


class PublishedAgent(VLNAgent):
    """Asks a model in this process once the actions of its last answer are carried out: one session at a time.

    A subclass has `load`, `start` and `ask`. The model is loaded once, when the first session begins.
    """

    Options: ClassVar[Any] = PublishedOptions
    every_frame: ClassVar[bool] = False
    """Whether it must see the frame of each step, so that an answer never holds several actions."""
    own_state: ClassVar[bool] = False
    """Whether the model remembers nothing of an episode itself, so that it may play several at a time."""
    _models: ClassVar[dict[Any, Any]] = {}
    _playing: ClassVar[dict[Any, int]] = {}
    _loading: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, options: Any = None) -> None:
        self.options: Any = options or read(self.Options)
        self._key = (type(self), self.options)
        with self._loading:
            if self._key not in self._models:
                self._models[self._key] = self.load()
        self.model: Any = self._models[self._key]

    def reset(self, episode: dict[str, Any]) -> None:
        self._playing[self._key] = id(self)
        self.instruction: str = (episode.get("instruction") or {}).get("text", "")
        self.space: Mapping[str, Any] = episode["action_space"]
        self._planned: list[str] = []
        self.start()

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        if not self.own_state and self._playing.get(self._key) != id(self):
            raise PublishedError("another session has reset this model: it plays one episode at a time.")
        for name in self.sensors:
            if observation.get(name) is None:
                raise PublishedError(
                    f"there is no sensor {name} to show: set profile=NAME, or simulator.sensors.{name}."
                )
        told: dict[str, Any] = {}
        if self._planned:
            self.see(self.shown(observation))
        else:
            numbers, said = self.ask(self.shown(observation))
            self._planned = [self._action_name(number) for number in numbers]
            told = {} if said is None else {"said": said, "usage": Usage(requests=1)}
        most = 1 if self.every_frame else self.max_chunk
        now, self._planned = self._planned[:most], self._planned[most:]
        return {**told, **({"action": now[0]} if len(now) == 1 else {"actions": [*now]})}

    def shown(self, observation: dict[str, Any]) -> Any:
        """What the model sees of an observation: rgb, (H, W, 3) uint8."""
        return observation["rgb"]

    def see(self, shown: Any) -> None:
        """A frame between two answers; most models pass it over."""

    def _action_name(self, number: int) -> str:
        name = NAMES[number] if 0 <= number < len(NAMES) else str(number)
        if name not in self.space:
            raise PublishedError(f"the model wants {name}, which this task does not offer: {', '.join(self.space)}.")
        return name

    @abstractmethod
    def load(self) -> Any:
        """The published agent with its weights, once for a process."""

    @abstractmethod
    def start(self) -> None:
        """Forget the last episode."""

    @abstractmethod
    def ask(self, shown: Any) -> tuple[Sequence[int], str | None]:
        """Habitat's numbers of the next actions, at least one, and what the model said, None where it was not asked."""


def imported(module: str, repository: str, *folders: str) -> Any:
    """A module of a checkout, in which its own programs find theirs; raises PublishedError in one sentence."""
    root = Path(repository).resolve()
    paths = [str(root / folder) for folder in (*folders, "")]
    sys.path[:0] = [path for path in paths if path not in sys.path]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise PublishedError(
            f"{repository}: its {module} cannot be imported ({error}); install it as its README says, in this Python."
        ) from None
