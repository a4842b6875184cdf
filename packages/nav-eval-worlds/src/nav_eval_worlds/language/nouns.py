"""Rooms and things as words: their names, how they look, where they are among others."""

from __future__ import annotations

from nav_eval_worlds.language.steps import Go, Noun, Step
from nav_eval_worlds.language.wording import Wording

_NAMED = ("things", "seen", "designs", "borne", "chairs", "rooms")


def noun(wording: Wording, thing: Noun) -> str:
    """A thing with some of the words that are certain; its name is the same throughout the text."""
    parts = dict.fromkeys(("size", "shape", "colour", "material", "close"), "")
    certain = [
        part
        for part in ("size", "shape", "colour", "material")
        if getattr(thing, part) and (part != "size" or not thing.design) and wording.likely("adjectives")
    ]
    for part in wording.stream.shuffled(certain)[: wording.manner["words"]]:
        word = getattr(thing, part)
        parts["close" if word in wording.tables["close"] else part] = wording.word(part, word)
    return wording.pick(wording.tables["noun"], name=name(wording, thing.design or thing.kind), **parts)


def laden(wording: Wording, thing: Noun) -> str:
    """A thing with what is on it, in a language that says that after it."""
    return noun(wording, thing) + (place(wording, thing) if wording.spaced and thing.relation == "bearing" else "")


def name(wording: Wording, kind: str) -> str:
    return wording.word(next(table for table in _NAMED if kind in wording.tables[table]), kind)


def one(wording: Wording, thing: Noun) -> str:
    """A thing that was not spoken of before."""
    return wording.pick(wording.tables["article"], thing=noun(wording, thing), measure=measure(wording, thing))


def measure(wording: Wording, thing: Noun) -> str:
    """The measure word of a thing, in a language that has such words."""
    measures: dict[str, str] = wording.tables["measure"]
    return measures.get(thing.design or thing.kind, measures.get(thing.kind, ""))


def place(wording: Wording, thing: Noun, rule: str = "") -> str:
    """Where a thing is among others, if that is told."""
    if not thing.relation or not wording.likely("places"):
        return ""
    others = (name(wording, kind) for kind in thing.others)
    two = "_two" if thing.relation == "bearing" and len(thing.others) > 1 else ""
    return wording.say(rule + thing.relation + two, **dict(zip("ab", others, strict=False)))


def entered(wording: Wording, step: Step) -> str:
    """The room that one comes into; "another" where one has been in one of that name; "" where none is entered."""
    if not isinstance(step, Go):
        return ""
    room = wording.word("rooms", step.enter)
    if step.look and not step.again and step.leave != step.enter:
        return wording.word("extent", step.look) + room
    if step.leave == step.enter:
        return wording.say("next_hall" if step.enter == "hallway" else "next", room=room)
    return wording.say("another", room=room) if step.again and step.enter != "hallway" else room


def by_far(rule: str, far: str) -> str:
    """Of a rule for a distance the one that fits: halfway is no measure."""
    return f"{rule}_half" if far == "half" else f"{rule}_far"


def gap(wording: Wording, step: Go) -> str:
    """A way out where no other is near."""
    if step.leaf is None:
        return wording.pick(wording.tables["gap"]["arch" if step.arched else "opening"])
    looks = [wording.word(part, word) for part in ("colour", "material") if (word := getattr(step.leaf, part))]
    return wording.pick(wording.tables["gap"]["door" if looks else "plain"], leaf="".join(looks))
