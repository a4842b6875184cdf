"""Perturbations of the instruction: said otherwise, mistyped, in another language, cut off; another one, or none."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from nav_eval.core.interfaces import Perturbation, RngSource
from nav_eval.dataset.episode import Instruction
from nav_eval.dataset.tokens import UNSPACED


class Paraphrase(Perturbation):
    """Another wording of the same path in the same language, out of the data set: what another annotator said.

    R2R, RxR and the generated data have several of each path. An episode without another one keeps its own.
    """

    severities = 1
    rewords = True

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        return _draw_instruction(given, [one for one in others if one.primary_language == given.primary_language], rng)


class OtherLanguage(Perturbation):
    """The same path told in another language, out of the data set (RxR, the generated data).

    An episode whose path is told in one language only keeps its own.
    """

    severities = 1
    rewords = True

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        return _draw_instruction(given, [one for one in others if one.primary_language != given.primary_language], rng)


class Typos(Perturbation):
    """In 10, 30 and 50 % of the words two neighbouring letters change places, never the first or the last.

    The noise "Swap" of Belinkov and Bisk (ICLR 2018), on words of four letters and more in which it changes anything;
    the shares are ours. Of scripts without spaces four characters in a row count as a word.
    """

    rewords = True
    SHARES: ClassVar = (0.1, 0.3, 0.5)
    WORD: ClassVar = re.compile(rf"[{UNSPACED}]{{4}}|(?:(?![{UNSPACED}])[^\W\d_]){{4,}}")

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        words = [word for word in self.WORD.finditer(given.text) if _swaps(word.group())]
        generator = rng.of_episode()
        count = math.ceil(self.SHARES[self.severity - 1] * len(words))
        chosen = {int(index) for index in generator.choice(len(words), count, replace=False)} if words else set()
        text = given.text
        for index in chosen:
            begin, end = words[index].span()
            text = text[:begin] + _swap(words[index].group(), generator) + text[end:]
        return replace(given, text=text)


class Truncated(Perturbation):
    """Only the first 75, 50 and 25 % of the words (characters of scripts without spaces), rounded up: a cut recording.

    The amounts are ours.
    """

    rewords = True
    SHARES: ClassVar = (0.75, 0.5, 0.25)
    WORD: ClassVar = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        words = list(self.WORD.finditer(given.text))
        kept = math.ceil(self.SHARES[self.severity - 1] * len(words))
        return replace(given, text=given.text[: words[kept - 1].end()] if words else given.text)


class NoText(Perturbation):
    """A control: nothing is told. What is left of success needs no instruction."""

    severities = 1
    rewords = True

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        return replace(given, text="")


class OtherPath(Perturbation):
    """A control: an instruction of another path of the same scene, in the same language, out of the data set.

    What is left of success does not come from the words. An episode whose scene has no other path keeps its own.
    """

    severities = 1
    rewords = True
    others_of = "scene"

    def instruction(self, given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
        return _draw_instruction(given, [one for one in others if one.primary_language == given.primary_language], rng)


def _draw_instruction(given: Instruction, others: Sequence[Instruction], rng: RngSource) -> Instruction:
    return others[int(rng.of_episode().integers(len(others)))] if others else given


def _swaps(word: str) -> list[int]:
    """Where a letter and its right neighbour, both inside, differ."""
    return [place for place in range(1, len(word) - 2) if word[place] != word[place + 1]]


def _swap(word: str, generator: np.random.Generator) -> str:
    place = int(generator.choice(_swaps(word)))
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
