"""Questions and answers in words, English and Chinese."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nav_eval_extras.collecting.formats.answers import sentence
from nav_eval_extras.collecting.formats.base import About
from nav_eval_extras.collecting.walking import ACTIONS

if TYPE_CHECKING:
    from nav_eval_extras.collecting.questions import Fact

NUMBERS = {"en": ("no", "one", "two", "three", "four", "five", "six"), "zh": ("零", "一", "两", "三", "四", "五", "六")}
MAX_COUNT = 6
"""What has a number in words."""
TEXTS: Mapping[str, Mapping[str, tuple[str, str, Mapping[int, str]]]] = {
    "en": {
        "room": ("Which room is this?", "This is {things}.", {}),
        "left": ("What is on the left side of the view?", "On the left, there {be} {things}.", {}),
        "ahead": ("What is straight ahead?", "Straight ahead, there {be} {things}.", {}),
        "right": ("What is on the right side of the view?", "On the right, there {be} {things}.", {}),
        "doors": (
            "How many doors are in view?",
            "There are {number} doors in view.",
            {1: "There is one door in view."},
        ),
        "passed": (
            "Has the {thing} been passed?",
            "No, the {thing} is still ahead.",
            {1: "Yes, the {thing} is behind."},
        ),
        "next": ('The instruction is: "{instruction}" What is the next action?', "{action}", {}),
    },
    "zh": {
        "room": ("现在位于哪个房间？", "现在位于{things}。", {}),
        "left": ("画面左侧有什么？", "画面左侧有{things}。", {}),
        "ahead": ("正前方有什么？", "正前方有{things}。", {}),
        "right": ("画面右侧有什么？", "画面右侧有{things}。", {}),
        "doors": ("画面中能看到几扇门？", "能看到{number}扇门。", {0: "看不到门。"}),
        "passed": ("已经经过{thing}了吗？", "还没有，{thing}还在前面。", {1: "是的，{thing}已经在身后了。"}),
        "next": ("指令是：“{instruction}”下一步该做什么？", "下一步{action}。", {}),
    },
}
"""Language -> kind -> the question, its answer, and other answers for some counts."""
IN_CHINESE = ("停下", "向前走{}厘米", "左转{}度", "右转{}度", "抬头{}度", "低头{}度")
PLURALS = ((r"shelf$", "shelves"), (r"(ch|sh|x|s)$", r"\1es"), (r"$", "s"))


@dataclass(frozen=True)
class Told:
    """A language's words: of things by their ids, of rooms by their regions' ids, and the way's instruction."""

    things: Mapping[int, str]
    rooms: Mapping[int, str]
    instruction: str


def tell(fact: Fact, language: str, told: Told, about: About) -> tuple[str, str]:
    """Question and answer."""
    question, answer, others = TEXTS[language][fact.kind]
    listed = _english if language == "en" else _chinese
    slots = {"instruction": told.instruction, "number": NUMBERS[language][fact.count]}
    if fact.kind == "next":
        slots["action"] = sentence(fact.things, about) if language == "en" else _in_chinese(fact.things, about)
    elif fact.things:
        names = [(told.rooms if fact.kind == "room" else told.things)[one] for one in fact.things]
        counted = Counter(names)
        slots |= {"thing": names[0], "things": listed(counted), "be": "is" if counted[names[0]] == 1 else "are"}
    return question.format(**slots), others.get(fact.count, answer).format(**slots)


def _english(names: Counter[str]) -> str:
    words = [_one(name) if count == 1 else _several(name) for name, count in names.items()]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _one(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _several(name: str) -> str:
    pattern, plural = next(one for one in PLURALS if re.search(one[0], name))
    return re.sub(pattern, plural, name)


def _chinese(names: Counter[str]) -> str:
    words = list(names)
    return "和".join(filter(None, ("、".join(words[:-1]), words[-1])))


def _in_chinese(labels: Sequence[int], about: About) -> str:
    ahead = ACTIONS[labels[0]] == "move_forward"
    amount = 100 * about.forward_step if ahead else about.turn_angle
    return IN_CHINESE[labels[0]].format(round(len(labels) * amount))
