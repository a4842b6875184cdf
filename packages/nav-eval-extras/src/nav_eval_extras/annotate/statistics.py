"""Texts of people beside the texts that the data set has for the same paths."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from nav_eval.dataset.episode import name_with_scene
from nav_eval.dataset.tokens import tokenize
from nav_eval_extras.annotate.desk import Desk
from nav_eval_extras.annotate.journal import Followed, Journal, Written
from nav_eval_extras.collecting.paths import Route


def statistics_of(journal: Journal, desk: Desk, paths: Sequence[Route]) -> dict[str, Any]:
    """By language: the accepted texts (`written`), and the others of their paths (`given`). `attention`: sums.

    `share_accepted`: of the texts that somebody followed.
    """
    wordings = {name_with_scene(route.key): route.wordings for route in paths}
    accepted = [text for text, _ in desk.accepted() if text.path in wordings]
    followed = {walk.text for walk in journal if isinstance(walk, Followed)}
    people = {event.person for event in journal if event.person}
    told = [desk.attention(person) for person in people]
    found: dict[str, Any] = {"attention": {name: sum(one[name] for one in told) for name in told[0]}} if told else {}
    for language in sorted({text.language for text in accepted}):
        mine = [text for text in accepted if text.language == language]
        tried = [
            one
            for one in journal
            if isinstance(one, Written) and (one.language, one.text in followed) == (language, True)
        ]
        given = [one.text for text in mine for one in wordings[text.path] if one.language.startswith(language)]
        share = {"share_accepted": len(mine) / len(tried)}
        found[language] = {"written": _of([text.words for text in mine]) | share, "given": _of(given)}
    return found


def _of(texts: Sequence[str]) -> dict[str, Any]:
    tokens = [tokenize(text) for text in texts]
    length = fmean(map(len, tokens)) if tokens else None
    return {"texts": len(texts), "mean_length": length, "word_types": len({word for one in tokens for word in one})}
