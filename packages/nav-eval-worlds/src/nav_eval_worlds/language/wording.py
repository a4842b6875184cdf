"""Wordings from tables: a grammar of alternatives whose choices come from a seeded stream.

The tables are data (`wordings/<language>.toml`, things.toml); nothing here knows a language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.kinds import names

LANGUAGES = ("en", "zh")
_SHORT = 36
"""Characters of a template that may come again, as "{turn} into the {next}": people do not vary what is as short."""
_SEVERAL = re.compile(r"(\d+)\* ")
"""Of an entry that counts several times: how often."""
_ALTERNATIVES, _NAME = re.compile(r"\[([^\[\]]*)\]"), re.compile(r"\{(\w+)\}")


@cache
def tables(language: str) -> dict[str, Any]:
    text = (Path(__file__).parent / "wordings" / f"{language}.toml").read_text(encoding="utf-8")
    return {name: _repeat_by_count(entry) for name, entry in (tomllib.loads(text) | names(language)).items()}


def _repeat_by_count(entry: Any) -> Any:
    """A table whose entries stand in their lists as often as they count."""
    if isinstance(entry, dict):
        return {name: _repeat_by_count(inner) for name, inner in entry.items()}
    if not isinstance(entry, list) or not all(isinstance(one, str) for one in entry):
        return entry
    found = [(one, _SEVERAL.match(one)) for one in entry]
    return [one[many.end() :] if many else one for one, many in found for _ in range(int(many[1]) if many else 1)]


ROOMS = frozenset(tables("en")["rooms"])


def names_of_things(language: str) -> dict[str, list[str]]:
    """Category -> what one calls a thing of it, where one may be told to pass it or see it."""
    told = tables(language)["seen"] | tables(language)["things"]
    return {kind: sorted({words} if isinstance(words, str) else set(words)) for kind, words in told.items()}


class Wording:
    """One text's choices of words. `style` is one of the tables' styles; what it has no rule for is said as in the one
    that it is `like`.

    `readiness`, in percent of what is usual: how readily it says what it may leave out.
    """

    def __init__(self, language: str, style: str, stream: Stream, readiness: int = 100) -> None:
        self.tables, self.style, self.stream, self.readiness = tables(language), style, stream, readiness
        self.manner: dict[str, Any] = {"cut": self.tables["cut"]} | self.tables["styles"][style]
        self._own: dict[str, Any] = self.tables.get(self.manner.get("like", ""), {}) | self.tables.get(style, {})
        self._brief: list[list[str]] = self.tables["brief"] if self.likely("brief") else []
        self.end: str = self.tables["rules"]["end"]
        self.spaced = self.end.endswith(" ")
        self._names: dict[tuple[str, str], str] = {}
        self._used: set[str] = set()

    def likely(self, what: str) -> bool:
        """Whether this time a style says what it may leave out."""
        return self.stream.chance(self.manner.get(what, 0) * self.readiness // 100)

    def word(self, table: str, key: str) -> str:
        """A word for a key of a table; the same throughout the text."""
        if (table, key) not in self._names:
            self._names[table, key] = self.pick(self.tables[table][key])
        return self._names[table, key]

    def pick(self, choices: str | list[str], **slots: str) -> str:
        """One of some templates, if it can be one that the text has not had yet, filled in."""
        fresh = [choices] if isinstance(choices, str) else [one for one in choices if one not in self._used] or choices
        template = self.stream.choice(fresh)
        self._used |= {template} if len(template) > _SHORT else set()
        while found := _ALTERNATIVES.search(template):
            chosen = self.stream.choice(found[1].split("|"))
            template = template[: found.start()] + chosen + template[found.end() :]
        return _NAME.sub(lambda m: slots[m[1]] if m[1] in slots else self.say(m[1], **slots), template)

    def say(self, rule: str, **slots: str) -> str:
        """What a rule of the style, or of all styles, gives."""
        return self.pick(self._own[rule] if rule in self._own else self.tables["rules"][rule], **slots)

    def fit(self, rules: Sequence[str], facts: Mapping[str, str], may: Collection[str], most: bool = True) -> str:
        """Of the style's sentences under some rules one that names nothing that is not there; with `most`, of what it
        `may` leave out it says as much as any."""
        every = [sentence for rule in rules for sentence in self._own.get(rule, ())]
        named = {one: [name for name in _NAME.findall(one) if name in may] for one in every}
        fitting = [one for one in every if all(facts[name] for name in named[one])]
        least = max(len(named[one]) for one in fitting) if most else 0
        return self.pick([one for one in fitting if len(named[one]) >= least], **facts)

    def has(self, rule: str) -> bool:
        return rule in self.tables["rules"]

    def merges(self, joint: str) -> bool:
        """Whether what follows goes on with the sentence."""
        return bool(joint) and self.end.strip() not in joint

    def full(self, told: str) -> bool:
        """Whether the last sentence of a text takes no more."""
        return bool(re.search(self.tables["full"], told.rsplit(self.end, 1)[-1]))

    def clumsy(self, text: str) -> bool:
        """Whether a sentence runs on, or says a thing twice."""
        return bool(re.search(self.tables["clumsy"], text.lower()))

    def clauses(self, parts: Sequence[str]) -> tuple[str, ...]:
        """What `parts` become in the finished text of all of them: joined, they are it."""
        text = self.finished("".join(parts))
        ends = [len(self.finished("".join(parts[:count]))) for count in range(1, len(parts))]
        return tuple(text[begin:end] for begin, end in pairwise([0, *ends, len(text)]))

    def finished(self, text: str) -> str:
        """Spaces and articles put right, sentences with a capital."""
        for pattern, better in (["\\s+", " "], *self._brief, *self.tables["repair"]):
            text = re.sub(pattern, better, text)
        return re.sub(r"(^|[.] )([a-z])", lambda m: m[1] + m[2].upper(), text.strip())
