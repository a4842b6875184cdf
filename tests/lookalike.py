"""A small set of our own in the formats of the released data, laid out and named as those are in the shared folder.

It stands in where they are absent, for tests that need files of a format and not the figures of a release: halls of
boxes with navmeshes, grids of viewpoints, and episodes on them. Nothing of it is derived from anybody's data.
"""

from __future__ import annotations

import gzip
import json
import math
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from engine.scene.made import Glb
from graphs import grid_scan
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast.build import build_navmesh
from nav_eval.engine.scene import load_scene

Floats = NDArray[np.float32]
HALLS = (
    "gz_cafe", "gz_aws_small_house", "gz_aws_small_house_collision", "house_200k", "playcanvas_vr-gallery",
    "three_pathfinding_level", "skokloster-castle", "van-gogh-room",
)  # fmt: skip
WORDS = ("walk", "past", "the", "table", "and", "stop", "at", "door", ".", "turn", "left", "right")


def make(folder: Path) -> Path:
    """Everything, below `folder`."""
    for name in HALLS:
        make_hall(folder, name)
    merged = merged_boxes(random.Random("merged"))
    plain = Glb()
    corners, faces = plain.accessor(merged), plain.accessor(np.arange(len(merged), dtype=np.uint32))
    plain.node(name="building", mesh=plain.mesh({"POSITION": corners}, faces))
    plain.json |= {"scene": 0, "scenes": [{"nodes": [0]}]}
    plain.save(folder / "scenes" / "ifc_LargeBuilding_nodoors.glb")
    rows = [f"v {x} {y} {z}" for x, y, z in merged.tolist()]
    rows += [f"f {n + 1} {n + 2} {n + 3}" for n in range(0, len(merged), 3)]
    (folder / "scenes" / "dungeon.obj").write_text("\n".join(rows))
    add_navmesh(folder, "ifc_LargeBuilding_nodoors")
    for name in ("gz_cafe", "house_200k"):
        record(folder / "habitat-parity" / name)
    write_graphs(folder)
    write_continuous(folder)
    write_points(folder)
    write_objects(folder)
    return folder


# Scenes


def cube() -> tuple[Floats, Floats]:
    """(36, 3) corners and (36, 2) texture coordinates of the unit cube's triangles, seen from outside."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]], np.float32) / 2
    front = np.insert(square, 2, 0.5, axis=1)
    half = front * np.array([-1, 1, -1])
    sides = [np.roll(side, k, axis=1) for side in (front, half) for k in range(3)]
    return np.concatenate(sides).astype(np.float32), np.tile(square + 0.5, (6, 1)).astype(np.float32)


def boxes(rng: random.Random) -> Iterator[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """(centre, size): floor, walls, and things between them."""
    wide, deep = rng.uniform(7, 10), rng.uniform(6, 8)
    yield (0.0, -0.05, 0.0), (wide, 0.1, deep)
    for side in (-1, 1):
        yield (side * wide / 2, 1.25, 0.0), (0.1, 2.5, deep)
        yield (0.0, 1.25, side * deep / 2), (wide, 2.5, 0.1)
    yield (0.0, 1.25, -deep / 6), (0.1, 2.5, deep * 2 / 3)  # two rooms
    for _ in range(6):
        high = rng.uniform(0.6, 1.2)
        yield (rng.uniform(-0.4, 0.4) * wide, high / 2, rng.uniform(-0.4, 0.4) * deep), (0.5, high, 0.7)


def merged_boxes(rng: random.Random) -> Floats:
    corners, _ = cube()
    return np.concatenate([corners * np.float32(size) + np.float32(centre) for centre, size in boxes(rng)])


def make_hall(folder: Path, name: str) -> None:
    """NAME.glb, whose boxes are nodes that share meshes, and its navmesh."""
    rng, made = random.Random(name), Glb()
    corners, places = cube()
    skins = []
    for seed in range(2):
        pixels = np.random.default_rng([seed, len(name)]).integers(0, 256, (16, 16, 3), np.uint8)
        skins.append({"pbrMetallicRoughness": {"baseColorTexture": {"index": made.image(pixels)}}})
    skins.append({"pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.5, 0.8, 1.0]}})
    meshes = []
    for skin in skins:
        attributes = {
            "POSITION": made.accessor(corners, min=[-0.5] * 3, max=[0.5] * 3),
            "TEXCOORD_0": made.accessor(places),
        }
        faces = made.accessor(np.arange(len(corners), dtype=np.uint16))
        meshes.append(made.mesh(attributes, faces, material=made.material(**skin)))
    for number, (centre, size) in enumerate(boxes(rng)):
        made.node(name=f"box{number}", mesh=meshes[number % 3], translation=list(centre), scale=list(size))
    made.json |= {"scene": 0, "scenes": [{"nodes": list(range(len(made.json["nodes"])))}]}
    made.save(folder / "scenes" / f"{name}.glb")
    add_navmesh(folder, name)


def add_navmesh(folder: Path, name: str) -> None:
    """Where the shared folder has it: beside the scene, and among the recordings."""
    scene = load_scene(folder / "scenes" / f"{name}.glb")
    navmesh = build_navmesh(scene.positions, scene.triangles, NavmeshSettings())
    (folder / "scenes" / f"{name}.navmesh").write_bytes(navmesh)
    recorded = folder / "habitat-parity" / name
    recorded.mkdir(parents=True, exist_ok=True)
    (recorded / "scene.navmesh").write_bytes(navmesh)


def record(folder: Path) -> None:
    """What a simulator might answer, drawn by chance: for what carries answers, not for what computes them."""
    rng = np.random.default_rng(0)
    start, end, random_points = rng.uniform(-3, 3, (3, 40, 3)).astype(np.float32)
    start[1::2] = start[0]
    navigable, found = rng.random((2, 40)) < 0.8
    ways = np.where(found, rng.uniform(1, 9, (2, 40)), np.inf).astype(np.float32)
    asked = {"start": start, "end": end, "found": found, "geodesic": ways[0], "geodesic_reverse": ways[1]}
    np.savez(folder / "nav.npz", **asked, random_points=random_points, is_navigable=navigable)
    angles = rng.uniform(-3, 3, 6)
    turned = np.stack([np.cos(angles / 2), 0 * angles, np.sin(angles / 2), 0 * angles], axis=1)
    seen = {"rgb": rng.integers(0, 256, (6, 480, 640, 3), np.uint8), "agent_position": end[:6]}
    seen |= {"depth": rng.uniform(-1, 9, (6, 480, 640)).clip(0).astype(np.float32), "agent_quat_wxyz": turned}
    np.savez(folder / "frames.npz", **seen, hfov_deg=79.0, sensor_height=1.25)
    steps = [[1 + n % 3, n % 2, *point, 1.0, 0.0, 0.0, 0.0] for n, point in enumerate(random_points.tolist())]
    for how in ("slide", "noslide"):
        (folder / f"agent_walk_{how}.json").write_text(json.dumps({"start": start[0].tolist(), "steps": steps}))
    stop = [0, *steps[-1][1:]]
    one = {"start": start[0].tolist(), "goal": end[0].tolist(), "yaw": 0.5, "steps": [*steps, stop]}
    (folder / "follower_slide.json").write_text(json.dumps({"episodes": [one]}))


# Episodes


def write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(document).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def connectivity(folder: Path, scan: str) -> Path:
    return folder / "r2r" / "connectivity" / f"{scan}_connectivity.json"


def write_graphs(folder: Path) -> None:
    """Two scans; R2R, R4R, FGR2R and NDH on them."""
    walks, rng = [], random.Random(0)
    scans = ("aaaaaaaaaaa", "bbbbbbbbbbb")
    for scan in scans:
        rows = grid_scan(5, 4)
        for row in rows:
            row["image_id"] = f"{scan[0]}{row['image_id'][1:]}"
            for place in (3, 7, 11):
                row["pose"][place] += rng.uniform(-0.4, 0.4)
        write(connectivity(folder, scan), rows)
        graph = graph_of(rows)
        for _ in range(10):
            begin, end = rng.sample(sorted(graph), 2)
            walks.append(walk(scan, graph, nx.dijkstra_path(graph, begin, end), len(walks), rng))
        for first, second in pairwise(walks[-10:]):
            between = nx.dijkstra_path(graph, first["path"][-1], second["path"][0])
            whole = [*first["path"], *between[1:], *second["path"][1:]]
            ends = {"first_path_id": first["path_id"], "second_path_id": second["path_id"]}
            first["joined"] = walk(scan, graph, whole, first["path_id"], rng) | ends
    (folder / "r2r" / "connectivity" / "scans.txt").write_text("\n".join(scans))
    joined = [one.pop("joined") for one in walks if "joined" in one]
    write(folder / "r2r" / "R2R_val_seen.json", walks)
    write(folder / "r4r" / "R4R_val_seen.json", joined)
    write(folder / "fgr2r" / "FGR2R_val_seen.json", [one | parts(one) for one in walks])
    graphs = {scan: graph_of(json.loads(connectivity(folder, scan).read_text())) for scan in scans}
    dialogues = [dialogue(one, graphs[one["scan"]]) for one in walks]
    write(folder / "ndh" / "NDH_val_seen.json", dialogues)
    write(folder / "ndh" / "val-seq2seq-walks.json", [wandered(one, graphs[one["scan"]]) for one in dialogues])


def graph_of(rows: list[Any]) -> nx.Graph[str]:
    at = {row["image_id"]: [row["pose"][k] for k in (3, 7, 11)] for row in rows}
    graph: nx.Graph[str] = nx.Graph()
    for row in rows:
        for other, free in zip(rows, row["unobstructed"], strict=True):
            if free:
                a, b = row["image_id"], other["image_id"]
                graph.add_edge(a, b, weight=math.dist(at[a], at[b]))
    return graph


def walk(scan: str, graph: nx.Graph[str], path: list[str], number: int, rng: random.Random) -> dict[str, Any]:
    said = [" ".join(rng.choices(WORDS, k=12)) + f" {number}." for _ in range(4 if number == 7 else 3)]
    length = sum(graph.edges[edge]["weight"] for edge in pairwise(path))
    heading = rng.uniform(0, 6.28)
    return {
        "distance": length, "scan": scan, "path_id": number, "path": path, "heading": heading, "instructions": said,
    }  # fmt: skip


def parts(one: dict[str, Any]) -> dict[str, Any]:
    """Of three instructions: the release has none of a fourth."""
    words = [[text.split()[:6], text.split()[6:]] for text in one["instructions"][:3]]
    return {"new_instructions": repr(words), "chunk_view": [[[1, 2], [2, len(one["path"])]] for _ in words]}


def dialogue(one: dict[str, Any], graph: nx.Graph[str]) -> dict[str, Any]:
    """Of every third the player was led astray, and only the planner's path reaches the goal."""
    path = one["path"]
    astray = [path[0], min(graph[path[0]])]
    return {
        "inst_idx": one["path_id"],
        "scan": one["scan"],
        "target": "towel",
        "dialog_history": [
            {"nav_idx": 0, "role": "navigator", "message": "Should I stop?"},
            {"nav_idx": 0, "role": "oracle", "message": "no, walk on"},
        ],
        "nav_history": [],
        "start_pano": {"pano": path[0], "heading": one["heading"], "elevation": 17.5},
        "end_panos": [path[-1], min(graph[path[-1]])],
        "planner_path": path,
        "player_path": astray if one["path_id"] % 3 == 1 and path[-1] not in astray else path,
    }


def wandered(one: dict[str, Any], graph: nx.Graph[str]) -> dict[str, Any]:
    """A submission's walk: part of the planner's path, and a few steps by chance; headings in steps of 30 degrees."""
    rng, planned = random.Random(one["inst_idx"]), one["planner_path"]
    path = planned[: rng.randint(1, len(planned))]
    for _ in range(rng.randint(0, 3)):
        path = [*path, rng.choice(sorted(graph[path[-1]]))]
    heading = round(math.degrees(one["start_pano"]["heading"]) / 30) % 12 * math.pi / 6
    return {"inst_idx": one["inst_idx"], "trajectory": [[node, heading, 0.0] for node in path]}


def places(folder: Path, name: str, count: int) -> list[tuple[list[float], list[float], float]]:
    """(start, goal, way between them) on the largest floor of a hall."""
    mesh = NavMesh.from_bytes((folder / "scenes" / f"{name}.navmesh").read_bytes())
    ends = [[list(mesh.random_point(seed=2 * n + k, island=0)) for k in (0, 1)] for n in range(4 * count)]
    found = [(a, b, mesh.geodesic_distance(a, b)) for a, b in ends]
    return [one for one in found if 1.5 < one[2] < math.inf][:count]


def points(folder: Path, name: str, scene: str, count: int) -> list[dict[str, Any]]:
    return [
        {
            "episode_id": str(number),
            "scene_id": scene,
            "start_position": begin,
            "start_rotation": [0, math.sin(number / 2), 0, math.cos(number / 2)],
            "info": {"geodesic_distance": way, "difficulty": "easy"},
            "goals": [{"position": end, "radius": None}],
            "shortest_paths": None,
            "start_room": None,
        }
        for number, (begin, end, way) in enumerate(places(folder, name, count))
    ]


def write_points(folder: Path) -> None:
    """PointNav in one file, in one file with a folder, and ImageNav's bare list."""
    halls = "data/scene_datasets/habitat-test-scenes"
    both = [points(folder, name, f"{halls}/{name}.glb", 10) for name in ("skokloster-castle", "van-gogh-room")]
    write(folder / "pointnav" / "habitat-test-scenes_val.json.gz", {"episodes": [*both[0], *both[1]]})
    one = points(folder, "gz_cafe", "data/scene_datasets/gibson/gz_cafe.glb", 20)
    write(folder / "pointnav" / "gibson.val_mini.json.gz", {"episodes": one})
    mini = folder / "pointnav" / "challenge-2020" / "val_mini"
    write(mini / "val_mini.json.gz", {"episodes": []})
    write(mini / "content" / "Pablo.json.gz", {"episodes": one})
    write(folder / "imagenav" / "gibson_Cantwell.json.gz", one)


def write_objects(folder: Path) -> None:
    episodes, tables = points(folder, "gz_cafe", "mp3d/gz_cafe/gz_cafe.glb", 12), {}
    for number, episode in enumerate(episodes):
        kind = ("chair", "bed")[number % 2]
        goals = [
            {
                "position": episode["goals"][0]["position"],
                "object_id": number,
                "object_category": kind,
                "view_points": [{"agent_state": {"position": episode["start_position"]}, "iou": 0.5}],
            }
        ]
        tables.setdefault(f"gz_cafe.glb_{kind}", goals)
        episode |= {"goals": [], "object_category": kind}
    ids = {"chair": 0, "bed": 1}
    document = {"episodes": episodes, "goals_by_category": tables, "category_to_task_category_id": ids}
    write(folder / "objectnav" / "challenge-2020" / "val_mini" / "val_mini.json.gz", document)


def write_continuous(folder: Path) -> None:
    """R2R-CE: what is said as words and numbers; where an expert went, straight ahead."""
    episodes, truth = [], {}
    for number, (begin, end, way) in enumerate(places(folder, "house_200k", 12), start=1):
        turn = math.atan2(begin[0] - end[0], begin[2] - end[2])
        steps = int(math.dist(begin, end) / 0.25)
        shares = [0.25 * k / math.dist(begin, end) for k in range(steps + 1)]
        said = [WORDS[(number * k) % len(WORDS)] for k in range(1, 12)]
        episodes.append(
            {
                "episode_id": number,
                "trajectory_id": number,
                "scene_id": "mp3d/house_200k/house_200k.glb",
                "start_position": begin,
                "start_rotation": [0, math.sin(turn / 2), 0, math.cos(turn / 2)],
                "info": {"geodesic_distance": way},
                "goals": [{"position": end, "radius": 3.0}],
                "instruction": {
                    "instruction_text": " ".join(said),
                    "instruction_tokens": [2 + WORDS.index(word) for word in said] + [0] * (200 - len(said)),
                },
                "reference_path": [[a + share * (b - a) for a, b in zip(begin, end)] for share in (0, 0.3, 0.7, 1)],
            }
        )
        way_points = [[a + share * (b - a) for a, b in zip(begin, end, strict=True)] for share in shares]
        truth[str(number)] = {"locations": way_points, "forward_steps": steps, "actions": [1] * steps + [0]}
    listed = ["<pad>", "<unk>", *WORDS]
    numbered = {word: number for number, word in enumerate(listed)}
    vocabulary = {"word_list": listed, "word2idx_dict": numbered, "stoi": numbered, "itos": listed}
    document = {"episodes": episodes, "instruction_vocab": vocabulary}
    write(folder / "r2r-ce" / "val_seen.json.gz", document)
    write(folder / "r2r-ce" / "val_seen_gt.json.gz", truth)
