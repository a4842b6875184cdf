"""What strangers write cannot steer a terminal, break an encoding or fill a screen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval.dataset.fields import Fault
from nav_eval.errors import LONGEST_LINE, LONGEST_WORD, DatasetError, NavEvalError, printable

HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\x00\x9b31m\u202egnp.exe\ud800"


@pytest.mark.parametrize("error", [NavEvalError, DatasetError])
def test_a_message_is_safe_to_print(error: type[NavEvalError]) -> None:
    text = str(error(HOSTILE))
    assert text.encode().decode() == text
    assert text == "\\x1b]0;owned\\x07\\x1b[2J\\x0d\\x00\\x9b31m\\u202egnp.exe\\ud800".replace("\\x0d", "\\r")


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert not {c for c in shown if unicodedata.category(c) in ("Cc", "Cs")} - {"\n", "\t"}


def test_words_of_every_script_stay() -> None:
    text = "Gehe über den Flur.\n走到厨房。 आगे चलें 👩\u200d👧 \u05e9\u05dc\u05d5\u05dd"
    assert printable(text) == text


def test_a_long_line_keeps_its_ends() -> None:
    text = printable("file.json: " + "x y " * 10_000 + " Correct the file.")
    assert text.startswith("file.json: ")
    assert text.endswith(" Correct the file.")
    assert len(text) < LONGEST_LINE + 10


def test_a_stranger_fills_no_line_but_paths_stay_whole() -> None:
    text = printable("file.json: " + "x" * 10_000 + " Correct the file.")
    assert text.startswith("file.json: x")
    assert text.endswith("x Correct the file.")
    assert len(text) < LONGEST_WORD + 40
    path = "/" + "/".join(["folder" * 8] * 15)
    assert printable(path) == path


def test_a_fault_is_one_line() -> None:
    assert str(Fault("a.json", "1\nnav-eval: all is well", "x", HOSTILE)).count("\n") == 0
