"""Degradation curves as SVG: a measure over severities, a line with bars for each agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nav_eval.report.figures import nice_edges

Point: TypeAlias = tuple[int, float, float, tuple[float, float] | None]
"""Severity, clean figure, figure, interval."""
Ticks: TypeAlias = npt.NDArray[np.float64]

WIDTH, HEIGHT = 260, 150
LEFT, RIGHT, TOP, BOTTOM = 30, 10, 8, 22
DODGE = 5.0
"""Pixels between the marks of two agents, so that their bars do not lie on each other."""
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4")
COLOURS = 6


def curves(agents: Sequence[Sequence[Point] | None], share: bool) -> str:
    """SVG of one figure, made of numbers alone; an agent without points is passed over.

    `share`: the axis goes from 0 to 1, where such a measure ends; else it goes as far as there is anything.
    """
    drawn = [point for points in agents if points for point in points]
    last = max(point[0] for point in drawn)
    scale = nice_edges(0.0, 1.0, 2) if share else _scale(drawn)
    lines = [_grid(last, scale)]
    for index, points in enumerate(agents):
        if points:
            lines.append(_line(index, len(agents), points, last, scale))
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="curves" aria-hidden="true">{"".join(lines)}</svg>'


def _scale(drawn: Sequence[Point]) -> Ticks:
    values = [value for _, clean, mean, interval in drawn for value in (clean, mean, *(interval or ()))]
    low, high = min(0.0, *values), max(values)
    return nice_edges(low, high if high > low else low + 1, 2)


def _x(severity: float, last: int) -> float:
    return LEFT + 12 + (WIDTH - LEFT - RIGHT - 24) * severity / last


def _y(value: float, scale: Ticks) -> float:
    low, high = scale[0], scale[-1]
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (min(max(value, low), high) - low) / (high - low))


def _grid(last: int, scale: Ticks) -> str:
    rows = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(value, scale):.1f}" y2="{_y(value, scale):.1f}"/>'
        f'<text x="{LEFT - 5}" y="{_y(value, scale) + 4:.1f}" text-anchor="end">{value:g}</text>'
        for value in scale
    )
    ticks = "".join(
        f'<text x="{_x(severity, last):.1f}" y="{HEIGHT - 6}" text-anchor="middle">{severity}</text>'
        for severity in range(last + 1)
    )
    return f'<g class="ruled">{rows}{ticks}</g>'


def _line(index: int, count: int, points: Sequence[Point], last: int, scale: Ticks) -> str:
    shift = DODGE * (index - (count - 1) / 2)
    at = [(_x(0, last) + shift, _y(points[0][1], scale))]
    at += [(_x(severity, last) + shift, _y(value, scale)) for severity, _, value, _ in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    bars = "".join(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_y(interval[0], scale):.1f}" y2="{_y(interval[1], scale):.1f}"/>'
        for (x, _), (*_, interval) in zip(at[1:], points, strict=True)
        if interval is not None
    )
    marks = "".join(_mark(index, x, y) for x, y in at)
    dash = f' stroke-dasharray="{DASHES[index % len(DASHES)]}"' if index else ""
    return f'<g class="run-{index % COLOURS}"><polyline points="{path}"{dash}/>{bars}{marks}</g>'


def _mark(index: int, x: float, y: float) -> str:
    if index % 2:
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4"/>'
