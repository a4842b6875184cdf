"""The larger things of a room as places for small ones: what stands on what, and where exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import Rect
from nav_eval_worlds.rooms.space import Space
from nav_eval_worlds.things.catalogue import Stock
from nav_eval_worlds.things.tops import Top, tops_of

Wish = tuple[str, int, str]
"""A thing's name, its chance in percent, and where on the surface: back, front, middle or any."""
_WALL = 60


@dataclass
class Carriers:
    """Puts things from the home's stock onto the things that stand in a room."""

    space: Space
    stock: Stock
    stream: Stream
    _tops: dict[int, list[Top]] = field(default_factory=dict)

    def tops(self, index: int) -> list[Top]:
        """The surfaces of the item `index`, with what stands there already."""
        if index not in self._tops:
            item = self.space.items[index]
            found = tops_of(item.model)
            for other in self.space.items:
                if other.on == index:
                    x, z, y = *inward(item, other.at), other.at[1] - item.at[1]
                    for top in found:
                        if top.y - 5 <= y < top.y + top.air:
                            top.taken.append(around(x, z, other.size, other.turn - item.turn))
            self._tops[index] = found
        return self._tops[index]

    def wish(self, index: int, wishes: Sequence[Wish], between: tuple[int, int] = (300, 1350), most: int = 99) -> None:
        """Grants each wish by its chance, on the surfaces at heights between two, as far as there is room."""
        granted = 0
        for name, chance, where in wishes:
            if granted < most and self.stream.chance(chance) and self.stock.spend(name):
                granted += self.put(index, name, where, between)

    def put(self, index: int, name: str, where: str = "any", between: tuple[int, int] = (300, 1350)) -> bool:
        """Puts one thing onto an item; False where it has no room for it."""
        made = self.stock.take(name, self.stream)
        item = self.space.items[index]
        fit = [top for top in self.tops(index) if between[0] <= top.y + item.at[1] - self.space.room.base <= between[1]]
        for top in self.stream.shuffled(fit) if len(fit) > 2 else fit:
            found = top.room_for(made, self.stream, where)
            if found and self._set(index, top, made, *found):
                return True
        return False

    def lay(self, index: int, name: str, x: int, z: int, turn: int = 0) -> bool:
        """Puts a thing at a place of its carrier's largest surface, turned towards one who sits there."""
        made, top = self.stock.take(name, self.stream), next(iter(self.tops(index)), None)
        if top is None:
            return False
        own, r = around(x, z, made.size, turn), top.rect
        inside = r.x0 <= own.x0 and r.z0 <= own.z0 and own.x1 <= r.x1 and own.z1 <= r.z1
        if not inside or any(own.overlaps(other) for other in top.taken):
            return False
        return self._set(index, top, made, x, z, turn)

    def _set(self, index: int, top: Top, made: Made, x: int, z: int, turn: int = 0) -> bool:
        item = self.space.items[index]
        at = outward(item, x, z)
        foot = item.at[1] + top.y
        rect = around(*at, made.size, item.turn + turn)
        height = foot - self.space.room.base + round(made.size[1] * 1000)
        own = item.at[1] - self.space.room.base if item.support == "wall" else -1
        if not self._off_the_walls(rect, foot - self.space.room.base, height, own):
            return False
        top.taken.append(around(x, z, made.size, turn))
        self.space.add(made, (at[0], foot, at[1]), item.turn + turn, "item", index)
        self.space.stands(rect, height)
        return True

    def _off_the_walls(self, rect: Rect, foot: int, height: int, own: int) -> bool:
        """Whether a thing stays inside the room and touches nothing that hangs there but at height `own`."""
        r = self.space.rect
        if height > self.space.room.headroom(rect) - 40:
            return False
        if rect.x0 < r.x0 + 8 or rect.z0 < r.z0 + 8 or rect.x1 > r.x1 - 8 or rect.z1 > r.z1 - 8:
            return False
        return not any(
            0 < bottom < height
            and bottom != own
            and top > foot
            and rect.overlaps(self.space.strip(side, low, high, _WALL))
            for side, low, high, bottom, top in self.space.hung
        )


def inward(item: Item, at: tuple[int, int, int]) -> tuple[int, int]:
    """A place of the room (x, z) in an item's own frame."""
    x, z = at[0] - item.at[0], at[2] - item.at[2]
    for _ in range(item.turn % 4):
        x, z = -z, x
    return x, z


def outward(item: Item, x: int, z: int) -> tuple[int, int]:
    """A place in an item's own frame as one of the room."""
    for _ in range(item.turn % 4):
        x, z = z, -x
    return item.at[0] + x, item.at[2] + z


def around(x: int, z: int, size: tuple[float, float, float], turn: int) -> Rect:
    """The footprint of a thing of a size at a place, with a finger's breadth."""
    w, d = round(size[0] * 1000), round(size[2] * 1000)
    if turn % 2:
        w, d = d, w
    return Rect(x - w // 2 - 4, z - d // 2 - 4, x + w // 2 + 5, z + d // 2 + 5)
