"""Light, daylight, mirrors and voxels against cases one can reason about, against exact rays and the renderer."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.ndimage
import trimesh

from nav_eval.report.views import view_image
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.light.bake import bake
from nav_eval_worlds.light.bounced import Probes
from nav_eval_worlds.light.cubes import cubes, cubes_of
from nav_eval_worlds.light.daylight import Daylight, draw_daylight
from nav_eval_worlds.light.direct import opaque, sunlight
from nav_eval_worlds.light.exposure import balanced, compressed
from nav_eval_worlds.light.holes import windows_of
from nav_eval_worlds.light.places import places
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.tessellate import tessellate
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.mesh.voxels import voxelise
from nav_eval_worlds.plan.floor_plan import Plan, Window
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.rays import sources
from nav_eval_worlds.rays.march import Grid
from nav_eval_worlds.rays.soup import standing
from nav_eval_worlds.shell.structure import point, shell_items
from nav_eval_worlds.shell.windows import curtain_places
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.styles import building_style
from nav_eval_worlds.world import World
from worlds.buildings import RELEASED, make_world


def test_rays_through_voxels_agree_with_the_slab_method() -> None:
    """Random segments round three boxes: the one that is met first is the one with the nearest exact entry."""
    boxes = [trimesh.creation.box(extents=(1, 1, 1)) for _ in range(3)]
    for k, box in enumerate(boxes):
        box.apply_translation((2.5 * k, 0, 0.7 * k))
    mesh: Any = trimesh.util.concatenate(boxes)
    labels = np.repeat(np.arange(1, 4, dtype=np.int32), 12)
    voxels = voxelise(np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int32), labels, 0.04)
    rng = np.random.default_rng(3)
    starts = rng.uniform((-2, -0.4, 3), (7, 0.4, 4), (200, 3))
    ends = rng.uniform((-2, -0.4, -3), (7, 0.4, -2), (200, 3))
    found = voxels.first_hits(starts, ends)
    entries = np.stack([_entry(starts, ends, *box.bounds) for box in boxes])
    exact = np.where(np.isfinite(entries.min(axis=0)), entries.argmin(axis=0) + 1, 0)
    assert (found == exact).mean() > 0.95
    assert (found == 0).any()
    assert (found > 0).any()


def _entry(starts: np.ndarray, ends: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Where along each segment it enters a box, inf where it does not."""
    a, b = (low - starts) / (ends - starts), (high - starts) / (ends - starts)
    enter, leave = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
    return np.where((enter <= leave) & (leave >= 0) & (enter <= 1), enter, np.inf)


def test_nothing_is_met_where_nothing_is() -> None:
    mesh = trimesh.creation.box(extents=(1, 1, 1))
    voxels = voxelise(np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int32), np.ones(12, np.int32), 0.1)
    above = np.array([[-0.6, 0.62, 0.0]])
    assert voxels.first_hits(above, above + np.array([1.2, 0, 0])).tolist() == [0]
    assert voxels.first_hits(np.empty((0, 3)), np.empty((0, 3))).tolist() == []


def texels(world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the lightmap's texels lie (N, 3), the objects that they are of (N,), and how bright they are (N,)."""
    patches = world.mesh.patches
    chart, u, v = patches.charts.texels
    low, high = (
        patches.corners[chart, k] * (1 - u)[:, None] + patches.corners[chart, j] * u[:, None]
        for k, j in ((0, 1), (3, 2))
    )
    at = low * (1 - v)[:, None] + high * v[:, None]
    place = np.rint(np.stack([u, v], axis=1) * (patches.charts.size[chart] - 1)).astype(int)
    column, row = (patches.charts.first[chart] + place).T
    return at, patches.labels[chart, 1], world.lightmap[row, column].mean(axis=1)


def test_floors_are_darker_under_beds_than_in_the_open() -> None:
    world = make_world(*RELEASED[0])
    bed = next(o for o in world.objects if o.category == "bed")
    at, owner, light = texels(world)
    floor = np.isin(owner, [o.id for o in world.objects if o.category == "floor" and o.region == bed.region])
    offset = np.abs(at - bed.center)[:, [0, 2]]
    half = np.array([bed.size[0], bed.size[2]]) / 2
    below = floor & (offset < half - 0.15).all(axis=1)
    beside = floor & ~(offset < half + 0.4).all(axis=1)
    assert below.sum() > 100
    assert light[below].mean() < 0.75 * light[beside].mean()


def test_lamps_and_windows_stay_white_and_rooms_are_lit() -> None:
    world = make_world(*RELEASED[0])
    glowing = np.isin(world.mesh.materials, [k for k, n in enumerate(world.mesh.names) if n in ("glow", "outside")])
    assert (world.colors[glowing] == 255).all()
    assert (world.colors[:, 3] == 255).all()
    floors = np.isin(world.mesh.objects, [o.id for o in world.objects if o.category == "floor"])
    assert 110 < world.colors[floors, :3].mean() < 235


def test_tops_of_skirtings_are_lit_like_their_fronts() -> None:
    """Along the edge that they share; black ones a pixel high would show as dashes."""
    world = make_world(*RELEASED[0])
    mesh, light = world.mesh, world.colors[:, :3].mean(axis=1)
    edge = (mesh.materials == mesh.names.index("frame")) & (abs(mesh.positions[:, 1] - 0.075) < 0.001)
    fronts: dict[tuple[int, ...], float] = {}
    for row in np.flatnonzero(edge & (abs(mesh.normals[:, 1]) < 0.1)):
        fronts[tuple(np.rint(mesh.positions[row] * 1000).astype(int))] = light[row]
    tops = np.flatnonzero(edge & (mesh.normals[:, 1] > 0.9))
    keys = [tuple(np.rint(mesh.positions[row] * 1000).astype(int)) for row in tops]
    shares = np.array([light[row] / fronts[key] for row, key in zip(tops, keys, strict=True) if key in fronts])
    assert len(shares) > 20
    assert (shares > 0.75).mean() > 0.93  # the ends of some lie beside the bright reveal of a French window
    assert (shares > 0.5).all()


def test_lamps_do_not_shade_their_own_ceiling() -> None:
    world = make_world(*RELEASED[0])
    mesh = world.mesh
    grid = cubes(mesh, world.plan, world.items)
    lamps = [np.array(item.at) / 1000 for item in world.items if item.support == "ceiling" and item.category == "lamp"]
    assert lamps
    below = np.floor((np.array(lamps) + np.array([0, -0.15, 0]) - grid.low) / grid.cell).astype(np.int64)
    assert not grid.solid.reshape(grid.shape)[tuple(below.T)].any()


def bare(plan: Plan) -> list[Item]:
    """What a home is built of, its windows open."""
    return shell_items(plan, building_style("light", plan.kind), Stream("light"))


@cache
def empty_home() -> tuple[Plan, Mesh, Grid, Any]:
    """A home of three rooms without a thing in it, its curtains drawn back, and the places whose light is asked for."""
    plan = make_plan("light", 3, 1, "home")
    plan = replace(plan, windows=tuple(replace(window, drawn=(0, 0), net=False) for window in plan.windows))
    mesh = tessellate(bare(plan), 20_000)
    grid = cubes(mesh, plan)
    return plan, mesh, grid, places(grid, mesh, mesh.patches.charts, np.zeros(0, np.int64))


def floor_texels(plan: Plan, mesh: Mesh, asked: Any, room: int) -> np.ndarray:
    """Rows of `asked` that lie on a room's floor."""
    at = asked.points.at
    texels = int(mesh.patches.charts.size.prod(axis=1).sum())
    return np.flatnonzero((asked.points.room[:texels] == room - 1) & (abs(at[:texels, 1]) < 1e-9))


@pytest.mark.parametrize(("turn", "rise"), [(0.12, 0.09), (-0.08, 0.13), (0.0, 0.16)])
def test_patches_of_sun_lie_where_geometry_puts_the_panes(turn: float, rise: float) -> None:
    """A texel of the floor is lit, halfway at least, if the line to the sun passes a pane and the hole before it."""
    plan, mesh, grid, asked = empty_home()
    window = plan.windows[0]
    out = {"n": (0, -1), "s": (0, 1), "w": (-1, 0), "e": (1, 0)}[window.side]
    side = np.array([out[1], -out[0]]) * np.sin(2 * np.pi * turn)
    flat = (np.array(out) * np.cos(2 * np.pi * turn) + side) * np.cos(2 * np.pi * rise)
    sun = (float(flat[0]), float(np.sin(2 * np.pi * rise)), float(flat[1]))
    windows = windows_of(plan)
    own = sources.Windows(
        *(part[:1] for part in windows[:4]), windows.panes[: windows.first_pane[1]], windows.first_pane
    )
    day = Daylight("noon", sun, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0)
    floor = floor_texels(plan, mesh, asked, window.room)
    shone = sunlight(grid, opaque(mesh), mesh, asked, own, day)[floor, 0]
    share = shone / shone.max()
    at = asked.points.at[floor]
    axis = int(own.axis[0])

    def passed(points: np.ndarray) -> np.ndarray:
        lit = np.zeros(len(points), np.bool_)
        for pane in own.panes:
            through = np.ones(len(points), np.bool_)
            for plane, (low, high, bottom, top) in zip(own.planes[0], (own.hole[0], pane), strict=True):
                t = (plane - points[:, axis]) / sun[axis]
                along, y = points[:, 2 - axis] + sun[2 - axis] * t, points[:, 1] + sun[1] * t
                through &= (low <= along) & (along <= high) & (bottom <= y) & (y <= top)
            lit |= through
        return lit

    off = np.array([[a, 0, b] for a in (-0.12, 0, 0.12) for b in (-0.12, 0, 0.12)])
    around = np.stack([passed(at + shift) for shift in off])
    assert around.all(axis=0).sum() > 50
    assert (share[around.all(axis=0)] > 0.4).all()
    assert (share[~around.any(axis=0)] < 0.6).all()


def test_blinds_shorten_windows() -> None:
    plan = empty_home()[0]
    window = plan.windows[0]
    room = plan.room(window.room)
    x, _, z = point(window.side, room.clear, (window.low + window.high) // 2, 0, 60)
    at = (round(x * 1000), room.base + window.top - 400, round(z * 1000))
    covered = windows_of(plan, [Item("blind", room.id, Model(), at)])
    plain = windows_of(plan)
    np.testing.assert_allclose(plain.hole[:, 3] - covered.hole[:, 3], [0.4, *[0.0] * (len(plan.windows) - 1)])
    own, before = covered.panes[: covered.first_pane[1]], plain.panes[: plain.first_pane[1]]
    np.testing.assert_allclose(own[:, 3], np.minimum(before[: len(own), 3], covered.hole[0, 3]))
    assert own[:, 3].max() < before[:, 3].max()


def test_curtains_and_nets_keep_the_sun_out() -> None:
    """A curtain drawn over half of its half leaves three quarters of the glass, a net or frosted glass none."""
    plan = empty_home()[0]
    at = next(k for k, w in enumerate(plan.windows) if len(curtain_places(plan.room(w.room), w)) == 2)

    def glass(window: Window) -> float:
        panes = windows_of(replace(plan, windows=(window,))).panes
        return float(((panes[:, 1] - panes[:, 0]) * (panes[:, 3] - panes[:, 2])).sum())

    bare = replace(plan.windows[at], casing="ribbon")
    assert glass(replace(bare, drawn=(50, 0))) == pytest.approx(0.75 * glass(bare), rel=0.08)
    assert glass(replace(bare, net=True)) == glass(replace(bare, casing="frosted")) == 0


def test_a_window_lights_the_floor_by_its_form_factor() -> None:
    """Against Lambert's sum over the window's edges; the floor's near part sees only what lies above the horizon."""
    plan, mesh, grid, asked = empty_home()
    windows = windows_of(plan)
    room = plan.windows[0].room
    seen = sources.Seen(np.repeat([0, 1], [room, len(plan.rooms) - room + 1]), np.zeros(1, np.int64))
    own, amount = np.ones(len(plan.rooms), np.int64), np.zeros(len(asked))
    close = sources.Close(opaque(mesh), standing(), 0.0)
    sources.skylight(grid, close, asked.points, asked.starts, asked.open, windows, seen, own, len(asked), amount)
    low, high, bottom, top = windows.hole[0]
    plane, axis = windows.planes[0, 0], int(windows.axis[0])
    floor = floor_texels(plan, mesh, asked, room)
    at = asked.points.at[floor]
    distance = abs(at[:, axis] - plane)
    near = (distance > 0.9) & (distance < 1.8) & (at[:, 2 - axis] > low) & (at[:, 2 - axis] < high)
    corners = np.zeros((4, 3))
    corners[:, axis], corners[:, 2 - axis], corners[:, 1] = plane, [low, high, high, low], [bottom, bottom, top, top]
    assert near.sum() > 50
    wanted = [abs(lambert(corners - point, np.array([0.0, 1.0, 0.0]))) for point in at[near]]
    np.testing.assert_allclose(amount[floor][near], wanted, rtol=0.06)


def lambert(corners: np.ndarray, normal: np.ndarray) -> float:
    """Form factor of a polygon, given from the point that it lights."""
    total = 0.0
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        across = np.cross(a, b)
        angle = np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        total += angle * (normal @ across) / np.linalg.norm(across)
    return float(total / (2 * np.pi))


def test_the_ceiling_gets_of_a_lit_floor_what_its_form_factor_says() -> None:
    """A box of 4 x 2.6 x 4 m; the floor sends back half of a light of 1, all else nothing."""
    box: Any = trimesh.creation.box(extents=(4, 2.6, 4))
    voxels = voxelise(np.asarray(box.vertices), np.asarray(box.faces, dtype=np.int32), np.ones(12, np.int32), 0.06)
    grid = cubes_of(voxels, np.zeros((1, 3)))
    x, z = (side.ravel() for side in np.meshgrid(*[np.linspace(-1.98, 1.98, 100)] * 2))
    floor = np.stack([x, np.full_like(x, -1.3), z], axis=1)
    ups = np.tile([0.0, 1.0, 0.0], (len(floor), 1))
    ceiling = np.array([[0.0, 1.2, 0.0], [1.0, 1.2, 0.5], [-0.7, 1.2, 1.2]])
    starts = (ceiling - grid.low) / grid.cell
    out = np.zeros((3, 3))
    probes = Probes(grid)
    probes.fill(floor, ups, np.full((len(floor), 3), 0.5), np.ones(len(floor)))
    probes.read(starts, np.ones(3, np.uint8), -ups[:3], out)
    square = np.array([[-2, -1.3, -2], [2, -1.3, -2], [2, -1.3, 2], [-2, -1.3, 2]])
    wanted = [0.5 * abs(lambert(square - point, np.array([0.0, -1.0, 0.0]))) for point in ceiling]
    np.testing.assert_allclose(out[:, 0], wanted, rtol=0.2)
    out[:] = 1
    probes.read(starts, np.ones(3, np.uint8), ups[:3], out)
    assert (out < 1e-2).all()


def test_bare_walls_have_no_dark_lines() -> None:
    """Of the texels of empty rooms by evening, few are much darker than the median of those around them.

    Rays that start in a wall, or above a ceiling, see nothing.
    """
    plan = make_plan("light", 3, 1, "home")
    lamps = [Item("lamp", room.id, Model(), *_hanging(room), support="ceiling") for room in plan.rooms]
    items = [*bare(plan), *lamps]
    mesh = tessellate(items, 20_000)
    day = Daylight("evening", None, (0.0, 0.0, 0.0), (0.01, 0.02, 0.04), (1.0, 0.8, 0.5), 1.0)
    textures = [np.full((2, 2, 3), 200, np.uint8) for _ in mesh.names]
    _, lightmap = bake(plan, items, mesh, textures, day)
    charts, dark, count = mesh.patches.charts, 0, 0
    for (x, y), (wide, high) in zip(charts.first.tolist(), charts.size.tolist(), strict=True):
        if min(wide, high) >= 12:
            own = lightmap[y : y + high, x : x + wide].mean(axis=2)
            dark += int((own < 0.75 * scipy.ndimage.median_filter(own, 9)).sum())
            count += own.size
    assert count > 20_000
    assert dark < 0.002 * count


def _hanging(room: Any) -> tuple[tuple[int, int, int], int, tuple[float, float, float]]:
    """Where a lamp hangs in the middle of a room, its turn and its size."""
    r = room.clear
    return ((r.x0 + r.x1) // 2, room.base + room.ceiling, (r.z0 + r.z1) // 2), 0, (0.4, 0.1, 0.4)


def test_small_things_stand_in_a_shadow_of_their_own() -> None:
    """The table close to a cup is darker than a little further off; cups are too slight for the cubes."""
    plan = make_plan("light", 3, 1, "home")
    room = plan.rooms[0]
    (x, _, z), _, _ = _hanging(room)
    table, cup = Model(), Model()
    table.box((-0.75, 0.0, -0.75), (0.75, 0.7, 0.75), "wood", skip="d")
    cup.box((-0.05, 0.0, -0.05), (0.05, 0.12, 0.05), "ceramic", skip="d")
    things = [
        Item("table", room.id, table, (x, room.base, z), 0, (1.5, 0.7, 1.5), "floor"),
        Item("cup", room.id, cup, (x, room.base + 700, z), 0, (0.1, 0.12, 0.1), "item"),
    ]
    items = [*bare(plan), *things]
    mesh = tessellate(items, 20_000)
    day = Daylight("overcast", None, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (1.0, 0.8, 0.5), 1.0)
    _, lightmap = bake(plan, items, mesh, [np.full((2, 2, 3), 200, np.uint8) for _ in mesh.names], day)
    charts = mesh.patches.charts
    above = (mesh.patches.corners[:, :, 1] > 0.699).all(axis=1)
    top = int(np.flatnonzero(above & (mesh.patches.labels[:, 1] == len(items) - 1))[0])
    (column, row), (wide, high) = charts.first[top], charts.size[top]
    bright = lightmap[row : row + high, column : column + wide].mean(axis=2)
    aside = np.abs(np.linspace(-0.75, 0.75, wide)) - 0.05
    off = np.maximum(aside[None], aside[:, None])
    assert bright[(off > 0) & (off < 0.05)].mean() < 0.96 * bright[(off > 0.3) & (off < 0.45)].mean()


def test_hours_are_spread_and_a_fifth_are_evenings() -> None:
    hours = Counter(draw_daylight(str(seed), "home").hour for seed in range(400))
    assert set(hours) == {"morning", "noon", "overcast", "afternoon", "evening"}
    assert 0.15 < hours["evening"] / 400 < 0.25


def test_suns_stand_in_the_east_in_the_morning_and_in_the_west_in_the_afternoon() -> None:
    suns = [draw_daylight(str(seed), "home") for seed in range(100)]
    for day in suns:
        if day.sun is None:
            assert day.hour in ("overcast", "evening")
            continue
        assert np.linalg.norm(day.sun) == pytest.approx(1.0, abs=1e-5)
        assert 0.2 < day.sun[1] < 0.9
        assert day.hour != "morning" or day.sun[0] > 0.3
        assert day.hour != "afternoon" or day.sun[0] < -0.3
        assert day.hour != "noon" or day.sun[2] > 0.4


EYE, BEFORE = 1.4, 1.4


def test_a_mirror_shows_what_is_before_it() -> None:
    """Texels of all mirrors, told by the mesh's own texture coordinates, and a camera turned by the law of mirrors."""
    world = make_world(*RELEASED[0])
    mesh, scene = world.mesh, world.scene()
    assert scene.uvs is not None
    near = []
    for k, name in enumerate(mesh.names):
        rows = np.flatnonzero(mesh.materials == k)
        item = world.items[mesh.objects[rows[0]] - 1] if name.startswith("reflection") else None
        if item is None or item.category != "mirror":
            continue
        points, uvs, normal = mesh.positions[rows], scene.uvs[rows], mesh.normals[rows[0]]
        plane = np.linalg.lstsq(np.c_[uvs, np.ones(len(uvs))], points, rcond=None)[0]
        flat = np.array([normal[0], 0, normal[2]]) / np.hypot(normal[0], normal[2])
        eye = (points.min(axis=0) + points.max(axis=0)) / 2 + flat * BEFORE
        eye[1] = world.plan.room(item.room).base / 1000 + EYE
        picture = world.textures[k].astype(float)
        high, wide = picture.shape[:2]
        for i, j in np.random.default_rng(k).integers(4, np.array([high, wide]) - 4, (6, 2)):
            at = np.array([(j + 0.5) / wide, (i + 0.5) / high, 1.0]) @ plane
            ahead = (at - eye) / np.linalg.norm(at - eye)
            back = ahead - 2 * (ahead @ normal) * normal
            yaw, pitch = math.atan2(-back[0], -back[2]), math.asin(back[1])
            start = at + back * 0.01
            seen = np.asarray(view_image(scene, (start[0], start[1], start[2]), yaw, pitch, (32, 32), 2.0), float)
            texels = picture[i - 2 : i + 3, j - 2 : j + 3].mean(axis=(0, 1))
            near.append(np.abs(seen.mean(axis=(0, 1)) - texels).max())
    assert len(near) >= 6
    assert np.median(near) < 14  # of 255; rooms are shown a quarter brighter than when it was 12
    assert (
        np.mean(np.array(near) < 35) > 0.8
    )  # a mirror that hangs before a pane of glass shows the pane without its picture


def test_white_paint_is_never_burnt_out() -> None:
    """However bright a light is, more of it still shows on paint of 238."""
    light = np.repeat(np.linspace(0.0, 6.0, 600)[:, None], 3, axis=1)
    shown = 238 * compressed(light)[:, 0]
    assert (np.diff(shown) > 0).all()
    assert 235 < shown.max() < 255
    warm = compressed(np.array([[3.0, 2.0, 1.0]]))[0]
    assert warm[0] > warm[1] > warm[2], "bright light keeps its hue"


def test_white_is_whiter_by_lamplight_than_the_lamp() -> None:
    """At night a camera takes away most of the lamps' colour, by day less."""
    lamp = np.tile([1.0, 0.7, 0.4], (50, 1))
    days = [replace(draw_daylight("any", "home"), hour=hour) for hour in ("evening", "noon")]
    night, day = (balanced(lamp, 50, own)[0] for own in days)
    assert lamp[0, 2] / lamp[0, 0] < day[2] / day[0] < 0.8 < night[2] / night[0] < 1.0
