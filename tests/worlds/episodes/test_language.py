"""Whatever the speaker says in either language, the listener's own grammar reads back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval.worlds.episodes.chinese import in_chinese
from nav_eval.worlds.episodes.english import in_english
from nav_eval.worlds.episodes.listener import understand
from nav_eval.worlds.episodes.relations import Way
from nav_eval.worlds.episodes.steps import Climb, Go, Pass, Step, Stop
from nav_eval.worlds.episodes.words import ROOMS, THINGS
from nav_eval.worlds.exact import Stream

turns = st.sampled_from(("straight", "left", "right", "around"))
places = st.sampled_from(sorted(set(ROOMS) - {"hallway", "stairs"}))
counted = st.builds(Way, turns, st.sampled_from(("left", "right")), st.integers(1, 10))
ways = st.one_of(counted, st.builds(Way, turns, st.just("end")), st.just(Way("straight", "across")))
steps = st.one_of(
    st.builds(lambda a, turn: Go(a, "hallway", Way(turn)), places, turns),
    st.builds(lambda room, way: Go("hallway", room, way), places, ways),
    st.builds(Climb, st.booleans()),
    st.builds(Pass, st.sampled_from(sorted(THINGS)), st.sampled_from(("left", "right"))),
)


def _meaning(found: list[Step]) -> list[Step]:
    """The steps without the room that one leaves, which a speaker may leave out."""
    return [replace(step, leave="") if isinstance(step, Go) else step for step in found]


@given(st.lists(steps, max_size=6), st.sampled_from(sorted(THINGS)), st.integers(0, 2), st.integers(0, 99))
def test_each_wording_means_its_steps(told: list[Step], thing: str, phrasing: int, seed: int) -> None:
    told = [*told, Stop(thing)]
    for say in (in_english, in_chinese):
        text = say(told, phrasing, Stream("words", seed))
        assert _meaning(understand(text)) == _meaning(told), text


def test_a_person_s_own_words_are_understood() -> None:
    text = (
        "Exit the bedroom, then turn left. Walk to the end of the hallway and enter the kitchen. Wait near the fridge."
    )
    assert Stop("refrigerator") in understand(text)
    assert any(isinstance(step, Go) and step.enter == "kitchen" and step.way.side == "end" for step in understand(text))


@pytest.mark.parametrize("text", ["", "   ", "...", "，。", "🙂", "a" * 10_000, "Turn."])
def test_nonsense_is_no_step(text: str) -> None:
    assert understand(text) == []
