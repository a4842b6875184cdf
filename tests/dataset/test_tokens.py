"""Tokens against R2R-CE's own, against other segmenters' rules for Indic and Chinese text, and at the edges."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval.dataset.tokens import tokenize

EXAMPLES = {
    "Walk past the table, then turn left.": "walk|past|the|table|,|then|turn|left|.",
    "Don't stop... GO!?": "don|'|t|stop|...|go|!|?",
    "  two  blanks\n ": "two|blanks",
    "": "",
    "Café déjà-vu": "café|déjà|-|vu",
    "Cafe\u0301 nai\u0308ve": "cafe\u0301|nai\u0308ve",
    "向左转，走到沙发旁。": "向|左|转|，|走|到|沙|发|旁|。",
    "走进bedroom 2号，停下": "走|进|bedroom|2|号|，|停|下",
    "दरवाज़े से बाहर निकलिए और बाईं ओर मुड़िए।": "दरवाज़े|से|बाहर|निकलिए|और|बाईं|ओर|मुड़िए|।",
    "మీరు గది ముందు నిలబడి ఉన్నారు.": "మీరు|గది|ముందు|నిలబడి|ఉన్నారు|.",
    "क्\u200dष a\u200d": "क्\u200dष|a\u200d",
    "𠮷野家 stop": "𠮷|野|家|stop",
    "カメラ": "カ|メ|ラ",
    "🚪 door": "🚪|door",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples(text: str) -> None:
    assert "|".join(tokenize(text)) == EXAMPLES[text]


@given(st.text())
def test_nothing_but_blanks_is_lost(text: str) -> None:
    assert "".join(tokenize(text)) == "".join(text.lower().split())
    assert all(token and not token.isspace() for token in tokenize(text))


def test_a_text_of_megabytes_takes_little_memory() -> None:
    """A data set may hold one word of 50 MB; a hundred bytes for each of its characters were this machine's end."""
    word = "q" * 5_000_000
    tracemalloc.start()
    try:
        assert tokenize(word) == (word,)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(word)
    finally:
        tracemalloc.stop()


def test_words_are_those_of_r2r_ce(shared_data: Path) -> None:
    """The release's integer tokens spell our words, but for its unknown words and dropped commas and hyphens."""
    data = json.loads(gzip.decompress((shared_data / "r2r-ce/val_seen.json.gz").read_bytes()))
    words = data["instruction_vocab"]["word_list"]
    agree = 0
    for episode in data["episodes"]:
        theirs = [words[i] for i in episode["instruction"]["instruction_tokens"] if i]
        ours = [token for token in tokenize(episode["instruction"]["instruction_text"]) if token not in {",", "?", "!"}]
        agree += len(theirs) == len(ours) and all(a in (b, "<unk>") for a, b in zip(theirs, ours))
    assert agree >= 0.93 * len(data["episodes"])
