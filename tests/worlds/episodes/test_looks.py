"""Words for colours against the pixels of the renderer, and for materials against the model."""

from __future__ import annotations

import colorsys
import math

import numpy as np
import pytest

from nav_eval.engine.render.renderer import make_renderer
from nav_eval.geometry import yaw_of
from nav_eval_worlds.episodes.goals import view_points
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.language.kinds import SEEN
from nav_eval_worlds.language.looks import PATTERNED
from nav_eval_worlds.language.sights import noun
from worlds.buildings import HOME, OPEN_PLAN, RELEASED, Case, make_site

HUES = {
    "dark brown": 25, "brown": 25, "light brown": 30, "beige": 37, "yellow": 48, "orange": 25, "green": 115,
    "teal": 185, "blue": 220, "pink": 8, "red": 3,
}  # fmt: skip
"""Degrees, as a painter's wheel has them."""


def shown(site: Site, number: int) -> np.ndarray:
    """(N, 3) uint8: the object's pixels in frames that look at it."""
    thing = site.rooms.things[number]
    camera = make_renderer("cpu", site.scene, width=160, height=120, hfov=90, outputs=("rgb", "semantic"))
    out = []
    for view in view_points(site, thing, most=4):
        frame = camera.render((view.position[0], view.position[1] + 1.0, view.position[2]), yaw_of(view.rotation), -0.3)
        out.append(frame.rgb[..., :3][frame.semantic == number])
    return np.concatenate(out) if out else np.zeros((0, 3), np.uint8)


def fits(word: str, pixels: np.ndarray) -> bool:
    """Whether a colour word suits the middle of some pixels: its hue, or for white, grey, black the lack of it."""
    red, green, blue = (float(v) / 255 for v in np.median(pixels, axis=0))
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if word in ("white", "grey", "black"):
        low, high = {"white": (0.4, 2), "grey": (-1, 0.9), "black": (-1, 0.35)}[word]
        return saturation < 0.3 and low < value < high
    off = abs((hue * 360 - HUES[word] + 180) % 360 - 180)
    return off < 28 and saturation > (0.08 if word == "beige" else 0.15)


def test_colours_are_those_that_the_renderer_shows() -> None:
    seen: list[tuple[str, np.ndarray]] = []
    for site in (make_site(*case) for case in RELEASED):
        told = [thing for thing in site.rooms.things.values() if thing.category in SEEN]
        named = [(thing.id, site.looks.of(thing).colour) for thing in told]
        seen += [(word, pixels) for number, word in named if word and len(pixels := shown(site, number)) > 60]
    assert len(seen) >= 25
    assert len({word for word, _ in seen}) >= 4
    wrong = [(word, np.median(pixels, axis=0)) for word, pixels in seen if not fits(word, pixels)]
    assert len(wrong) <= 0.04 * len(seen), wrong
    others = [fits(word, pixels) for (word, _), (_, pixels) in zip(seen, seen[5:] + seen[:5], strict=True)]
    assert np.mean(others) < 0.8, "the test could not tell a wrong word"


@pytest.mark.parametrize("case", [HOME, OPEN_PLAN])
def test_materials_are_those_of_the_model(case: Case) -> None:
    """By the names that the generator gave: more of a wooden thing is wood than anything else."""
    site = make_site(*case)
    assert site.scene.object_ids is not None
    told = {thing.id: site.looks.of(thing).material for thing in site.rooms.things.values()}
    assert {"wooden", "metal"} <= set(told.values())
    for number, word in told.items():
        faces = site.scene.object_ids == number
        corners = site.scene.positions[site.scene.triangles[faces]].astype(float)
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        names = np.array([site.scene.materials[k].name for k in site.scene.material_ids[faces]])
        wood = areas[np.char.startswith(names, "wood")].sum() / areas.sum()
        assert not math.isnan(wood)
        assert (word == "wooden") == (wood > 0.6 and site.rooms.things[number].category not in PATTERNED), number


def test_round_is_what_was_made_round() -> None:
    """The outline is read from triangles; which designs are round says their name."""
    sites = [make_site(*HOME), make_site(*OPEN_PLAN)]
    found = [(site.looks.of(o).shape, o.design) for site in sites for o in site.rooms.things.values()]
    rugs = [(shape, design) for shape, design in found if design.endswith("_rug")]
    assert {design for _, design in rugs} == {"round_rug", "square_rug"}
    for shape, design in rugs:
        assert bool(shape) == (design == "round_rug")


def test_as_many_chairs_are_told_as_are_at_the_table() -> None:
    sites = [make_site(*HOME), make_site(*OPEN_PLAN)]
    tables = [(site, o) for site in sites for o in site.rooms.things.values() if o.category == "table"]
    told = [(site, table, noun(site, table, placed=True)) for site, table in tables]
    seated = [(site, table, said) for site, table, said in told if said.relation == "seats"]
    assert seated
    for site, table, said in seated:
        chairs = [o for o in site.scene.objects if o.category == "chair" and o.region == table.region]
        reach = max(table.size) / 2 + 1.0
        assert all(math.dist((o.center[0], o.center[2]), (table.center[0], table.center[2])) < reach for o in chairs)
        assert said.others == (str(len(chairs)),)
