"""Fuzzes `nav-eval score`: submission files in every form that it takes, scored on small data sets.

Head of an input: a family, with a + where missing episodes are allowed. One file, a.json or a.jsonl. What is scored
obeys the metrics' own bounds: SPL never above success, success never above oracle success, and no share above 1.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.dataset_seeds import CE, DIALOG, FRAME, TIMED
from fuzz.documents import mutate, pack, unpack
from fuzz.expect import only
from graphs import SCAN, grid_scan, item, node
from nav_eval.config.schema import Config
from nav_eval.errors import PredictionsError
from nav_eval.results.predictions import read_predictions
from nav_eval.runs.registry import benchmark_config
from nav_eval.runs.scoring import score_predictions
from rooms import write_room

__all__ = ["mutate", "one", "seeds"]

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz_predictions_"))
FAMILIES = ("r2r", "ndh", "r2r-ce", "rxr-ce", "pointnav")
WALK = [node(0, 0), node(1, 0), node(2, 0)]
SHARES = ("success", "spl", "soft_spl", "oracle_success", "ndtw", "sdtw", "cls", "path_coverage", "waypoint_coverage")


def seeds() -> list[bytes]:
    start = FRAME["start_position"]
    there = [{"position": p, "heading": 0.5, "stop": p != start} for p in (start, [2.0, 0.1, 0.0])]
    room = [{"position": [x, 0.0, -2.0], "heading": 0, "stop": x > 1} for x in (-2.0, -1.0, 2.0)]
    graph = [[name, 1.5, 0.0] for name in WALK]
    listed = [{"instr_id": "7_0", "trajectory": graph}, {"instr_id": "7_1", "trajectory": WALK[:2]}]
    spoken = [{"instruction_id": 4, "path": [start, [2, 0.1, 0]]}]
    return [
        pack("r2r", {"a.json": _json(listed)}),
        pack("r2r+", {"a.json": _json(listed[:1])}),
        pack("ndh", {"a.json": _json([{"inst_idx": 3, "trajectory": graph}])}),
        pack("r2r-ce", {"a.json": _json({"1": there})}),
        pack("rxr-ce", {"a.jsonl": b"\n".join(map(_json, spoken))}),
        pack("pointnav+", {"a.json": _json({"0": room})}),
    ]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


@cache
def _config(family: str) -> Config:
    """The family's benchmark on a data set of one or two episodes: a graph, a room, or no scene at all."""
    folder = FOLDER / family
    (folder / "connectivity").mkdir(parents=True)
    (folder / "connectivity" / f"{SCAN}_connectivity.json").write_bytes(_json(grid_scan(3, 2)))
    documents: Mapping[str, Any] = {
        "r2r": [item(7, WALK, ["Go.", "Walk."])],
        "ndh": [DIALOG | {"start_pano": {"heading": 0, "elevation": 0, "pano": WALK[0]}, "end_panos": [WALK[2]]}],
        "r2r-ce": {"episodes": [CE]},
        "rxr-ce": {"episodes": [CE | {"instruction": TIMED}]},
    }
    if family not in documents:
        return benchmark_config("pointnav", overrides=[*write_room(folder), "dataset.limit=2"])
    graph = [f"simulator.connectivity_dir={folder}/connectivity"] if family in ("r2r", "ndh") else []
    scenes = [] if graph else [f"simulator.scenes_dir={folder}"]
    (folder / "data.json").write_bytes(_json(documents[family]))
    return benchmark_config(family, overrides=[f"dataset.data_path={folder}/data.json", *graph, *scenes])


def one(data: bytes) -> None:
    head, files = unpack(data)
    family = head.removesuffix("+")
    for name, content in files.items():
        path = FOLDER / ("a.jsonl" if name.endswith("l") else "a.json")
        path.write_bytes(content)
        with only(PredictionsError, names=str(path)):
            _check_read(path)
            if family in FAMILIES:
                _check_scores(_config(family), path, allow_partial=head.endswith("+"))


def _check_read(path: Path) -> None:
    for identity, prediction in read_predictions(path).items():
        identity.encode()
        assert prediction.states, identity
        for state in prediction.states:
            assert state.node is not None or all(map(math.isfinite, state.position)), identity
            assert all(map(math.isfinite, (*state.rotation, state.elevation))), identity


def _check_scores(config: Config, path: Path, *, allow_partial: bool) -> None:
    scored = score_predictions(config, path, allow_partial=allow_partial)
    assert allow_partial or scored.results.n_failed == 0
    for result in scored.episodes:
        values = result.metrics
        assert not any(isinstance(value, float) and math.isnan(value) for value in values.values()), values
        for name in SHARES:
            assert 0 <= values.get(name, 0) <= 1 + 1e-9, (name, values[name])
        assert values.get("spl", 0) <= values.get("success", 1)
        assert values.get("success", 0) <= values.get("oracle_success", 1)
        assert values.get("sdtw", 0) <= values.get("success", 1)
