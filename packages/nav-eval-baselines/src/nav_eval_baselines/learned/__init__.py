"""The sample model: a small network that was trained to follow instructions in English and Chinese.

Colour, depth, where it stands and looks, and the instruction; numpy alone. How it was trained and what it cannot do
stands in MODEL_CARD.md beside this file; examples/train_vln trains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np

from nav_eval_baselines.learned.arrival import Arrival
from nav_eval_baselines.learned.camera import Camera
from nav_eval_baselines.learned.network import Network
from nav_eval_baselines.learned.odometry import Odometry
from nav_eval_baselines.learned.senses import motion
from nav_eval_baselines.learned.surroundings import Surroundings
from nav_eval_baselines.learned.tried import Tried
from nav_eval_baselines.learned.words import Reader
from nav_eval_sdk.agent_interface import VLNAgent

ACTIONS = ("stop", "move_forward", "turn_left", "turn_right")


@cache
def load(path: Any = None) -> tuple[Network, Reader]:
    """The network and the reader of a file of weights; without one, of those that lie here."""
    place = files(__package__).joinpath("weights.npz") if path is None else path
    with place.open("rb") as file, np.load(file) as arrays:
        weights = {name: arrays[name] for name in arrays.files}
    return Network(weights), Reader(weights["words"].tolist())


class LearnedAgent(VLNAgent):
    """A small network trained on generated homes: colour, depth, position, English or Chinese instruction."""

    name = "learned"
    version = "1"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {
        "rgb": (0, 0),
        "depth": (0, 0),
        "gps": (0, 0),
        "compass": (0, 0),
    }
    action_space = ACTIONS
    weights: ClassVar[Any] = None
    """A file that examples/train_vln exported, a Path; None: the weights of this package."""

    def __init__(self) -> None:
        self._network, self._reader = load(self.weights)

    def reset(self, episode: dict[str, Any]) -> None:
        text = (episode["instruction"] or {}).get("text", "")
        self._text = self._network.read(self._reader.numbers(text))
        self._memory = self._network.begin()
        self._surroundings = Surroundings(self._network.kinds)
        self._camera, self._odometry = Camera(), Odometry()
        self._tried, self._arrival = Tried(), Arrival()
        self._before: Any = None
        self._near: Any = None
        self._steps, self._action = 0, 0

    def act(self, observation: dict[str, Any]) -> str:
        read = np.array([*observation["gps"], *observation["compass"]], np.float32)
        pose = self._odometry.pose(read, self._action, observation["depth"], self._camera.tangent)
        before = pose if self._before is None else self._before
        moved = motion(pose[:2], pose[2], before, self._steps)
        if self._camera.look(observation["depth"], pose):
            self._surroundings = Surroundings(self._network.kinds)
        shown, seen = self._camera.picture(observation["rgb"], observation["depth"])
        near = self._news(seen, pose, before)
        around = self._surroundings.see(near, self._network.detect(shown), pose) / np.float32(255)
        scores, self._memory = self._network.step(self._text, around, moved, self._memory)
        self._before, self._near, self._steps = pose, seen, self._steps + 1
        self._action = self._arrival.choose(self._tried.choose(scores, pose), scores, pose)
        return ACTIONS[self._action]

    def _news(self, near: Any, pose: Any, before: Any) -> Any:
        """Nothing near where the view did not change with the pose: it is an old one, and lies elsewhere."""
        old = (pose != before).any() and np.array_equal(near, self._near)
        return np.zeros_like(near) if old else near
