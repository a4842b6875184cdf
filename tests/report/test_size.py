"""A report of many episodes: what the page holds is written piece by piece, and 100,000 of them fit into 250 MB."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path
from shutil import copytree

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs import item, node, write_r2r
from nav_eval.cli.report import make_context
from nav_eval.report.columns import median_and_most
from nav_eval.report.page import PIECE, packed
from nav_eval.report.source import read_run
from nav_eval.report.track import deltas
from nav_eval.results.journal import Journal
from playing import play

COPIES, PATHS = 100, 1000
MAX_MEGABYTES = 250
WORDS = "Walk past the table on your left and through the second door, then turn right, go up and wait by it. "


@pytest.mark.parametrize("count", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
def test_the_pieces_are_the_whole(count):
    rows = [{"id": f'走"{i}', "value": i / 7, "none": None} for i in range(count)]
    document = {"rows": rows, "deep": {"numbers": list(range(count)), "empty": {}, "none": []}, "last": float(count)}
    whole = zlib.compress(msgspec.json.encode(document), 9, wbits=31)  # gzip's head is another from Python 3.13 on
    assert base64.b64decode(packed(document)) == whole


@pytest.mark.parametrize("far", [100, 32_767, 32_768, -32_769, 10**8])
def test_differences_add_up_however_far_they_go(far):
    points = np.array([[far, 0, -far], [0, 1, 2], [far, far, 3]], np.int32)
    assert (np.cumsum(deltas(points).reshape(-1, 3).astype(np.int64), axis=0) == points).all()


@given(st.lists(st.floats(0, 1e9, width=32), min_size=1, max_size=40))
def test_median_and_most_are_numpys_to_the_last_bit(values):
    column = np.array(values, np.float32)
    assert median_and_most(column) == tuple(np.percentile(column, (50, 100)).tolist())


def test_what_an_episode_takes_in_memory(tmp_path: Path, runs: list[Path]) -> None:
    """Bytes that Python holds for each episode more: 1,560 and 630 as objects."""
    folder = copytree(runs[1], tmp_path / "many")
    multiply(folder, 250)
    config = make_context().config(folder)
    read_run(folder, config)
    tracemalloc.start()
    run = read_run(folder, config)
    of_run, _ = tracemalloc.get_traced_memory()
    journal = Journal(folder, writable=False)
    of_journal = tracemalloc.get_traced_memory()[0] - of_run
    tracemalloc.stop()
    journal.close()
    assert len(run.results) == len(run.tracks) == len(journal.recorded) > 2500
    assert of_run / len(run.results) < 900
    assert of_journal / len(run.results) < 400


@pytest.mark.soak
def test_a_report_of_100_000_episodes_fits_into_250_mb(tmp_path):
    ways = [[node(x % 8, 0), node(x % 8, 5), node((x // 8) % 8, 5)] for x in range(PATHS)]
    items = [item(number, way, [WORDS]) for number, way in enumerate(ways)]
    overrides = write_r2r(tmp_path, width=8, height=6, items=items)
    agent = ["agent_service.agent=random", "evaluation.max_steps=20"]
    run = play(tmp_path / "run", [*overrides, *agent]).path
    many = [{**each, "path_id": each["path_id"] + PATHS * k} for k in range(COPIES) for each in items]
    (tmp_path / "R2R_val.json").write_text(json.dumps(many))
    multiply(run, COPIES)
    command = [sys.executable, "-c", "from nav_eval.cli import main; main()", "report", str(run)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_maxrss * 1024 / 1e6 <= MAX_MEGABYTES
    assert (run / "report.html").stat().st_size > COPIES * 1000


def multiply(run, copies):
    for name in ("episodes.jsonl", "trajectories.jsonl"):
        lines = [json.loads(line) for line in (run / name).read_text().splitlines()]
        with (run / name).open("w") as file:
            for k in range(copies):
                file.writelines(json.dumps(line | {"episode_id": _moved(line, k)}) + "\n" for line in lines)


def _moved(line, k):
    path, instruction = line["episode_id"].split("_")
    return f"{int(path) + PATHS * k}_{instruction}"
