"""Steps put into words: which parts of a step are told, in which order; the words themselves are in the tables."""

from __future__ import annotations

from collections.abc import Sequence

from nav_eval.worlds.episodes.steps import Climb, Go, Noun, Sight, Step, Stop
from nav_eval.worlds.episodes.wording import Wording
from nav_eval.worlds.exact import Stream

STYLES = ("route", "terse", "guide")
"""As R2R's, as short as can be, and with looks and relations as RxR's."""
_TRIES, _STEP = 24, 10


def say(steps: Sequence[Step], language: str, style: str, stream: Stream) -> str:
    """A text for the steps; of some tries the first of the length that the style asks for, or the nearest.

    A try that is too long is followed by one that leaves out more, one that is too short by one that tells more.
    """
    best, least, readiness = "", 0, 100
    for attempt in range(_TRIES):
        wording = Wording(language, style, stream.child(attempt), readiness)
        text = _text(wording, steps)
        size = len(text.split()) if " " in text else len(text)
        over, under = size - wording.manner["most"], wording.manner["least"] - size
        if not best or max(over, under) < least:
            best, least = text, max(over, under)
        if least <= 0:
            break
        readiness = max(0, readiness + (_STEP if under > 0 else -_STEP))
    return best


def _text(wording: Wording, steps: Sequence[Step]) -> str:
    told, end = "", wording.tables["rules"].get("end", ".")
    for index, step in enumerate(steps):
        seen = "".join(sentence + end for sentence in _sights(wording, step, index == 0))
        cut = "" if index == 0 else wording.pick(end if seen else wording.manner["cut"])
        told += cut + seen + _step(wording, step)
    return wording.finished(told + end)


def _step(wording: Wording, step: Step) -> str:
    if isinstance(step, Stop):
        thing, where = _noun(wording, step.thing), _where(wording, step.thing)
        go, turn, past = wording.say("stop", thing=thing, where=where), step.turn, None
    else:
        go, turn = _go(wording, step), _turn_told(wording, step)
        past = step.past if step.past and wording.likely("passes") else None
    slots = {"go": go}
    if past:
        slots |= {"past": _noun(wording, past.thing), "side": wording.pick(wording.tables["sides"][past.side])}
    if turn:
        slots["turn"] = _turn(wording, turn, step)
    elif isinstance(step, Stop):
        return go
    return wording.say(
        {(1, 1): "both", (1, 0): "turned", (0, 1): "passing"}.get((bool(turn), bool(past)), "plain"), **slots
    )


def _turn_told(wording: Wording, step: Go | Climb) -> str:
    """ "" where there is no other way, or only the way ahead."""
    way = step.way
    needless = way.side == "across" or step.leave == "stairs" or (step.leave != "hallway" and way.side)
    if needless or (isinstance(step, Go) and step.sole and not wording.likely("turns")):
        return ""
    return "" if way.turn == "straight" and not wording.likely("turns") else way.turn


def _turn(wording: Wording, turn: str, step: Step) -> str:
    if turn == "straight" and not isinstance(step, Stop) and step.leave == "hallway":
        return wording.pick(wording.tables["ahead"]["hall"], room=wording.word("rooms", "hallway"))
    return wording.pick(wording.tables["turn"][turn])


def _go(wording: Wording, step: Go | Climb) -> str:
    way, nth = step.way, step.way.ordinal
    slots = {
        "room": wording.word("rooms", step.leave),
        "side": wording.pick(wording.tables["sides"].get(way.side, "")),
        "number": wording.tables["ordinals"][str(nth)] if nth else "",
        "nth": wording.say("nth", number=wording.tables["ordinals"][str(nth)]) if nth else wording.say("only"),
    }
    if isinstance(step, Climb):
        kind = "climb_" + {"across": "across", "end": "end", "": "here"}.get(way.side, "side")
        direction = "up" if step.up else "down"
        return wording.say(
            kind, up=wording.tables["updown"][direction], other=wording.say(f"{direction}_there"), **slots
        )
    by = ""
    if step.mark and wording.likely("marks"):
        by = wording.say("by", mark=_noun(wording, step.mark))
    return wording.say(_kind(step), next=wording.word("rooms", step.enter), by=by, **slots)


def _kind(step: Go) -> str:
    """The rule for a way out."""
    side = step.way.side
    if step.leave == "stairs":
        return "go_stairs"
    if step.leave != "hallway" and step.wide:
        return "go_wide_beside" if side else "go_wide"
    if step.leave != "hallway":
        return "go_beside" if side else "go_sole" if step.sole else "go_out"
    if step.enter == "hallway":
        return f"hall_{side}" if side in ("across", "end") else "hall_side"
    return f"go_{side}" if side in ("across", "end") else "go_door" if step.way.ordinal else "go_opening"


def _noun(wording: Wording, noun: Noun, whole: bool = False) -> str:
    """A thing with some (`whole`: all) of the words that are certain; its name is the same throughout the text."""
    parts = {}
    for part in ("size", "colour", "material"):
        word = getattr(noun, part)
        parts[part] = wording.word(part, word) if word and (whole or wording.likely("adjectives")) else ""
    return wording.pick(wording.tables["noun"], name=_name(wording, noun.kind), **parts)


def _name(wording: Wording, kind: str) -> str:
    return wording.word("things" if kind in wording.tables["things"] else "seen", kind)


def _where(wording: Wording, noun: Noun, rule: str = "") -> str:
    """Where a thing is among others, if that is told."""
    if not noun.relation or not wording.likely("places"):
        return ""
    others = (_name(wording, kind) for kind in noun.others)
    return wording.say(rule + noun.relation, **dict(zip("ab", others, strict=False)))


def _sights(wording: Wording, step: Step, first: bool) -> list[str]:
    """Sentences about the room one is in and about what is seen there, for styles that look around."""
    if not wording.manner.get("sights"):
        return []
    seen = [_sight(wording, sight) for sight in step.sights if wording.likely("sights")]
    if seen and wording.likely("asides"):
        seen.append(wording.say("aside"))
    return [*([_here(wording, step, first)] if first or wording.likely("rooms") else []), *seen]


def _here(wording: Wording, step: Step, first: bool) -> str:
    """Which room one is in."""
    room = wording.word("rooms", step.room if isinstance(step, Stop) else step.leave)
    rule = "start" if first else "arrive"
    if step.floor and wording.likely("floors"):
        return wording.say(f"{rule}_floor", room=room, floor=_noun(wording, step.floor, True))
    return wording.say(rule, room=room)


def _one(wording: Wording, noun: Noun) -> str:
    """A thing that was not spoken of before."""
    measure = wording.tables.get("measure", {}).get(noun.kind, "")
    return wording.pick(wording.tables["article"], thing=_noun(wording, noun), measure=measure)


def _sight(wording: Wording, sight: Sight) -> str:
    where = _where(wording, sight.thing, "seen_")
    if sight.where in ("ahead", "behind"):
        return wording.say(f"sight_{sight.where}", a=_one(wording, sight.thing)) + where
    side = wording.pick(wording.tables["sides"][sight.where])
    return wording.say("sight_beside", a=_one(wording, sight.thing), side=side) + where
