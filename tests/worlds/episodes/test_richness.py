"""How rich instructions are, by the measures of benchmarks/instructions.py, on a few buildings."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nav_eval_worlds.episodes.vln import Told, VlnPath
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.speaker import STYLES, say
from nav_eval_worlds.language.wording import LANGUAGES
from worlds.buildings import HOME, OPEN_PLAN, make_paths

BOUNDS = {"en": (155, 0.55, 0.2), "zh": (155, 0.5, 0.2)}
"""Of sixty texts: word types and distinct 4-grams at least, the most frequent opening at most; two homes vary."""


@cache
def tool() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "instructions.py"))


def paths() -> list[VlnPath]:
    return [path for case in (HOME, OPEN_PLAN) for path in make_paths(case)]


def texts() -> list[Told]:
    return [told for path in paths() for told in path.told]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_phrases_and_openings_differ(language: str) -> None:
    found = tool()["measures"]([told.text for told in texts() if told.language == language], language)
    types, grams, opening = BOUNDS[language]
    assert found["texts"] == 60
    assert found["word types"] >= types, found
    assert found["distinct 4-grams"] >= grams, found
    assert found["most frequent opening"] <= opening, found
    assert found["look words per text"] >= 0.25, found
    assert sum(value for name, value in found.items() if name.startswith("texts with")) >= 0.25, found


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_opening_is_that_of_a_quarter_of_the_guides_texts(language: str) -> None:
    told = ["".join(say(path.steps, language, "guide", Stream("again", k))) for path in paths() for k in range(5)]
    assert tool()["measures"](told, language)["most frequent opening"] <= 0.25, "of two homes"


def test_styles_have_their_lengths() -> None:
    english = [told.text.split() for told in texts() if told.language == "en"]
    lengths = {style: sorted(len(text) for text in english[k::3]) for k, style in enumerate(STYLES)}
    assert lengths["terse"][10] < lengths["route"][10] < lengths["guide"][10]
    assert lengths["terse"][10] <= 30
    steps = [len(path.steps) for path in paths()]
    for many, text in zip(steps, english[STYLES.index("guide") :: 3], strict=True):
        assert (50 if many >= 4 else 25) <= len(text) <= 125, " ".join(text)


def test_the_measures_are_those_of_a_count_by_hand() -> None:
    found = tool()["measures"](["Turn left at the red bed.", "Turn left at the red sofa. Stop."], "en")
    assert found["word types"] == 8
    assert found["distinct 4-grams"] == 5 / 7
    assert found["most frequent opening"] == 1.0
    assert found["look words per text"] == 1.0
