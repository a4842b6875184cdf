"""Draws the gallery of the documentation: twenty views, nobody's choice, each beside the plan of its building.

    python benchmarks/worlds_gallery.py [--out docs/gallery] [--seed gallery]

Building k has the seed `<seed>-k` and the camera its first random pose; what was drawn is printed. Another --seed draws
another twenty.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from PIL import Image, ImageDraw

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.report.sheet import Pose, marked_plan, random_poses, storey_below
from nav_eval.report.views import FINER, floor_plan, view_image
from nav_eval_worlds.world import World, generate_world
from worlds import asked_for

BUILDINGS, PAGES = 20, 5
EYE = 1.25
VIEW, PLAN, GAP = (480, 360), 240, 8
PAPER = (250, 248, 244)


def pair(world: World, pose: Pose) -> Image.Image:
    """What the camera sees, and at its right the storey on which it stands."""
    scene, picture = world.scene(), Image.new("RGB", (VIEW[0] + PLAN + GAP, VIEW[1]), PAPER)
    picture.paste(view_image(scene, *pose, size=VIEW, finer=FINER), (0, 0))
    storey = storey_below(scene, pose[0])
    wide, deep = floor_plan(scene, storey, 100).size
    fitting = int(100 * min(PLAN / wide, (VIEW[1] - 24) / deep))
    picture.paste(marked_plan(scene, storey, [pose], fitting), (VIEW[0] + GAP, 0))
    ImageDraw.Draw(picture).text((VIEW[0] + GAP, VIEW[1] - 16), world.name, fill=(40, 40, 44), font_size=12)
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/gallery"))
    parser.add_argument("--seed", default="gallery")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    pairs = []
    for number in range(BUILDINGS):
        kind, rooms, storeys = asked_for(number)
        world = generate_world(f"{asked.seed}-{number}", rooms, storeys, kind, 120_000)
        (pose,) = random_poses(NavMesh.from_bytes(world.navmesh()), 1, number, EYE)
        pairs.append(pair(world, pose))
        place = " ".join(f"{value:.2f}" for value in pose[0])
        print(f"{world.name:24} --position {place} --yaw {math.degrees(pose[1]):.0f}", flush=True)
    for page in range(PAGES):
        sheet = Image.new("RGB", (2 * pairs[0].width + GAP, 2 * (VIEW[1] + GAP) - GAP), PAPER)
        for k, picture in enumerate(pairs[page * 4 : page * 4 + 4]):
            sheet.paste(picture, (k % 2 * (picture.width + GAP), k // 2 * (VIEW[1] + GAP)))
        sheet.save(asked.out / f"views_{page + 1}.jpg", quality=82)


if __name__ == "__main__":
    main()
