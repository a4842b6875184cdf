"""Degradation curves as SVG: a share from 0 to 1 over severities, a line with bars for each agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Point: TypeAlias = tuple[int, float, float, tuple[float, float] | None]
"""Severity, clean figure, figure, interval."""

WIDTH, HEIGHT = 260, 150
LEFT, RIGHT, TOP, BOTTOM = 30, 10, 8, 22
DODGE = 5.0
"""Pixels between the marks of two agents, so that their bars do not lie on each other."""
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4")
COLOURS = 6


def curves(agents: Sequence[Sequence[Point] | None]) -> str:
    """SVG of one figure, made of numbers alone; an agent without points is passed over."""
    last = max(point[0] for points in agents if points for point in points)
    lines = [_grid(last)]
    for index, points in enumerate(agents):
        if points:
            lines.append(_line(index, len(agents), points, last))
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="curves" aria-hidden="true">{"".join(lines)}</svg>'


def _x(severity: float, last: int) -> float:
    return LEFT + 12 + (WIDTH - LEFT - RIGHT - 24) * severity / last


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(share, 0.0), 1.0))


def _grid(last: int) -> str:
    rows = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(share):.1f}" y2="{_y(share):.1f}"/>'
        f'<text x="{LEFT - 5}" y="{_y(share) + 4:.1f}" text-anchor="end">{share:g}</text>'
        for share in (0, 0.5, 1)
    )
    ticks = "".join(
        f'<text x="{_x(severity, last):.1f}" y="{HEIGHT - 6}" text-anchor="middle">{severity}</text>'
        for severity in range(last + 1)
    )
    return f'<g class="ruled">{rows}{ticks}</g>'


def _line(index: int, count: int, points: Sequence[Point], last: int) -> str:
    shift = DODGE * (index - (count - 1) / 2)
    at = [(_x(0, last) + shift, _y(points[0][1]))]
    at += [(_x(severity, last) + shift, _y(value)) for severity, _, value, _ in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    bars = "".join(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_y(interval[0]):.1f}" y2="{_y(interval[1]):.1f}"/>'
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
