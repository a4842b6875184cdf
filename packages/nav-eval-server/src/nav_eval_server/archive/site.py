"""The published competition as pages that any file server shows: no script, no address of anybody else's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone, translation

from nav_eval_server.challenge import Challenge
from nav_eval_server.queue.phases import counting_first, phases
from nav_eval_server.settings import PAGES
from nav_eval_server.web import rules
from nav_eval_server.web.columns import titles
from nav_eval_server.web.context import everywhere
from nav_eval_server.web.standings import Standings, leading

ENDINGS = {"en": ".html", "zh-hans": ".zh.html"}
"""Language -> what the names of its pages end with."""
TWINS: Mapping[str, Mapping[str, str]] = {
    "en": {"twin_language": "zh-Hans", "twin_name": "中文"},
    "zh-hans": {"twin_language": "en", "twin_name": "English"},
}


def write(challenge: Challenge, out: Path, boards: Sequence[Standings], key: str | None, now: datetime) -> None:
    """index.html and boards/NAME.html beside the data that lie in `out` already, in each language.

    `key`: the public key of the runs' signatures, if there are any.
    """
    for file in ("pages.css", "icon.svg"):
        shutil.copyfile(PAGES / "static" / file, out / file)
    for language in ENDINGS:
        with translation.override(language), timezone.override(challenge.zone):
            _page(out, "index", language, _index(challenge, boards, now) | {"key": key})
            for board in boards:
                files = {"runs": list(_runs(out, board)), "values": (out / "values" / f"{board.name}.json").exists()}
                _page(out, f"boards/{board.name}", language, {"board": board, **files})


def _page(out: Path, name: str, language: str, told: Mapping[str, Any]) -> None:
    template = "published/board.html" if "/" in name else "published/index.html"
    others = (ending for other, ending in ENDINGS.items() if other != language)
    links = {
        "root": "../" * name.count("/"),
        "ending": ENDINGS[language],
        "twin": Path(name).name + next(others),
    }
    text = render_to_string(template, {**everywhere(), **links, **TWINS[language], **told})
    (out / f"{name}{ENDINGS[language]}").write_text(text, encoding="utf-8")


def _index(challenge: Challenge, boards: Sequence[Standings], now: datetime) -> dict[str, Any]:
    """As on the server's own first page."""
    return {
        "board": leading(challenge, boards),
        "phases": [
            (phase, [board for board in boards if board.phase == phase.name])
            for phase in counting_first(phases(challenge, now))
        ],
        "facts": rules.facts(challenge),
        "by": titles([challenge.ranking.by]),
        "now": now,
    }


def _runs(out: Path, board: Standings) -> Iterator[tuple[str, str, list[str]]]:
    """Team, submission and file names of the signed runs behind a board."""
    for row in board.rows:
        folder = out / "runs" / row.entry["submission"]
        if folder.is_dir():
            yield row.entry["team"], row.entry["submission"], sorted(path.name for path in folder.iterdir())
