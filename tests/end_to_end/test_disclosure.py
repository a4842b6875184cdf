"""What a participant must not learn, in every byte of whole runs over every wire, and in the low bits of its pose."""

from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest

import nav_eval
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


CORNER = (44.0, 0.0, -52.0)
LATTICE = 2.0**-18
QUARTER = math.pi / 2
YAWS = (0.7390851, -2.2360679)


class Tracker:
    """Wanders, and keeps each episode's `gps` as it was shown."""

    seen: list[list[np.ndarray]] = []  # noqa: RUF012 - filled by the test

    def reset(self, episode):
        self.seen.append([])
        self._rng = np.random.default_rng(len(self.seen))

    def act(self, observation):
        self.seen[-1].append(observation["gps"])
        return str(self._rng.choice(["move_forward", "turn_left", "turn_right"], p=[0.7, 0.15, 0.15]))


def hall(folder):
    """A hall far from the origin, and an episode for each yaw."""
    import trimesh

    floor = trimesh.creation.box((16.0, 0.1, 16.0))
    floor.apply_translation((CORNER[0], -0.05, CORNER[2]))
    floor.export(folder / "hall.glb")
    episodes = [
        {
            "episode_id": str(number),
            "scene_id": "hall.glb",
            "start_position": list(map(float, np.float32(np.add(CORNER, (0.3711, 0.0, 0.7193))))),
            "start_rotation": [0.0, math.sin(yaw / 2), 0.0, math.cos(yaw / 2)],
            "goals": [{"position": [CORNER[0], 0.0, CORNER[2] + 5.0], "radius": 0.2}],
            "info": {"geodesic_distance": 5.0},
        }
        for number, yaw in enumerate(YAWS)
    ]
    (folder / "hall.json.gz").write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))
    return [f"dataset.data_path={folder}/hall.json.gz", f"simulator.scenes_dir={folder}"]


def observe_positions(folder, disclosure):
    """[(N, 2) float64 per episode]: [forward, right] as agents got it."""
    Tracker.seen = []
    sensors = "simulator.sensors={gps: {}, compass: {}}"
    more = [sensors, "evaluation.max_steps=120", f"agent_service.disclosure={disclosure}"]
    nav_eval.evaluate("pointnav", agent=Tracker, overrides=[*hall(folder), *more])
    return [np.unique(np.array(track, np.float64), axis=0) for track in Tracker.seen]


def misfit(track, headings, lattice):
    """How far from the lattice each heading puts the points: mean square in cells; 1/12 is what chance gives."""
    forward, right = track.T
    cos, sin = np.cos(headings)[:, None], np.sin(headings)[:, None]
    total = np.zeros(len(headings))
    for offset in (cos * right - sin * forward, -sin * right - cos * forward):
        cells = offset / lattice
        total += ((cells - np.rint(cells)) ** 2).mean(axis=1)
    return total / 2


def search(track, lattice=LATTICE):
    """(heading, misfit) of the heading that fits best: a quarter with the points nearby, then finer with all."""
    track = track[np.argsort(np.hypot(*track.T))][1:]
    reach = np.hypot(*track.T)
    headings = np.arange(0.0, QUARTER, lattice / reach[2] / 3)
    best = headings[np.argsort(misfit(track[:3], headings, lattice))[:1000]]
    width = lattice / reach[2] / 3
    for points in (6, 20, len(track)):
        fine = min(width, lattice / reach[points - 1] / 3)
        around = np.arange(-width, width + fine, fine)
        headings = (best[:, None] + around).ravel()
        best = headings[np.argsort(misfit(track[:points], headings, lattice))[:50]]
        width = fine
    return best[0], misfit(track, best[:1], lattice)[0]


@pytest.fixture(scope="module")
def tracks(tmp_path_factory):
    """Do measures of the own pose tell the building's frame? Whoever knows heading and coordinates finds a published
    goal.

    The simulator's positions are float32 numbers, so displacements of the global frame lie on a lattice of 2^-18 m at
    32 to 64 m from the origin. The attack turns what `gps` showed through every heading and asks which one puts all of
    it on a lattice; how coarse that is tells how large the coordinates are. (A lattice looks the same after a quarter
    turn, so one of four headings is left to guess; walls do that.)
    """
    folder = tmp_path_factory.mktemp("hall")
    return {disclosure: observe_positions(folder, disclosure) for disclosure in ("full", "competition")}


def test_exact_measures_would_tell_the_heading_and_how_large_coordinates_are(tracks):
    for track, yaw in zip(tracks["full"], YAWS, strict=True):
        heading, fit = search(track)
        assert abs(math.remainder(heading - yaw, QUARTER)) < 1e-6
        assert fit < 0.01
        coarser = misfit(track[1:], np.array([heading]), 2 * LATTICE)[0]
        assert coarser > 0.05  # so the coordinates lie between 32 and 64 m


def test_rounded_measures_tell_neither(tracks):
    for track, yaw in zip(tracks["competition"], YAWS, strict=True):
        heading, fit = search(track)
        assert abs(math.remainder(heading - yaw, QUARTER)) > 1e-3
        assert fit > 0.04
        chance = misfit(track[1:], np.linspace(-math.pi, math.pi, 2000), LATTICE)
        truth = misfit(track[1:], np.array([yaw]), LATTICE)[0]
        assert np.quantile(chance, 0.02) < truth < np.quantile(chance, 0.98)


def test_the_rounding_is_a_tenth_of_a_millimetre(tracks):
    for exact, rounded in zip(tracks["full"], tracks["competition"], strict=True):
        grid = np.unique(np.float32(np.rint(exact * 1e4) / 1e4), axis=0)
        assert np.array_equal(grid, np.float32(rounded))
