"""Splits an instruction into the specification's `tokens`.

Words and punctuation in lower case, as Room-to-Room's own tokenizer has them; one token per character where words
are not spaced (Chinese characters, kana); Hindi and Telugu words with their combining marks kept together, which
Python's `\\w` alone would tear apart.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_JOINERS = "\u200c\u200d"


def tokenize(text: str) -> tuple[str, ...]:
    """Tokens of `text`, in any language or mixture: the script of each character decides. Runs of dots stay whole.

    Equal tokens are one object, since a data set repeats few words very often.
    """
    return tuple(map(sys.intern, _pattern().findall(text.lower())))


@cache
def _pattern() -> re.Pattern[str]:
    marks = "".join(chr(c) for c in range(0x300, 0x2100) if unicodedata.category(chr(c)).startswith("M"))
    letter = rf"(?:(?![{UNSPACED}])\w|[{marks}{_JOINERS}])"
    return re.compile(rf"[{UNSPACED}]|{letter}++|\.+|[^\w\s]")
