"""One agent over every wire, in whole R2R runs whose every byte is searched for what a participant must not learn."""

from __future__ import annotations

import json

import pytest

from end_to_end.agents import DigestAgent
from playing import document, play, records, sent

AGENT = "agent_service.agent='end_to_end.agents:DigestAgent'"


@pytest.fixture(scope="module", params=["competition", "full"])
def played(request, released, tmp_path_factory):
    """How much is told, the overrides, and what an agent in a process of ours leaves."""
    overrides = [
        f"dataset.data_path={released}/r2r/R2R_val_seen.json",
        f"simulator.connectivity_dir={released}/r2r/connectivity",
        "dataset.limit=12",
        f"agent_service.disclosure={request.param}",
        "agent_service.secret=s3",
    ]
    folder = tmp_path_factory.mktemp("local") / "run"
    play(folder, [*overrides, AGENT])
    local = records(folder)
    assert [line["status"] for line in local] == ["ok"] * 12
    assert len({line["metrics"]["path_length"] for line in local}) > 6
    return request.param, overrides, local


def secrets_of(folder, played):
    items = {str(item["path_id"]): item for item in document(folder, "R2R_val_seen.json")}
    secrets = {"val_seen", "path_id", "success", "geodesic"}
    for line in played:
        item = items[line["episode_id"].split("_")[0]]
        graph = json.loads((folder / "connectivity" / f"{item['scan']}_connectivity.json").read_text())
        secrets |= {line["episode_id"], item["scan"], *item["path"], *(row["image_id"] for row in graph)}
        secrets |= {repr(row["pose"][k]) for row in graph for k in (3, 7, 11) if len(repr(row["pose"][k])) > 7}
        secrets.add(repr(item["distance"]))
    return secrets


@pytest.mark.parametrize(
    ("protocol", "encoding"), [("rest", "json"), ("rest", "msgpack"), ("grpc", "unary"), ("grpc", "stream")]
)
def test_every_wire_leaves_the_same_records_and_ids_paths_and_poses_stay_here(
    released, tmp_path, played, protocol, encoding
):
    disclosure, overrides, local = played
    said = sent(DigestAgent, "r2r", overrides, tmp_path / "run", protocol, encoding)
    assert records(tmp_path / "run") == local
    leaks = {text for text in secrets_of(released / "r2r", local) if text.encode() in said}
    assert len(said) > 50_000
    if disclosure == "competition":
        assert leaks == set()
    else:
        assert {local[0]["scene_id"], local[0]["episode_id"]} <= leaks
        assert not leaks & {"val_seen", "success", "geodesic", "path_id"}
