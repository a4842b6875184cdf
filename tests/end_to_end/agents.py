"""Agents that end-to-end tests serve; they must be importable in a process of their own."""

from __future__ import annotations

import hashlib
import json

from nav_eval_sdk import VLNAgent


class DigestAgent(VLNAgent):
    """Decides by a digest of everything that it was told and shown: any difference between wires shows."""

    name = "digest"

    def reset(self, episode):
        told = {key: episode[key] for key in ("episode_id", "scene_id", "instruction", "seed", "task")}
        self._digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
        self._steps = 0

    def act(self, observation):
        self._digest.update(observation["gps"].tobytes() + observation["compass"].tobytes())
        self._digest.update(json.dumps(observation["navigable"], sort_keys=True).encode())
        self._digest.update(json.dumps(observation["instruction"], sort_keys=True).encode())
        choice = self._digest.digest()[0]
        self._steps += 1
        if self._steps == 8 or not observation["navigable"]:
            return "stop"
        if choice < 60:
            return {"action": ("turn_left", "turn_right")[choice % 2]}
        ahead = observation["navigable"][choice % len(observation["navigable"])]
        return {"action": "move_to", "action_args": {"viewpoint": ahead["viewpoint"]}}
