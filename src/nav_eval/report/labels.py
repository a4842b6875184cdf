"""What the depth and the semantic sensor show, drawn for people: colours with a legend that says what they mean."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError
from nav_eval.geometry import Vec3

if TYPE_CHECKING:
    from PIL.Image import Image

    from nav_eval.engine.render.frame import Frame

_PAPER, _INK, _NOTHING = (250, 248, 244), (40, 40, 44), (0, 0, 0)
_RAMP = ((255, 243, 176), (250, 160, 80), (206, 70, 90), (110, 36, 110), (28, 20, 60))
"""Near to far."""
_SHELL = {"wall": (206, 202, 194), "floor": (150, 132, 112), "ceiling": (236, 234, 228)}
_LINE = 20
_LEGEND = 190


def depth_image(
    scene: Scene, position: Vec3, yaw: float, pitch: float = 0.0, size: tuple[int, int] = (640, 480), hfov: float = 79.0
) -> Image:
    """Distances along the optical axis, metres, light to dark; black where nothing is hit. The scale stands below."""
    from PIL import Image as Pictures
    from PIL import ImageDraw

    depth = _frame(scene, "depth", position, yaw, pitch, size, hfov).depth
    far = float(depth.max()) or 1.0
    sheet = Pictures.new("RGB", (size[0], size[1] + 2 * _LINE), _PAPER)
    sheet.paste(Pictures.fromarray(_ramp(depth / far, depth > 0)))
    scale = np.tile(np.linspace(0, 1, size[0] - 2 * _LINE), (_LINE // 2, 1))
    sheet.paste(Pictures.fromarray(_ramp(scale, scale >= 0)), (_LINE, size[1] + 4))
    draw = ImageDraw.Draw(sheet)
    for share in (0.0, 0.5, 1.0):
        at = (_LINE + share * (size[0] - 2 * _LINE), size[1] + 16)
        draw.text(at, f"{share * far:.1f} m", fill=_INK, anchor=("la", "ma", "ra")[round(2 * share)])
    return sheet


def _ramp(share: NDArray[np.floating], hit: NDArray[np.bool_]) -> NDArray[np.uint8]:
    stops = np.linspace(0, 1, len(_RAMP))
    colours = np.stack([np.interp(share, stops, [stop[k] for stop in _RAMP]) for k in range(3)], axis=-1)
    return np.where(hit[..., None], colours, 0).astype(np.uint8)


def semantic_image(
    scene: Scene, position: Vec3, yaw: float, pitch: float = 0.0, size: tuple[int, int] = (640, 480), hfov: float = 79.0
) -> Image:
    """One colour a category, a line round each object; the legend says which, and how many are seen of each.

    SceneError for a scene without annotated objects.
    """
    from PIL import Image as Pictures
    from PIL import ImageDraw

    if not scene.objects:
        raise SceneError(f"{scene.name}: no objects are known. Put a semantic file beside the scene.")
    ids = _frame(scene, "semantic", position, yaw, pitch, size, hfov).semantic
    seen, pixels = np.unique(ids, return_counts=True)
    names = {thing.id: thing.category for thing in scene.objects}
    colours = {int(k): category_colour(names[int(k)]) if int(k) in names else _NOTHING for k in seen}
    table = np.array([colours[int(k)] for k in seen], np.uint8)
    picture = table[np.searchsorted(seen, ids)]
    picture[_edges(ids)] = _INK
    entries: dict[str, list[int]] = {}
    for k, count in zip(seen.tolist(), pixels.tolist(), strict=True):
        entries.setdefault(names.get(k, "nothing"), []).append(count)
    ordered = sorted(entries.items(), key=lambda entry: -sum(entry[1]))
    sheet = Pictures.new("RGB", (size[0] + _LEGEND, max(size[1], len(ordered) * _LINE + 8)), _PAPER)
    sheet.paste(Pictures.fromarray(picture))
    draw = ImageDraw.Draw(sheet)
    for row, (name, counts) in enumerate(ordered):
        x, y = size[0] + 10, 6 + row * _LINE
        draw.rectangle((x, y, x + 14, y + 14), fill=category_colour(name) if name != "nothing" else _NOTHING)
        text = name if len(counts) == 1 else f"{name} ({len(counts)})"
        draw.text((x + 22, y + 7), text, fill=_INK, anchor="lm", font_size=13)
    return sheet


def category_colour(category: str) -> tuple[int, int, int]:
    """The same for a category in every picture; pale for what rooms are made of."""
    import colorsys

    if category in _SHELL:
        return _SHELL[category]
    digest = hashlib.sha256(category.encode()).digest()
    red, green, blue = colorsys.hls_to_rgb(digest[0] / 255, 0.35 + digest[1] / 850, 0.45 + digest[2] / 510)
    return round(255 * red), round(255 * green), round(255 * blue)


def _edges(ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Where the pixel to the right or below belongs to another object."""
    edge = np.zeros(ids.shape, np.bool_)
    edge[:, :-1] |= ids[:, :-1] != ids[:, 1:]
    edge[:-1] |= ids[:-1] != ids[1:]
    return edge


def _frame(
    scene: Scene, output: str, position: Vec3, yaw: float, pitch: float, size: tuple[int, int], hfov: float
) -> Frame:
    from nav_eval.engine.render.renderer import make_renderer

    camera = make_renderer("cpu", scene, width=size[0], height=size[1], hfov=hfov, outputs=(output,))
    return camera.render(position, yaw, pitch)
