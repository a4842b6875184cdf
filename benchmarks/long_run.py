"""Memory and time of a run of 45,000 R4R-sized episodes, and of its aggregation.

Files, journal, trajectories and metrics are those of a real run; the oracle walks 15 edges per episode on a corridor.
    python benchmarks/long_run.py [--quick]
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from worlds_of_graphs import write_world

from nav_eval.core.definitions import Definition
from nav_eval.core.loop import resident_mb
from nav_eval.core.types import EpisodeResult
from nav_eval.results.journal import Journal
from nav_eval.results.statistics import summarise_metric
from nav_eval.runs.execution import make_runner
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config

WARM_UP = 500


def main() -> None:
    count = 4_500 if "--quick" in sys.argv else 45_000
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        overrides = [*write_world(folder, count, width=16), "agent_service.agent=shortest_path"]
        config = benchmark_config("r4r", overrides=[*overrides, "evaluation.parallel.sessions=4"])
        summarise_metric(Definition(), [0.0, 1.0], ["a", "b"], seed=0)
        plan, journal = stack.enter_context(opened(config)), Journal(folder)
        memory = [resident_mb()]
        done = 0

        def add(result: EpisodeResult) -> None:
            nonlocal done
            journal.add(result)
            done += 1
            if done % WARM_UP == 0:
                memory.append(resident_mb())

        runner = make_runner(plan)
        begun = time.perf_counter()
        keys = plan.episodes.keys
        reading = time.perf_counter() - begun
        runner._executor.play(plan.service(b"secret"), keys, 4, add)
        played = time.perf_counter() - begun - reading
        journal.settle(keys)
        settled = time.perf_counter() - begun - reading - played
        before = resident_mb()
        aggregating = time.perf_counter()
        results = plan.aggregator().aggregate_metrics(journal.in_order(keys))
        aggregating = time.perf_counter() - aggregating
        assert results.statuses == {"ok": count}
        growth = max(memory[1:]) - memory[1]
        print(f"{count} episodes of 16 steps, {len(results.metrics)} metrics, 4 sessions")
        print(f"  reading all keys        {reading:8.1f} s")
        print(f"  playing                 {played:8.1f} s  ({1e3 * played / count:.2f} ms per episode)")
        print(f"  settling the journal    {settled:8.1f} s")
        print(f"  aggregating             {aggregating:8.1f} s  (less than 10 s is wanted)")
        print(f"  memory at the start     {memory[0]:8.0f} MB, after {WARM_UP} episodes {memory[1]:.0f} MB")
        print(f"  growth while playing    {growth:8.0f} MB  (less than 200 MB is wanted)")
        print(f"  growth of aggregation   {resident_mb() - before:8.0f} MB")


if __name__ == "__main__":
    main()
