"""Agents that end-to-end tests serve; they must be importable in a process of their own."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import ClassVar

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


class GpsAgent(VLNAgent):
    """As DigestAgent, in continuous space."""

    name = "gps"

    def reset(self, episode):
        self._digest = hashlib.sha256(f"{episode['seed']} {episode['scene_id']}".encode())
        self._steps = 0

    def act(self, observation):
        for sensor in ("gps", "compass", "depth"):
            self._digest.update(observation[sensor].tobytes())
        self._steps += 1
        if self._steps == 25:
            return "stop"
        return ("move_forward", "move_forward", "turn_left", "turn_right")[self._digest.digest()[0] % 4]


class Nonsense(VLNAgent):
    """Answers with an action that there is none."""

    def reset(self, episode):
        pass

    def act(self, observation):
        return "fly"


class DeadlyAgent(DigestAgent):
    """Kills its worker in the second step of path 4, as a fault in a simulator's native library would."""

    def reset(self, episode):
        super().reset(episode)
        self._deadly = "path four" in episode["instruction"]["text"]

    def act(self, observation):
        if self._deadly and self._steps == 1:
            os.kill(os.getppid(), signal.SIGKILL)
        return super().act(observation)


class SlowAgent(DigestAgent):
    """Takes its time, so that a run can be interrupted."""

    def act(self, observation):
        time.sleep(0.01)
        return super().act(observation)


def who_acts(act: Callable[[], object]) -> type[DigestAgent]:
    """An agent that does this where it should decide."""
    return type("Acts", (DigestAgent,), {"act": lambda self, observation: act()})


SlowToAnswer = who_acts(lambda: time.sleep(6))
KeepsPython = who_acts(lambda: ctypes.PyDLL(None).sleep(600))  # as a loop in a C library does
Exits = who_acts(lambda: os._exit(3))
Crashes = who_acts(lambda: ctypes.string_at(0))  # a fault in a native library
Leaves = who_acts(lambda: sys.exit(2))


class Breaks(DigestAgent):
    def act(self, observation):
        raise ValueError("first\n\x1b[31msecond")


class BreaksOnce(DigestAgent):
    """Ends its process in the episode of one instruction, and plays the others."""

    def act(self, observation):
        if "Leave" in observation["instruction"]["text"]:
            os._exit(0)
        return super().act(observation)


class HasNoWeights(DigestAgent):
    def __init__(self):
        raise FileNotFoundError("weights.pt")


class LoadsForEver(DigestAgent):
    def __init__(self):
        time.sleep(60)


class Forks(DigestAgent):
    """Leaves a child behind that holds what it was given, as a data loader's worker does."""

    def act(self, observation):
        if os.fork() == 0:
            time.sleep(60)
        os._exit(5)


class Turner(VLNAgent):
    """Turns for ever, and thinks for $SECONDS at each step."""

    def reset(self, episode):
        """Nothing."""

    def act(self, observation):
        time.sleep(float(os.environ["SECONDS"]))
        return "turn_left"


class CostlyAgent(VLNAgent):
    """Its answers cost something else each time."""

    spent: ClassVar[Counter[str]] = Counter()

    def reset(self, episode):
        self._step = 0

    def act(self, observation):
        self._step += 1
        counts = {"input_tokens": 100 * self._step, "output_tokens": self._step, "requests": 1}
        self.spent.update(counts)
        said = f"step {self._step}\nstill <b>turning</b>\u202e"
        name = "stop" if self._step == 3 else "turn_left"
        return {"action": name, "usage": {**counts, "cost": {"USD": 0.25}}, "said": said}


class SilentAgent(VLNAgent):
    """Says nothing of its costs and of itself."""

    def reset(self, episode): ...

    def act(self, observation):
        return {"action": "stop", "usage": None, "said": ""}
