"""A large collection that is killed twice: the same bytes as one that was not, and all of it read as trainers read it.

COLLECT_FRAMES=100000 COLLECT_HOMES=200 makes it as large as a training set; it then takes 30 GB.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from nav_eval_extras.collecting.collection import JOURNAL
from patience import PATIENCE, until

FRAMES = int(os.environ.get("COLLECT_FRAMES", "2000"))
HOMES = int(os.environ.get("COLLECT_HOMES", "4"))
FRAMES_A_PATH = 50
"""Fewer than there are."""
KILLS = 2
LENS = "{width: 640, height: 480, hfov: 79}"


def command(name: str, out: Path) -> list[str]:
    world = [
        f"simulator.sensors={{rgb: {LENS}, depth: {LENS}}}",
        "dataset.split=train",
        f"dataset.generate.scenes={HOMES}",
        f"dataset.generate.per_scene={-(-FRAMES // (HOMES * FRAMES_A_PATH))}",
    ]
    asked = ["collect", "vln-demo", *world, "--format", name, "--out", str(out), "-q"]
    return [sys.executable, "-c", "import sys; from nav_eval.cli import main; sys.exit(main())", *asked]


def written(out: Path) -> int:
    journal = out / JOURNAL
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def kill_after(paths: int, name: str, out: Path) -> None:
    process = subprocess.Popen(command(name, out))
    for done in range(paths):  # each within patience
        until(lambda done=done: written(out) > done or process.poll() is not None, "another path")
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL


def tree(folder: Path) -> dict[str, str]:
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def read_streamvln(folder: Path) -> int:
    """As vln_action_dataset.py: every file of rgb/ in the order of names, an action for each, the first is none."""
    frames = 0
    for row in json.loads((folder / "annotations.json").read_text()):
        pictures = sorted((folder / row["video"] / "rgb").iterdir())
        assert row["actions"][0] == -1
        assert len(pictures) == len(row["actions"])
        for file in pictures:
            with Image.open(file) as picture:
                picture.load()
                assert picture.size == (640, 480)
        frames += len(pictures)
    return frames


def read_lerobot(folder: Path) -> int:
    """As LeRobotDataset v2.1: files named by info.json, rows without a gap, a frame of the film at each timestamp."""
    import av
    import pyarrow.parquet as pq

    info = json.loads((folder / "meta" / "info.json").read_text())
    frames = 0
    for index in range(info["total_episodes"]):
        place = {"episode_chunk": index // info["chunks_size"], "episode_index": index}
        table = pq.read_table(folder / info["data_path"].format(**place)).to_pandas()
        assert table["index"].tolist() == [*range(frames, frames + len(table))]
        film = folder / info["video_path"].format(video_key="observation.images.rgb", **place)
        with av.open(str(film)) as container:
            times = [frame.time for frame in container.decode(video=0)]
        np.testing.assert_allclose(times, table["timestamp"], atol=1e-4)
        frames += len(table)
    assert frames == info["total_frames"]
    return frames


@pytest.mark.soak
@pytest.mark.parametrize(("name", "read"), [("streamvln", read_streamvln), ("lerobot", read_lerobot)])
def test_a_large_collection_outlives_being_killed(name: str, read: Callable[[Path], int], tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(command(name, whole), check=True)
    paths = written(whole)
    for kill in range(1, KILLS + 1):
        kill_after(kill * paths // (KILLS + 1), name, killed)
        assert kill * paths // (KILLS + 1) <= written(killed) < paths
    subprocess.run(command(name, killed), check=True)
    assert tree(killed) == tree(whole)
    assert read(killed) >= FRAMES
