"""What a command says, in Chinese where NAV_EVAL_LANG, or else the locale, asks for it.

Code says everything in English. The Chinese stands beside it: a file zh.po in the package that says it, an English text
and its Chinese one below the other, {0}, {1}, ... for what a message quotes, {0#} for a number. A command translates
what it prints in the moment in which it prints it, so what is written to files stays English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from nav_eval_sdk.variables import LANGUAGE

ENTRY = re.compile(r'^msgid (".*")\nmsgstr (".*")$', re.MULTILINE)
PLACE = re.compile(r"\{(\d+)#?\}")
NUMBER = re.compile(r"-?[\d.,]+")
JOINT = re.compile(r"(?<=[.:;?!]) +| +(?=[\[(])")
"""Where one message may end within another's line."""
JOINTS = 30
"""A line with more is a stranger's, and takes too long."""
GAP = re.compile(r"(?<=[，。：；？！）、]) (?! )")
"""Chinese needs no blank after these."""


def asked_for() -> bool:
    """Whether the user's language is Chinese."""
    language = next(filter(None, (variable.get() for variable in LANGUAGE)), "")
    return language.lower().startswith("zh")


@cache
def of_packages(*names: str) -> Catalogue:
    """The Catalogue of every zh.po in these packages."""
    return Catalogue({en: zh for name in names for en, zh in entries(Path(str(files(name)))).items()})


def entries(folder: Path) -> Mapping[str, str]:
    """English -> Chinese, of every zh.po in a folder and those below."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.rglob("zh.po"))]
    return {json.loads(en): json.loads(zh) for text in texts for en, zh in ENTRY.findall(text)}


class Catalogue:
    """English -> Chinese: `Catalogue({"no {0}": "没有 {0}"}).translate("no door") == "没有 door"`."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.entries = entries
        parts = {english: PLACE.split(english)[::2] for english in entries if PLACE.search(english)}
        self._templates = sorted(parts.items(), key=lambda item: -len("".join(item[1])))

    def translate(self, text: str) -> str:
        """`text` in Chinese; what nobody has translated stays as it is, and the rest of the line does not."""
        whole = self._whole(text.strip())
        if whole is None and "\n" in text:
            return "\n".join(map(self.translate, text.split("\n")))
        body = text.strip()
        margin = text[: len(text) - len(text.lstrip())]
        return margin + GAP.sub("", self._translate_parts(body) if whole is None else whole)

    def _translate_parts(self, text: str) -> str:
        """The longest beginning of `text` that is a message, and then the rest of it."""
        ends = [found.span() for found in JOINT.finditer(text)]
        if len(ends) > JOINTS:
            return text
        for end, begin in reversed(ends):
            if (said := self._whole(text[:end])) is not None:
                return f"{said} {self.translate(text[begin:])}"
        return f"{text[: ends[0][0]]} {self.translate(text[ends[0][1] :])}" if ends else text

    def _whole(self, text: str) -> str | None:
        """The Chinese of one message; None of what is none."""
        if found := self.entries.get(" ".join(text.split())):
            return found
        for english, parts in self._templates:
            quoted = _between(parts, text)
            if quoted is not None and _fits(english, quoted):
                return self._fill(self.entries[english], quoted)
        return None

    def _fill(self, chinese: str, quoted: list[str]) -> str:
        return PLACE.sub(lambda place: self.translate(quoted[int(place[1])]), chinese)


def _fits(english: str, quoted: list[str]) -> bool:
    """Whether every {n#} stands for a number, and nothing is quoted that begins with the end of a sentence."""
    numbers = all(NUMBER.fullmatch(quoted[int(place)]) for place in re.findall(r"\{(\d+)#\}", english))
    return numbers and not any(text.startswith(". ") for text in quoted)


def _between(parts: list[str], text: str) -> list[str] | None:
    """What stands between `parts`, which follow each other in `text` and are its two ends; None where they do not."""
    if not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return None
    end, found = len(text) - len(parts[-1]), []
    place = len(parts[0])
    for part in parts[1:-1]:
        begin = text.find(part, place, end)
        if begin < 0:
            return None
        found.append(text[place:begin])
        place = begin + len(part)
    return [*found, text[place:end]] if place <= end else None


def spoken(text: str) -> str:
    """What nav-eval-agent says, in the user's language."""
    return of_packages(*own_packages()).translate(text) if asked_for() else text


def own_packages() -> tuple[str, ...]:
    """Whose words nav-eval-agent says: the SDK's and, where it is installed, those of the agents of ours."""
    return ("nav_eval_sdk", *(["nav_eval_baselines"] if find_spec("nav_eval_baselines") else []))
