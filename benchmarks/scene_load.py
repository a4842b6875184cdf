"""How long a scene takes to load and what it takes in memory, beside trimesh.

    python benchmarks/scene_load.py [FOLDER]        # default ../shared/data/scenes, or $NAV_EVAL_SHARED_DATA/scenes

Each row is measured in processes of its own, best of three: wall and CPU seconds of the first load, of a load from
the process-wide cache, the memory that the process holds afterwards beyond what it held before, the highest it went
in between, and the bytes of the scene's arrays. trimesh loads the same file and applies its transforms; it leaves
pictures undecoded unless asked, so it is measured with a copy of each as RGBA. No ratio is given below 1 MB, where
the interpreter's own growth is the larger part.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from machine import machine

SUFFIXES = (".glb", ".gltf", ".obj", ".ply")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("NAV_EVAL_SHARED_DATA", "../shared/data")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(shared) / "scenes")
    parser.add_argument("--one", choices=["ours", "trimesh"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.folder, arguments.one)))
        return
    paths = sorted(path for path in arguments.folder.iterdir() if path.suffix in SUFFIXES)
    print(machine())
    print(f"{'scene':34}{'triangles':>10}{'wall s':>8}{'CPU s':>8}{'cached us':>10}{'arrays MB':>10}", end="")
    print(f"{'held MB':>9}{'ratio':>7}{'peak MB':>9}{'trimesh wall':>14}{'CPU s':>8}{'CPU ratio':>10}")
    for path in paths:
        ours, theirs = best(path, "ours"), best(path, "trimesh")
        print(f"{path.name:34}{ours['triangles']:10.0f}{ours['wall']:8.3f}{ours['cpu']:8.3f}", end="")
        print(f"{ours['cached'] * 1e6:10.0f}{ours['arrays']:10.1f}{ours['held']:9.1f}", end="")
        ratio = f"{ours['held'] / ours['arrays']:7.2f}" if ours["arrays"] > 1.0 else f"{'-':>7}"
        print(f"{ratio}{ours['peak']:9.1f}", end="")
        print(f"{theirs['wall']:14.3f}{theirs['cpu']:8.3f}{theirs['cpu'] / ours['cpu']:10.1f}")


def best(path: Path, which: str) -> dict[str, float]:
    """Three fresh processes; the least of each figure."""
    command = [sys.executable, __file__, str(path), "--one", which]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)]
    return {key: min(run[key] for run in runs) for key in runs[0]}


def measure(path: Path, which: str) -> dict[str, float]:
    """One load in this process; libraries are imported beforehand."""
    import PIL.Image

    import nav_eval.engine.scene
    import nav_eval.engine.scene.gltf.loader
    import nav_eval.engine.scene.obj  # noqa: F401

    if which == "trimesh":
        import trimesh  # noqa: F401
    PIL.Image.init()
    load = load_ours if which == "ours" else load_trimesh
    before = held()
    start, cpu = time.perf_counter(), time.process_time()
    kept, figures = load(path)
    figures |= {"wall": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    gc.collect()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures |= {"held": held() - before, "peak": peak - before}
    if which == "ours":
        start = time.perf_counter()
        for _ in range(100):
            assert load(path)[0] is kept
        figures["cached"] = (time.perf_counter() - start) / 100
    return figures


def load_ours(path: Path) -> tuple[object, dict[str, float]]:
    from nav_eval.engine.scene import scene_bytes, shared_scenes

    scene = shared_scenes().get(path)
    return scene, {"triangles": len(scene.triangles), "arrays": scene_bytes(scene) / 2**20}


def load_trimesh(path: Path) -> tuple[object, dict[str, float]]:
    import numpy as np
    import trimesh

    scene: Any = trimesh.load(path, process=False, maintain_order=True, force="scene")
    kept = []
    for node in scene.graph.nodes_geometry:
        matrix, key = scene.graph[node]
        mesh = scene.geometry[key]
        picture = getattr(getattr(mesh.visual, "material", None), "baseColorTexture", None)
        pixels = None if picture is None else np.asarray(picture.convert("RGBA"))
        kept.append((trimesh.transform_points(mesh.vertices, matrix), mesh.faces, pixels))
    return kept, {"triangles": sum(len(faces) for _, faces, _ in kept)}


def held() -> float:
    """MiB that this process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
