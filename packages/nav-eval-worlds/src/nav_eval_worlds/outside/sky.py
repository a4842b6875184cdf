"""The sky of a building: its site in the light of its hour, as pictures around a cube, one for each storey's eyes.

Directions and their colours follow from sums, products, divisions and square roots alone (see exact.py). The ground is
a plane that a pixel's ray meets; what stands on it is painted side by side (exteriors.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Sky
from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.light.daylight import Daylight
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.outside.canvas import SIDE, STEPS, Canvas, blur, planes
from nav_eval_worlds.outside.exteriors import SITES
from nav_eval_worlds.outside.foliage import plants
from nav_eval_worlds.outside.grounds import Spot
from nav_eval_worlds.plan.floor_plan import Plan
from nav_eval_worlds.surfaces.noise import noise, to_texels

_STEPS = 3000
"""Brightnesses that a camera tells apart, eight to one of a byte's."""
_EYE = 1.7
"""Metres above the ground at which one looks out of a ground floor."""
_TINTS: dict[str, tuple[tuple[int, int, int], tuple[int, int, int], tuple[float, float, float]]] = {
    "morning": ((236, 222, 206), (122, 160, 208), (1.02, 0.96, 0.88)),
    "noon": ((206, 220, 230), (96, 142, 204), (1.05, 1.03, 1.0)),
    "afternoon": ((240, 214, 178), (112, 148, 200), (1.04, 0.96, 0.84)),
    "overcast": ((208, 212, 216), (184, 190, 198), (0.80, 0.82, 0.84)),
    "evening": ((86, 68, 66), (13, 18, 36), (0.24, 0.25, 0.31)),
}
"""Of each hour: the sky's colour at the horizon and overhead, and the light on things."""
_OUTSIDE = frozenset(("facade", "facade_trim", "roof"))
"""Materials of the building's own outside."""
_VEILS = frozenset(("net", "pane"))
"""Materials of windows that daylight shines through."""
_LENS: Floats = np.full((SIDE - SIDE // 8, 1), 0.14)
"""How much a lens blurs: no edge within one texel."""
_AHEAD = ((0, -1), (-1, 0), (0, 1), (1, 0))
"""x and z of front, left, back and right."""


def make_sky(seed: str, plan: Plan, daylight: Daylight) -> Sky:
    """The same everywhere; one picture for each storey."""
    stream = Stream("world", seed, plan.kind, "sky")
    site, height = _site(stream, plan)
    light = _Light(stream.child("light"), daylight)
    texels = np.full((plan.storeys, 6, SIDE, SIDE, 4), 255, np.uint8)
    for storey in range(plan.storeys):
        texels[storey, ..., :3] = _faces(stream, site, height + storey * plan.pitch / 1000, light)
    return Sky(texels, tuple(storey * plan.pitch / 1000 for storey in range(plan.storeys)))


def outdoors(material: str, texels: NDArray[np.uint8], daylight: Daylight) -> NDArray[np.uint8]:
    """A material's texels, of the building's outside as they look in the light of the hour. (H, W, 3) uint8."""
    if material in _VEILS:
        glow = np.asarray((0.46, 0.40, 0.33) if daylight.hour == "evening" else daylight.sky)
        return to_texels(texels * (glow if daylight.hour == "evening" else (2 + glow) / 3))
    if material not in _OUTSIDE:
        return texels
    return _exposed(texels * np.asarray(_TINTS[daylight.hour][2]), daylight.hour == "evening")


def shade_outdoors(mesh: Mesh, colors: NDArray[np.uint8], daylight: Daylight) -> None:
    """Outer walls that turn away from the sun are darker, and all of them at their foot; nets have folds.

    colors: (V, 4), changed in place.
    """
    ours = np.asarray([name in _OUTSIDE for name in mesh.names])[mesh.materials]
    normals = mesh.normals[ours]
    x, _, z = daylight.sun or (0.0, 0.0, -0.5)
    facing = np.clip(normals[:, 0] * x + normals[:, 2] * z + 0.5, 0.0, 1.0)
    level = (0.66 + 0.34 * facing) * np.where(mesh.positions[ours, 1] < 0, 0.8, 1.0)
    colors[ours, :3] = np.floor(level * 255 + 0.5).astype(np.uint8)[:, None]
    folded = np.asarray([name == "net" for name in mesh.names])[mesh.materials]
    fold = 0.94 + 0.15 * mesh.normals[folded, 0] * mesh.normals[folded, 2]
    colors[folded, :3] = np.floor(np.clip(fold, 0.7, 1.0) * 255 + 0.5).astype(np.uint8)[:, None]


def _site(stream: Stream, plan: Plan) -> tuple[str, float]:
    """Where the building stands, and how high above the ground its lowest floor's eyes are."""
    names = ["street", "facade", "towers"] if plan.kind == "office" else list(SITES)
    if plan.storeys > 1 and plan.kind == "home":
        names.remove("towers")
        names.remove("facade")
    site = stream.choice(names)
    if site == "towers":
        return site, float(stream.between(24, 70))
    return site, _EYE + (stream.choice((0.0, 2.9, 5.8)) if site == "facade" else 0.0)


class _Light:
    """What an hour does to colours: the gradient of the sky, its clouds and sun, and the light on each side."""

    def __init__(self, stream: Stream, daylight: Daylight) -> None:
        low, high, light = _TINTS[daylight.hour]
        self.horizon, self.zenith = np.asarray(low, np.float64), np.asarray(high, np.float64)
        self.light = np.asarray(light, np.float64)
        self.evening = daylight.hour == "evening"
        self.sun = daylight.sun
        self.plants = plants(stream.child("plants"))
        self.cloud = noise(stream, (256, 256), (5, 5), 6)
        self.thick = {"overcast": 0.3}.get(daylight.hour, stream.between(46, 64) / 100)
        self.stars = _stars(stream) if self.evening else None

    def on(self, side: int) -> Floats:
        """(3,) the light on what faces us from a side: brighter opposite the sun."""
        if self.sun is None:
            return self.light
        x, z = _AHEAD[side]
        facing = -(self.sun[0] * x + self.sun[2] * z)
        return self.light * (np.asarray((0.74, 0.78, 0.86)) + 0.4 * max(facing, 0.0))

    def cast(self, side: int) -> tuple[float, float]:
        """See Canvas.cast; a low sun's shadows are cut."""
        if self.sun is None:
            return 0.0, 0.0
        (x, y, z), (ax, az) = self.sun, _AHEAD[side]
        right, away = -(x * -az + z * ax), -(x * ax + z * az)
        scale = min(1 / max(y, 0.1), 1.5)
        return right * scale, away * scale

    def above(self, x: Floats, y: Floats, z: Floats) -> Floats:
        """(3, ...) the sky's colour in directions (H, W) with y >= 0."""
        size = np.sqrt(x * x + y * y + z * z)
        up = np.clip(y / size, 0.0, 1.0)
        share = np.sqrt(up) * (1.3 - 0.3 * up)
        colours = planes(self.horizon) + planes(self.zenith - self.horizon) * np.clip(share, 0, 1)
        reach = 0.3 / (y / size + 0.12)
        dense = sampled(self.cloud, x / size * reach, z / size * reach) - self.thick
        cover = np.clip(dense * 5, 0, 1)
        cover = cover * cover * (3 - 2 * cover)
        belly = np.clip(dense * 4 - 0.5, 0, 1)
        white = self.horizon * 0.5 if self.evening else np.minimum(self.horizon * 1.14, 250.0)
        white = planes(white) + planes(white * np.asarray((0.8, 0.82, 0.86)) - white) * belly
        colours += (white - colours) * (cover * np.clip(up * 6, 0, 0.9))
        if self.sun is not None:
            near = np.clip((x * self.sun[0] + y * self.sun[1] + z * self.sun[2]) / size, 0.0, 1.0)
            for _ in range(3):
                near = near * near
            halo = near * near * near
            halo = halo * halo
            colours += (planes((255.0, 248.0, 230.0)) - colours) * np.clip(0.35 * near + 0.65 * halo, 0, 1)
        return colours


def _faces(stream: Stream, site: str, eye: float, light: _Light) -> NDArray[np.uint8]:
    """(6, SIDE, SIDE, 3): front, left, back, right, up, down."""
    paint, ground = SITES[site]
    front = stream.child("front").below(4)
    grain = noise(stream.child("grain"), (SIDE, SIDE), (90, 90), 3)
    soil = noise(stream.child("soil"), (256, 256), (16, 16), 4)
    white = stream.child("fine").unit((SIDE, SIDE))
    fine = (white + np.roll(white, 1, axis=0)) / 2
    clear = 1100.0 if site == "towers" else 420.0
    variety = stream.child("variety").below(4)
    a, b, half = STEPS[None], STEPS[:, None], SIDE // 2
    coarse_a, coarse_b = a[:, ::2], b[::2]

    def below(x: Floats, z: Floats, fine: Floats) -> Floats:
        """The ground's colour at x, z metres from the building, turned so that its front is the site's."""
        far = np.sqrt(x * x + z * z + eye * eye)
        for _ in range(front):
            x, z = -z, x
        detail = _nearest(soil, x / 3, z / 3) * 0.5 + _nearest(soil, x / 37, z / 37) * 0.5
        detail = 0.5 + (detail - 0.5) * np.clip(70 / far, 0.3, 1.6)
        share = far / (far + clear)
        colours = ground(Spot(x, z, detail, fine, far * far * (2 / (SIDE * eye)), variety))
        colours *= planes(light.light)
        colours *= 1 - share
        colours += planes(light.horizon) * share
        return colours

    out = np.empty((6, 3, SIDE, SIDE), np.uint8)
    for side, (ax, az) in enumerate(_AHEAD):
        rx, rz = -az, ax
        image = np.empty((3, SIDE, SIDE))
        image[:, :half] = _doubled(light.above(ax + rx * coarse_a, -coarse_b[: half // 2], az + rz * coarse_a))
        if light.stars is not None:
            image[:, :half] += np.roll(light.stars, side * 211, axis=1)[:half] * np.clip(-2 * b[:half], 0, 1)
        away = eye / b[half:]
        image[:, half:] = below(away * (ax + rx * a), away * (az + rz * a), fine[half:])
        canvas = Canvas(
            image, eye, grain, fine, light.on(side), light.horizon, clear, light.plants, light.evening, light.cast(side)
        )
        turn = (side - front) % 4
        paint(canvas, stream.child("side", turn), turn)
        blur(image[:, SIDE // 8 :], _LENS)
        out[side] = _exposed(image, light.evening)
    out[4] = _exposed(_doubled(light.above(coarse_a, np.ones((1, 1)), -coarse_b)), light.evening)
    out[5] = _exposed(_doubled(below(coarse_a * eye, coarse_b * eye, fine[::2, ::2])), light.evening)
    return out.transpose(0, 2, 3, 1)


def _exposed(colours: Floats, evening: bool) -> NDArray[np.uint8]:
    """Bytes, as a camera set for the room shows them: too bright by day, with a soft shoulder below white."""
    value = (np.arange(_STEPS) + 0.5) / 8.0
    bright = value + 2.0 if evening else value * 1.24 + 4.0
    over = np.maximum(bright - 190.0, 0.0)
    curve = to_texels(bright - over + over * 65.0 / (over + 65.0))
    return curve.take((colours * 8.0).astype(np.int32), mode="clip")


def _stars(stream: Stream) -> Floats:
    """(SIDE, SIDE) what points of light add, spread softly over their neighbours; few are bright."""
    drawn = stream.unit((SIDE, SIDE))
    points = np.clip((drawn - 0.9994) / 0.0006, 0.0, 1.0)
    points = points * points * 150
    near = np.roll(points, 1, 0) + np.roll(points, -1, 0) + np.roll(points, 1, 1) + np.roll(points, -1, 1)
    return points + near * 0.3


def _nearest(tile: Floats, u: Floats, v: Floats) -> Floats:
    """A tile that repeats at every whole number: the texel that lies there."""
    rows, columns = tile.shape
    i = ((u - np.floor(u)) * columns).astype(np.int64)
    j = ((v - np.floor(v)) * rows).astype(np.int64)
    return np.asarray(tile[np.minimum(j, rows - 1), np.minimum(i, columns - 1)])


def _doubled(colours: Floats) -> Floats:
    """Each texel as four. (3, H, W)."""
    return colours.repeat(2, axis=1).repeat(2, axis=2)


def sampled(tile: Floats, u: Floats, v: Floats) -> Floats:
    """A tile that repeats at every whole number, between its texels.

    tile: (H, W); u, v and the result: of one shape.
    """
    rows, columns = tile.shape
    x, y = (u - np.floor(u)) * columns, (v - np.floor(v)) * rows
    i, j = np.minimum(x.astype(np.int64), columns - 1), np.minimum(y.astype(np.int64), rows - 1)
    fx, fy = x - i, y - j
    across, below = (i + 1) % columns, (j + 1) % rows
    top = tile[j, i] * (1 - fx) + tile[j, across] * fx
    bottom = tile[below, i] * (1 - fx) + tile[below, across] * fx
    return np.asarray(top * (1 - fy) + bottom * fy)
