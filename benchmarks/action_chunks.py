"""What it saves to answer several actions at once: one episode against a REST service that thinks for 100 ms.

The agent plays the same 64 actions each time, `max_chunk` of them per answer; wall time of the episode, questions, and
the gain over one action per answer. The metrics must not differ.

    python benchmarks/action_chunks.py [--think 0.1] [--chunks 1,2,4,8,16]
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

from nav_eval import evaluate
from nav_eval_sdk import VLNAgent, start

ACTIONS = 64
SAME = ("steps", "path_length", "navigation_error", "soft_spl", "collisions", "turns")


class Thinking(VLNAgent):
    """Thinks once for each answer, as a model does, and stops after ACTIONS actions."""

    seconds, asked = 0.1, 0

    def reset(self, episode: dict[str, Any]) -> None:
        rng = random.Random(7)
        self.left = [rng.choice(("move_forward", "turn_left", "turn_right")) for _ in range(ACTIONS - 1)] + ["stop"]

    def act(self, observation: dict[str, Any]) -> list[dict[str, Any] | str]:
        time.sleep(self.seconds)
        type(self).asked += 1
        chunk, self.left = self.left[: self.max_chunk], self.left[self.max_chunk :]
        return [*chunk]


def play(endpoint: str, chunk: int) -> tuple[float, int, dict[str, Any]]:
    """Wall seconds of the episode, questions, and the metrics that no clock decides."""
    Thinking.asked = 0
    measured = f"task.measurements=[{','.join((*SAME, 'episode_time'))}]"
    service = ["agent_service.type=remote", f"agent_service.endpoint={endpoint}"]
    world = ["dataset.limit=1", "simulator.sensors={depth: {width: 224, height: 224}}", f"evaluation.max_chunk={chunk}"]
    results = evaluate("pointnav-demo", overrides=[*service, *world, measured])
    return (
        results.metrics["episode_time"]["mean"],
        Thinking.asked,
        {name: results.metrics[name]["mean"] for name in SAME},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--think", type=float, default=Thinking.seconds, help="seconds for one answer")
    parser.add_argument("--chunks", default="1,2,4,8,16", help="values of evaluation.max_chunk")
    given = parser.parse_args()
    Thinking.seconds = given.think
    with start(Thinking, protocol="rest", port=0) as server:
        play(server.endpoint, 1000)  # compiles and warms the caches
        rows = [(chunk, *play(server.endpoint, chunk)) for chunk in map(int, given.chunks.split(","))]
    print("max_chunk  questions  episode s  steps/s  gain  metrics")
    _, first, _, expected = rows[0]
    for chunk, seconds, asked, metrics in rows:
        same = "the same" if metrics == expected else "DIFFERENT"
        print(f"{chunk:9d}  {asked:9d}  {seconds:9.2f}  {ACTIONS / seconds:7.1f}  {first / seconds:4.1f}  {same}")


if __name__ == "__main__":
    main()
