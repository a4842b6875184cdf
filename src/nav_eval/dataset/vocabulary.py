"""R2R-CE's `instruction_vocab`: the words of a file, and instructions as their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any


def words(text: str) -> list[str]:
    """Words and punctuation; each Chinese character by itself."""
    return re.findall(r"[\u4e00-\u9fff]|[a-z0-9]+(?:[-'][a-z0-9]+)*|[^\sa-z0-9]", text.lower())


def vocabulary_of(texts: Iterable[str]) -> dict[str, Any]:
    """The members of R2R-CE's instruction_vocab, with words in order of spelling."""
    found = sorted({word for text in texts for word in words(text)})
    listed = ["<pad>", "<unk>", *found]
    index = {word: k for k, word in enumerate(listed)}
    return {
        "word_list": listed,
        "word2idx_dict": index,
        "stoi": index,
        "itos": listed,
        "num_vocab": len(listed),
        "UNK_INDEX": 1,
        "PAD_INDEX": 0,
    }


def numbered(text: str, vocabulary: Mapping[str, Any], length: int = 200) -> list[int]:
    """The first `length` words; 0 fills up."""
    numbers = [vocabulary["stoi"].get(word, 1) for word in words(text)][:length]
    return numbers + [0] * (length - len(numbers))
