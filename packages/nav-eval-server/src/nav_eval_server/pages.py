"""A competition's own pages: what lies in pages/ beside challenge.yaml, read whenever it has changed.

NAME.md is a page and NAME.zh.md its Chinese twin; where one is absent its readers get the other. `terms` is what people
accept when they sign up, `foot` stands below every page, logo.svg or logo.png at its head; the rest may be pictures and
downloads. A link is not followed, so that nothing else of this machine is shown.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nav_eval_server import markdown
from nav_eval_server.queue.states import Language

ORDER = ("overview", "rules", "data", "prizes", "contact", "citation")
TERMS, FOOT = "terms", "foot"
LOGOS = ("logo.svg", "logo.png")
MAX_BYTES = 100_000
PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
DOWNLOADS = (".bib", ".csv", ".gz", ".json", ".pdf", ".tar", ".txt", ".yaml", ".zip")
"""Endings of what browsers keep as a file; of nothing that they would run."""
ENDINGS = (*PICTURES, *DOWNLOADS)


@dataclass(frozen=True)
class Page:
    """`language`: of its text, which may not be the reader's."""

    name: str
    language: Language
    text: str

    @property
    def heading(self) -> str:
        return markdown.heading(self.text)

    @property
    def title(self) -> str:
        return self.heading or self.name


def read(folder: Path, language: Language) -> dict[str, Page]:
    """Every page as readers of a language get it, by name, in the order of the navigation."""
    found: dict[str, Page] = {}
    for path in sorted(_plain_files(folder)):
        match, text = markdown.PAGE.fullmatch(path.name), _read(path)[0]
        if match is not None and text is not None:
            page = Page(match[1], "zh" if match[2] else "en", text)
            if page.name not in found or page.language == language:
                found[page.name] = page
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> tuple[int, str]:
    return ORDER.index(name) if name in ORDER else len(ORDER), name


def shown(pages: Mapping[str, Page]) -> list[Page]:
    """Those of the navigation."""
    return [page for page in pages.values() if page.name not in (TERMS, FOOT)]


def files(folder: Path) -> dict[str, Path]:
    """Logo, pictures and downloads by their names."""
    return {path.name: path for path in _plain_files(folder) if _may_be_sent(path)}


def logo(folder: Path) -> Path | None:
    found = files(folder)
    return next((found[name] for name in LOGOS if name in found), None)


def terms_sha256(folder: Path) -> str:
    """Of the text in both languages; "" where nobody has to accept any."""
    texts = [read(folder, language).get(TERMS) for language in ("en", "zh")]
    whole = "\0".join(page.text for page in dict.fromkeys(texts) if page is not None)
    return hashlib.sha256(whole.encode()).hexdigest() if whole else ""


def faults(folder: Path) -> Iterator[str]:
    """What is not shown, and what to do about it; a line each."""
    for path in sorted((folder / "pages").iterdir()) if (folder / "pages").is_dir() else ():
        place = f"pages/{path.name}"
        if path.is_symlink() or not path.is_file():
            yield f"{place}: is not shown: only plain files are; copy it there"
        elif path.suffix == ".md":
            yield from (f"{place}: is not shown: {why}" for why in _page_faults(path))
        elif not _may_be_sent(path):
            yield f"{place}: is not shown: name it logo.svg or by letters, digits, . _ - and one of {' '.join(ENDINGS)}"


def _page_faults(path: Path) -> Iterator[str]:
    if markdown.PAGE.fullmatch(path.name) is None:
        yield "name it by small letters, digits and hyphens, such as rules.md and rules.zh.md"
    elif why := _read(path)[1]:
        yield why


def _plain_files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder / "pages") as entries:
            return [Path(one.path) for one in entries if one.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _may_be_sent(path: Path) -> bool:
    return path.name in LOGOS or (path.suffix in ENDINGS and markdown.FILE.fullmatch(path.name) is not None)


def _read(path: Path) -> tuple[str | None, str]:
    """Its text, or why there is none."""
    try:
        state = path.stat()
        return _load_text(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        return None, f"cannot be read ({error.strerror})"


@lru_cache(maxsize=128)
def _load_text(path: Path, changed_ns: int, size: int) -> tuple[str | None, str]:
    if size > MAX_BYTES:
        return None, f"has {size} bytes, {MAX_BYTES} at most; shorten it, or make two pages of it"
    try:
        return path.read_text(encoding="utf-8"), ""
    except UnicodeDecodeError:
        return None, "is not UTF-8; save it as that"
