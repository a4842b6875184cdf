"""The published competition as pages that any file server shows: no script, no address of anybody else's."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone, translation

from nav_eval_server import pages
from nav_eval_server.challenge import Challenge
from nav_eval_server.markdown import Links, html
from nav_eval_server.queue.phases import counting_first, phases
from nav_eval_server.settings import PAGES, current
from nav_eval_server.web import rules
from nav_eval_server.web.columns import titles
from nav_eval_server.web.context import everywhere, language
from nav_eval_server.web.standings import Standings, leading

ENDINGS = {"en": ".html", "zh-hans": ".zh.html"}
"""Language -> what the names of its pages end with."""
TEMPLATES = {"": "published/index.html", "boards": "published/board.html", "pages": "published/page.html"}
"""Folder -> that of its pages."""
TWINS: Mapping[str, Mapping[str, str]] = {
    "en": {"twin_language": "zh-Hans", "twin_name": "中文"},
    "zh-hans": {"twin_language": "en", "twin_name": "English"},
}


def write(challenge: Challenge, out: Path, boards: Sequence[Standings], key: str | None, now: datetime) -> None:
    """index.html, boards/NAME.html and pages/NAME.html beside the data that lie in `out` already, in each language.

    `key`: the public key of the runs' signatures, if there are any.
    """
    for file in ("pages.css", "icon.svg"):
        shutil.copyfile(PAGES / "static" / file, out / file)
    _copy_files(challenge.folder, out / "pages")
    for code in ENDINGS:
        with translation.override(code), timezone.override(challenge.zone):
            _page(out, "index", code, _index(challenge, boards, now) | {"key": key})
            for own in pages.read(challenge.folder, language()).values():
                _page(out, f"pages/{own.name}", code, {"own": own, "text": html(own.text, _links("../", code))})
            for board in boards:
                files = {"runs": list(_runs(out, board)), "values": (out / "values" / f"{board.name}.json").exists()}
                _page(out, f"boards/{board.name}", code, {"board": board, **files})


def _copy_files(folder: Path, out: Path) -> None:
    """Pictures and downloads. An SVG, which might run a script when it is opened by itself, stands within pages."""
    out.mkdir(exist_ok=True)
    for name, path in pages.files(folder).items():
        if path.suffix != ".svg":
            shutil.copyfile(path, out / name)


def _page(out: Path, name: str, code: str, told: Mapping[str, Any]) -> None:
    template = TEMPLATES[Path(name).parent.name]
    others = (ending for other, ending in ENDINGS.items() if other != code)
    root = "../" * name.count("/")
    links = {"root": root, "ending": ENDINGS[code], "twin": Path(name).name + next(others)}
    common = everywhere(links=_links(root, code))
    common |= {"logo": _inline(logo)} if (logo := pages.logo(current().folder)) and logo.suffix == ".svg" else {}
    text = render_to_string(template, {**common, **links, **TWINS[code], **told})
    (out / f"{name}{ENDINGS[code]}").write_text(text, encoding="utf-8")


def _links(root: str, code: str) -> Links:
    return Links(f"{root}pages/{{}}{ENDINGS[code]}", f"{root}pages/{{}}", f"{root}index{ENDINGS[code]}")


def _inline(svg: Path) -> str:
    """The address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.read_bytes()).decode()}"


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
