"""Whatever the speaker says in either language, the stranger's own grammar reads back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nav_eval.worlds.episodes.chinese import in_chinese
from nav_eval.worlds.episodes.english import in_english
from nav_eval.worlds.episodes.relations import Way
from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ROOM_NAMES, ROOMS, THINGS
from nav_eval.worlds.exact import Stream
from worlds.episodes.stranger import Order, orders

turns = st.sampled_from(("straight", "left", "right", "around"))
sides = st.sampled_from(("left", "right"))
places = st.sampled_from(sorted(set(ROOMS) - {"hallway", "stairs"}))
past = st.one_of(st.none(), st.builds(Pass, st.sampled_from(sorted(THINGS)), sides))
counted = st.builds(Way, turns, sides, st.integers(1, 6))
ends = st.one_of(st.builds(Way, turns, st.just("end")), st.just(Way("straight", "across")))
stairs = st.one_of(st.builds(Way, turns, sides), ends)
steps = st.one_of(
    st.builds(lambda a, turn, p: Go(a, "hallway", Way(turn), p), places, turns, past),
    st.builds(
        lambda a, b, side, n, p: Go(a, b, Way("straight", side, n), p), places, places, sides, st.integers(0, 3), past
    ),
    st.builds(Go, st.just("hallway"), places, st.one_of(counted, ends, st.builds(Way, turns, sides)), past),
    st.builds(Go, st.just("hallway"), st.just("hallway"), st.one_of(counted, ends), past),
    st.builds(lambda enter: Go("stairs", enter, Way("straight")), st.just("hallway")),
    st.builds(Climb, st.booleans(), st.just("hallway"), stairs, past),
)


def meaning(step: Step) -> dict[str, object]:
    """What a step says, in the stranger's terms."""
    if isinstance(step, Stop):
        return {"act": "stop", "thing": step.thing} | ({"turn": step.turn} if step.turn else {})
    way, found = step.way, step.past and (step.past.thing, step.past.side)
    said = {"turn": way.turn, "side": way.side, "past": found}
    if isinstance(step, Climb):
        return said | {"act": "climb", "what": "up" if step.up else "down"}
    what = {"hallway": "hallway"}.get(step.enter, "door" if way.ordinal else "opening")
    what = what if step.leave == "hallway" else "doorway"
    counted = {"what": what, "count": way.ordinal} if way.side in ("left", "right") else {}
    named = {} if step.leave == step.enter == "hallway" else {"enter": step.enter}
    return said | counted | named | {"act": "go"}


def understood(order: Order, wanted: dict[str, object]) -> dict[str, object]:
    """The same members of what the stranger understood, rooms by their key."""
    rooms = {name: key for names in (ROOM_NAMES, ROOMS) for key, name in names.items()}
    return {key: rooms[order.enter] if key == "enter" else getattr(order, key) for key in wanted}


stops = st.builds(Stop, st.sampled_from(sorted(THINGS)), st.one_of(st.just(""), turns))


@given(st.lists(steps, max_size=6), stops, st.integers(0, 2), st.integers(0, 99))
def test_each_wording_means_its_steps(told: list[Step], stop: Stop, phrasing: int, seed: int) -> None:
    wanted = [meaning(step) for step in [*told, stop]]
    for say in (in_english, in_chinese):
        text = say([*told, stop], phrasing, Stream("words", seed))
        found = orders(text)
        assert len(found) == len(wanted), text
        assert [understood(order, want) for order, want in zip(found, wanted, strict=True)] == wanted, text


@given(steps.filter(lambda step: isinstance(step, Go) and step.past is not None), st.integers(0, 2))
def test_one_turns_then_passes_then_leaves(step: Go, phrasing: int) -> None:
    for say, things, words in ((in_english, 0, ("turn", "left", "right")), (in_chinese, 1, ("转", "掉头", "拐"))):
        text = say([step], phrasing, Stream("order")).lower()
        assert step.past is not None
        thing = text.index(THINGS[step.past.thing][things].lower())
        names = ROOMS if things else ROOM_NAMES
        assert text.rindex(names[step.enter]) > thing, text
        if step.way.turn in ("left", "right", "around") and step.way.side != "across":
            assert any(0 <= text.find(word) < thing for word in words), text


def test_a_person_s_own_words_are_understood() -> None:
    text = "Exit the bedroom, then turn left. Walk to the end of the hallway and enter the kitchen. Wait at the fridge."
    found = orders(text)
    assert found[-1] == Order("stop", thing="refrigerator")
    assert ("end", "kitchen") in {(order.side, order.enter) for order in found}
