"""The first model in an evaluation: FIRST_MODEL=first.pt nav-eval run vln-demo agent_service.agent=agent:First"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from first import ACTIONS, Network
from walks import Senses

from nav_eval_baselines.learned import LearnedAgent
from nav_eval_baselines.learned.tried import Tried
from nav_eval_baselines.learned.words import LONGEST, UNKNOWN, tokens
from nav_eval_sdk import VLNAgent


class First(VLNAgent):
    """The network in an evaluation, of the file that FIRST_MODEL names."""

    name = "first"
    sensors = LearnedAgent.sensors
    action_space = ACTIONS

    def __init__(self) -> None:
        torch.set_num_threads(1)
        kept = torch.load(os.environ.get("FIRST_MODEL", "first.pt"), weights_only=True)
        self.network = Network(kept["known"], kept["without"])
        self.network.load_state_dict(kept["weights"])

    @torch.no_grad()
    def reset(self, episode: dict[str, Any]) -> None:
        told = tokens((episode["instruction"] or {}).get("text", ""))[:LONGEST] or ["."]
        self.told = torch.tensor([[self.network.numbers.get(word, UNKNOWN) for word in told]])
        self.text, self.memory = self.network.read(self.told), (None, None)
        self.senses, self.tried = Senses(), Tried()

    @torch.no_grad()
    def act(self, observation: dict[str, Any]) -> str:
        rgb = observation["rgb"]
        pose = np.array([*observation.get("gps", (0, 0)), *observation.get("compass", (0,))], np.float32)
        seen = self.senses.see(rgb, observation.get("depth", np.zeros((*rgb.shape[:2], 1), np.float32)), pose)
        rows = [torch.as_tensor(row)[None, None] for row in seen]
        scores, *_, self.memory = self.network(self.text, self.told, rows, self.memory)
        if {"bumps", "depth"} & {*self.network.without}:
            return ACTIONS[int(scores.argmax())]
        return ACTIONS[self.tried.choose(scores[0, 0].numpy(), pose)]


class RgbOnly(First):
    """Trained --without depth."""

    name = "first, RGB only"
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"rgb": (0, 0)}
