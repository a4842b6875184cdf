"""Names that people give: what is shown is what was written."""

from __future__ import annotations

import unicodedata

from nav_eval.errors import InputError


def visible(text: str) -> str:
    """In Unicode's composed form. Raises InputError for characters that show nothing, or turn others round."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not text or not text.isprintable():
        raise InputError("Use visible letters, digits and signs.")
    return text
