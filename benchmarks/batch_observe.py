"""Is it worth it to gather the sessions' frames into one batch? Threads that draw alone against one batched call.

`threads` is what the evaluation does: a thread per session, each draws its own frame and the kernel frees the GIL.
`batch` is SimulatorBackend.observe, which the gymnasium vector uses; no time is spent waiting for others to join.
    python benchmarks/batch_observe.py
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from nav_eval.core.actions import Action
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective
from nav_eval.runs.registry import benchmark_config

SESSIONS, ROUNDS = 8, 12
SENSORS = "simulator.sensors={rgb: {width: 224, height: 224, hfov: 90}, depth: {width: 224, height: 224, hfov: 90}}"


def main() -> None:
    config = benchmark_config("pointnav-demo", overrides=[SENSORS, "dataset.generate.scenes=2"])
    backend = builder.make_backend(Effective.of(config))
    episodes = list(builder.make_episodes(Effective.of(config)))
    sessions = [backend.open_session() for _ in range(SESSIONS)]
    for place, session in enumerate(sessions):
        session.reset(episodes[place * len(episodes) // SESSIONS])
    turn = Action("turn_left")
    found = {}
    with ThreadPoolExecutor(SESSIONS) as pool:
        for name in ("one by one", "threads", "batch"):
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(ROUNDS):
                if name == "batch":
                    for session in sessions:
                        session.advance(turn)
                    backend.observe(sessions)
                elif name == "threads":
                    list(pool.map(lambda session: session.step(turn), sessions))
                else:
                    for session in sessions:
                        session.step(turn)
            frames = SESSIONS * ROUNDS
            found[name] = (frames / (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu) / frames)
    print(f"{SESSIONS} sessions in two generated homes, rgb and depth 224 x 224, CPU renderer")
    print("way          frames/s   ratio  CPU ms per frame")
    for name, (rate, each) in found.items():
        print(f"{name:10}  {rate:9.1f}  {rate / found['one by one'][0]:5.2f}x  {each:16.2f}")


if __name__ == "__main__":
    main()
