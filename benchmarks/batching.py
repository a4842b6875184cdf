"""Batches of `act_batch` and steps per second: waiting 5 ms for others, and waiting as long as it is worth.

Sessions of an evaluator that makes one frame at a time ask a service whose model takes so long for a batch and 1 ms
more for each item. Both ways of waiting in turns, in one process; the service is the SDK's, without a wire.
    python benchmarks/batching.py [--quick]
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nav_eval_sdk import VLNAgent
from nav_eval_sdk.protocol.messages import EpisodeData, Info
from nav_eval_sdk.server.agents import AgentThread
from nav_eval_sdk.server.service import Service

SESSIONS = 16
MODEL_MS = (5, 20, 100, 300)
FRAME_MS = (0.5, 5, 15)
FIXED = 0.005


class Model(VLNAgent):
    """`seconds` of a batch; `sizes` of those that it had."""

    seconds = 0.0
    sizes: list[int] = []  # noqa: RUF012 - set for each measurement

    def reset(self, episode: dict[str, Any]) -> None: ...

    def act(self, observation: dict[str, Any]) -> str:
        return "turn_left"

    @classmethod
    def act_batch(cls, agents: Any, observations: Any) -> list[str]:
        cls.sizes.append(len(agents))
        time.sleep(cls.seconds + 0.001 * len(agents))
        return ["turn_left"] * len(agents)


@contextmanager
def waiting_fixed(fixed: bool) -> Iterator[None]:
    own = AgentThread.patience
    if fixed:
        AgentThread.patience = lambda self, waiting: FIXED  # type: ignore[method-assign]
    try:
        yield
    finally:
        AgentThread.patience = own  # type: ignore[method-assign]


def measure(model_ms: float, frame_ms: float, fixed: bool, seconds: float) -> tuple[float, float]:
    """(steps per second, mean batch) after a warm-up of a fifth of the time."""
    Model.seconds, Model.sizes = model_ms / 1e3, []
    made = Service(Model, Info(name="model", max_sessions=SESSIONS, max_batch=SESSIONS))
    made.load()
    frame, until, steps = threading.Lock(), time.monotonic() + seconds, [0] * SESSIONS

    def play(index: int) -> None:
        made.reset(EpisodeData(str(index), "scene", session_id=str(index), request_id="r"))
        step = 0
        while time.monotonic() < until:
            with frame:
                time.sleep(frame_ms / 1e3)
            made.act(str(index), step, f"r{step}", lambda specs: {})
            step += 1
        steps[index] = step

    with waiting_fixed(fixed):
        threads = [threading.Thread(target=play, args=(index,)) for index in range(SESSIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made.close()
    sizes = Model.sizes[len(Model.sizes) // 5 :]
    return sum(steps) / seconds, statistics.fmean(sizes)


def main() -> None:
    rounds, seconds = (1, 2.0) if "--quick" in sys.argv else (3, 6.0)
    print(f"{SESSIONS} sessions; medians of {rounds} rounds in turns")
    print("batch, ms  frame, ms  5 ms: steps/s  mean batch   as worth: steps/s  mean batch  ratio")
    for model_ms in MODEL_MS:
        for frame_ms in FRAME_MS:
            found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
            for _ in range(rounds):
                for fixed in (True, False):
                    found[fixed].append(measure(model_ms, frame_ms, fixed, seconds))
            (was, was_size), (now, now_size) = (
                [statistics.median(column) for column in zip(*found[fixed], strict=True)] for fixed in (True, False)
            )
            told = f"{was:13.1f}  {was_size:10.1f}  {now:18.1f}  {now_size:10.1f}  {now / was:5.2f}"
            print(f"{model_ms:9}  {frame_ms:9}  {told}")


if __name__ == "__main__":
    main()
