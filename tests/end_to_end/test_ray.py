"""The same shards on a Ray cluster of two nodes, one of which goes away in the middle of the run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import ray

from graphs import item, node, write_r2r
from nav_eval.benchmarks.evaluation import run_benchmark
from nav_eval.benchmarks.registry import benchmark_config

TESTS = str(Path(__file__).parents[1])
PARALLEL = ["evaluation.parallel.executor=ray", "evaluation.parallel.workers=2", "evaluation.parallel.sessions=2"]


@pytest.fixture
def cluster(monkeypatch):
    """A head node and another one, a worker's place on each."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])]))
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.other = made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def records(folder):
    lines = [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "timing"} for line in lines]


def test_a_cluster_that_loses_a_node_leaves_the_same_records(tmp_path, cluster):
    paths = [[node(x, 0), node(1, y), node(2, y)] for x in range(3) for y in range(3)]
    items = [item(number, path, ["Walk.", "Go on."]) for number, path in enumerate(paths)]
    agent = "agent_service.agent='end_to_end.agents:SlowAgent'"
    overrides = [*write_r2r(tmp_path, items=items), agent, "agent_service.secret=s3"]
    run_benchmark(benchmark_config("r2r", overrides=[*overrides, "evaluation.parallel.sessions=8"]), tmp_path / "alone")
    removed = []

    def lose_a_node(episodes, store):
        class Store:
            finished, in_order = store.finished, store.in_order

            def add(self, result):
                store.add(result)
                if len(store.finished()) == 4 and not removed:
                    removed.append(True)
                    cluster.remove_node(cluster.other, allow_graceful=False)

        return Store(), tuple

    config = benchmark_config("r2r", overrides=[*overrides, *PARALLEL])
    evaluated = run_benchmark(config, tmp_path / "ray", watch=lose_a_node)
    assert removed
    assert evaluated.results.statuses == {"ok": 18}
    assert records(tmp_path / "ray") == records(tmp_path / "alone")
