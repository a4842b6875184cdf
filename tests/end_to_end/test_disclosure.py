"""Every byte that a whole R2R run sends to a service, searched for what a participant must not learn."""

from __future__ import annotations

import json

import pytest

from end_to_end.agents import DigestAgent
from end_to_end.records import lines
from end_to_end.wiretap import sent


@pytest.mark.parametrize(("protocol", "encoding"), [("rest", "json"), ("grpc", "stream")])
@pytest.mark.parametrize("disclosure", ["competition", "full"])
def test_ids_paths_and_poses_stay_here(released, tmp_path, protocol, encoding, disclosure):
    folder = released / "r2r"
    overrides = [
        f"dataset.data_path={folder}/R2R_val_seen.json",
        f"simulator.connectivity_dir={folder}/connectivity",
        "dataset.limit=12",
        f"agent_service.disclosure={disclosure}",
    ]
    said = sent(DigestAgent, "r2r", overrides, tmp_path / "run", protocol, encoding)
    played = lines(tmp_path / "run")
    items = {str(item["path_id"]): item for item in json.loads((folder / "R2R_val_seen.json").read_text())}
    secrets: set[str] = set()
    for line in played:
        item = items[line["episode_id"].split("_")[0]]
        graph = json.loads((folder / "connectivity" / f"{item['scan']}_connectivity.json").read_text())
        secrets |= {line["episode_id"], item["scan"], *item["path"], *(row["image_id"] for row in graph)}
        secrets |= {repr(row["pose"][k]) for row in graph for k in (3, 7, 11) if len(repr(row["pose"][k])) > 7}
        secrets.add(repr(item["distance"]))
    secrets |= {"val_seen", "path_id", "success", "geodesic"}
    leaks = {text for text in secrets if text.encode() in said}
    assert len(said) > 50_000
    if disclosure == "competition":
        assert leaks == set()
    else:
        assert {played[0]["scene_id"], played[0]["episode_id"]} <= leaks
        assert not leaks & {"val_seen", "success", "geodesic", "path_id"}
