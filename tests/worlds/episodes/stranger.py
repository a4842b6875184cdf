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
    "sofa": ("sofa|couch|settee", "沙发"), "bed": ("bed", "床"), "table": ("table", "桌子"),
    "desk": ("desk", "书桌|写字台"), "plant": ("plant|houseplant", "盆栽|绿植"),
    "tv_monitor": ("tv|television|tv screen", "电视"), "wardrobe": ("wardrobe|closet", "衣柜|衣橱"),
    "bookshelf": ("bookshelf|bookcase|set of bookshelves", "书架|书柜"), "toilet": ("toilet", "马桶|坐便器"),
    "bathtub": ("bathtub|bath|tub", "浴缸"), "shower": ("shower|shower cubicle|shower stall", "淋浴"),
    "sink": ("sink|washbasin", "洗手池|水槽|水池"), "refrigerator": ("fridge|refrigerator", "冰箱"),
    "counter": ("counter|worktop", "台面|操作台"), "washing_machine": ("washing machine|washer", "洗衣机"),
    "cabinet": ("cabinet|cupboard", "柜子|橱柜"), "chest_of_drawers": ("chest of drawers|dresser", "斗柜"),
    "nightstand": ("nightstand|bedside table", "床头柜"),
    "picture": ("picture|painting|artwork", "挂画|装饰画"),
    "shelf": ("storage shelf|shelving unit|storage rack", "储物架|置物架"), "whiteboard": ("whiteboard", "白板"),
    "printer": ("printer|copier", "打印机|复印机"), "vending_machine": ("(?:vending|snack) machine", "售货机"),
    "clothes": ("coat rack|coat stand|row of coats", "衣帽架|挂衣架"), "towel": ("towel", "毛巾"),
    "basket": ("basket", "篮子|筐子"), "vase": ("vase|flower vase", "花瓶"),
    "box": ("(?:cardboard|packing) box", "纸箱"), "rug": ("rug|carpet", "地毯|毯子"), "chair": ("chair|seat", "椅子"),
    "guitar": ("guitar", "吉他"),
    "cat_tree": ("cat tree|cat tower", "猫爬架"),
    "ironing_board": ("ironing board", "熨衣板"),
    "vacuum_cleaner": ("vacuum cleaner|hoover", "吸尘器"),
    "water_dispenser": ("water dispenser|water cooler", "饮水机"),
    "umbrella_stand": ("umbrella stand", "伞架|雨伞架"),
    "shoe_rack": ("shoe rack", "鞋架"),
    "bench": ("bench", "长凳|换鞋凳"),
    "fan": ("fan|electric fan", "电风扇|风扇"),
    "towel_rack": ("towel ladder|towel rack", "毛巾架"),
    "fire_extinguisher": ("fire extinguisher", "灭火器"),
    "step_ladder": ("stepladder", "人字梯|折叠梯"),
    "pet_bed": ("pet bed|dog bed", "宠物窝"),
    "suitcase": ("suitcase", "行李箱|旅行箱"),
    "toy_chest": ("toy chest|toy box", "玩具箱"),
    "pin_board": ("pinboard|noticeboard", "软木板|公告板"),
    "radiator": ("radiator|heater", "暖气片"),
    "backpack": ("backpack|rucksack", "背包|双肩包"),
    "bathrobe": ("bathrobe|dressing gown", "浴袍"),
    "crate": ("crate", "收纳箱"),
    "pouf": ("pouf|footstool", "脚凳|软凳"),
    "microwave": ("microwave|microwave oven", "微波炉"),
}  # fmt: skip
LOOKS = {
    ("living room|lounge|sitting room", "客厅"): ("sofa", "tv_monitor"),
    ("kitchen", "厨房"): ("refrigerator", "counter", "oven", "stove"),
    ("dining room|dining area", "餐厅|饭厅"): ("table", "chair"),
    ("bedroom", "卧室"): ("bed", "wardrobe", "nightstand"),
    ("bathroom|washroom", "卫生间|洗手间|浴室"): ("toilet", "shower", "bathtub", "towel"),
    ("study|home office", "书房"): ("desk", "bookshelf"),
    ("laundry room|laundry|utility room", "洗衣房|洗衣间"): ("washing_machine",),
    ("storage room|storeroom", "储藏室|储物间"): ("shelf", "box"),
    ("reception area|reception|lobby", "前台大厅|前台"): ("sofa", "counter"),
    ("open-plan office|open office area", "开放办公区|大办公区"): ("desk", "chair"),
    ("office", "办公室"): ("desk",),
    ("meeting room|conference room", "会议室"): ("whiteboard", "table"),
    ("break room|coffee room", "茶水间|休息室"): ("vending_machine", "refrigerator", "counter"),
    ("copy room|print room", "复印室|文印室"): ("printer",),
    ("hallway|corridor|hall|passage", "走廊|过道"): (),
    ("foyer|entrance hall", "门厅|玄关"): (),
    ("staircase|stairwell", "楼梯间"): (),
}
"""Names of rooms, and what makes them look so."""
COUNT = {w: k for k, w in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh"), start=1)}
COUNT |= {w: k for k, w in enumerate("一二三四五六七", start=1)}
NUMBERS = "|".join(name for name in COUNT if name.isascii())
_SIDEWAYS = (
    r"\b(?:turn|go|head|make a|take a|hang a|swing|bear|face|veer|pivot|(?:turn|yourself) to the|"
    r"(?:rotate|round) to your|turn (?:directly|immediately)) "
)
EN_TURNS = {
    "slightly left": "slightly (?:to the )?left|slight left|(?:little|touch) to the left|left a bit",
    "slightly right": "slightly (?:to the )?right|slight right|(?:little|touch) to the right|right a bit",
    "around": r"turn(?:ing)? (?:right )?(?:around|back)|u-turn|about-turn|spin around|reverse direction|"
    r"face the (?:other|opposite) way|half a circle",
    "left": _SIDEWAYS + "left",
    "right": _SIDEWAYS + "right",
}
ZH_TURNS = {
    "slightly left": "左前方|向左偏|往左偏",
    "slightly right": "右前方|向右偏|往右偏",
    "around": "转身(?<!左转身)(?<!右转身)|[掉调]头|转过身|往回转|转一百八十度",
    "left": "左[转拐]",
    "right": "右[转拐]",
}
FURNISHED = {"bed", "toilet", "desk", "counter", "refrigerator", "sofa", "oven", "stove"}
"""What no hallway holds."""
SLIGHT = math.radians(25)
BESIDE = 2.2
WIDE = 2.2
"""Nobody would call a gap that is wider a doorway."""


@dataclass(frozen=True, slots=True)
class Order:
    """One sentence, understood. `side`: left, right, across, end or "" (whatever lies the way one turns)."""

    act: str
    """go, climb or stop."""
    turn: str = ""
    """left, right, around, slightly left, slightly right; "" where nothing is said."""
    side: str = ""
    count: int = 0
    what: str = ""
    """door, doorway, hallway, stairs, opening or wide opening: what is counted."""
    enter: str = ""
    thing: str = ""
    past: tuple[str, str] | None = None
    """A thing and the side on which one passes it."""
    mark: str = ""
    """What stands beside the way out."""
    seen: tuple[tuple[str, str], ...] = ()
    """What is said to be in sight before one turns, and where: left, right, ahead, behind."""


@dataclass
class Walk:
    """Where the stranger got: `end` is None if it was lost; `passed`: whether each thing to be passed was there."""

    end: Vec3 | None = None
    passed: list[bool] = field(default_factory=list)
    climbed: int = 0
    seen: list[bool] = field(default_factory=list)
    """Whether each thing that is said to be in sight or beside a door was there."""


@dataclass(frozen=True, slots=True)
class Standing:
    place: Place
    at: Flat
    heading: Flat
    through: Gap | None = None


def orders(text: str) -> list[Order]:
    """What a text in English or Chinese says, action by action.

    A turn, or a thing to be passed, for which nothing follows in its clause belongs to the next; so do remarks.
    """
    language = 1 if re.search("[一-鿿]", text) else 0
    out: list[Order] = []
    waiting = Order("")
    for clause in re.split(CUTS[language], _plain(text.lower())):
        found = (_english, _chinese)[language](clause)
        waiting = Order(
            found.act,
            found.turn or waiting.turn,
            found.side,
            found.count,
            found.what,
            found.enter,
            found.thing,
            found.past or waiting.past,
            found.mark,
            waiting.seen + found.seen,
        )
        if waiting.act:
            out.append(waiting)
            waiting = Order("")
    return out


def _plain(text: str) -> str:
    for short, full in (
        ("you'll", "you will"),
        ("you're", "you are"),
        ("there's", "there is"),
        ("through half", "half"),
    ):
        text = text.replace(short, full)
    return text


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
        out.seen += [_in_sight(building, here, *claim) for claim in order.seen]
        if order.act == "stop":
            out.end = _beside(building, navmesh, here, order)
            return out
        gap = _choose(building, here, order)
        if gap and order.past:
            out.passed.append(_passes(building, navmesh, here, gap, *order.past))
        if gap and order.mark:
            out.seen.append(_stands_by(building, here, gap, order.mark))
        here = gap and _through(building, here, gap)
        if order.act == "climb" and here:
            here = _upstairs(building, here, order.what == "up")
            out.climbed += 1
    return out


CUTS = (
    r"[.;!]|,? ?(?:and )?\bthen\b,?|\bafter that,|\bfrom t?here,|\bnext,|\bnow,|"
    r"\bonce you are there,|\bafterwards,|\bhaving done that,",
    "[。；！]|，?(?:然后|接着|接下来|随后)|(?<=。)之后",
)
ROOMS = tuple("|".join(names[k] for names in LOOKS) for k in range(2))
PLACES = (
    r"(?!.*\b(?:going|out|leave|exit|enter|into|through)\b) *(?:(?:we|you) (?:are|start|begin|"
    r"set off|have|should be|will (?:start|begin)|(?:now )?find yourself)|this is|"
    rf"that brings|your starting|at the beginning|by now|welcome|so here)\b[\w ]* (?:{ROOMS[0]})\b"
    r"(?: now| at first| at the start| to begin with| at this point)?(?:,? (?:on|with) an? [\w -]+)?(?: now)? *$",
    "(?:现在|这时候?|这里)?(?:你|我们|出发点|起点|就?是|已经|到了)(?:(?!走|进|离|从|转|拐|穿|出|沿|路).)*"
    f"(?:{ROOMS[1]})(?:里|中)?了?(?:，(?:脚下|地上|铺的).*)?$|(?:我们|你)从(?:{ROOMS[1]})(?:出发|开始走)$",
)
"""Remarks on which room one is in."""
SIGHTS = (
    (r"\b(?:on|to) your (left|right)", r"\bbehind you\b", r"facing|ahead of you|in front of you|ahead|looking towards"),
    ("([左右])(?:手边|边|侧)", "身后|背后|后面", "面[对朝]着|前方|前面|面前|往前看"),
)


def _english(s: str) -> Order:
    if re.match(PLACES[0], s):
        return Order("")
    past = re.search(
        r"\b(?:past|pass|passing|by|keep|keeping|with|leave|leaving) the ([\w -]+?) on (?:your|the) "
        r"(left|right)(?:-hand side)?",
        s,
    )
    thing = _thing(past[1], 0) if past else ""
    found = (thing, past[2]) if past and thing else None
    if re.search(r"\b(stop|wait|halt|finish)\b", s):
        return Order("stop", _turn(s, EN_TURNS), thing=_first(s, 0))
    rest = s.replace(past[0], " ") if past and thing else s
    turn = _turn(rest, EN_TURNS)
    mark = re.search(
        r", (?:which is |situated |located |found )?(?:right |just |directly |immediately )?(?:beside|"
        r"next to|near|close to) the ([\w -]+)",
        rest,
    )
    beside = _thing(mark[1], 0) if mark else ""
    climb = re.search(r"\b(upstairs|downstairs)\b|\b(up|down)\b(?! the (?:hall|corr|pass|foyer|entr))", rest)
    side, count, what = _side_english(rest)
    if climb and "stairs" in rest:
        return Order("climb", turn, side, 0, "up" if climb[0].startswith("up") else "down", past=found, mark=beside)
    ways = (
        r"\b(leave|exit|out|into|enter|through|doorway|doors?|opening|opposite|threshold|off|(?:hallway|corridor) on)\b"
    )
    if seen := _claims(rest, 0):
        return Order("", seen=seen)
    if not re.search(ways, rest) and not re.search(
        r"\bto the (?!end|left|right)|\bfrom the", re.sub(EN_TURNS["left"] + "|" + EN_TURNS["right"], "", rest)
    ):
        return Order("", turn, past=found)
    names = "|".join(sorted("|".join(name for name, _ in LOOKS).split("|"), key=len, reverse=True))
    enter = re.findall(rf"(?:into|enter|to|for) the (?:next |other )?({names})\b", rest)
    return Order("go", turn, side, count, what, enter[-1] if enter else "", past=found, mark=beside)


def _claims(s: str, language: int) -> tuple[tuple[str, str], ...]:
    """A remark on what is where; nothing if the clause asks for an action."""
    remark = (
        r"^ *(?:and )?(?:(?:on|to) your|behind you|at the back|ahead|in front|there is|notice|somewhere|"
        r"over|right|directly|observe|glancing|your eyes|an? [\w -]+ is (?:on your|behind)|"
        r"you (?:are facing|are looking|can see|see|will (?:see|notice|find|spot)|should see|have an? ))",
        "^(?:你的?)?(?:正面|面[对朝]|正?前方|前面|面前|往前看|[往]?[左右](?:手边|边|侧)(?:看|有|是|能|可以|会)|身后|背后|后面)",
    )[language]
    s = re.split("(?<!看)，(?:就|正好)?在", s)[0]
    if not re.search(remark, s) or not (thing := _first(s, language)):
        return ()
    side, behind, ahead = SIGHTS[language]
    if found := re.search(side, s):
        return ((thing, {"左": "left", "右": "right"}.get(found[1], found[1])),)
    where = "behind" if re.search(behind, s) else "ahead" if re.search(ahead, s) else ""
    return ((thing, where),) if where else ()


def _turn(s: str, words: dict[str, str]) -> str:
    """Which way one is told to turn, by the first of the patterns that is there; "" if nothing is said."""
    return next((way for way, pattern in words.items() if re.search(pattern, s)), "")


FOUND = r"(?: you \w+(?: to)?| that \w+(?: up)?| along| counted| located| visible| to be found)?"


def _side_english(s: str) -> tuple[str, int, str]:
    if re.search(r"across|opposite|cross the (?!threshold|doorway)", s):
        return "across", 0, ""
    if re.search(r"\bend\b", s):
        return "end", 0, ""
    found = re.search(
        rf"(?:({NUMBERS}) )?(?:of the )?(doorway|door|hallway|corridor|wide opening|opening|stairs)s?{FOUND} "
        r"on (?:your|the) (left|right)",
        s,
    )
    what = found and found[2].replace("corridor", "hallway")
    return (found[3], COUNT.get(found[1] or "", 0), what or "") if found else ("", 0, "")


def _chinese(s: str) -> Order:
    if re.match(PLACES[1], s):
        return Order("")
    past = re.search(
        "(?:从|经过|路过|走过|绕过)([左右])(?:手边|边|侧)的([^，]*?)(旁边?|边上)?(?:走过|经过|过去|再|之?以?后|，|$)", s
    )
    thing = _thing(past[2], 1) if past and "楼梯" not in past[2] else ""
    found = (thing, "left" if past[1] == "左" else "right") if past and thing else None
    if re.search("停", s):
        return Order("stop", _turn(s, ZH_TURNS), thing=_last(s))
    rest = s.replace(past[0], "，") if past and thing else s
    turn = _turn(rest, ZH_TURNS)
    mark = re.search("(?:就在|紧挨着)([^，]*)", rest)
    side, count, what = _side_chinese(rest)
    if re.search("[上下]楼", rest):
        return Order("climb", turn, side, 0, "up" if "上楼" in rest else "down", past=found)
    if seen := _claims(rest, 1):
        return Order("", seen=seen)
    if not re.search(f"门|走出|离开|(?<!认)出来|出去|进|到(?:{ROOMS[1]})|对面|尽头|去|(?<!认)出", rest):
        return Order("", turn, past=found)
    names = "|".join(sorted("|".join(zh for _, zh in LOOKS).split("|"), key=len, reverse=True))
    enter = re.findall(f"(?:进|到|去|入|是|尽头的|对面的?)({names})", rest)
    return Order(
        "go", turn, side, count, what, enter[-1] if enter else "", past=found, mark=_thing(mark[1], 1) if mark else ""
    )


def _side_chinese(s: str) -> tuple[str, int, str]:
    if "对面" in s:
        return "across", 0, ""
    if "尽头" in s:
        return "end", 0, ""
    found = re.search(
        "([左右])(?:手边|边|侧)(?:的)?(?:第([一二三四五六七]))?(?:扇|条|个|道)?(大开口|门洞|门口|门|走廊|楼梯)", s
    )
    if not found:
        return "", 0, ""
    kind = {
        "大开口": "wide opening",
        "门": "door",
        "门洞": "opening",
        "门口": "doorway",
        "走廊": "hallway",
        "楼梯": "stairs",
    }[found[3]]
    return "left" if found[1] == "左" else "right", COUNT.get(found[2] or "", 0), kind


def _found(words: str, language: int) -> list[tuple[int, int, str]]:
    """The things named in some words: where, and how long a name."""
    spans = []
    for kind, names in THINGS.items():
        pattern = rf"\b(?:{names[0]})\b" if language == 0 else names[1]
        spans += [(m.start(), m.end(), kind) for m in re.finditer(pattern, words)]
    whole = [one for one in spans if not any(_within(one, other) for other in spans)]
    return sorted((end, end - start, kind) for start, end, kind in whole)


def _within(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    """Whether one name is only a part of another, longer one."""
    return other[0] <= one[0] and one[1] <= other[1] and one[1] - one[0] < other[1] - other[0]


def _thing(words: str, language: int) -> str:
    """The thing named last in some words."""
    found = _found(words, language)
    return found[-1][2] if found else ""


def _first(words: str, language: int) -> str:
    found = _found(words, language)
    return found[0][2] if found else ""


def _last(s: str) -> str:
    """Of a Chinese clause the thing to stop at: others that tell where it is come before it."""
    return _thing(s, 1)


def _left(heading: Flat) -> Flat:
    return heading[1], -heading[0]


def _turned(heading: Flat, turn: str) -> Flat:
    x, z = heading
    if turn.startswith("slightly"):
        sine = math.sin(SLIGHT) * (1 if turn.endswith("left") else -1)
        return x * math.cos(SLIGHT) + z * sine, z * math.cos(SLIGHT) - x * sine
    return {"": (x, z), "straight": (x, z), "left": (z, -x), "right": (-z, x), "around": (-x, -z)}[turn]


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
    low, high = building.extent(here.place)
    hall = min(high[0] - low[0], high[1] - low[1]) > WIDE and order.side in ("left", "right")
    if order.what in ("doorway", "wide opening") or (order.act == "climb" and hall):
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
    centre = Standing(here.place, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2), direction)
    towards = 1 if order.side == "left" else -1
    row = [gap for gap in row if towards * _dot(_off(centre, gap.middle), _left(direction)) > 0]
    row.sort(key=lambda gap: _dot(_off(here, gap.middle), direction))
    return row[max(order.count, 1) - 1] if len(row) >= max(order.count, 1) else None


def _beside_one(building: Building, here: Standing, gaps: list[Gap], order: Order) -> Gap | None:
    """A gap in the wall on one's left or right, ahead: the n-th, or the one that looks right if there are two."""
    towards = 1 if order.side == "left" else -1
    offs = {gap: _off(here, gap.middle) for gap in gaps if abs(_dot(gap.across, here.heading)) < 0.7}
    offs = {gap: off for gap, off in offs.items() if (gap.width > WIDE) == (order.what == "wide opening")}
    found = [gap for gap, off in offs.items() if towards * _dot(off, _left(here.heading)) > 0 < _dot(off, here.heading)]
    found.sort(key=lambda gap: _dot(offs[gap], here.heading))
    if order.count:
        return found[order.count - 1] if order.count <= len(found) else None
    return _likeliest(building, here, found, order.enter)


def _likeliest(building: Building, here: Standing, gaps: list[Gap], name: str) -> Gap | None:
    """The gap behind which the room looks most as its name says; no stair, of which one would be told."""
    stairs = re.fullmatch("staircase|stairwell|楼梯间", name)
    gaps = [gap for gap in gaps if stairs or not building.has_stairs((gap.storey, gap.beyond(here.place[1])))] or gaps
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
    seen.sort(key=lambda gap: -_dot(_off(here, gap.middle), direction) / math.hypot(*_off(here, gap.middle)))
    if building.has_stairs(here.place) or (not order.turn and len(gaps) == 1):
        seen = gaps
    return _likeliest(building, here, seen, order.enter)


def _look(building: Building, place: Place, name: str) -> float:
    """How much a room looks as its name says, and not as another."""
    held = {thing.kind for thing in building.things_in(place)}
    if name in ("foyer", "entrance hall", "门厅", "玄关"):
        return 0.0 if held & {kind for kinds in LOOKS.values() for kind in kinds} - {"table", "chair"} else 1.0
    if name in ("hallway", "corridor", "hall", "passage", "走廊", "过道"):
        low, high = building.extent(place)
        return 1.0 if min(high[0] - low[0], high[1] - low[1]) < 2.2 and not held & FURNISHED else 0.0
    likeness = {names: sum(kind in held for kind in kinds) / len(kinds) for names, kinds in LOOKS.items() if kinds}
    own = max((share for names, share in likeness.items() if name in "|".join(names).split("|")), default=0.0)
    return own - max(
        (share for names, share in likeness.items() if name not in "|".join(names).split("|")), default=0.0
    )


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


def _in_sight(building: Building, here: Standing, kind: str, where: str) -> bool:
    """Whether a thing of the kind is in the room, that way."""
    direction = {"ahead": "straight", "behind": "around"}.get(where, where)
    for thing in building.things_in(here.place):
        off = _off(here, thing.middle)
        if thing.kind == kind and _dot(off, _turned(here.heading, direction)) > 0.6 * math.hypot(*off):
            return True
    return False


def _stands_by(building: Building, here: Standing, gap: Gap, kind: str) -> bool:
    """Whether a thing of the kind stands in the room beside a gap."""
    for thing in building.things_in(here.place):
        spans = zip(gap.middle, (thing.low[0], thing.low[2]), (thing.high[0], thing.high[2]), strict=True)
        if thing.kind == kind and math.hypot(*(max(low - at, at - high, 0.0) for at, low, high in spans)) < 1.2:
            return True
    return False


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
    if order.turn:
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
