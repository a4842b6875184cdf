"""What the measurements share: a graph, R2R episodes of a given length on it, and agents; importable in workers."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from nav_eval_sdk import VLNAgent

SCAN = "measured"


def node(x: int) -> str:
    return f"{x:032x}"


def write_world(folder: Path, episodes: int, width: int = 8) -> list[str]:
    """A corridor of `width` viewpoints and `episodes` episodes along it; overrides for the benchmark r2r."""
    connectivity = folder / "connectivity"
    connectivity.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "image_id": node(x),
            "pose": [1, 0, 0, 2.0 * x, 0, 1, 0, 0, 0, 0, 1, 1.5, 0, 0, 0, 1],
            "included": True,
            "visible": [y != x for y in range(width)],
            "unobstructed": [abs(x - y) == 1 for y in range(width)],
            "height": 1.5,
        }
        for x in range(width)
    ]
    (connectivity / f"{SCAN}_connectivity.json").write_text(json.dumps(rows))
    path = [node(x) for x in range(width)]
    items = [
        {
            "path_id": number,
            "scan": SCAN,
            "path": path,
            "heading": 0.0,
            "distance": 2.0 * (width - 1),
            "instructions": ["Walk along the corridor, past the two doors on your left, and wait at its end."],
        }
        for number in range(episodes)
    ]
    data = folder / "R2R_val.json"
    data.write_text(json.dumps(items))
    return [f"dataset.data_path={data}", f"simulator.connectivity_dir={connectivity}", "dataset.split=val"]


class Paced(VLNAgent):
    """Turns on the spot; subclasses say what a step costs. STEPS actions per episode."""

    STEPS = 20

    def reset(self, episode: dict[str, Any]) -> None:
        self._steps = 0

    def next_action(self) -> str:
        self._steps += 1
        return "stop" if self._steps == self.STEPS else "turn_left"

    def act(self, observation: dict[str, Any]) -> str:
        return self.next_action()


class Sleeping(Paced):
    """A model that answers after 100 ms, on a machine that runs many at once."""

    def act(self, observation: dict[str, Any]) -> str:
        time.sleep(0.1)
        return self.next_action()


class Accelerator:
    """One device: a call costs 10 ms and 1 ms per item, one call at a time."""

    lock = threading.Lock()

    @classmethod
    def work(cls, items: int) -> None:
        with cls.lock:
            time.sleep(0.010 + 0.001 * items)


class Unbatched(Paced):
    def act(self, observation: dict[str, Any]) -> str:
        Accelerator.work(1)
        return self.next_action()


class Batched(Unbatched):
    @staticmethod
    def act_batch(agents: Any, observations: Any) -> list[str]:
        Accelerator.work(len(agents))
        return [agent.next_action() for agent in agents]
