"""Worlds checked by their triangles: nothing floats or collides, every room is reached, no surface is flat."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.errors import ConfigError
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.mesh.tessellate import tessellate
from nav_eval_worlds.plan.floor_plan import KNEE, Kind
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.rooms.furnish import furnish
from nav_eval_worlds.rooms.space import Space
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.styles import building_style
from nav_eval_worlds.things.catalogue import Stock
from nav_eval_worlds.world import World, generate_world
from worlds.buildings import ATTIC, HOME, OFFICE, OPEN_PLAN, RELEASED, STUDIO, Case, make_site, make_world
from worlds.geometry_checks import collisions, floating, off_the_floor

MORE: list[Case] = [
    (seed, 1 + seed * 3 % 13, 2 if seed % 3 == 1 else 1, "office" if seed % 5 == 4 else "home")
    for seed in (0, 1, *range(4, 10))
]
DEFINING = (
    ("kitchen", "counter"), ("kitchen", "refrigerator"), ("bedroom", "bed"), ("bathroom", "toilet"),
    ("living room", "sofa"), ("study", "desk"), ("dining room", "table"), ("laundry room", "washing_machine"),
    ("office", "desk"), ("meeting room", "table"),
)  # fmt: skip
CRAMPED: list[tuple[Case, int]] = [
    (("rich33", 14, 1, "home"), 3), (("rich65", 6, 1, "home"), 2), (("rich79", 6, 2, "office"), 5),
    (("rich127", 8, 2, "home"), 2), (("rich143", 4, 1, "home"), 4), (("rich162", 15, 1, "home"), 3),
    (("soak2", 15, 1, "home"), 3),
]  # fmt: skip
"""Rooms with windows or openings in nearly all their walls."""


RADII = (0.1, 0.18)


def check(world: World, sites: Iterable[Site]) -> None:
    assert not floating(world)
    assert not collisions(world)
    for site in sites:
        assert not unreached(world, site)
        assert not off_the_floor(world, site.navmesh)
    assert not missing(world)


def sites_of(world: World) -> Iterator[Site]:
    for radius in RADII:
        navmesh = NavMesh.from_bytes(world.navmesh(NavmeshSettings(agent_radius=radius)))
        yield Site("x", world.scene(), navmesh)


def unreached(world: World, site: Site) -> list[str]:
    """Rooms that have no place from which one gets to all others."""
    rooms = [room for room in world.plan.rooms if room.type != "stairs"]
    places = [site.draw_point(room.id, Stream("reach", room.id), tries=200) for room in rooms]
    home = next(place for place in places if place)
    return [
        f"{room.type} {room.id}"
        for room, place in zip(rooms, places, strict=True)
        if place is None or not np.isfinite(site.path(home, place)[0])
    ]


def missing(world: World) -> list[str]:
    """Rooms without the thing that makes them what they are."""
    held = {(item.room, item.category) for item in world.items}
    return [
        f"{room.type} {room.id} has no {thing}"
        for room in world.plan.rooms
        for kind, thing in DEFINING
        if room.type == kind and (room.id, thing) not in held
    ]


@pytest.mark.parametrize(
    "case", [HOME, OPEN_PLAN, STUDIO, OFFICE, *RELEASED, *(pytest.param(case, marks=pytest.mark.soak) for case in MORE)]
)
def test_buildings_are_sound(case: Case) -> None:
    check(make_world(*case), (make_site(*case, radius) for radius in RADII))


@pytest.mark.parametrize(("case", "number"), CRAMPED)
def test_a_cramped_room_holds_what_it_is_called_for(case: Case, number: int) -> None:
    plan = make_plan(*case)
    room = plan.room(number)
    stream = Stream("cramped")
    items = furnish(plan, room, building_style(*case[::3]), stream, Stock(stream, "all"))
    wanted = {thing for kind, thing in DEFINING if kind == room.type}
    assert wanted
    assert wanted <= {item.category for item in items}


def test_coats_on_hooks_leave_the_way_free() -> None:
    """In a hallway of 1.3 m beside a plant there is no room for them, unless they hang over the heads."""
    plan = make_plan("soak45", 16, 2, "home")
    space = Space(plan, plan.room(4), Stream("coats"), building_style("soak45", "home"))
    coats, plant = Made("coat_hooks", Model(), (0.8, 0.99, 0.2)), Made("plant", Model(), (0.6, 1.7, 0.67))
    assert space.leaves_way(coats, "w", 9800, 800)
    space.put(space.spot_at(plant, "e", 10000))
    assert not space.leaves_way(coats, "w", 9800, 800)
    assert space.leaves_way(coats, "w", 9800, 1700)
    space.nail(Made("mirror", Model(), (0.8, 0.9, 0.03)), "w", 9800, 800)
    assert space.leaves_way(coats, "w", 6000, 800)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["home", "office"])
def test_three_hundred_buildings_can_be_furnished(kind: Kind) -> None:
    for seed in range(300):
        plan = make_plan(f"furnished-{seed}", 1 + seed % 12, 1, kind)
        style, stock = building_style(f"furnished-{seed}", kind), Stock(Stream("stock", seed), "all")
        assert all(furnish(plan, room, style, Stream("f", seed, room.id), stock) for room in plan.rooms)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100))
def test_a_hundred_homes_are_sound(seed: int) -> None:
    rooms = 1 + seed * 7 % 20
    world = generate_world(f"soak{seed}", rooms, 2 if rooms > 1 and seed % 3 == 0 else 1, "home", 20_000)
    check(world, sites_of(world))


@pytest.mark.parametrize("triangles", [20_000, 60_000, 200_000])
def test_detail_sets_the_number_of_triangles(triangles: int) -> None:
    found = len(tessellate(make_world(*STUDIO).items, triangles).triangles)
    assert 0.9 * triangles <= found <= triangles


def test_triangles_are_whole_and_wound_outwards() -> None:
    mesh = make_world(*HOME).mesh
    assert np.isfinite(mesh.positions).all()
    assert mesh.triangles.min() >= 0
    assert mesh.triangles.max() < len(mesh.positions)
    corners = mesh.positions[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    agreeing = (normal * mesh.normals[mesh.triangles[:, 0]]).sum(axis=1) > -1e-9
    assert agreeing.mean() > 0.985  # small round things of few triangles: mugs, lamps


def test_no_texture_is_flat_over_half_a_square_metre() -> None:
    world = make_world(*HOME)
    for name, texels in zip(world.mesh.names, world.textures, strict=True):
        scale = world.palette.paint(name).scale
        side = texels.shape[0] if scale == 0 else max(8, int(texels.shape[0] * min(1.0, 0.7 / scale)))
        grey = texels.astype(float).mean(axis=2)
        for y in range(0, texels.shape[0] - side + 1, max(1, side // 2)):
            for x in range(0, texels.shape[1] - side + 1, max(1, side // 2)):
                assert grey[y : y + side, x : x + side].std() > 0.8, name


def test_bad_wishes_are_refused() -> None:
    for arguments in ({"rooms": 0}, {"rooms": 51}, {"storeys": 3}, {"rooms": 1, "storeys": 2}, {"detail": 10}):
        with pytest.raises(ConfigError, match="give"):
            generate_world(1, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="home or office"):
        generate_world(1, kind="castle")  # type: ignore[arg-type]


def test_the_checks_notice_faults() -> None:
    """A sofa lifted by 10 cm floats; a wardrobe moved into another thing collides."""
    world = make_world(*HOME)
    number = next(k for k, item in enumerate(world.items, start=1) if item.category == "sofa")
    other = next(k for k, item in enumerate(world.items, start=1) if item.category == "wardrobe")
    own = world.mesh.objects == number
    lifted = world.mesh.positions + own[:, None] * np.array([0, 0.1, 0])
    assert floating(replace(world, mesh=replace(world.mesh, positions=lifted)))
    there = world.mesh.positions[world.mesh.objects == other].mean(axis=0)
    here = world.mesh.positions[own].mean(axis=0)
    shift = (there - here) * np.array([1, 0, 1])
    moved = world.mesh.positions + own[:, None] * shift
    assert collisions(replace(world, mesh=replace(world.mesh, positions=moved)))


def test_frosted_glass_is_a_surface() -> None:
    """Colour, depth and semantics see the pane, from either side, in the middle of the wall."""
    world = make_world(*OFFICE)
    scene, pane = world.scene(), world.plan.glazing[0]
    camera = make_renderer("cpu", scene, width=33, height=33, hfov=20, outputs=("depth", "semantic"))
    middle, base = (pane.low + pane.high) / 2000 + 0.2, world.plan.room(pane.a).base / 1000
    for sign in (-1, 1):
        off = pane.line / 1000 + sign * 0.5
        x, z = (off, middle) if pane.vertical else (middle, off)
        yaw = math.atan2(sign if pane.vertical else 0, 0 if pane.vertical else sign)
        frame = camera.render((x, base + 1.0, z), yaw, 0.0)
        seen = {thing.id: thing.category for thing in scene.objects}[int(frame.semantic[16, 16])]
        assert seen == "glass_partition"
        assert frame.depth[16, 16] == pytest.approx(0.5, abs=0.04)


def test_nothing_reaches_through_the_roof() -> None:
    """In an attic every vertex lies under the plane that rises at 45 degrees from the knee wall."""
    world = make_world(*ATTIC)
    mesh, under = world.mesh, [room for room in world.plan.rooms if room.eaves]
    assert under
    for room in under:
        points = mesh.positions[mesh.rooms == room.id] * 1000
        axis, low = (2 if room.eaves in ("n", "s") else 0), room.eaves in ("n", "w")
        r = room.clear
        line = {"n": r.z0, "s": r.z1, "w": r.x0, "e": r.x1}[room.eaves or ""]
        off = (points[:, axis] - line) * (1 if low else -1)
        inside = off > -5
        assert ((points[:, 1] - room.base - KNEE - off)[inside] < 25).all()
