"""What a decoder may raise: a documented error with a message that a user can read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 2000
"""Characters of a message; more means that the input is quoted whole."""


@contextmanager
def only(*documented: type[Exception], names: str = "", longest: int = LONGEST) -> Iterator[None]:
    """Let `documented` errors pass if the message holds `names`, can be printed, and is shorter than `longest`."""
    try:
        yield
    except documented as error:
        _check_message(str(error), names, longest)


def _check_message(text: str, names: str, longest: int) -> None:
    assert text.strip(), "the error says nothing"
    text.encode()
    assert names in text, f"the message does not name {names!r}: {text[:300]}"
    assert len(text) <= longest, f"a message of {len(text)} characters: {text[:300]}..."
