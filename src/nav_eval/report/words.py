"""The page's words for what Python draws, videos and their plans: one table for both, static/words.*.js.

What a metric is called is said by the metric, in English; its Chinese stands in the zh.po of its package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from nav_eval.core.definitions import Definition, readable
from nav_eval.metrics.registry import METRICS, known_definitions
from nav_eval.registry import entered
from nav_eval.report.fonts import font_for
from nav_eval.results.export import recorded_definitions
from nav_eval_sdk.chinese import Catalogue, of_packages

UNITS = {"m": "米", "s": "秒"}
NUMERALS: Mapping[str, Sequence[str]] = {
    "en": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    "zh": "零一二三四五六七八九十",
}
_PART = r'"(?:[^"\\]|\\.)*"'
_ENTRY = re.compile(rf'^  "(?P<key>[^"]+)":\s*(?P<text>{_PART}(?:\s\+\s+{_PART})*),$', re.MULTILINE)
_COUNTED = re.compile(r"\{(\w+)\|([^|}]*)\|([^}]*)\}")


@lru_cache(2)
def words(language: str) -> Mapping[str, str]:
    """Key -> text, of "en" or "zh"."""
    source = (files("nav_eval.report") / "static" / f"words.{language}.js").read_text(encoding="utf-8")
    return {
        entry["key"]: "".join(map(json.loads, re.findall(_PART, entry["text"]))) for entry in _ENTRY.finditer(source)
    }


def said(language: str, key: str, **values: object) -> str:
    """The text of `key` with its {places} filled, and {place|one|more} by the word for so many, as on the page."""
    counted = _COUNTED.sub(lambda found: found[2] if str(values[found[1]]) == "1" else found[3], words(language)[key])
    return counted.format(**values)


def named(language: str, kind: str, name: str) -> str:
    """The word for an action, a room or an outcome; the name itself, readable, where there is none."""
    return words(language).get(f"{kind}.{name.replace(' ', '_')}", name.replace("_", " "))


def numeral(language: str, number: int) -> str:
    """A small number as a word."""
    return NUMERALS[language][number] if number < len(NUMERALS[language]) else str(number)


def language_of(told: str) -> str:
    """Which words go with an instruction in `told` ("zh-CN", "en-IN", ...): Chinese only where a font here shows it."""
    return "zh" if told.lower().startswith("zh") and font_for("中文", 12)[1] else "en"


def short_name(name: str, definition: Definition) -> str:
    """What papers call the metric."""
    return worded(name, definition).short or name


def metric_words(name: str, definition: Definition) -> dict[str, tuple[str, str]]:
    """Language -> what the metric is called, with its unit, and what it is."""
    told, chinese = worded(name, definition), metric_catalogue()
    label, unit = told.label or readable(name), "" if told.unit == "share" else told.unit
    return {
        "en": (f"{label} ({unit})" if unit else label, told.about),
        "zh": (
            chinese.translate(label) + (f"（{UNITS.get(unit, unit)}）" if unit else ""),
            chinese.translate(told.about),
        ),
    }


def recorded_definition(results: Mapping[str, Any], name: str) -> Definition:
    """What results.json says of a metric; today's words where it is older than these are."""
    recorded = recorded_definitions(results).get(name)
    return recorded or (known_definitions([name], {})[name] if name in METRICS else Definition())


def worded(name: str, definition: Definition) -> Definition:
    """The definition that a run recorded, with the words of today where it is older than these are."""
    if definition.label or name not in METRICS:
        return definition
    here = known_definitions([name], {})[name]
    return replace(definition, label=here.label, short=here.short, about=here.about or definition.about)


@cache
def metric_catalogue() -> Catalogue:
    """The Chinese of our own metrics and of those that installed packages bring."""
    brought = {point.module.partition(".")[0] for point in entered("nav_eval.metrics")}
    packages = [name for name in sorted(brought) if (spec := find_spec(name)) and spec.submodule_search_locations]
    return of_packages("nav_eval", *packages)
