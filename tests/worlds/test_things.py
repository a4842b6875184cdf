"""Small things: each variant is a shape of its own, belongs to one split, and stands where it can stand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from nav_eval.errors import ConfigError
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.beds import panel_bed
from nav_eval_worlds.furniture.cloth import heap
from nav_eval_worlds.furniture.decor import picture
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.rooms.space import Space
from nav_eval_worlds.shares import ASSETS, Assets, assets_of
from nav_eval_worlds.surfaces.palette import Palette
from nav_eval_worlds.surfaces.prints import tints
from nav_eval_worlds.surfaces.styles import STYLES
from nav_eval_worlds.things.catalogue import MAKERS, numbers, variants
from nav_eval_worlds.things.sketch import Shape
from nav_eval_worlds.world import World, _items, building_style, generate_world
from worlds.buildings import HOME, OFFICE, Case, make_world

HOMES = [HOME, OFFICE]
CLOTH = frozenset(("fabric", "linen", "boucle", "velvet", "terry", "knit", "plaid", "ticking", "prints"))
HARD = frozenset(("tints", "prints", "metal", "smooth"))
HANGING = {"smoke_detector", "ceiling_vent", "sprinkler"}


@pytest.mark.parametrize("name", MAKERS)
def test_the_variants_of_a_thing_are_shapes_of_their_own(name: str) -> None:
    shapes = [_points(name, number) for number in numbers(name)]
    assert len({points.tobytes() for points in shapes}) == len(shapes)
    for points in shapes:
        assert points[:, 1].max() == 0 if name in HANGING else 0 <= points[:, 1].min() < 0.05
        assert points.shape[0] < 900, "a small thing is drawn with few triangles"


def _points(name: str, number: int) -> NDArray[np.float64]:
    model = MAKERS[name](Shape(number), Stream("look")).model
    parts = [quad.corners for quad in model.quads] + [grid.evaluate(4, 4)[0].reshape(-1, 3) for grid in model.grids]
    return np.round(np.concatenate(parts), 4) + 0.0


def test_no_picture_hangs_above_a_bed_that_stands_in_the_middle() -> None:
    plan = make_plan("stuff", 4, 1, "home")
    space = Space(plan, plan.rooms[0], Stream("spots"), STYLES[0])
    bed = space.in_middle(panel_bed(Stream("bed"), 0.95), 0)
    assert bed
    assert bed.side == ""
    assert not space.hang(picture(Stream("picture"), 0.9), 1400, near=bed)


@pytest.mark.parametrize(
    ("name", "painters"),
    [
        *((name, CLOTH) for name in ("folded_towel", "cushion", "blanket")),
        *((name, CLOTH | HARD) for name in ("bathrobe", "hung_towel", "mug", "jar", "water_dispenser", "kettle")),
        *(
            (name, HARD)
            for name in ("toothbrush_cup", "soap_dispenser", "drinking_glass", "bottle", "teapot", "blender")
        ),
    ],
)
def test_cloth_is_cloth_and_ware_has_no_grain(name: str, painters: frozenset[str]) -> None:
    palette = Palette("stuff", "home", STYLES[0])
    models = [MAKERS[name](Shape(k), Stream("look", k, n)).model for k in numbers(name) for n in range(3)]
    used = {part.material for model in models for part in (*model.quads, *model.grids)}
    assert {palette.paint(material).painter for material in used} <= painters


@pytest.mark.parametrize("seed", range(8))
def test_a_heap_of_cloth_has_no_hole(seed: int) -> None:
    """Its valleys lie well above what it lies on, whose own top is uneven."""
    points = heap((0.0, 0.0, 0.0), (0.5, 0.1, 0.4), "sheet", seed).evaluate(24, 24)[0]
    inner = (points[..., 0] / 0.25) ** 2 + (points[..., 2] / 0.2) ** 2 < 0.3
    assert inner.sum() > 100
    assert points[inner][:, 1].min() > 0.045
    assert points[..., 1].max() <= 0.1


def test_a_tint_is_even_but_for_its_paler_upper_end() -> None:
    """A field is stretched over a whole face: noise on it would be grain."""
    image = tints(Stream("tints")).reshape(4, 32, 8, 32, 3)
    assert (image == image[:, :, :, :1]).all()


def test_every_thing_is_dealt_to_every_split_and_no_variant_to_two() -> None:
    assert len(MAKERS) >= 60
    assert len(variants()) >= 300
    dealt = [variants(assets) for assets in ASSETS if assets != "all"]
    assert sorted(name for split in dealt for name in split) == sorted(variants())
    assert all(numbers(name, assets) for name in MAKERS for assets in ASSETS)


def _held(assets: Assets) -> set[str]:
    plan = make_plan("unseen", 4, 1, "home")
    items = _items(plan, building_style("unseen", "home"), Stream("unseen"), assets)
    return {item.variant for item in items if item.variant}


def test_a_home_for_val_holds_nothing_that_one_for_train_has() -> None:
    train, val = _held("train"), _held("val")
    assert min(len(train), len(val)) > 20
    assert train <= set(variants("train"))
    assert val <= set(variants("val"))
    assert not train & val
    with pytest.raises(ConfigError, match="all, train, val or test"):
        generate_world("unseen", 4, assets="valid")  # type: ignore[arg-type]


def test_scenes_are_dealt_as_their_episodes_are() -> None:
    dealt = [[assets_of(place, count) for place in range(count)] for count in (1, 2, 3, 8)]
    assert dealt == [["all"], ["train", "val"], ["train", "val", "test"], ["train"] * 4 + ["val"] * 2 + ["test"] * 2]


@pytest.mark.parametrize("home", HOMES)
def test_what_stands_on_something_stays_on_it_and_touches_nothing_else(home: Case) -> None:
    world = make_world(*home)
    low, high = _boxes(world)
    things = [k for k, item in enumerate(world.items) if item.support == "item" and item.variant]
    assert len(things) > 40
    for k in things:
        on = world.items[k].on
        assert (low[k, [0, 2]] > low[on, [0, 2]] - 0.002).all(), _named(world, k)
        assert (high[k, [0, 2]] < high[on, [0, 2]] + 0.002).all(), _named(world, k)
        assert high[k, 1] - world.plan.room(world.items[k].room).base / 1000 < 2.4
    for a, b in combinations((k for k, item in enumerate(world.items) if item.on >= 0), 2):
        if world.items[a].on == world.items[b].on and world.items[b].variant:
            depth = np.minimum(high[a], high[b]) - np.maximum(low[a], low[b])
            assert depth.min() < 0.006, f"{_named(world, a)} runs into {_named(world, b)}"


def _boxes(world: World) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    centre = np.array([thing.center for thing in world.objects])
    half = np.array([thing.size for thing in world.objects]) / 2
    return centre - half, centre + half


def _named(world: World, index: int) -> str:
    item = world.items[index]
    on = f" on {world.items[item.on].category}" if item.on >= 0 else ""
    return f"{item.variant or item.category}{on} in {world.plan.room(item.room).type} {item.room}"


def test_homes_are_full() -> None:
    built = {"wall", "floor", "ceiling", "door", "doorway", "window", "stairs"}
    rooms: list[int] = []
    kinds: set[str] = set()
    for home in HOMES:
        world = make_world(*home)
        loose = [item for item in world.items if item.category not in built]
        kinds |= {item.category for item in loose}
        rooms += [sum(item.room == room.id for item in loose) for room in world.plan.rooms if room.type != "stairs"]
    assert np.median(rooms) >= 30
    assert len(kinds) >= 60
