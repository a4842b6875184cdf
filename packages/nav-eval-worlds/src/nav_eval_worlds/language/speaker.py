"""Steps put into words: which parts of a step are told, in which order; the words themselves are in the tables.

Here is the way of the styles that give order after order; the guide's, and of those who speak, is in guide.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language import nouns
from nav_eval_worlds.language.guide import OTHER, guided
from nav_eval_worlds.language.steps import Climb, Go, Pass, Step, Stop
from nav_eval_worlds.language.wording import Wording

STYLES = ("route", "terse", "guide", "spoken")
"""As R2R's, as short as can be, with looks and relations as RxR's, and as RxR's people speak: with hedges and slips."""
_SPOKEN = 50
"""Percent of paths that are spoken in place of guided."""
_TRIES, _STEP = 24, 10
_SKIPPED = 4
"""Up to the fourth door one may say how many doors one leaves aside."""


def styles_of(stream: Stream) -> tuple[str, str, str]:
    """In which three styles a path is told."""
    return "route", "terse", "spoken" if stream.chance(_SPOKEN) else "guide"


def say(steps: Sequence[Step], language: str, style: str, stream: Stream) -> tuple[str, ...]:
    """A text for the steps, cut into a clause for each of them; of some tries the first that reads well and has the
    length that the style asks for, or the nearest.

    A try that is too long is followed by one that leaves out more, one that is too short by one that tells more.
    """
    best: tuple[Wording, list[str]] | None = None
    least, readiness = (True, 0), 100
    for attempt in range(_TRIES):
        wording = Wording(language, style, stream.child(attempt), readiness)
        some = [_plainer(wording, step) for step in steps]
        parts = guided(wording, some) if style in ("guide", "spoken") else _parts(wording, some)
        text = wording.finished("".join(parts))
        size = len(text.split()) if " " in text else len(text)
        longer = wording.manner["each"] * len(steps)
        over, under = size - wording.manner["most"] - longer, wording.manner["least"] + longer - size
        fault = (wording.clumsy(text), max(over, under, 0))
        if best is None or fault < least:
            best, least = (wording, parts), fault
        if least == (False, 0):
            break
        readiness = max(0, readiness + (_STEP if under > 0 else -_STEP))
    assert best is not None
    return best[0].clauses(best[1])


def _plainer(wording: Wording, step: Step) -> Step:
    """Without the look of the room one enters, unless this time that is told."""
    if isinstance(step, Go) and step.look and not wording.likely("rooms"):
        return replace(step, look="")
    return step


def _parts(wording: Wording, steps: Sequence[Step]) -> list[str]:
    parts: list[str] = []
    before, named = None, False
    for step in steps:
        told = "".join(parts)
        turn = step.turn if isinstance(step, Stop) else _turn_told(wording, step)
        alone = isinstance(step, Stop) and not turn and wording.likely("alone")
        opening = _orient(wording, step) if before is None else wording.end if alone else ""
        joint = opening or _joint(wording, told, step, turn, before, named)
        named |= isinstance(before, Go) and wording.word("rooms", before.enter) in joint
        said = _step(wording, step, turn, alone, before is not None, named, wording.merges(joint))
        parts.append(joint + said)
        before, named = step, isinstance(step, Go) and nouns.entered(wording, step) in said
    return [*parts[:-1], parts[-1] + wording.end]


def _joint(wording: Wording, told: str, step: Step, turn: str, before: Step | None, named: bool) -> str:
    """What stands between two steps; it may make one sentence of them, or say which room one has come to.

    `named`: the step before said which room that is.
    """
    if before is None:
        return ""
    room_left = not wording.full(told)
    if room_left and isinstance(step, Stop) and not turn and wording.likely("merges"):
        return wording.pick(wording.tables["merge_stop"])
    if room_left and turn not in ("", "straight") and wording.likely("merges"):
        return wording.pick(wording.tables["merge"])
    if isinstance(before, Go) and before.outwards and wording.likely("outsides"):
        return wording.end + wording.say("outside", room=wording.word("rooms", before.leave))
    if isinstance(before, Go) and before.enter not in ("hallway", "stairs") and wording.likely("arrivals"):
        said = wording.tables["entered" if named else "reached"]
        return wording.end + wording.pick(said, room=wording.word("rooms", before.enter))
    joint = wording.pick(wording.tables["merge_on"] if named and wording.likely("merges") else wording.manner["cut"])
    return joint if room_left or not wording.merges(joint) else wording.end


def _orient(wording: Wording, step: Step) -> str:
    """Where one of the things that one sees is, as the first words of a text."""
    if not step.sights or not wording.likely("orients"):
        return ""
    sight = wording.stream.choice(step.sights)
    where = sight.where if sight.where in ("ahead", "behind") else "beside"
    side = wording.pick(wording.tables["sides"].get(sight.where, ""))
    return wording.say(f"orient_{where}", a=nouns.noun(wording, sight.thing), side=side)


def _step(wording: Wording, step: Step, turn: str, alone: bool, later: bool, named: bool, merged: bool) -> str:
    """`alone`: the end is a sentence of its own, that gives no order before it; `later`: it is not the first step;
    `named`: the room one is in was named just before; `merged`: the step goes on with a sentence."""
    past = None
    if isinstance(step, Stop):
        where = nouns.place(wording, step.thing)
        far = wording.word("distance", step.far) if step.far and not turn and wording.likely("far") else ""
        rule = "stop_alone" if alone else "stop_far" if far else "stop_placed" if where else "stop"
        go = wording.say(rule, thing=nouns.noun(wording, step.thing), where=where, far=far)
        if not turn:
            return go
    elif isinstance(step, Go) and _blends(step, turn) and wording.likely("blends"):
        slots = {"next": nouns.entered(wording, step), "gap": nouns.gap(wording, step)}
        return wording.say("blend", turn=_turn(wording, turn, step), **slots)
    else:
        past = step.past if step.past and wording.likely("passes") else None
        go = _go(
            wording, step, turn == "straight", "on_" if named else "through_" if later else "go_", bool(past or turn)
        )
    slots = {"go": go} | (_past(wording, past) if past else {})
    if turn:
        slots["turn"] = _turn(wording, turn, step)
    rule = {(1, 1): "both", (1, 0): "turned", (0, 1): "passing"}.get((bool(turn), bool(past)), "plain")
    short = merged or wording.full(go) or bool(past and past.side == "over")  # what lies underfoot is not walked past
    return wording.say(f"{rule}_merged" if short and rule != "plain" else rule, **slots)


def _blends(step: Go, turn: str) -> bool:
    """Whether a turn and a way out are one: left into the hallway."""
    return step.leave not in ("hallway", "stairs") and not step.way.side and turn in ("left", "right")


def _past(wording: Wording, past: Pass) -> dict[str, str]:
    """What is passed, or the two things between which one passes."""
    slots = {"past": nouns.noun(wording, past.thing), "side": wording.pick(wording.tables["sides"].get(past.side, ""))}
    if past.side == "over":
        return slots | {"pass": wording.say("pass_over", **slots)}
    if past.other is None:
        return slots
    slots |= {"other": nouns.noun(wording, past.other)}
    slots |= {"seen_past": wording.say("two_past", **slots)}
    return slots | {"pass": wording.say("pass_between", **slots)}


def _turn_told(wording: Wording, step: Go | Climb) -> str:
    """ "" where there is no other way, or only the way ahead."""
    way = step.way
    needless = way.side == "across" or step.leave == "stairs" or (step.leave != "hallway" and way.side)
    sole = isinstance(step, Go) and step.sole and step.leave != "hallway"
    if needless or (sole and not wording.likely("turns")):
        return ""
    if way.turn == "straight" and not way.alike and (way.side == "end" or not wording.likely("turns")):
        return ""
    return way.turn


def _turn(wording: Wording, turn: str, step: Step) -> str:
    if turn == "straight" and not isinstance(step, Stop) and step.leave == "hallway":
        return wording.pick(wording.tables["ahead"]["hall"], room=wording.word("rooms", "hallway"))
    return wording.pick(wording.tables["turn"][turn])


def _go(wording: Wording, step: Go | Climb, along: bool, how: str, passes: bool) -> str:
    """`along`: that one walks along a corridor is told before; `how`: what the rules for ways out of rooms begin with;
    `passes`: a turn or a thing that is passed is told before."""
    way, nth = step.way, step.way.ordinal
    number = wording.word("ordinals", "last" if way.last and wording.likely("last") else str(nth)) if nth else ""
    slots = {"along": ""} if along or step.leave != "hallway" else {}
    slots |= {
        "room": wording.word("rooms", step.leave),
        "side": wording.pick(wording.tables["sides"].get(way.side, "")),
        "number": number,
        "nth": wording.say("nth", number=number) if number else wording.say("only"),
    }
    if isinstance(step, Climb):
        kind = "climb_" + {"across": "across", "end": "at_end" if way.near else "end", "": "here"}.get(way.side, "side")
        direction = "up" if step.up else "down"
        return wording.say(
            kind, up=wording.tables["updown"][direction], other=wording.say(f"{direction}_there"), **slots
        )
    far = step.far if not along and step.enter != "hallway" and wording.likely("far") else ""
    rule = _kind(step, along or bool(far), how, passes)
    mark = (step.mark or step.facing) if wording.likely("marks") else None
    counts = not (mark and nth and wording.likely("uncounted"))
    if mark and (wording.has(f"{rule}_by") or not counts):
        rule = f"{rule}_by" if counts else "marked_door" if step.leave == "hallway" else "marked"
    if mark:
        slots |= {"mark": nouns.laden(wording, mark), "measure": nouns.measure(wording, mark)}
    if rule in ("go_door", "then_door") and 1 < nth <= _SKIPPED and not mark and wording.likely("skips"):
        rule = "then_skip"
        slots["skip"] = wording.say(f"skipped_{nth}", **slots)
    slots["by"] = wording.say("by" if mark == step.mark else "facing", **slots) if mark else ""
    slots |= {"gap": nouns.gap(wording, step), "next": nouns.entered(wording, step)}
    go = wording.say(rule, **slots)
    if step.twin and not nth and not mark and wording.likely("negates"):
        go += wording.say("not_across", other=wording.pick(wording.tables["sides"][OTHER[way.side]]))
    if far:
        go = wording.say(nouns.by_far("after", far), far=wording.word("distance", far), **slots) + go
    tells = step.enter != "hallway" and not passes and not mark and slots["next"] in go[-24:]
    if step.holds and tells and wording.likely("contents"):
        go += wording.say("inside", a=nouns.one(wording, step.holds))
    return go


def _kind(step: Go, along: bool, how: str, passes: bool) -> str:
    """The rule for a way out."""
    side = "at_end" if step.way.near and step.way.side == "end" else step.way.side
    if step.leave == "stairs":
        return "go_stairs"
    if step.leave != "hallway":
        if step.wide:
            return "go_wide_beside" if side else f"{how}wide"
        if side:
            return f"{how}beside"
        if step.crosses and how != "go_":
            return "cross_out"
        return "go_sole" if step.sole and how == "go_" else "past_out" if passes and how != "go_" else f"{how}out"
    if step.enter == "hallway":
        return f"hall_{side}" if side in ("across", "end", "at_end") else "hall_side"
    if side in ("across", "end", "at_end"):
        return f"go_{side}"
    return ("then_" if along or step.way.near else "go_") + ("door" if step.way.ordinal else "opening")
