"""One picture of a step: what the agent saw beside the map, the instruction and the step below."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.core.types import Observations, StepRecord
from nav_eval.geometry import Vec3, euclidean, yaw_of
from nav_eval.report.fonts import font_for, wrapped
from nav_eval.report.picture import MapPainter, Walk
from nav_eval.report.topdown import Map
from nav_eval.report.words import language_of, named, said

Pixels = npt.NDArray[np.uint8]

SIDE = 360
BAND = 96
TEXT_SIZE = 17
TEXT_LINES = 3
BACKGROUND, WORDS, FAINT = (20, 22, 26), (240, 242, 245), (168, 174, 185)
WON, LOST = (120, 224, 160), (255, 170, 120)
SMALL = 320
SHEET_COLUMNS = 4
SHEET_SHOTS = 12
LOOK = 32
MIN_CHANGE = 2.0
"""Mean difference of grey values, of 255, of small pictures of two frames."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What stays the same through an episode. Positions in metres, `start_yaw` in rad."""

    text: str
    maps: Sequence[Map]
    start: Vec3
    start_yaw: float
    reference: Sequence[Vec3] = ()
    goals: Sequence[Vec3] = ()
    language: str = "en"
    """Of the instruction; it decides in which words the rest is said."""


class Composer:
    """Draws the frames of one episode after the other. `seen` and `deep`: the last rgb and depth picture, or None."""

    def __init__(self, *, fog: bool = False, hfov: float = 90.0) -> None:
        self._fog = fog
        self._hfov = hfov
        self.seen: Pixels | None = None
        self.deep: Pixels | None = None

    def begin(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.language = language_of(scenario.language)
        self._painter = MapPainter(scenario.maps, SIDE, fog=self._fog, hfov=self._hfov, language=self.language)
        self._bands: dict[int, Any] = {}
        self._points, self._yaws = [scenario.start], [scenario.start_yaw]
        self._walked = 0.0
        self.seen = self.deep = None

    def start(self, observations: Observations) -> Pixels:
        """(H, W, 3) RGB of the state before the first step."""
        return self._frame(observations, said(self.language, "step.start"))

    def frame(self, step: StepRecord, observations: Observations) -> Pixels:
        """(H, W, 3) RGB of the state after `step`."""
        self._walked += euclidean(self._points[-1], step.state.position)
        self._points.append(step.state.position)
        self._yaws.append(yaw_of(step.state.rotation))
        return self._frame(observations, self._note(step))

    def _frame(self, observations: Observations, note: str) -> Pixels:
        self.seen = picture_of(observations.get("rgb"))
        depth = np.asarray(observations.get("depth"))
        self.deep = depth_picture(depth) if depth.ndim in (2, 3) and depth.dtype.kind in "fiu" else None
        views = [view for view in (self.seen, self.deep) if view is not None]
        walk = Walk(self._points, self._yaws, self._scenario.reference, self._scenario.goals)
        row = np.concatenate([*map(_fit, views), np.asarray(self._painter.paint(walk))], axis=1)
        return np.concatenate([row, self._band(row.shape[1], note)], axis=0)

    def card(self, frame: Pixels, title: str, lines: Sequence[str], won: bool) -> Pixels:
        """The last frame, dimmed, with how the episode ended on it."""
        from PIL import Image, ImageDraw

        image = Image.fromarray((frame * 0.3).astype(np.uint8))
        draw = ImageDraw.Draw(image)
        middle, size = frame.shape[1] // 2, 2 * TEXT_SIZE
        draw.text((middle, SIDE // 2 - size), title, WON if won else LOST, font_for(title, size)[0], anchor="mm")
        for i, line in enumerate(lines):
            draw.text((middle, SIDE // 2 + i * (TEXT_SIZE + 8)), line, WORDS, font_for(line, TEXT_SIZE)[0], anchor="mm")
        return np.asarray(image)

    def _note(self, step: StepRecord) -> str:
        """The step in the words of the page's slider, which also knows how many there are."""
        parts = [
            f"{len(self._points) - 1}: {named(self.language, 'action', step.action.name)}",
            said(self.language, "step.walked", metres=f"{self._walked:.2f} m"),
            *([said(self.language, "step.collided")] if step.collided else []),
        ]
        return "   ".join(parts)

    def _band(self, width: int, note: str) -> Pixels:
        from PIL import ImageDraw

        if width not in self._bands:
            self._bands[width] = _instruction(self._scenario.text, width)
        image = self._bands[width].copy()
        draw = ImageDraw.Draw(image)
        draw.text((10, BAND - TEXT_SIZE - 4), note, FAINT, font_for(note, TEXT_SIZE - 2)[0])
        return np.asarray(image)


def _instruction(text: str, width: int) -> Any:
    """The band below the views with the instruction alone, a Pillow image."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, BAND), BACKGROUND)
    draw = ImageDraw.Draw(image)
    font, shown = font_for(text, TEXT_SIZE)
    text = text if shown else "(no font on this machine shows the instruction's script)"
    for i, line in enumerate(wrapped(text, font, width - 20, TEXT_LINES)):
        draw.text((10, 4 + i * (TEXT_SIZE + 5)), line, WORDS, font)
    return image


def picture_of(value: Any) -> Pixels | None:
    """A colour picture, if that is what a sensor gave."""
    pixels = None if value is None else np.asarray(value)
    return pixels if pixels is not None and pixels.dtype == np.uint8 and pixels.shape[2:] == (3,) else None


def depth_picture(depth: npt.NDArray[Any]) -> Pixels:
    """(H, W) or (H, W, 1) metres or shares -> (H, W, 3): near is bright, the farthest twentieth alike, 0 black."""
    flat = np.nan_to_num(depth.reshape(*depth.shape[:2], -1)[:, :, 0].astype(np.float64), posinf=0.0)
    most = max(float(np.percentile(flat[flat > 0], 95)), 1e-6) if (flat > 0).any() else 1.0
    light = np.where(flat > 0, 255 - 215 * np.minimum(flat / most, 1), 0)
    return np.repeat(light.clip(0, 255).astype(np.uint8)[:, :, None], 3, axis=2)


def _fit(pixels: Pixels) -> Pixels:
    """Scaled to SIDE rows, its proportions kept."""
    from PIL import Image

    width = max(2, round(pixels.shape[1] * SIDE / pixels.shape[0]))
    return np.asarray(Image.fromarray(pixels).resize((width, SIDE), Image.Resampling.BILINEAR))


def small_jpeg(pixels: Pixels) -> bytes:
    """At most SMALL pixels high."""
    from PIL import Image

    image = Image.fromarray(pixels)
    image.thumbnail((4 * SMALL, SMALL))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=70)
    return out.getvalue()


def contact_sheet(shots: Sequence[bytes], caption: str) -> Any:
    """A Pillow image of up to twelve frames, evenly spread over those that show something new, first and last too."""
    from PIL import Image, ImageDraw

    new = changing(shots)
    chosen = new[np.unique(np.linspace(0, len(new) - 1, min(SHEET_SHOTS, len(new))).round().astype(int))]
    images = [Image.open(io.BytesIO(shots[i])) for i in chosen]
    width, height = images[0].size
    rows = math.ceil(len(images) / SHEET_COLUMNS)
    sheet = Image.new("RGB", (SHEET_COLUMNS * width, rows * height + 28), BACKGROUND)
    draw = ImageDraw.Draw(sheet)
    font, shown = font_for(caption, 14)
    draw.text((8, 5), caption if shown else caption.encode("ascii", "replace").decode(), WORDS, font)
    for place, (index, image) in enumerate(zip(chosen, images, strict=True)):
        x, y = place % SHEET_COLUMNS * width, 28 + place // SHEET_COLUMNS * height
        sheet.paste(image, (x, y))
        draw.text((x + 6, y + 4), str(index), WORDS, font_for("", 14)[0], stroke_width=2, stroke_fill=BACKGROUND)
    return sheet


def changing(shots: Sequence[bytes]) -> npt.NDArray[np.intp]:
    """Indices of the frames that differ from the one kept before; the first and the last are among them."""
    from PIL import Image

    kept, before = [], None
    for i, shot in enumerate(shots):
        image = Image.open(io.BytesIO(shot))
        image.draft("L", (LOOK, LOOK))
        look = np.asarray(image.convert("L").resize((LOOK, LOOK)), np.float64)
        if before is None or np.abs(look - before).mean() > MIN_CHANGE:
            kept.append(i)
            before = look
    if kept[-1] != len(shots) - 1:
        kept[-1 if len(kept) > 1 else len(kept) :] = [len(shots) - 1]
    return np.array(kept)
