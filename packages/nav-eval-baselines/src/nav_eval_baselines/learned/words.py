"""Instructions as numbers: English words and Chinese characters in one vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_TOKEN = re.compile(r"[a-z]+|[\u4e00-\u9fff]|[.;。；]")
UNKNOWN = 1
"""Of a word that the vocabulary lacks; 0 pads."""
LONGEST = 200


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def vocabulary(texts: Iterable[str], least: int = 2) -> list[str]:
    """Tokens that come at least that often, sorted."""
    counts: dict[str, int] = {}
    for text in texts:
        for token in tokens(text):
            counts[token] = counts.get(token, 0) + 1
    return sorted(token for token, count in counts.items() if count >= least)


MIRRORED = {"left": "right", "right": "left", "左": "右", "右": "左"}


class Reader:
    """Texts to numbers."""

    def __init__(self, known: Sequence[str]) -> None:
        self._numbers = {token: number for number, token in enumerate(known, 2)}

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, text: str) -> list[int]:
        """At least one, at most LONGEST."""
        return [self._numbers.get(token, UNKNOWN) for token in tokens(text)][:LONGEST] or [UNKNOWN]

    def mirror(self) -> list[int]:
        """Of each number that of the word that is said in a mirror."""
        known = self._numbers
        return [0, UNKNOWN, *(known.get(MIRRORED.get(word, word), UNKNOWN) for word in known)]
