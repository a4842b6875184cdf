"""The page's words for what Python draws, videos and their plans: one table for both, static/words.*.js."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from nav_eval.report.fonts import font_for

_ENTRY = re.compile(r'^  "(?P<key>[^"]+)":\s*(?P<text>"(?:[^"\\]|\\.)*"),$', re.MULTILINE)
_COUNTED = re.compile(r"\{(\w+)\|([^|}]*)\|([^}]*)\}")


@lru_cache(2)
def words(language: str) -> Mapping[str, str]:
    """Key -> text, of "en" or "zh"."""
    source = (files("nav_eval.report") / "static" / f"words.{language}.js").read_text(encoding="utf-8")
    return {entry["key"]: json.loads(entry["text"]) for entry in _ENTRY.finditer(source)}


def said(language: str, key: str, **values: object) -> str:
    """The text of `key` with its {places} filled, and {place|one|more} by the word for so many, as on the page."""
    counted = _COUNTED.sub(lambda found: found[2] if str(values[found[1]]) == "1" else found[3], words(language)[key])
    return counted.format(**values)


def named(language: str, kind: str, name: str) -> str:
    """The word for an action, a room or an outcome; the name itself, readable, where there is none."""
    return words(language).get(f"{kind}.{name.replace(' ', '_')}", name.replace("_", " "))


def language_of(told: str) -> str:
    """Which words go with an instruction in `told` ("zh-CN", "en-IN", ...): Chinese only where a font here shows it."""
    return "zh" if told.lower().startswith("zh") and font_for("中文", 12)[1] else "en"
