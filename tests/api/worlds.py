"""What the tests of the API share: offers with every kind of observation, and agents that note what they are asked."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from nav_eval.core.actions import STOP, ActionSpace
from nav_eval.core.interfaces import EpisodeOffer
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval_sdk import VLNAgent
from nav_eval_sdk.protocol.limits import Limits

SECRETS = {
    "scene": "2n8kARJN3HM",
    "episode": "4332_1",
    "trajectory": "trajectory-77123",
    "start node": "fce1a1bd4e4f4ab8a1e31b5e0c5e5cbb",
    "other node": "0a2ec4c6d5f94f0f8dd0e1c4c5d4a3b2",
    "goal node": "deadbeefdeadbeefdeadbeefdeadbeef",
    "split": "val_unseen_secret",
    "id": "instruction-4332-1",
}
START = (12.3437519, 1.1562547, -7.7187533)
ROTATION = (0.0, 0.6, 0.0, 0.8)
GOAL = (3.2187541, 0.4062573, 9.8437529)
REFERENCE = ((12.3437519, 1.1562547, -7.7187533), (6.5312561, 0.9062513, 1.4687577), GOAL)
GEODESIC = 14.5781293

SPECS: dict[str, Spec] = {
    "rgb": TensorSpec(shape=(12, 16, 3), dtype="uint8", low=0, high=255),
    "depth": TensorSpec(shape=(12, 16, 1), dtype="float32", low=0.0, high=10.0, unit="m"),
    "semantic": TensorSpec(shape=(12, 16, 1), dtype="int32"),
    "gps": TensorSpec(shape=(2,), dtype="float32"),
    "compass": TensorSpec(shape=(1,), dtype="float32"),
    "viewpoint": TextSpec(is_node=True),
    "goal_image": TensorSpec(shape=(12, 16, 3), dtype="uint8", optional=True),
    "instruction": StructSpec(
        optional=True, parts={"text": TextSpec(), "tokens": ListSpec(item=TextSpec()), "language": TextSpec()}
    ),
    "navigable": ListSpec(
        item=StructSpec(parts={"viewpoint": TextSpec(is_node=True), "heading": NumberSpec(unit="rad")})
    ),
}
NAMES = ("stop", "move_forward", "turn_left", "turn_right", "move_to", "velocity")


def episode(index: int = 0) -> Episode:
    """An episode in which everything that must not be sent is easy to recognise."""
    text = "Walk past the 沙发 and wait by the door."
    return Episode(
        episode_id=SECRETS["episode"] + (f"-{index}" if index else ""),
        scene_id=SECRETS["scene"],
        start_position=START,
        start_rotation=ROTATION,
        start_node=SECRETS["start node"],
        instruction=Instruction(text=text, tokens=tuple(text.lower().split()), instruction_id=SECRETS["id"]),
        goals=(Goal(position=GOAL, radius=3.0, node=SECRETS["goal node"]),),
        reference_path=REFERENCE,
        reference_nodes=(SECRETS["start node"], SECRETS["goal node"]),
        info={"geodesic_distance": GEODESIC, "split": SECRETS["split"]},
        extra={"trajectory_id": SECRETS["trajectory"], "split": SECRETS["split"]},
    )


def offer(index: int = 0, specs: dict[str, Spec] | None = None) -> EpisodeOffer:
    return EpisodeOffer(
        episode=episode(index),
        observation_spec=SPECS if specs is None else specs,
        action_space=ActionSpace.of(NAMES),
        task="vln",
        limits=Limits(max_steps=50),
        seed=123456789 + index,
        expert=lambda: STOP,
    )


def observation(step: int) -> dict[str, Any]:
    """What the sensors show at a step; the image goal is absent at odd ones."""
    rng = np.random.default_rng(step)
    text = episode().instruction
    assert text is not None
    seen = {
        "rgb": rng.integers(0, 256, (12, 16, 3), np.uint8),
        "depth": (rng.random((12, 16, 1)) * 10).astype(np.float32),
        "semantic": rng.integers(-5, 5, (12, 16, 1), np.int32),
        "gps": rng.normal(size=2).astype(np.float32),
        "compass": rng.normal(size=1).astype(np.float32),
        "viewpoint": SECRETS["start node"],
        "goal_image": None if step % 2 else rng.integers(0, 256, (12, 16, 3), np.uint8),
        "instruction": {"text": text.text, "tokens": list(text.tokens), "language": "en"},
        "navigable": [
            {"viewpoint": SECRETS["start node"], "heading": float(rng.normal())},
            {"viewpoint": SECRETS["other node"], "heading": float(rng.normal())},
        ],
    }
    return {name: value for name, value in seen.items() if value is not None}


def fingerprint(value: Any) -> str:
    """The same for equal observations, whatever wire they came over; types and dtypes count."""
    if isinstance(value, np.ndarray):
        body = f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, dict):
        body = ",".join(f"{key}={fingerprint(item)}" for key, item in sorted(value.items()))
    elif isinstance(value, list):
        body = ",".join(map(fingerprint, value))
    else:
        body = repr(value)
    return f"{type(value).__name__}({body})"


class Fingerprinting(VLNAgent):
    """Its decisions depend on every bit that it was told and shown, so equal decisions mean equal observations."""

    name = "fingerprinting"
    version = "1"

    def reset(self, episode: dict[str, Any]) -> None:
        episode = {**episode, "limits": None}
        specs = {name: {**spec, "encoding": ""} for name, spec in episode["observation_spec"].items()}
        self._state = fingerprint({**episode, "observation_spec": specs})

    def act(self, observation: dict[str, Any]) -> dict[str, Any] | str:
        assert not observation["rgb"].flags.writeable
        self._state = hashlib.sha256((self._state + fingerprint(observation)).encode()).hexdigest()
        number = int(self._state[:8], 16)
        if number % 3 == 0:
            nodes = [node["viewpoint"] for node in observation["navigable"]]
            return {"action": "move_to", "action_args": {"viewpoint": nodes[number % len(nodes)]}}
        if number % 3 == 1:
            arguments = {"linear": number / 2**32, "angular": np.float32(number % 7), "duration": 1}
            return {"action": "velocity", "action_args": arguments}
        return ("move_forward", "turn_left", "turn_right")[number // 3 % 3]


class Silly(VLNAgent):
    """Answers with `answer`, or fails with it."""

    answer: Any = None

    def reset(self, episode: dict[str, Any]) -> None: ...

    def act(self, observation: dict[str, Any]) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer
