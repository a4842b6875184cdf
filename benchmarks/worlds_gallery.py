"""Draws the gallery of the documentation: twelve buildings, each its plan and five of its rooms.

`python benchmarks/worlds_gallery.py docs/gallery` writes one JPEG per building, under 1.5 MB in all.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from nav_eval.engine.scene.scene import Scene
from nav_eval.report.views import floor_plan, room_view, view_image
from nav_eval.worlds.plan import Kind
from nav_eval.worlds.world import generate_world

BUILDINGS: list[tuple[str, int, int, Kind]] = [
    ("1", 6, 1, "home"), ("2", 8, 1, "home"), ("3", 10, 1, "home"), ("5", 9, 2, "home"), ("8", 12, 1, "home"),
    ("11", 10, 1, "home"), ("12", 4, 1, "home"), ("17", 14, 2, "home"), ("19", 7, 1, "home"), ("23", 16, 1, "home"),
    ("21", 12, 1, "office"), ("30", 20, 2, "office"),
]  # fmt: skip
TILE = (264, 198)


def page(scene: Scene) -> Image.Image:
    """The plan of the ground floor and five rooms of different types, 3 x 2 tiles."""
    sheet = Image.new("RGB", (TILE[0] * 3, TILE[1] * 2), (250, 248, 244))
    plan = floor_plan(scene, 0, 40)
    plan.thumbnail((TILE[0] - 8, TILE[1] - 8))
    sheet.paste(plan, ((TILE[0] - plan.width) // 2, (TILE[1] - plan.height) // 2))
    kinds: dict[str, Image.Image] = {}
    for region in scene.regions:
        if region.category not in kinds and region.category != "stairs" and len(kinds) < 5:
            position, yaw = room_view(scene, region)
            kinds[region.category] = view_image(scene, position, yaw, -0.16, TILE, 90.0)
    for k, picture in enumerate(kinds.values(), start=1):
        sheet.paste(picture, (k % 3 * TILE[0], k // 3 * TILE[1]))
    return sheet


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for seed, rooms, storeys, kind in BUILDINGS:
        world = generate_world(seed, rooms, storeys, kind, 120_000)
        path = folder / f"{world.name}.jpg"
        page(world.scene()).save(path, quality=82)
        total += path.stat().st_size
        print(f"{path.name:24} {len(world.mesh.triangles):>8} triangles {path.stat().st_size / 1000:6.0f} kB")
    print(f"{total / 1e6:.2f} MB in all")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/gallery"))
