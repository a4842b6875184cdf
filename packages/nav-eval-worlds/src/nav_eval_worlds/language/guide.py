"""The guide's way of telling: somebody who walks beside you says where you are, what you see and what to do there. Who
speaks tells it so too, with words that say nothing, and with slips that are put right at once.

A passage of one to three sentences for each step, from whole sentences of the tables: a sentence is said only where the
step gives everything that it names, and of those that are left one that tells most of what the guide wants to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from nav_eval_worlds.language import nouns
from nav_eval_worlds.language.steps import Climb, Go, Noun, Pass, Sight, Step, Stop
from nav_eval_worlds.language.wording import Wording

Facts = dict[str, str]
"""What a sentence may name; "" where there is no such thing."""

OTHER = {"left": "right", "right": "left"}
_SEEN = ("ahead", "ahead_at", "behind", "beside", "beside_at", "side")
_MAY = ("past", "passing", "mark", "by", "holds", *_SEEN)
"""What a sentence may name, or leave out; what ends in "_at" says where a thing is among others, and ends a sentence.
"""


def guided(wording: Wording, steps: Sequence[Step]) -> list[str]:
    """A text for the steps, sentence after sentence: of each step its part."""
    guide, space = _Guide(wording), wording.tables["space"]
    opening = [guide.opening(steps[0])] if wording.likely("begins") else []
    first, *more = [*opening, *guide.passage(steps[0], None)]
    parts = [space.join([*_fill(wording, [first], "opener"), *_fill(wording, more)])]
    for before, step in pairwise(steps):
        parts.append(space + space.join(_fill(wording, guide.passage(step, before))))
    return [*parts[:-1], parts[-1] + (space + wording.say("closing") if wording.likely("closes") else "")]


def _fill(wording: Wording, sentences: Sequence[str], rule: str = "filler") -> list[str]:
    """Some begin with a word that says nothing."""
    return [wording.say(rule) + _uncapitalise(one) if wording.likely("fillers") else one for one in sentences]


def _uncapitalise(sentence: str) -> str:
    return sentence if sentence.startswith(("I ", "I'")) else sentence[:1].lower() + sentence[1:]


class _Guide:
    """What was said so far: whether the room one is in was named by the last sentence, which of its things were told
    (`held`: those of the next room), of how many sentences nothing but a sight, and whether the sentence begins outside
    a room."""

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self.named = True
        self.told: set[str] = set()
        self.held: set[str] = set()
        self.looks = 0
        self.outside = False

    def opening(self, step: Step) -> str:
        """Where one is, and what one sees there."""
        facts = self._room(step) | dict.fromkeys(_SEEN, "")
        sights = [sight for sight in self.wording.stream.shuffled(step.sights) if not _main(sight, step)]
        for sight in sights[: 2 if self.wording.likely("sights") else self.wording.likely("looks_first")]:
            facts |= self._sighting(sight)
        return self.wording.fit(["open"], facts, _MAY)

    def passage(self, step: Step, before: Step | None) -> list[str]:
        """The sentences of a step; `before` is None for the first."""
        if before is not None:
            self.told, self.held = self.held, set()
        arrive = self._arrive(step, before)
        if isinstance(step, Stop):
            return [self._stop(step, arrive)]
        out = self._look(step) if before and not arrive and step.leave != "stairs" else []
        facts = self._facts(step, before, arrive)
        if isinstance(step, Climb):
            self.named = True
            return [*out, self.wording.fit([f"climb_{_stairs(step)}"], facts, _MAY)]
        rule = _rule(step)
        if facts["by"] and step.way.ordinal and self.wording.likely("uncounted"):
            rule = ("hall_marked_near" if step.way.near else "hall_marked") if step.leave == "hallway" else "marked"
        bare = step.enter == "hallway" or (step.sole and not step.way.side)
        said = self.wording.fit([rule, f"{rule}_bare"] if bare else [rule], facts, _MAY)
        self.named = facts["next"] in said
        return [*out, said]

    def _room(self, step: Step) -> Facts:
        return {"room": self.wording.word("rooms", step.room if isinstance(step, Stop) else step.leave)}

    def _arrive(self, step: Step, before: Step | None) -> str:
        """What says that one has come where the step begins, unless that was said just now."""
        self.outside = False
        if before is None or isinstance(before, Climb):
            return ""
        if isinstance(before, Go) and before.outwards and self.wording.likely("outsides"):
            self.outside = True
            return self.wording.say("outside", room=self.wording.word("rooms", before.leave))
        if self.named:
            enters = isinstance(before, Go) and before.enter not in ("hallway", "stairs")
            return self.wording.say("inside") if enters and self.wording.likely("arrivals") else ""
        return self.wording.say("arrive", **self._room(step))

    def _look(self, step: Go | Climb) -> list[str]:
        """Something that one sees in a room that one has come into."""
        seen = [sight for sight in step.sights if not _main(sight, step) and sight.where != "behind"]
        if not seen or self.told or self.looks >= self.wording.manner["looks"] or not self.wording.likely("look"):
            return []
        self.looks += 1
        facts = dict.fromkeys(_SEEN, "") | self._sighting(self.wording.stream.choice(seen))
        return [self.wording.fit(["look"], facts, _MAY)]

    def _facts(self, step: Go | Climb, before: Step | None, arrive: str) -> Facts:
        """What can be told of a step that leads out of a room."""
        way, wording = step.way, self.wording
        nth = "last" if way.last and wording.likely("last") else str(way.ordinal)
        number = wording.word("ordinals", nth) if way.ordinal else ""
        up, risen = isinstance(step, Climb) and step.up, isinstance(before, Climb) and before.up
        return (
            dict.fromkeys(_MAY, "")
            | self._room(step)
            | self._extras(step)
            | {
                "arrive": arrive,
                "turn": self._turn(way.turn, before is None),
                "along": self._along(step.leave, way.turn, arrive, step.far if isinstance(step, Go) else ""),
                "side": self._side(way.side),
                "number": number,
                "nth": wording.say("nth", number=number) if number else wording.say("only"),
                "next": nouns.entered(wording, step),
                "gap": nouns.gap(wording, step) if isinstance(step, Go) else "",
                "up": wording.tables["updown"]["up" if up else "down"],
                "top": wording.say("top" if risen else "bottom"),
            }
        )

    def _extras(self, step: Go | Climb) -> Facts:
        """Of what may be left out as much as the manner asks for."""
        holds = None if isinstance(step, Climb) or step.enter == "hallway" else step.holds
        beside = [("mark", step.mark), ("facing", step.facing)] if isinstance(step, Go) else []
        marks = [*[one for one in beside if one[1]][:1], ("holds", holds)]
        found = [(name, thing) for name, thing in (("past", step.past), *marks) if thing and self.wording.likely(name)]
        facts: Facts = {}
        for name, thing in self.wording.stream.shuffled(found)[: self.wording.manner["extras"]]:
            facts |= self._passing(thing) if isinstance(thing, Pass) else self._marked(name, thing)
        return facts

    def _passing(self, past: Pass) -> Facts:
        slots = {"thing": self._the(past.thing), "side": self._side(past.side)}
        slots |= {"other": self._the(past.other)} if past.other else {}
        pair = "_two" if past.other else "_over" if past.side == "over" else ""
        return {name: self.wording.say(f"{name}{pair}", **slots) for name in ("past", "passing")}

    def _marked(self, name: str, thing: Noun) -> Facts:
        if name == "holds":
            self.held.add(thing.kind)
            return {"holds": nouns.one(self.wording, thing)}
        known = thing.kind in self.told
        mark = self._the(thing) if known or not self.wording.spaced else nouns.laden(self.wording, thing)
        self.told.add(thing.kind)
        by = self.wording.say("by" if name == "mark" else "facing", mark=mark)
        return {"mark": mark, "by": by, "measure": nouns.measure(self.wording, thing)}

    def _turn(self, turn: str, first: bool) -> str:
        if turn == "straight":
            return self.wording.say("ahead" if first else "onward")
        said = self.wording.say("turn_" + turn.replace(" ", "_"))
        if turn in OTHER and self.wording.likely("slips"):
            return self.wording.say("slip", wrong=self.wording.say(f"turn_{OTHER[turn]}"), meant=said)
        return said

    def _along(self, leave: str, turn: str, arrive: str, far: str = "") -> str:
        """That one walks down a corridor, with the turn that comes first; `arrive`: how the sentence begins; `far`: how
        far that is."""
        room = self.wording.word("rooms", leave)
        it = "_it" if room in arrive and not self.outside else ""
        if far and self.wording.likely("far"):
            first = "" if turn == "straight" else self._turn(turn, False)
            slots = {"room": room, "turn": first, "far": self.wording.word("distance", far)}
            return self.wording.say(nouns.by_far("turn_along" if first else "along", far), **slots)
        if turn == "straight":
            return self.wording.say(f"along{it}", room=room)
        return self.wording.say(f"turn_along{it}", room=room, turn=self._turn(turn, False))

    def _stop(self, step: Stop, arrive: str) -> str:
        thing, wording = step.thing, self.wording
        side = step.place if wording.likely("sides") else ""
        new = nouns.one(wording, thing) if thing.kind not in self.told else ""
        place, seen = nouns.place(wording, thing), nouns.place(wording, thing, "seen_")
        the = self._the(thing)
        facts = self._room(step) | {
            "arrive": arrive,
            "along": self._along("hallway", step.turn, arrive) if step.turn else "",
            "a": new,
            "a_at": new and new + seen,
            "thing": the,
            "plain": "" if place else the,
            "thing_at": the + place if wording.spaced else place + the,
            "side": self._side(side) if side in ("left", "right") else "",
            "far": wording.word("distance", step.far) if step.far and wording.likely("far") else "",
            "measure": nouns.measure(wording, thing),
        }
        rule = "along" if step.turn else {"": "any", "ahead": "ahead"}.get(side, "beside")
        return wording.fit([f"stop_{rule}"], facts, ("a", "a_at", "plain", "far"), most=False)

    def _sighting(self, sight: Sight) -> Facts:
        self.told.add(sight.thing.kind)
        a, at = nouns.one(self.wording, sight.thing), nouns.place(self.wording, sight.thing, "seen_")
        if sight.where == "behind":
            return {"behind": a}
        if sight.where == "ahead":
            return {"ahead": a, "ahead_at": a + at}
        return {"beside": a, "beside_at": a + at, "side": self._side(sight.where)}

    def _the(self, thing: Noun) -> str:
        """A thing that one knows, or sees at once."""
        known = thing.kind in self.told
        self.told.add(thing.kind)
        return nouns.name(self.wording, thing.design or thing.kind) if known else nouns.noun(self.wording, thing)

    def _side(self, side: str) -> str:
        if side not in OTHER:
            return ""
        said = self.wording.say(f"side_{side}")
        if self.wording.likely("slips"):
            return self.wording.say("slip_side", wrong=self.wording.say(f"side_{OTHER[side]}"), meant=said)
        return said


def _main(sight: Sight, step: Step) -> bool:
    """Whether a thing is told of anyway."""
    past = None if isinstance(step, Stop) else step.past
    return bool(past and sight.thing.kind in (past.thing.kind, past.other and past.other.kind))


def _rule(step: Go) -> str:
    """The rule for a way out."""
    side, turn = step.way.side, step.way.turn
    if step.leave == "stairs":
        return "stairs"
    if step.leave != "hallway":
        if side:
            return "wide_beside" if step.wide else "beside"
        turn = turn if turn in ("straight", "around") else "turn"
        return f"{'wide' if step.wide else 'out'}_{turn}"
    near = "_near" if step.way.near else ""
    if side in ("end", "across"):
        return "hall_across" if side == "across" else "hall_end" if near else "hall_far"
    if step.enter == "hallway":
        return "hall_hall"
    return f"hall_door{near}" if step.way.ordinal else f"hall_opening{near}"


def _stairs(step: Climb) -> str:
    side = step.way.side
    beside = ("side_near" if step.way.near else "side") if step.leave == "hallway" else "beside"
    return {"across": "across", "end": "end" if step.way.near else "far", "": "here"}.get(side, beside)
