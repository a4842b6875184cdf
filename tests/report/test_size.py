"""A report of many episodes: what the page holds is written piece by piece, and 100,000 of them fit into 600 MB."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys

import msgspec
import numpy as np
import pytest

from graphs import item, node, write_r2r
from nav_eval.report.page import PIECE, packed
from nav_eval.report.track import deltas
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config

COPIES, PATHS = 100, 1000
MAX_MEGABYTES = 600
WORDS = "Walk past the table on your left and through the second door, then turn right, go up and wait by it. "


@pytest.mark.parametrize("count", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
def test_the_pieces_are_the_whole(count):
    rows = [{"id": f'走"{i}', "value": i / 7, "none": None} for i in range(count)]
    document = {"rows": rows, "deep": {"numbers": list(range(count)), "empty": {}, "none": []}, "last": float(count)}
    whole = gzip.compress(msgspec.json.encode(document), 9, mtime=0)
    assert base64.b64decode(packed(document)) == whole


@pytest.mark.parametrize("far", [100, 32_767, 32_768, -32_769, 10**8])
def test_differences_add_up_however_far_they_go(far):
    points = np.array([[far, 0, -far], [0, 1, 2], [far, far, 3]], np.int32)
    assert (np.cumsum(deltas(points).reshape(-1, 3).astype(np.int64), axis=0) == points).all()


@pytest.mark.soak
def test_a_report_of_100_000_episodes_fits_into_600_mb(tmp_path):
    ways = [[node(x % 8, 0), node(x % 8, 5), node((x // 8) % 8, 5)] for x in range(PATHS)]
    items = [item(number, way, [WORDS]) for number, way in enumerate(ways)]
    overrides = write_r2r(tmp_path, width=8, height=6, items=items)
    agent = ["agent_service.agent=random", "evaluation.max_steps=20"]
    run = run_benchmark(benchmark_config("r2r", overrides=[*overrides, *agent]), tmp_path / "run").path
    many = [{**each, "path_id": each["path_id"] + PATHS * k} for k in range(COPIES) for each in items]
    (tmp_path / "R2R_val.json").write_text(json.dumps(many))
    for name in ("episodes.jsonl", "trajectories.jsonl"):
        lines = [json.loads(line) for line in (run / name).read_text().splitlines()]
        with (run / name).open("w") as file:
            for k in range(COPIES):
                file.writelines(json.dumps(line | {"episode_id": _moved(line, k)}) + "\n" for line in lines)
    command = [sys.executable, "-c", "from nav_eval.cli import main; main()", "report", str(run)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_maxrss * 1024 / 1e6 <= MAX_MEGABYTES
    assert (run / "report.html").stat().st_size > COPIES * 1000


def _moved(line, k):
    path, instruction = line["episode_id"].split("_")
    return f"{int(path) + PATHS * k}_{instruction}"
