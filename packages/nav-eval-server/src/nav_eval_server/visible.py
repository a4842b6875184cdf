"""Names that people give: what is shown is what was written, and no two that are shown look alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from nav_eval.errors import InputError

ALIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝгпАВЕКМНОРСТУХІЈЅ" "αοιρνγηκσυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" "օսհո" "ɑɡı01I|",
    "aeopcyxijshdqwrnABEKMHOPCTYXljS" "aoipvynkouABEZHlKMNOPTYX" "ouhn" "agiolll",
)  # fmt: skip
"""What is taken for a Latin letter: the commonest letters and digits of Unicode's UTS 39."""
MAX_NAME = 60
"""Characters of most names; a person's may have 150."""


def visible(text: str, most: int = MAX_NAME) -> str:
    """In Unicode's composed form without other ways to write the same (NFKC), in which it may be longer.

    Raises InputError for characters that show nothing, or turn others round, and for more than `most`.
    """
    text = unicodedata.normalize("NFKC", " ".join(text.split()))
    if not text or not text.isprintable():
        raise InputError("Use visible letters, digits and signs.")
    text = " ".join(text.split())
    if len(text) > most:
        raise InputError(f"Use {most} characters at most.")
    return text


def named(text: str, most: int = MAX_NAME) -> str:
    """As visible, for who is shown to everybody. Raises InputError for a name without a letter, too."""
    text = visible(text, most)
    if not any(map(str.isalpha, text)):
        raise InputError("Use one letter at least.")
    return text


def looks_taken(name: str, others: Iterable[str]) -> bool:
    """Whether readers could take the name for one of the others.

    >>> looks_taken("Аurоrа", ["aurora"])
    True
    """
    return any(one.casefold() == name.casefold() or _skeleton(one) == _skeleton(name) for one in others)


def _skeleton(name: str) -> str:
    """What is left of it for a reader in a hurry: lookalikes as one, no case, no blanks."""
    plain = "".join(name.translate(ALIKE).casefold().split())
    return plain.replace("rn", "m").replace("vv", "w")
