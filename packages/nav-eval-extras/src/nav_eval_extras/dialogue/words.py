"""Questions as people put them, and their answers, in English and Chinese."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from nav_eval_extras.dialogue.facts import Facts

FORMS: Mapping[str, re.Pattern[str]] = {
    "far": re.compile(
        r"^far$|how far|how (many|much)( more)? (met(re|er)s?|steps)|distance|多远|远吗|距离|[几多]少?米", re.I
    ),
    "which": re.compile(r"^which$|(which|what) room|哪个房间|哪间|哪一间|什么房间", re.I),
    "where": re.compile(
        r"where|which (way|door)|direction|left or right|should i (turn|go|do|take)|do i (turn|go|take)|next"
        r"|往哪|去哪|在哪|走哪|哪边|哪里|哪条|怎么走|方向|左.*右",
        re.I,
    ),
    "here": re.compile(
        r"^here$|^(is|was) (it|this|that)( it| here| the (one|place|goal)| (this|that)( one)?)*\W*$"
        r"|^(am i|are we) (there|here)( yet| now)?\W*$|^have i arrived\W*$|到了(吗|没有|没)|是(这|那).{0,4}吗",
        re.I,
    ),
}
"""What is asked for, in the order in which it is tried; each form's name is a question too."""
_TEXTS = {
    "en": {
        "left": "turn left about {degrees} degrees and ",
        "right": "turn right about {degrees} degrees and ",
        "around": "turn around and ",
        "straight": "",
        "where": "{turn}go straight on about {metres}{into}.",
        "into": ", into the {room}",
        "metre": "1 metre",
        "metres": "{metres} metres",
        "far": "About {metres} to walk.",
        "which": "It is in the {room}.",
        "here": "Yes, it is here.",
        "not_here": "No, not yet.",
        "unknown": "I do not know.",
        "help": "Ask me where to go, which room it is in, how far it is, or whether it is here.",
    },
    "zh": {
        "left": "向左转大约{degrees}度，然后",
        "right": "向右转大约{degrees}度，然后",
        "around": "转过身，然后",
        "straight": "",
        "where": "{turn}直走大约{metres}{into}。",
        "into": "，进入{room}",
        "metre": "1米",
        "metres": "{metres}米",
        "far": "还要走大约{metres}。",
        "which": "在{room}里。",
        "here": "对，就是这里。",
        "not_here": "不，还没到。",
        "unknown": "我不知道。",
        "help": "可以问我往哪走、在哪个房间、还有多远、是不是这里。",
    },
}
LANGUAGES = tuple(_TEXTS)
_AHEAD, _BEHIND = 15, 150
"""Degrees below which one goes straight on, and above which one turns around."""


def form_of(question: str) -> str:
    """far, which, here or where; "" for what is none of them."""
    return next((form for form, pattern in FORMS.items() if pattern.search(question)), "")


def answer(question: str, language: str, facts: Facts, within: float, rooms: Mapping[int, str]) -> str:
    """`within`: metres from a goal at which one is there; `rooms`: the names of regions, where they have any."""
    texts, form = _TEXTS[language], form_of(question)
    if form == "here":
        return texts["here" if facts.left < within else "not_here"]
    if not form:
        return texts["help"]
    if not math.isfinite(facts.left) or (form == "which" and facts.goal_room not in rooms):
        return texts["unknown"]
    if form == "which":
        return texts["which"].format(room=rooms[facts.goal_room])
    if form == "far":
        return texts["far"].format(metres=_half(texts, facts.left))
    return _where(texts, facts, rooms)


def _where(texts: Mapping[str, str], facts: Facts, rooms: Mapping[int, str]) -> str:
    degrees = 15 * round(math.degrees(abs(facts.turn)) / 15)
    side = "left" if facts.turn > 0 else "right"
    turn = "straight" if degrees < _AHEAD else "around" if degrees > _BEHIND else side
    into = texts["into"].format(room=rooms[facts.enters]) if facts.enters in rooms else ""
    said = texts["where"].format(
        turn=texts[turn].format(degrees=degrees), metres=_half(texts, facts.straight), into=into
    )
    return said[0].upper() + said[1:]


def _half(texts: Mapping[str, str], metres: float) -> str:
    """To half a metre, as people say it."""
    halves = max(1, round(2 * metres))
    return texts["metre"] if halves == 2 else texts["metres"].format(metres=f"{halves / 2:g}")
