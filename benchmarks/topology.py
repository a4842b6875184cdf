"""How a building hangs together: its rooms as a graph, how much of it is corridor, how deep and how bent it is.

Measured on the plan, whichever grammar drew it. `Topology.kind` sorts buildings by a rule of three questions, so that
their variety can be counted: how one gets about, whether there is more than one way round, whether the outline is
bent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from nav_eval_worlds.plan.floor_plan import Plan, Rect
from nav_eval_worlds.plan.programme import CIRCULATION

_ZONE = 2200
"""An opening that is wider (mm) makes two rooms one space."""
_BENT = 0.12
"""Share of its convex hull that a bent outline leaves empty."""


@dataclass(frozen=True, slots=True)
class Topology:
    """`rooms` with corridors and stairwells, `ways` between them (the stair is one), both of all storeys.

    `cycles`: independent ones. `degrees[k]`: rooms with k ways. `hub`: share of the other rooms on its storey that the
    best connected room opens to. `depth`: ways from the entrance room to the farthest. `corridor`: share of the floor
    that is circulation. `halls`: corridors of the ground floor. `zones`: open sides between rooms. `concavity`: share
    of the ground floor's convex hull that is not built on, 0 to 1.
    """

    rooms: int
    ways: int
    cycles: int
    degrees: tuple[int, ...]
    hub: float
    depth: int
    corridor: float
    halls: int
    zones: int
    concavity: float

    @property
    def kind(self) -> str:
        """The class of a building: one gets about by corridors, a corridor, an open plan, a hub or room by room; on a
        tree or round in rings; within a compact outline or a bent one."""
        if self.halls > 1:
            about = "corridors"
        elif self.zones:
            about = "open plan"
        elif self.halls == 1:
            about = "corridor"
        else:
            about = "hub" if self.hub >= 0.6 else "rooms"
        return f"{about}, {'rings' if self.cycles else 'tree'}, {'bent' if self.concavity > _BENT else 'compact'}"


def topology(plan: Plan) -> Topology:
    """The measure of one plan."""
    links = {(min(d.a, d.b), max(d.a, d.b)) for d in plan.doors}
    wells = [room.id for room in plan.rooms if room.type == "stairs"]
    if len(wells) == 2:
        links.add((wells[0], wells[1]))
    beside: dict[int, set[int]] = {room.id: set() for room in plan.rooms}
    for a, b in links:
        beside[a].add(b)
        beside[b].add(a)
    counts = Counter(len(others) for others in beside.values())
    ground = [room for room in plan.rooms if room.storey == 0]
    areas = {room.id: room.cell.width * room.cell.depth for room in plan.rooms}
    moving = sum(areas[room.id] for room in plan.rooms if room.type in CIRCULATION)
    return Topology(
        rooms=len(plan.rooms),
        ways=len(links),
        cycles=len(links) - len(plan.rooms) + 1,
        degrees=tuple(counts[k] for k in range(max(counts) + 1)),
        hub=max(len(beside[room.id]) for room in ground) / max(len(ground) - 1, 1),
        depth=_depth(beside),
        corridor=moving / sum(areas.values()),
        halls=sum(room.type == "hallway" for room in ground),
        zones=sum(not door.leaf and door.high - door.low > _ZONE for door in plan.doors),
        concavity=1 - sum(areas[room.id] for room in ground) / _hull_area(room.cell for room in ground),
    )


def _depth(beside: dict[int, set[int]]) -> int:
    """Ways from room 1 to the farthest room."""
    far, edge = {1: 0}, [1]
    for room in edge:
        for other in sorted(beside[room]):
            if other not in far:
                far[other] = far[room] + 1
                edge.append(other)
    return max(far.values())


def _hull_area(cells: Iterable[Rect]) -> float:
    """Area of the convex hull of some rectangles (Andrew's monotone chain)."""
    points = sorted({(x, z) for r in cells for x in (r.x0, r.x1) for z in (r.z0, r.z1)})
    hull: list[tuple[int, int]] = []
    for row in (points, points[::-1]):
        base = len(hull)
        for p in row:
            while len(hull) - base >= 2 and _turn(hull[-2], hull[-1], p) <= 0:
                hull.pop()
            hull.append(p)
        hull.pop()
    corners = zip(hull, [*hull[1:], hull[0]], strict=True)
    return abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in corners)) / 2


def _turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
