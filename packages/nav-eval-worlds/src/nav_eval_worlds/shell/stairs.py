"""The half-turn stair between two storeys: solid steps that an agent can climb, and a parapet between the flights.

Built in a frame of its own, entered from +z with the first flight on the left, then turned into its well.
"""

from __future__ import annotations

from itertools import pairwise

from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import TREAD, Plan, Side, steps
from nav_eval_worlds.surfaces.parametric import Model

_TURNS: dict[Side, int] = {"s": 0, "e": 1, "n": 2, "w": 3}


def stair_items(plan: Plan) -> list[Item]:
    """The stair as one object of the lower stairwell; nothing on one storey."""
    if plan.stair is None:
        return []
    room = plan.room(plan.stair.room)
    clear = room.clear
    turn = _TURNS[plan.stair.side]
    width, depth = (clear.width, clear.depth) if turn % 2 == 0 else (clear.depth, clear.width)
    model = stair_model(width / 1000, depth / 1000, plan.pitch, plan.stair.flip)
    x, z = clear.centre
    upper = next(other.id for other in plan.rooms if other.type == "stairs" and other.storey == room.storey + 1)
    return [Item("stairs", room.id, model, (x, room.base, z), turn, joins=(room.id, upper))]


def stair_model(width: float, depth: float, pitch: int, flip: bool) -> Model:
    """Steps and landings, `pitch` mm up, in a well of width x depth metres; the first flight left unless `flip`."""
    m = Model()
    half = steps(pitch) // 2
    rise, tread, wall, height = pitch / half / 2000, TREAD / 1000, 0.05, pitch / 1000
    run = (half - 1) * tread
    pad = 0.95
    front, back = depth / 2 - pad, depth / 2 - pad - run
    sign = -1.0 if not flip else 1.0
    first, second = _half(sign, width, wall), _half(-sign, width, wall)
    for k in range(half - 1):
        z1, y = front - k * tread, (k + 1) * rise
        _step(m, first, z1 - tread, z1, y - rise, y, "f")
        z0, y2 = back + k * tread, (half + k + 1) * rise
        _step(m, second, z0, z0 + tread, y2 - rise, y2, "b")
    landing = half * rise
    _step(m, first, -depth / 2, back, landing - rise, landing, "f")
    _step(m, second, -depth / 2, back, landing - rise, landing, "")
    m.flat(-wall, -depth / 2, wall, back, landing, "floor_stair")
    _step(m, second, front, depth / 2, height - rise, height, "b")
    _parapet(m, front, back, depth, wall, landing, height)
    return m


def _half(sign: float, width: float, wall: float) -> tuple[float, float]:
    return (-width / 2, -wall) if sign < 0 else (wall, width / 2)


def _step(m: Model, half: tuple[float, float], z0: float, z1: float, low: float, y: float, riser: str) -> None:
    """A tread and its riser towards the front or the back."""
    x0, x1 = half
    m.quad([(x0, y, z1), (x1, y, z1), (x1, y, z0), (x0, y, z0)], "floor_stair", max_edge=0.6)
    if riser == "f":
        m.card(x0, low, x1, y, z1, "wall0")
    if riser == "b":
        m.card(x1, low, x0, y, z0, "wall0")


def _parapet(m: Model, front: float, back: float, depth: float, wall: float, landing: float, height: float) -> None:
    """The wall between the flights: its top follows the second flight, then runs level along the upper floor."""
    top, rail = height, 0.95
    end = depth / 2
    line = [(back, landing + rail), (front, top + rail), (end, top + rail)]
    for (za, ya), (zb, yb) in pairwise(line):
        for x, flip in ((-wall, False), (wall, True)):
            corners = [(x, 0.0, za), (x, 0.0, zb), (x, yb, zb), (x, ya, za)][:: -1 if flip else 1]
            m.quad(corners, "wall0", [(c[2], -c[1]) for c in corners], 0.6)
        m.quad([(-wall, ya, za), (-wall, yb, zb), (wall, yb, zb), (wall, ya, za)], "wood")
    m.card(wall, 0.0, -wall, landing + rail, back, "wall0")
    m.card(-wall, 0.0, wall, top + rail, end, "wall0")
