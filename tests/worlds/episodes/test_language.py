"""Whatever the speaker says in either language and any style, the stranger's own grammar reads back."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.kinds import BORNE, KINDS, SEEN
from nav_eval_worlds.language.relations import Way
from nav_eval_worlds.language.speaker import STYLES, say
from nav_eval_worlds.language.steps import Climb, Go, Noun, Pass, Sight, Step, Stop
from nav_eval_worlds.language.wording import LANGUAGES, ROOMS, tables
from worlds.episodes.reading import Order, Unknown, orders

turns = st.sampled_from(("straight", "slightly left", "slightly right", "left", "right", "around"))
quarters = st.sampled_from(("straight", "left", "right", "around"))
sides = st.sampled_from(("left", "right"))
places = st.sampled_from(sorted(ROOMS - {"hallway", "stairs"}))
kinds = st.sampled_from(sorted(KINDS))
words = {part: st.sampled_from(("", *tables("en")[part])) for part in ("size", "colour", "shape")}
words["material"] = st.sampled_from(("", "wooden", "leather", "metal", "wicker"))
borne = st.sampled_from(sorted(BORNE))
DESIGNED = {
    key: category
    for category, keys in {
        "bed": "poster_bed day_bed bunk_bed", "bathtub": "claw_tub free_tub",
        "bench": "piano_bench shoe_bench padded_bench",
        "bookshelf": "ladder_shelf glass_shelf cube_shelf pipe_shelf",
        "fireplace": "iron_stove", "mirror": "cheval_mirror",
        "cabinet": "hutch plinth_sideboard peg_sideboard leg_sideboard peg_stand low_stand cabinet_stand leg_stand "
        "wall_unit drawer_file",
        "desk": "secretary standing_desk", "piano": "grand_piano upright_piano",
        "refrigerator": "double_fridge retro_fridge", "sink": "hung_vanity cabinet_vanity table_vanity pedestal_vanity",
        "shelf": "metal_rack towel_shelf",
        "plant": "fern palm snake monstera fiddle bonsai lily", "shower": "walk_shower corner_shower curtain_shower",
        "sofa": "corner_sofa chaise_sofa", "counter": "island", "wardrobe": "sliding_wardrobe armoire rack_wardrobe",
        "table": "glass_table glass_coffee_table metal_console peg_console leg_console",
    }.items()
    for key in keys.split()
}  # fmt: skip
"""Designs of things that one may stop at, and the category that the stranger knows them by."""
plain = st.one_of(
    st.builds(Noun, kinds, **words),
    st.builds(lambda key: Noun(DESIGNED[key], design=key), st.sampled_from(sorted(DESIGNED))),
)
placed = st.one_of(
    plain,
    st.builds(Noun, kinds, relation=st.just("between"), others=st.tuples(kinds, kinds), **words),
    st.builds(Noun, kinds, relation=st.just("near"), others=st.tuples(kinds), **words),
    st.builds(
        Noun, kinds, relation=st.sampled_from(("corner", "window", "windows", "middle", "wall", "against")), **words
    ),
    st.builds(Noun, kinds, relation=st.just("seats"), others=st.sampled_from([(n,) for n in tables("en")["chairs"]])),
    st.builds(
        Noun, kinds, relation=st.just("bearing"), others=st.one_of(st.tuples(borne), st.tuples(borne, borne)), **words
    ),
)
where = st.sampled_from(("ahead", "left", "right"))
sights = st.lists(
    st.builds(Sight, placed, st.one_of(where, st.just("behind"))), max_size=2, unique_by=lambda s: s.where
).map(tuple)
past = st.one_of(
    st.none(),
    st.builds(Pass, plain, sides),
    st.builds(Pass, plain, sides, plain),
    st.builds(Pass, st.builds(Noun, st.just("rug"), **words), st.just("over")),
    st.builds(lambda room, side: Pass(Noun(room), side), places, sides),
)
mark = st.one_of(st.none(), plain)
extents = st.sampled_from(("", *tables("en")["extent"]))
far = st.sampled_from(("", *tables("en")["distance"]))
leaf = st.one_of(st.none(), st.builds(Noun, st.just("door"), **words))
yes = st.booleans()
counted = st.builds(Way, quarters, sides, st.integers(1, 6), yes, yes)
ends = st.one_of(st.builds(Way, quarters, st.just("end"), near=st.booleans()), st.just(Way("straight", "across")))
stairs = st.one_of(st.builds(Way, quarters, sides, near=st.booleans()), ends)
halls = st.builds(Go, st.just("hallway"), st.just("hallway"), st.one_of(counted, ends), past, sights=sights)
steps = st.one_of(
    st.builds(Go, places, st.just("hallway"), st.builds(Way, turns), past, mark, yes, mark, sights, leaf=leaf),
    st.builds(Go, places, places, st.builds(Way, st.just("straight"), sides, st.integers(0, 3)), past, mark),
    st.builds(
        Go, st.just("hallway"), places, st.one_of(counted, ends, st.builds(Way, quarters, sides)), past, mark,
        sights=sights, facing=mark, again=yes, look=extents, far=far, twin=yes,
    ).map(lambda step: step if step.way.side in ("left", "right") else replace(step, far="", twin=False)),
    st.builds(Go, places, places, st.builds(Way, turns), past, leaf=leaf, again=yes, look=extents, arched=yes),
    st.builds(Go, places, places, st.just(Way("straight")), past, mark, crosses=st.just(True)),
    st.builds(Go, places, places, st.builds(Way, turns), past, wide=st.just(True)),
    st.builds(Go, places, places, st.builds(Way, st.just("straight"), sides), past, mark, wide=st.just(True)),
    halls,
    st.builds(lambda enter: Go("stairs", enter, Way("straight")), st.just("hallway")),
    st.builds(Climb, yes, st.just("hallway"), stairs, past, sights),
)  # fmt: skip
stops = st.one_of(
    st.builds(Stop, placed, st.one_of(st.just(""), quarters), places, sights),
    st.builds(lambda thing, room, seen, place: Stop(thing, "", room, seen, place), placed, places, sights, where),
    st.builds(
        lambda thing, room, far: Stop(thing, "", room, (), "ahead", far), placed, places, far.filter("half".__ne__)
    ),
).filter(lambda stop: all(sight.thing.kind != stop.thing.kind for sight in stop.sights))


def walkable(told: list[Step]) -> list[Step]:
    """Without the ways off a stair on which nobody has come."""
    came = [True, *(isinstance(step, Climb) for step in told)]
    off = [isinstance(step, Go) and step.leave == "stairs" for step in told]
    return [step for step, up, leaves in zip(told, came, off, strict=False) if up or not leaves]


def understood(order: Order, step: Step, style: str, text: str) -> None:
    """What was read is what was meant; what may be left out is either so, or not there."""
    if isinstance(step, Stop):
        assert (order.act, order.thing) == ("stop", step.thing.kind), text
        assert order.turn == step.turn.replace("straight", ""), text
        return
    way = step.way
    assert order.turn in (way.turn.replace("straight", ""), ""), text
    crossed = order.side == "across" and isinstance(step, Go) and step.crosses  # the room, not to what lies opposite
    assert order.side == way.side or crossed, text
    if order.past:
        assert step.past, text
        both = [noun.kind for noun in (step.past.thing, step.past.other) if noun]
        assert sorted(kind for kind, _ in order.past) == sorted(both), text
        assert len(both) == 2 or order.past[0][1] in (step.past.side.replace("over", ""), ""), text
    if isinstance(step, Climb):
        assert (order.act, order.what) == ("climb", "up" if step.up else "down"), text
        return
    assert order.act == "go", text
    if way.side in ("left", "right"):
        apart = isinstance(step, Go) and bool(order.mark or order.facing)
        assert order.count in (way.ordinal, *([-1] if way.last else []), *([0] if apart else [])), text
    assert order.enter in ("", step.enter), text
    assert order.holds in ("", step.holds and step.holds.kind), text
    if style != "terse" and step.enter not in ("hallway",) and not step.sole:
        assert order.enter, text
    assert order.mark in ("", step.mark and step.mark.kind), text
    assert order.facing in ("", step.facing and step.facing.kind), text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=25, deadline=None)
@given(told=st.lists(steps, max_size=4).map(walkable), stop=stops, seed=st.integers(0, 999))
def test_each_wording_means_its_steps(language: str, style: str, told: list[Step], stop: Stop, seed: int) -> None:
    text = "".join(say([*told, stop], language, style, Stream("words", seed)))
    found = orders(text)
    assert len(found) == len(told) + 1, text
    for order, step in zip(found, [*told, stop], strict=True):
        understood(order, step, style, text)
        claimed = {(sight.thing.kind, sight.where) for sight in step.sights}
        claimed |= {(step.thing.kind, step.place)} if isinstance(step, Stop) else set()
        assert set(order.seen) <= claimed, text


TABLES = "rooms things seen size colour material turn sides designs shape chairs borne ordinals extent distance"
ENGLISH = "walk out along door doorway going_past seen_past into to"
"""Rules of English alone."""
GIVEN = """
turn pass go past side room next nth number by mark thing where a b gap leaf ground along seen_past up
measure size
arrive ahead ahead_at beside beside_at behind holds passing a_at thing_at plain top far skip other wrong meant
colour material shape close name
"""
"""What a rule may hold between braces besides another rule."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_table_lacks_a_word(language: str) -> None:
    """Every room, thing, colour and rule has its words in both languages; every name is defined."""
    own, english = tables(language), tables("en")
    for table in TABLES.split():
        assert set(own[table]) == set(english[table])
    assert {*own["things"], *own["seen"]} == SEEN
    assert set(english["rules"]) - set(ENGLISH.split()) <= set(own["rules"])
    tables_ = [own, *(own.get(table, {}) for table in ("rules", *STYLES, "turn", "ahead"))]
    parts = [part for table in tables_ for part in table.values() if isinstance(part, str | list)]
    said = [text for part in parts for text in ([part] if isinstance(part, str) else part) if isinstance(text, str)]
    assert set(re.findall(r"\{(\w+)\}", " ".join(said))) <= {*GIVEN.split(), *own["rules"]}


def test_a_person_s_own_words_are_understood() -> None:
    text = "Exit the bedroom, then turn left. Walk to the end of the hallway and enter the kitchen. Wait at the fridge."
    last = [Order("go", turn="left", side="end", enter="kitchen"), Order("stop", thing="refrigerator")]
    assert orders(text) == [Order("go"), *last]


def test_words_that_nobody_explained_are_an_error() -> None:
    for text in ("Turn left and frobnicate the sofa.", "左转，溜达到沙发旁边停下。"):
        with pytest.raises(Unknown, match=r"frobnicate|溜达"):
            orders(text)
