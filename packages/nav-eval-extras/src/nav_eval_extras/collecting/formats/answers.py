"""Where an episode is cut into decisions, and what models that speak are trained to answer there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nav_eval_extras.collecting.formats.base import About
from nav_eval_extras.collecting.walking import ACTIONS, Walk

AT_ONCE = 3
"""Equal actions that one sentence joins: 75 cm, or 45 degrees where a turn is 15."""


def decisions(walk: Walk, most: int = AT_ONCE, alike: bool = True) -> Iterator[tuple[int, Sequence[int]]]:
    """(step, the oracle's actions from there on), none left out; `alike`: of one kind.

    One ends where something else was done than the oracle said, as what it said next was said of another place.
    """
    labels, start = walk.expert_actions, 0
    for step, (label, action) in enumerate(zip(labels, walk.actions), 1):
        last = step == len(walk) or step - start == most or label != action
        if last or (alike and labels[step] != label):
            yield start, labels[start:step]
            start = step


def sentence(labels: Sequence[int], about: About) -> str:
    """Of equal actions, in NaVid's words, which are NaVILA's too."""
    action, count = ACTIONS[labels[0]], len(labels)
    words = action.replace("_", " ")
    if action == "stop":
        return "The next action is stop."
    if action == "move_forward":
        return f"The next action is {words} {round(100 * count * about.forward_step)} cm."
    return f"The next action is {words} {round(count * about.turn_angle)} degrees."


def words(labels: Sequence[int]) -> str:
    """Uni-NaVid's: a word an action."""
    return " ".join(ACTIONS[label].removeprefix("move_").removeprefix("turn_") for label in labels)
