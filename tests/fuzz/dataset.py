"""Fuzzes every loader of episodes: what decodes is finite, validates, and reads the same when written back.

Head of an input: the format. Files: a.json (or .json.gz, packed here unless it is packed already), its content/
folder and its _gt file. Head "connectivity": a navigation graph.
"""

from __future__ import annotations

import gzip
import json
import math
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz.dataset_seeds import DOCUMENTS, GROUND_TRUTH
from fuzz.documents import mutate, pack, unpack
from fuzz.expect import only
from graphs import SCAN, grid_scan
from nav_eval.dataset.connectivity import NavigationGraph
from nav_eval.dataset.dataset import DatasetRequest, FileDataset
from nav_eval.dataset.detect import detect_type, open_as
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.fields import FARTHEST_M
from nav_eval.dataset.registry import DATASETS
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError

__all__ = ["mutate", "one", "seeds"]

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz_dataset_"))
NAMES = {"a.json", "a.json.gz", "a_gt.json", "a_gt.json.gz", "content/b.json", "content/b.json.gz", "content/c.json"}
MAX_BYTES = 1 << 24


def seeds() -> list[bytes]:
    plain = [pack(name, {"a.json": _json(document)}) for name, document in DOCUMENTS]
    packed = [pack(name, {"a.json.gz": gzip.compress(_json(document), mtime=0)}) for name, document in DOCUMENTS[:2]]
    in_content = [
        pack(name, {"a.json.gz": _json({"episodes": []}), "content/b.json.gz": _json(document)})
        for name, document in DOCUMENTS
        if name in ("pointnav", "imagenav", "objectnav", "instance-imagenav") and isinstance(document, dict)
    ]
    with_truth = [
        pack(name, {"a.json": _json(document), "a_gt.json": _json(GROUND_TRUTH)})
        for name, document in DOCUMENTS
        if name in ("r2r-ce", "rxr-ce")
    ]
    graph = pack("connectivity", {f"{SCAN}_connectivity.json": _json(grid_scan(3, 2))})
    return [*plain, *packed, *in_content, *with_truth, graph]


def _json(document: Any) -> bytes:
    return json.dumps(document).encode()


def one(data: bytes) -> None:
    head, files = unpack(data)
    if head == "connectivity":
        _graph(next(iter(files.values()), b""))
        return
    path = _write({name: content for name, content in files.items() if name in NAMES})
    with only(DatasetError, names=str(FOLDER)):
        detect_type(str(path), MAX_BYTES)
    name = head if head in DATASETS.names() and head != "vln" else None
    faults = validate_dataset(path, name, max_bytes=MAX_BYTES).faults
    for fault in faults:
        str(fault).encode()
    with only(DatasetError, names=str(FOLDER)):
        request = DatasetRequest(data_path=str(path), max_bytes=MAX_BYTES)
        dataset = open_as(name or detect_type(str(path), MAX_BYTES), request)
        episodes = list(dataset)
        _sound(episodes)
        assert episodes or faults, "a file without episodes validates"
        _written_back(dataset, episodes, strict=not faults and len(dataset.episode_files) == 1)


def _write(files: dict[str, bytes]) -> Path:
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "content").mkdir(parents=True)
    for name, content in files.items():
        packed = name.endswith(".gz") and content[:2] != b"\x1f\x8b"
        (FOLDER / name).write_bytes(gzip.compress(content, 1) if packed else content)
    return FOLDER / next((name for name in ("a.json", "a.json.gz") if name in files), "a.json")


def _sound(episodes: Iterable[Episode]) -> None:
    """What the rest of the evaluator takes for granted."""
    for episode in episodes:
        episode.scene_id.encode()
        episode.episode_id.encode()
        assert math.isclose(math.hypot(*episode.start_rotation), 1, abs_tol=0.01)
        assert episode.start_position is not None or episode.start_node is not None
        for place in _places(episode):
            assert len(place) == 3
            assert all(type(number) is float and abs(number) <= FARTHEST_M for number in place), place
        if episode.instruction is not None:
            episode.instruction.text.encode()
            assert all(token and token.encode() for token in episode.instruction.tokens)


def _places(episode: Episode) -> Iterable[tuple[float, float, float]]:
    yield from [episode.start_position] if episode.start_position is not None else []
    yield from episode.reference_path
    yield from episode.gt_locations or ()
    for goal in episode.goals:
        yield from [goal.position] if goal.position is not None else []
        yield from (view.position for view in goal.view_points)
        yield from (image.position for image in goal.image_goals)


def _written_back(dataset: FileDataset, episodes: list[Episode], *, strict: bool) -> None:
    """`strict`: the validator found nothing, so writing may not fail and reading gives the same."""
    target = FOLDER / "copy" / "a.json"
    target.parent.mkdir()
    try:
        dump_dataset(dataset.type, episodes, target, dataset.header)
    except DatasetError:
        if strict:
            raise AssertionError("a valid data set cannot be written back") from None
        return
    again = open_as(dataset.type, DatasetRequest(data_path=str(target), gt_path=getattr(dataset, "gt_file", None)))
    assert not strict or list(map(_without_empty_keys, again)) == list(map(_without_empty_keys, episodes)), (
        "written back it reads otherwise"
    )


def _without_empty_keys(episode: Episode) -> Episode:
    """Without the keys that stood there empty: ObjectNav's old layout comes back as the new one."""
    return replace(episode, extra={key: value for key, value in episode.extra.items() if value})


def _graph(content: bytes) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / f"{SCAN}_connectivity.json").write_bytes(content)
    with only(DatasetError, names=str(FOLDER)):
        graph = NavigationGraph.load(str(FOLDER), SCAN)
        for name, neighbours in list(graph.neighbours.items())[:5]:
            assert all(map(math.isfinite, graph.positions[name]))
            for other in neighbours:
                assert 0 <= graph.distance(name, other) < math.inf
                assert abs(graph.distance(name, other) - graph.distance(other, name)) < 1e-6
