"""Hours of an evaluation against the seconds of a step, the batch and the number of replicas; checked by stand-ins.

R2R-CE val_unseen has 1,839 episodes; `--steps` is what an episode has in the mean. A service answers a batch in so
many seconds; this machine makes a frame in `--frame-ms` (measured here without it: colour and depth as R2R-CE has them,
in generated homes, on all cores). Sessions = batch times replicas. A batch waits for its frames, replicas do not wait
for each other: steps/s = min(1 / frame, replicas * batch / (seconds + batch * frame)).
    python benchmarks/evaluation_hours.py [--steps 60] [--frame-ms 5] [--check]
`--check` plays generated homes against services that sleep so long, over REST, and prints both figures.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from contextlib import ExitStack
from typing import Any, ClassVar

import nav_eval
from nav_eval_sdk import VLNAgent, start

EPISODES = 1839
SECONDS, BATCHES, REPLICAS = (0.1, 0.3, 1.0, 3.0), (1, 4, 16), (1, 2, 4)
CHECKED = ((0.3, 1, 1), (0.3, 4, 1), (0.3, 16, 1), (0.3, 8, 2), (1.0, 4, 2))
STEPS = 24
"""Of an episode that is played for a check."""


class StandIn(VLNAgent):
    """Turns until the limit; a batch takes `seconds`. `answered`: when each answer came; `sizes`: of the batches."""

    name = "stand-in"
    seconds: ClassVar[float] = 0.0
    answered: ClassVar[list[float]] = []
    sizes: ClassVar[list[int]] = []
    lock: ClassVar[threading.Lock] = threading.Lock()

    def reset(self, episode: dict[str, Any]) -> None: ...

    def act(self, observation: dict[str, Any]) -> str:
        return self.act_batch([self], [observation])[0]

    @classmethod
    def act_batch(cls, agents: Any, observations: Any) -> list[str]:
        time.sleep(cls.seconds)
        with cls.lock:
            cls.answered += [time.monotonic()] * len(agents)
            cls.sizes.append(len(agents))
        return ["turn_left"] * len(agents)


def predicted(seconds: float, batch: int, replicas: int, frame: float) -> float:
    """Steps per second."""
    return min(1 / frame, replicas * batch / (seconds + batch * frame))


def played(seconds: float, batch: int, replicas: int) -> float:
    """Steps per second of an evaluation against services of this process, from the first answer to the last."""
    StandIn.seconds, StandIn.answered, StandIn.sizes = seconds, [], []
    sessions = batch * replicas
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        services = [
            stack.enter_context(start(StandIn, port=0, max_sessions=batch, max_batch=batch)) for _ in range(replicas)
        ]
        where = f"agent_service.endpoints=[{','.join(service.endpoint for service in services)}]"
        nav_eval.evaluate(
            "vln-demo",
            overrides=[
                "agent_service.type=remote", where, f"evaluation.max_steps={STEPS}", f"dataset.limit={sessions}",
                f"evaluation.parallel.sessions={sessions}", f"output.log_dir={folder}",
            ],
        )  # fmt: skip
    # Scenes are loaded while the first steps are asked for: the second half is a run at full speed.
    times = sorted(StandIn.answered)[len(StandIn.answered) // 2 :]
    return (len(times) - 1) / (times[-1] - times[0])


def frame_seconds() -> float:
    """Of this machine with eight sessions, whose service answers at once."""
    return 1 / played(0.0, 8, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=float, default=60.0)
    parser.add_argument("--frame-ms", type=float)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    frame = frame_seconds() if given.frame_ms is None else given.frame_ms / 1e3
    print(f"{EPISODES} episodes of {given.steps:g} steps; a frame takes {1e3 * frame:.1f} ms here")
    print("seconds a step  " + "  ".join(f"{f'batch {b} x {r}':>12}" for b in BATCHES for r in REPLICAS))
    for seconds in SECONDS:
        rates = [predicted(seconds, batch, replicas, frame) for batch in BATCHES for replicas in REPLICAS]
        hours = (f"{EPISODES * given.steps / rate / 3600:10.2f} h" for rate in rates)
        print(f"{seconds:14g}  " + "  ".join(hours))
    for seconds, batch, replicas in CHECKED if given.check else ():
        now, told = played(seconds, batch, replicas), predicted(seconds, batch, replicas, frame)
        print(
            f"played: {seconds:g} s, batch {batch} x {replicas}: {now:6.1f} steps/s, predicted {told:6.1f} "
            f"({now / told:.2f}), batches of {statistics.fmean(StandIn.sizes[len(StandIn.sizes) // 2 :]):.1f}"
        )


if __name__ == "__main__":
    main()
