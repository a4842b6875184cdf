"""How rich instructions are, by the measures of benchmarks/instructions.py, on a few buildings."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nav_eval_worlds.episodes.vln import VlnPath
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.speaker import STYLES, say
from nav_eval_worlds.language.wording import LANGUAGES
from worlds.buildings import ATTIC, HOME, OFFICE, OPEN_PLAN, Case, make_paths

BOUNDS = {"en": (190, 0.65, 0.2), "zh": (190, 0.55, 0.2)}
"""Of sixty texts: word types and distinct 4-grams at least, the most frequent opening at most; two homes vary."""


@cache
def tool() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "instructions.py"))


def paths(*cases: Case) -> list[VlnPath]:
    """Of two homes, or of the buildings."""
    return [path for case in cases or (HOME, OPEN_PLAN) for path in make_paths(case)]


def texts(language: str, *cases: Case) -> list[str]:
    return [told.text for path in paths(*cases) for told in path.told if told.language == language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_phrases_and_openings_differ(language: str) -> None:
    found = tool()["measures"](texts(language), language)
    types, grams, opening = BOUNDS[language]
    assert found["texts"] == 60
    assert found["word types"] >= types, found
    assert found["distinct 4-grams"] >= grams, found
    assert found["most frequent opening"] <= opening, found
    assert sum(value for name, value in found.items() if name.startswith("texts with")) >= 0.35, found


@pytest.mark.parametrize("language", LANGUAGES)
def test_looks_are_told_in_every_fourth_text(language: str) -> None:
    """Of four buildings: in one there may be little whose look is certain."""
    found = tool()["measures"](texts(language, HOME, OPEN_PLAN, ATTIC, OFFICE), language)
    assert found["texts"] == 120
    assert found["look words per text"] >= 0.25, found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", ["guide", "spoken"])
def test_no_opening_is_that_of_a_fifth_of_a_style_s_texts(language: str, style: str) -> None:
    told = ["".join(say(path.steps, language, style, Stream("again", k))) for path in paths() for k in range(5)]
    assert tool()["measures"](told, language)["most frequent opening"] <= 0.2


def test_styles_have_their_lengths() -> None:
    english = {
        style: ["".join(say(path.steps, "en", style, Stream("long", k))).split() for k, path in enumerate(paths())]
        for style in STYLES
    }
    lengths = {style: sorted(map(len, found)) for style, found in english.items()}
    assert lengths["terse"][10] < lengths["route"][10] < lengths["guide"][10] < lengths["spoken"][10]
    assert lengths["terse"][10] <= 30
    for path, text in zip(paths(), english["guide"], strict=True):
        assert (50 if len(path.steps) >= 4 else 25) <= len(text) <= 125, " ".join(text)


def test_the_measures_are_those_of_a_count_by_hand() -> None:
    found = tool()["measures"](["Turn left at the red bed.", "Turn left at the red sofa. Stop."], "en")
    assert found["word types"] == 8
    assert found["distinct 4-grams"] == 5 / 7
    assert found["most frequent opening"] == 1.0
    assert found["look words per text"] == 1.0
