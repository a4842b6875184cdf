"""What a body with mass touched in a recorded episode: the plan with both its way and people's, and force over time.

Run: python benchmarks/contact_trace.py RUN_DIR PICTURE.png [EPISODE | all]
Without an episode the one with the hardest contact is drawn; all are drawn on one plan of their home, if it is a
generated one. Contacts within reach of somebody are people's (orange), others the building's (red); a disc's area is
its force. Everything but the plan is read from trajectories.jsonl.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from pathlib import Path

from PIL import Image, ImageDraw

from nav_eval.engine.scene.load import load_scene
from nav_eval.report.fonts import default_font
from nav_eval.report.picture import MapPainter, Walk, window
from nav_eval.report.topdown import scene_maps
from nav_eval.report.views import floor_plan, plan_origin
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.effective import generated_data
from nav_eval.runs.plan import Plan, opened

SIDE, CHART, LEFT = 1000, 320, 70
PEOPLE, WALLS, GREY, INK = (232, 130, 20), (208, 2, 27), (205, 205, 200), (26, 28, 32)
INKS = [(20, 90, 160), (16, 120, 60), (130, 80, 0), (110, 50, 150), (40, 40, 44)]
METRE = 90
"""Pixels of a metre on the plan of all walks."""
ARM = 0.4
"""No contact with a person is farther from the person's middle than this, m."""


def contacts(line: dict) -> list[tuple[float, tuple[float, float, float], float, bool]]:
    """Of an episode: seconds since its start, place, greatest force (N), and whether it is a person's."""
    found, seconds, before = [], 0.0, None
    for step in line["steps"]:
        company = step["events"].get("people", {"seconds": 0.1, "poses": []})
        seconds += company["seconds"]
        ways = list(zip(before or company["poses"], company["poses"], strict=True))
        for x, y, z, force, _ in step["events"]["felt"]["contacts"]:
            found.append((seconds, (x, y, z), force, any(passed(x, z, *way) < ARM for way in ways)))
        before = company["poses"]
    return found


def passed(x: float, z: float, before: list[float], after: list[float]) -> float:
    """How near somebody came who went from one pose to the other, m."""
    dx, dz = after[0] - before[0], after[2] - before[2]
    share = ((x - before[0]) * dx + (z - before[2]) * dz) / max(dx * dx + dz * dz, 1e-12)
    share = min(max(share, 0.0), 1.0)
    return math.hypot(x - before[0] - share * dx, z - before[2] - share * dz)


def length(line: dict) -> float:
    return sum(step["events"].get("people", {"seconds": 0.1})["seconds"] for step in line["steps"])


def plan(maps, line: dict, goals) -> Image.Image:
    points = [tuple(line["start"]["position"]), *(tuple(step["position"]) for step in line["steps"])]
    walk = Walk(points, [0.0] * len(points), goals=goals)
    image, view = MapPainter(maps, SIDE).paint(walk), window(maps, walk, SIDE)
    draw = ImageDraw.Draw(image, "RGBA")
    poses = [step["events"].get("people", {"poses": []})["poses"] for step in line["steps"]]
    for way in zip(*poses, strict=True):
        draw.line([view.pixel(pose[0], pose[2]) for pose in way], (*PEOPLE, 150), 2)
        end = view.pixel(way[-1][0], way[-1][2])
        draw.ellipse([end[0] - 5, end[1] - 5, end[0] + 5, end[1] + 5], outline=PEOPLE, width=2)
    for _, (x, _, z), force, person in contacts(line):
        u, v = view.pixel(x, z)
        size = 2 + min(math.sqrt(force) / 2, 60.0)
        colour = PEOPLE if person else WALLS
        draw.ellipse([u - size, v - size, u + size, v + size], fill=(*colour, 110), outline=colour)
    return image


def every_plan(run: Plan, lines: list[dict]) -> Image.Image:
    """The ways and contacts of all walks through the home in which most were recorded."""
    name = Counter(line["scene_id"] for line in lines).most_common(1)[0][0]
    lines = [line for line in lines if line["scene_id"] == name]
    scene = load_scene(Path(str(generated_data(run.config).simulator.scenes_dir), name), "y")
    image, (low_x, low_z) = floor_plan(scene, 0, METRE), plan_origin(scene, 0)
    draw = ImageDraw.Draw(image, "RGBA")

    def pixel(x: float, z: float) -> tuple[float, float]:
        return METRE * (x - low_x), METRE * (z - low_z)

    for k, line in enumerate(lines):
        places = [line["start"]["position"], *(step["position"] for step in line["steps"])]
        draw.line([pixel(place[0], place[2]) for place in places], INKS[k % len(INKS)], 3)
    for line in lines:
        for _, (x, _, z), force, _ in contacts(line):
            (u, v), size = pixel(x, z), 2 + min(math.sqrt(force) / 2, 60.0)
            draw.ellipse([u - size, v - size, u + size, v + size], fill=(*WALLS, 110), outline=WALLS)
    return image


def chart(line: dict) -> Image.Image:
    image = Image.new("RGB", (SIDE, CHART), "white")
    draw, font = ImageDraw.Draw(image), default_font(15)
    found, seconds = contacts(line), length(line)
    top = max([force for _, _, force, _ in found], default=1.0)
    step = 10 ** math.floor(math.log10(top))
    step = next(size for size in (step / 5, step / 2, step, 2 * step) if top / size <= 6)
    right, low, high = SIDE - 20, CHART - 45, 40

    def at(time: float, force: float) -> tuple[float, float]:
        return LEFT + (right - LEFT) * time / seconds, low - (low - high) * force / top

    for k in range(int(top / step) + 1):
        draw.line([at(0, k * step), at(seconds, k * step)], GREY)
        draw.text((LEFT - 8, at(0, k * step)[1]), f"{k * step:g}", INK, font, anchor="rm")
    for k in range(0, int(seconds) + 1, 5 * math.ceil(seconds / 60)):
        draw.text((at(k, 0)[0], low + 8), f"{k} s", INK, font, anchor="ma")
    for time, _, force, person in found:
        colour = PEOPLE if person else WALLS
        draw.line([at(time, 0), at(time, force)], colour, 3)
    draw.text((LEFT, 10), "force of each contact, N", INK, font)
    draw.text((right, 10), "building", WALLS, font, anchor="ra")
    draw.text((right - 80, 10), "people", PEOPLE, font, anchor="ra")
    return image


def main() -> None:
    folder, picture, *chosen = sys.argv[1:]
    lines = [json.loads(text) for text in Path(folder, "trajectories.jsonl").read_text().splitlines()]
    together = chosen == ["all"]
    lines = [line for line in lines if not chosen or together or line["episode_id"] == chosen[0]]
    line = max(lines, key=lambda line: max([force for _, _, force, _ in contacts(line)], default=0.0))
    directory = RunDirectory(Path(folder))
    directory.open_for_reading()
    with directory, opened(directory.trusted_config(allow_plugins=True).blind()) as run:
        if together:
            every_plan(run, lines).save(picture)
            return
        key = (line["scene_id"], line["episode_id"])
        episode = next(episode for episode in run.episodes if (episode.scene_id, episode.episode_id) == key)
        session = run.backend.open_session()
        session.start(episode)
        goals = [goal.position for goal in episode.goals if goal.position is not None]
        sheet = Image.new("RGB", (SIDE, SIDE + CHART), "white")
        sheet.paste(plan(scene_maps(session, ()), line, goals), (0, 0))
    sheet.paste(chart(line), (0, SIDE))
    sheet.save(picture)
    for person in (False, True):
        forces = [force for _, _, force, theirs in contacts(line) if theirs is person]
        who = "people" if person else "the building"
        print(f"{line['episode_id']}: {len(forces)} contacts with {who}, hardest {max(forces, default=0):.0f} N")


if __name__ == "__main__":
    main()
