"""Designs of large furniture: each fits its box, stands on its floor, and is of a name that styles may like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture import bath, beds, chairs, decor, grand, kitchen, lamps, plants, sofas, storage, tables
from nav_eval_worlds.furniture.leaves import LEAVES
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.surfaces.palette import Palette
from nav_eval_worlds.surfaces.styles import STYLES

OTHERS = (
    tables.nightstand, tables.console, tables.corner_desk, tables.reception_desk, storage.storage_shelf,
    storage.filing_cabinet, beds.cot, bath.washing_machine, bath.towel_shelf, kitchen.vending_machine, decor.coat_rack,
    grand.bench, grand.piano_stool, grand.aquarium, grand.pool_table, grand.exercise_bike, grand.treadmill,
    grand.standing_board, grand.cupboard_door,
)  # fmt: skip
FAMILIES: dict[str, tuple[dict[str, Callable[..., Made]], tuple[object, ...]]] = {
    "sofa": (sofas.SOFAS, (3,)),
    "armchair": (sofas.armchair, ()),
    "chair": (chairs.dining_chair, ()),
    "stool": (chairs.stool, ()),
    "office chair": (chairs.office_chair, ()),
    "bed": (beds.DOUBLES, (1.6,)),
    "single bed": (beds.SINGLES, (0.95,)),
    "long table": (tables.TABLES, (1.8, 0.95)),
    "round table": (tables.small_table, ()),
    "coffee table": (tables.coffee_table, ()),
    "desk": (tables.DESKS | tables.OFFICE_DESKS, ()),
    "wardrobe": (storage.wardrobe, ()),
    "bookshelf": (storage.bookshelf, ()),
    "dresser": (storage.dresser, ()),
    "sideboard": (storage.sideboard, ()),
    "tv stand": (storage.tv_stand, ()),
    "fridge": (kitchen.fridge, ()),
    "toilet": (bath.toilet, ()),
    "bathtub": (bath.bathtub, ()),
    "shower": (bath.shower, ()),
    "floor lamp": (lamps.floor_lamp, ()),
    "pendant": (lamps.pendant, ()),
    "ceiling lamp": (lamps.ceiling_lamp, ()),
    "plant": (plants.plant, ()),
    "mirror": (grand.mirror, ()),
    "fireplace": (grand.FIREPLACES, (2.5,)),
    "piano": (grand.piano, ()),
    "other": ({maker.__name__: maker for maker in OTHERS}, ()),
}
MADE = [
    pytest.param(build, arguments, id=f"{family}: {name}")
    for family, (designs, arguments) in FAMILIES.items()
    for name, build in designs.items()
]
_SLACK = 0.012


@pytest.mark.parametrize(("build", "arguments"), MADE)
def test_a_design_fits_its_box_and_stands_or_hangs(
    build: Callable[..., Made], arguments: tuple[object, ...], request: pytest.FixtureRequest
) -> None:
    for seed in range(3):
        made = build(Stream("design", seed), *arguments)
        parts = [quad.corners for quad in made.model.quads]
        parts += [grid.evaluate(*grid.least)[0].reshape(-1, 3) for grid in made.model.grids]
        points = np.concatenate(parts)
        low, high = points.min(axis=0), points.max(axis=0)
        w, h, d = made.size
        assert -w / 2 - _SLACK < low[0] < high[0] < w / 2 + _SLACK
        assert -d / 2 - _SLACK < low[2] < high[2] < d / 2 + _SLACK
        if "pendant" in request.node.name or "ceiling" in request.node.name:
            assert abs(high[1]) < 0.003
            assert low[1] > -h - _SLACK
        else:
            assert abs(low[1]) < 0.003
            assert high[1] < h + _SLACK


def test_styles_like_designs_that_exist_and_each_family_has_a_choice() -> None:
    names = {name for designs, _ in FAMILIES.values() for name in designs}
    names |= LEAVES.keys() | {"framed_kitchen", "flat_kitchen", "slab_kitchen", "wall_screen"}
    assert {name for style in STYLES for name in style.likes} <= names
    assert all(len(designs) >= 3 for family, (designs, _) in FAMILIES.items() if family not in ("mirror", "piano"))
    assert len({style.name for style in STYLES}) >= 6


def test_a_building_keeps_to_its_style() -> None:
    for style in STYLES:
        palette = Palette("any", "home", style)
        assert (palette.paint("wood").colour, palette.paint("wood2").colour) in style.woods
        assert palette.paint("floor_wood").colour in style.boards
        assert {palette.paint(f"fabric{k}").colour for k in range(4)} <= {*style.fabrics, *style.accents}
        walls = [palette.paint(f"wall{k}").colour for k in range(5)]
        assert {walls[0], walls[2]} <= set(style.walls), "most rooms have one of the style's own colours"
        assert len(set(walls)) >= 3
