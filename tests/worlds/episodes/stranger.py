"""A listener that shares nothing with the speaker: it reads a text, and walks a building that it has surveyed itself.

It knows the navmesh, the walls with the gaps and frames in them, and what things look like (their categories). Rooms
have no names for it: where it must choose between two doors it looks for what a room of the name would hold. It counts
doors and turns by itself, checks what it is told to walk past, and stays where it is (None) when it finds no such way.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise, product

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.geometry import Quaternion, Vec3, rotate
from worlds.episodes.surveyed import Building, Flat, Gap, Place, Thing

THINGS = {
    "sofa": ("sofa", "沙发"), "bed": ("bed", "床"), "table": ("table", "桌子"), "desk": ("desk", "书桌"),
    "plant": ("plant", "盆栽"), "tv_monitor": ("tv", "电视"), "wardrobe": ("wardrobe", "衣柜"),
    "bookshelf": ("bookshelf", "书架"), "toilet": ("toilet", "马桶"), "bathtub": ("bathtub", "浴缸"),
    "shower": ("shower", "淋浴间"), "sink": ("sink", "洗手池"), "refrigerator": ("fridge", "冰箱"),
    "counter": ("counter", "台面"), "washing_machine": ("washing machine", "洗衣机"), "cabinet": ("cabinet", "柜子"),
    "chest_of_drawers": ("chest of drawers", "五斗柜"), "nightstand": ("nightstand", "床头柜"),
    "picture": ("picture", "挂画"), "shelf": ("storage shelf", "储物架"), "whiteboard": ("whiteboard", "白板"),
    "printer": ("printer", "打印机"), "vending_machine": ("vending machine", "自动售货机"),
    "clothes": ("coat rack", "衣帽架"), "towel": ("towel", "毛巾"), "box": ("cardboard box", "纸箱"),
}  # fmt: skip
LOOKS = {
    ("living room", "客厅"): ("sofa", "tv_monitor"),
    ("kitchen", "厨房"): ("refrigerator", "counter", "oven", "stove"),
    ("dining room", "餐厅"): ("table", "chair"),
    ("bedroom", "卧室"): ("bed", "wardrobe", "nightstand"),
    ("bathroom", "卫生间"): ("toilet", "shower", "bathtub", "towel"),
    ("study", "书房"): ("desk", "bookshelf"),
    ("laundry room", "洗衣房"): ("washing_machine",),
    ("storage room", "储藏室"): ("shelf", "box"),
    ("reception area", "前台大厅"): ("sofa", "counter"),
    ("open-plan office", "开放办公区"): ("desk", "chair"),
    ("office", "办公室"): ("desk",),
    ("meeting room", "会议室"): ("whiteboard", "table"),
    ("break room", "茶水间"): ("vending_machine", "refrigerator", "counter"),
    ("copy room", "复印室"): ("printer",),
    ("hallway", "走廊"): (),
    ("staircase", "楼梯间"): (),
}
"""Names of rooms, and what makes them look so."""
COUNT = {w: k for k, w in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh"), start=1)}
COUNT |= {w: k for k, w in enumerate("一二三四五六七", start=1)}
NUMBERS = "|".join(name for name in COUNT if name.isascii())
EN_TURNS = ("(?:turn|make a|take a) left", "(?:turn|make a|take a) right", "turn around|turn back")
ZH_TURNS = ("左转|左拐", "右转|右拐", "转身|掉头|转过身")
BESIDE = 2.2


@dataclass(frozen=True, slots=True)
class Order:
    """One sentence, understood. `side`: left, right, across, end or "" (whatever lies the way one turns)."""

    act: str
    """go, climb or stop."""
    turn: str = "straight"
    side: str = ""
    count: int = 0
    what: str = ""
    """door, hallway, stairs or opening: what is counted."""
    enter: str = ""
    thing: str = ""
    past: tuple[str, str] | None = None
    """A thing and the side on which one passes it."""


@dataclass
class Walk:
    """Where the stranger got: `end` is None if it was lost; `passed`: whether each thing to be passed was there."""

    end: Vec3 | None = None
    passed: list[bool] = field(default_factory=list)
    climbed: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    place: Place
    at: Flat
    heading: Flat
    through: Gap | None = None


def orders(text: str) -> list[Order]:
    """What a text in English or Chinese says, sentence by sentence."""
    sentences = [s.strip() for s in re.split("[.。;；]", text.lower()) if s.strip()]
    return [order for s in sentences if (order := _chinese(s) if re.search("[一-鿿]", s) else _english(s))]


def walk(building: Building, navmesh: NavMesh, start: Vec3, rotation: Quaternion, text: str) -> Walk:
    """Follow a text from a pose."""
    out = Walk()
    forward = rotate(rotation, (0.0, 0.0, -1.0))
    storey = building.storey_of(start[1])
    here: Standing | None = Standing(
        (storey, building.room_at(storey, (start[0], start[2]))), (start[0], start[2]), (forward[0], forward[2])
    )
    for order in orders(text):
        if here is None:
            return out
        if order.act == "stop":
            out.end = _beside(building, navmesh, here, order)
            return out
        gap = _choose(building, here, order)
        if gap and order.past:
            out.passed.append(_passes(building, navmesh, here, gap, *order.past))
        here = gap and _through(building, here, gap)
        if order.act == "climb" and here:
            here = _upstairs(building, here, order.what == "up")
            out.climbed += 1
    return out


def _english(s: str) -> Order | None:
    past = re.search(r"(?:past|pass|by) the ([\w ]+?) on (?:your|the) (left|right)", s)
    thing = _thing(past[1], 0) if past else ""
    found = (thing, past[2]) if past and thing else None
    if re.search(r"\b(stop|wait|halt)\b", s):
        return Order("stop", _turn(s, EN_TURNS), thing=_thing(s, 0))
    rest = s.replace(past[0], " ") if past and thing else s
    turn = _turn(rest, EN_TURNS)
    climb = "stairs" in rest and re.search(r"\b(up|down|upstairs|downstairs)\b(?! the hallway)", rest)
    side, count, what = _side_english(rest)
    if climb:
        return Order("climb", turn, side, 0, "up" if climb[1].startswith("up") else "down", past=found)
    enter = re.findall(rf"(?:into|enter|to) the ({'|'.join(name for name, _ in LOOKS)})", rest)
    return Order("go", turn, side, count, what, enter[-1] if enter else "", past=found)


def _turn(s: str, words: tuple[str, str, str]) -> str:
    """Left, right or around by which words are there, else straight."""
    told = zip(("left", "right", "around"), words, strict=True)
    return next((way for way, pattern in told if re.search(pattern, s)), "straight")


def _side_english(s: str) -> tuple[str, int, str]:
    if re.search(r"across|opposite|cross the", s):
        return "across", 0, ""
    if re.search(r"\bend\b", s):
        return "end", 0, ""
    found = re.search(rf"(?:({NUMBERS}) )?(doorway|door|hallway|opening|stairs) on (?:your|the) (left|right)", s)
    return (found[3], COUNT.get(found[1] or "", 0), found[2]) if found else ("", 0, "")


def _chinese(s: str) -> Order | None:
    past = re.search("(?:从|经过|路过)([左右])(?:手边|边|侧)的([^，]*?)(?:旁走过|旁边走过|，|$)", s)
    thing = _thing(past[2], 1) if past else ""
    found = (thing, "left" if past[1] == "左" else "right") if past and thing else None
    if re.search("停", s):
        return Order("stop", _turn(s, ZH_TURNS), thing=_thing(s, 1))
    rest = s.replace(past[0], "，") if past and thing else s
    turn = _turn(rest, ZH_TURNS)
    side, count, what = _side_chinese(rest)
    if re.search("[上下]楼", rest):
        return Order("climb", turn, side, 0, "up" if "上楼" in rest else "down", past=found)
    names = [zh for _, zh in LOOKS]
    enter = re.findall("|".join(sorted(names, key=len, reverse=True)), rest)
    return Order("go", turn, side, count, what, enter[-1] if enter else "", past=found)


def _side_chinese(s: str) -> tuple[str, int, str]:
    if "对面" in s:
        return "across", 0, ""
    if "尽头" in s:
        return "end", 0, ""
    found = re.search("([左右])(?:手边|边|侧)(?:的)?(?:第([一二三四五六七]))?(?:扇|条|个)?(门洞|门口|门|走廊|楼梯)", s)
    if not found:
        return "", 0, ""
    kind = {"门": "door", "门洞": "opening", "门口": "doorway", "走廊": "hallway", "楼梯": "stairs"}[found[3]]
    return "left" if found[1] == "左" else "right", COUNT.get(found[2] or "", 0), kind


def _thing(words: str, language: int) -> str:
    """The thing named in some words; the longest name wins."""
    found = [(len(names[language]), kind) for kind, names in THINGS.items() if names[language] in words]
    return max(found)[1] if found else ""


def _left(heading: Flat) -> Flat:
    return heading[1], -heading[0]


def _turned(heading: Flat, turn: str) -> Flat:
    x, z = heading
    return {"straight": (x, z), "left": (z, -x), "right": (-z, x), "around": (-x, -z)}[turn]


def _dot(a: Flat, b: Flat) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _off(here: Standing, to: Flat) -> Flat:
    return to[0] - here.at[0], to[1] - here.at[1]


def _choose(building: Building, here: Standing, order: Order) -> Gap | None:
    """The gap that is meant; None if there is none."""
    gaps = [gap for gap in building.gaps_of(here.place) if gap != here.through]
    if order.act == "climb":
        gaps = [gap for gap in gaps if building.has_stairs((here.place[0], gap.beyond(here.place[1])))]
    if building.has_stairs(here.place) or not order.side:
        return _in_view(building, here, gaps, order)
    if order.what == "doorway":
        return _beside_one(building, here, gaps, order)
    direction = _along(building, here, _turned(here.heading, order.turn))
    if order.side == "across":
        aside = {gap: abs(_dot(_off(here, gap.middle), _left(here.heading))) for gap in gaps}
        facing = [gap for gap in gaps if _dot(_off(here, gap.middle), here.heading) > 1.0 and aside[gap] < 0.9]
        return min(facing, key=lambda gap: aside[gap], default=None)
    ahead = [gap for gap in gaps if _dot(_off(here, gap.middle), direction) > 0.05]
    if order.side == "end":
        last = [gap for gap in ahead if abs(_dot(gap.across, direction)) > 0.7]
        return max(last, key=lambda gap: _dot(_off(here, gap.middle), direction), default=None)
    what = "stairs" if order.act == "climb" else order.what
    row = [gap for gap in ahead if abs(_dot(gap.across, direction)) < 0.7 and _is(building, here, gap, what)]
    low, high = building.extent(here.place)
    centre = Standing(here.place, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2), direction)
    towards = 1 if order.side == "left" else -1
    row = [gap for gap in row if towards * _dot(_off(centre, gap.middle), _left(direction)) > 0]
    row.sort(key=lambda gap: _dot(_off(here, gap.middle), direction))
    return row[max(order.count, 1) - 1] if len(row) >= max(order.count, 1) else None


def _beside_one(building: Building, here: Standing, gaps: list[Gap], order: Order) -> Gap | None:
    """A gap in the wall on one's left or right, ahead: the n-th, or the one that looks right if there are two."""
    towards = 1 if order.side == "left" else -1
    offs = {gap: _off(here, gap.middle) for gap in gaps if abs(_dot(gap.across, here.heading)) < 0.7}
    found = [gap for gap, off in offs.items() if towards * _dot(off, _left(here.heading)) > 0 < _dot(off, here.heading)]
    found.sort(key=lambda gap: _dot(offs[gap], here.heading))
    if order.count:
        return found[order.count - 1] if order.count <= len(found) else None
    return _likeliest(building, here, found, order.enter)


def _likeliest(building: Building, here: Standing, gaps: list[Gap], name: str) -> Gap | None:
    """The gap behind which the room looks most as its name says."""
    looks = {gap: _look(building, (gap.storey, gap.beyond(here.place[1])), name) for gap in gaps}
    return max(gaps, key=lambda gap: looks[gap], default=None)


def _along(building: Building, here: Standing, direction: Flat) -> Flat:
    """A direction along the length of a hallway, the one that is nearest to where one has turned."""
    low, high = building.extent(here.place)
    axis = (1.0, 0.0) if high[0] - low[0] > high[1] - low[1] else (0.0, 1.0)
    return axis if _dot(axis, direction) > 0 else (-axis[0], -axis[1])


def _is(building: Building, here: Standing, gap: Gap, what: str) -> bool:
    """Whether somebody would call a gap by that name."""
    beyond = (gap.storey, gap.beyond(here.place[1]))
    if what == "stairs":
        return building.has_stairs(beyond)
    if what in ("door", ""):
        return gap.framed
    low, high = building.extent(beyond)
    narrow = min(high[0] - low[0], high[1] - low[1]) < 2.2
    return not gap.framed and not building.has_stairs(beyond) and narrow == (what == "hallway")


def _in_view(building: Building, here: Standing, gaps: list[Gap], order: Order) -> Gap | None:
    """The way out that lies where one turns to: the one that looks right if there are two."""
    direction = _turned(here.heading, order.turn)
    size = [(gap, math.hypot(*_off(here, gap.middle))) for gap in gaps]
    quarter = math.cos(math.radians(45.5))
    seen = [gap for gap, far in size if _dot(_off(here, gap.middle), direction) >= quarter * far]
    if building.has_stairs(here.place):
        seen = gaps
    return _likeliest(building, here, seen, order.enter)


def _look(building: Building, place: Place, name: str) -> float:
    """How much a room looks as its name says, and not as another."""
    held = {thing.kind for thing in building.things_in(place)}
    if name in ("hallway", "走廊"):
        low, high = building.extent(place)
        return 1.0 if min(high[0] - low[0], high[1] - low[1]) < 2.2 and not held & {"bed", "toilet", "desk"} else 0.0
    likeness = {names: sum(kind in held for kind in kinds) / len(kinds) for names, kinds in LOOKS.items() if kinds}
    own = max((share for names, share in likeness.items() if name in names), default=0.0)
    return own - max((share for names, share in likeness.items() if name not in names), default=0.0)


def _through(building: Building, here: Standing, gap: Gap) -> Standing:
    room = gap.beyond(here.place[1])
    return Standing((gap.storey, room), gap.middle, gap.into(room), gap)


def _upstairs(building: Building, here: Standing, up: bool) -> Standing | None:
    """In the stairwell of the other storey, which one leaves by its only gap."""
    low, high = building.extent(here.place)
    storey = here.place[0] + (1 if up else -1)
    if not 0 <= storey < len(building.floors) or not building.has_stairs(here.place):
        return None
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    return Standing((storey, building.room_at(storey, middle)), here.at, here.heading)


def _passes(building: Building, navmesh: NavMesh, here: Standing, gap: Gap, kind: str, side: str) -> bool:
    """Whether a thing of the kind lies beside the walk to a gap, on that side."""
    floor = building.floors[here.place[0]]
    ends = [(at[0], floor + 0.1, at[1]) for at in (here.at, gap.middle)]
    path = navmesh.shortest_path(navmesh.snap(ends[0]), navmesh.snap(ends[1]))
    towards = 1 if side == "left" else -1
    for thing in building.things_in(here.place):
        if thing.kind != kind:
            continue
        for (ax, _, az), (bx, _, bz) in pairwise(path.points.tolist()):
            dx, dz = bx - ax, bz - az
            size = math.hypot(dx, dz)
            if size < 0.05:
                continue
            tx, tz = thing.middle[0] - ax, thing.middle[1] - az
            on, aside = (tx * dx + tz * dz) / size, towards * (tx * dz - tz * dx) / size
            if -0.3 <= on <= size + 0.3 and 0 < aside < BESIDE:
                return True
    return False


def _beside(building: Building, navmesh: NavMesh, here: Standing, order: Order) -> Vec3 | None:
    """Where one first comes right up to the thing; None if no such thing is that way or nobody can walk there."""
    floor = building.floors[here.place[0]]
    at = navmesh.snap((here.at[0], floor + 0.1, here.at[1]))
    found = [thing for thing in building.things_in(here.place) if thing.kind == order.thing]
    if order.turn != "straight":
        direction = _turned(here.heading, order.turn)
        found = [thing for thing in found if _dot(_off(here, thing.middle), direction) > 0]
    for off in (0.3, 0.6, 1.0):
        spots = [spot for thing in found for spot in _around(building, navmesh, thing, floor, off)]
        if spots and math.isfinite(at[0]):
            far = navmesh.geodesic_distances([at] * len(spots), spots)
            if math.isfinite(far.min()):
                return spots[int(far.argmin())]
    return None


def _around(building: Building, navmesh: NavMesh, thing: Thing, floor: float, off: float) -> list[Vec3]:
    """Walkable places of the thing's room `off` metres from its box, at its corners and sides."""
    out: list[Vec3] = []
    (x0, _, z0), (x1, _, z1) = thing.low, thing.high
    for fx, fz in product((0.0, 0.5, 1.0), repeat=2):
        spot = (x0 - off + (x1 - x0 + 2 * off) * fx, floor + 0.1, z0 - off + (z1 - z0 + 2 * off) * fz)
        x, y, z = navmesh.snap(spot)
        if (fx, fz) == (0.5, 0.5) or not math.isfinite(x):
            continue
        same = building.room_at(thing.place[0], (x, z), 0.1) == thing.place[1]
        if same and math.hypot(x - spot[0], z - spot[2]) < 0.3 and abs(y - floor) < 0.4:
            out.append((float(x), float(y), float(z)))
    return out
