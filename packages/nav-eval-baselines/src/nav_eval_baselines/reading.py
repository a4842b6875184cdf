"""What an instruction says of its end: the room that it enters last, and the thing at which to stop."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

LEAVING = (
    "out of",
    "leave",
    "exit",
    " into ",
    "enter",
    "walk through",
    "go through",
    " to the ",
    " door",
    "出",
    "离开",
    "进",
    "到",
    "门",
)
"""Words after which the landmark to stop at is not in the room of the start."""
CLAUSES = re.compile(r"\. |; |then |。|；|然后|接着|接下来|随后")
"""In the last part between these that names anything the landmark to stop at is named: first in English, where others
that tell its place follow it, last in Chinese, where they come before it, or in an aside."""
ASIDE = re.compile(r"，(就|正好)?(在|放在|上面|靠着)[^，停等]*(?=，|$)")
NAMES: Mapping[str, tuple[str, ...]] = {
    "sofa": ("couch", "settee", "沙发"),
    "bed": ("床",),
    "table": ("桌子", "餐桌", "茶几", "会议桌", "边桌", "边几"),
    "desk": ("workstation", "书桌", "写字台", "办公桌"),
    "plant": ("potted plant", "houseplant", "盆栽", "植物", "绿植"),
    "tv_monitor": ("tv", "television", "monitor", "computer screen", "screen", "电视", "显示器", "显示屏", "电脑屏幕"),
    "wardrobe": ("closet", "armoire", "衣柜", "衣橱"),
    "bookshelf": ("bookcase", "bookshelves", "书架", "书柜"),
    "toilet": ("马桶", "坐便器"),
    "bathtub": ("bath", "tub", "浴缸"),
    "shower": ("淋浴",),
    "sink": ("washbasin", "basin", "洗手池", "洗手盆", "洗手台", "水槽", "水池"),
    "refrigerator": ("fridge", "冰箱"),
    "counter": ("worktop", "countertop", "reception desk", "front desk", "台面", "操作台", "前台"),
    "washing_machine": ("washer", "洗衣机"),
    "cabinet": ("cupboard", "柜子", "橱柜"),
    "chest_of_drawers": ("dresser", "drawer unit", "五斗柜", "斗柜"),
    "nightstand": ("bedside table", "night table", "床头柜"),
    "picture": ("painting", "artwork", "framed print", "挂画", "装饰画"),
    "shelf": ("storage rack", "shelving unit", "set of shelves", "储物架", "置物架"),
    "whiteboard": ("白板",),
    "printer": ("copier", "打印机", "复印机"),
    "vending_machine": ("snack machine", "售货机"),
    "clothes": ("coat rack", "coat stand", "row of coats", "衣帽架", "挂衣架", "落地衣架", "立式衣架"),
    "towel": ("毛巾",),
    "box": ("cardboard box", "纸箱"),
    "chair": ("seat", "armchair", "椅子", "扶手椅", "餐椅"),
    "lamp": ("灯",),
    "guitar": ("吉他",),
    "cat_tree": ("cat tower", "猫爬架"),
    "ironing_board": ("熨衣板", "烫衣板"),
    "vacuum_cleaner": ("hoover", "吸尘器"),
    "water_dispenser": ("water cooler", "饮水机"),
    "umbrella_stand": ("伞架", "雨伞架"),
    "shoe_rack": ("鞋架",),
    "bench": ("长凳", "换鞋凳"),
    "fan": ("electric fan", "电风扇", "风扇"),
    "towel_rack": ("towel ladder", "毛巾架"),
    "fire_extinguisher": ("灭火器",),
    "step_ladder": ("stepladder", "人字梯", "折叠梯", "梯凳"),
    "pet_bed": ("dog bed", "宠物窝"),
    "suitcase": ("行李箱", "旅行箱"),
    "toy_chest": ("toy box", "玩具箱"),
    "pin_board": ("pinboard", "noticeboard", "软木板", "公告板"),
    "radiator": ("heater", "暖气"),
    "backpack": ("rucksack", "背包", "双肩包"),
    "bathrobe": ("dressing gown", "浴袍"),
    "crate": ("收纳箱",),
    "pouf": ("footstool", "ottoman", "beanbag", "脚凳", "软凳", "坐墩", "懒人沙发"),
    "microwave": ("microwave oven", "微波炉"),
    "mirror": ("镜子",),
    "pool_table": ("billiard table", "台球桌"),
    "bin": ("trash can", "trash bin", "garbage can", "wastebasket", "waste bin", "垃圾桶", "废纸篓"),
    "cot": ("crib", "婴儿床"),
    "cupboard": ("壁橱", "壁柜"),
    "fireplace": ("壁炉",),
    "treadmill": ("跑步机",),
    "aquarium": ("fish tank", "鱼缸", "水族箱"),
    "laundry": ("laundry basket", "laundry hamper", "hamper", "脏衣篮", "洗衣篮"),
    "exercise_bike": ("stationary bike", "健身车", "动感单车"),
    "piano": ("钢琴",),
    "vase": ("花瓶",),
    "rug": ("carpet", "地毯"),
    "stairs": ("staircase", "steps", "楼梯"),
    "window": ("窗户",),
    "oven": ("stove", "烤箱", "炉灶"),
    "coffee_machine": ("coffee maker", "咖啡机"),
    "clock": ("挂钟",),
    "basket": ("篮子",),
}
"""Other words for a category, English and Chinese."""


ROOMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "living room": (
        ("living area", "lounge", "sitting room", "客厅", "起居室"),
        ("sofa", "remote_control", "fireplace", "tv_monitor", "speaker"),
    ),
    "kitchen": (("厨房",), ("refrigerator", "counter", "oven", "knife_block", "kettle", "toaster", "stove")),
    "dining room": (("dining area", "餐厅", "饭厅"), ("plate", "cutlery", "drinking_glass", "bowl")),
    "bedroom": (("卧室",), ("bed", "nightstand", "wardrobe", "cushion", "shoes", "alarm_clock")),
    "bathroom": (
        ("restroom", "washroom", "卫生间", "洗手间", "浴室"),
        ("toilet", "bathtub", "shower", "towel", "toothbrush"),
    ),
    "study": (("home office", "书房"), ("paper_stack", "desk", "pin_board", "bookshelf", "pen_pot")),
    "laundry room": (("laundry area", "utility room", "洗衣房", "洗衣间"), ("washing_machine", "detergent")),
    "storage room": (("storage closet", "储藏室", "储物间"), ("step_ladder", "shelf", "box")),
    "hallway": (
        ("hall", "corridor", "passage", "passageway", "走廊", "过道"),
        ("coat_hooks", "key_rack", "intercom", "smoke_detector"),
    ),
    "foyer": (("entryway", "entrance hall", "门厅", "玄关"), ("coat_hooks", "key_rack", "intercom", "shoe_rack")),
    "office": (("open office", "office area", "办公室", "办公区"), ("printer", "keyboard", "mouse", "desk")),
    "meeting room": (("conference room", "会议室"), ("projector", "whiteboard")),
    "break room": (("茶水间", "休息室"), ("vending_machine", "water_dispenser", "counter")),
    "copy room": (("print room", "复印室", "文印室"), ("printer", "shelf")),
    "reception": (("lobby", "接待区", "接待大厅"), ("reception_desk", "sofa")),
}
"""Rooms: other words for each, and what stands there more often than elsewhere, the surest sign first."""
LEFT = re.compile(
    r"(out of|leav(e|ing)|exit(ing)?|from|of|through|past|across|in) (the|a|an|your)( [a-z-]+)?( and)? $"
    r"|(离开了?|从|出了?|穿过|经过|在|面对)$"
)
"""Before the name of a room that the way leaves or crosses."""
NOT_ENTERED = re.compile(r" (table|sink|counter|door|chair)\b|尽头|里?出|的(门|水)")
"""After it: the word does not stand for the room, or it is left."""
DOOR_AFTER = re.compile(r"([.;,。；，]| and | then |然后|再).*(\bdoor(way)?\b|门(?!口))")
"""A further door: into a room that is not named."""


def destination(text: str) -> str:
    """The room of the thing at which a text (in small letters) says to stop, "" if it does not say."""
    named = [
        (end, room)
        for start, end, room in _mentions(text, {room: (room, *words) for room, (words, _) in ROOMS.items()})
        if not LEFT.search(text[max(0, start - 30) : start]) and not NOT_ENTERED.match(text[end:])
    ]
    end, room = named[-1] if named else (len(text), "")
    return "" if DOOR_AFTER.search(text, end) else room


def kind_of_room(contents: Collection[str]) -> str:
    """The room in which most of these categories are at home, "" if they tell nothing."""
    told = {
        room: sum(len(things) - i for i, a in enumerate(things) if a in contents) for room, (_, things) in ROOMS.items()
    }
    room = max(told, key=lambda name: told[name])
    return room if told[room] else ""


@cache
def landmark(text: str, categories: frozenset[str] = frozenset()) -> str:
    """The category of the thing at which a text (in small letters) says to stop, "" if it names none."""
    words = {name: (name.replace("_", " "), *NAMES.get(name, ())) for name in categories | NAMES.keys()}
    for part in reversed(CLAUSES.split(text)):
        if found := _mentions(ASIDE.sub("", part), words):
            return found[0 if text.isascii() else -1][2]
    return ""


def _mentions(text: str, words: Mapping[str, tuple[str, ...]]) -> list[tuple[int, int, str]]:
    """What is named in a text in order, as (start, end, key of `words`); a word within a longer one does not count."""
    spans = [
        (match.start(), match.end(), key)
        for key, names in words.items()
        for name in names
        for match in re.finditer(rf"\b{re.escape(name)}\b" if name.isascii() else name, text)
    ]
    return sorted(a for a in spans if not any(b[0] <= a[0] and a[1] <= b[1] and a[:2] != b[:2] for b in spans))
