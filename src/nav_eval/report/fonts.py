"""A font for a text: the first on this machine that has all its letters. Chinese needs one that is installed.

Pillow shows a letter that a font lacks as the font's own "missing" box; that is how a lack is found out.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from nav_eval.logging import get_logger
from nav_eval.variables import WINDOWS

NAMES = (
    "NotoSansCJK-Regular*",
    "NotoSansCJK*",
    "NotoSans*SC*",
    "SourceHanSans*",
    "wqy-*",
    "PingFang*",
    "msyh*",
    "simhei*",
    "DroidSansFallback*",
    "NotoSans-Regular*",
    "NotoSansDevanagari*",
    "NotoSansTelugu*",
    "DejaVuSans.ttf",
    "Arial Unicode*",
)
ENDINGS = (".ttf", ".ttc", ".otf")
MISSING = "\U000effff"


def folders() -> list[Path]:
    """Where fonts lie on Linux, macOS and Windows."""
    home = Path.home()
    places = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".fonts", home / ".local/share/fonts"]
    if sys.platform == "darwin":
        places += [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    if sys.platform == "win32":
        places.append(Path(WINDOWS.get()) / "Fonts")
    return [place for place in places if place.is_dir()]


@lru_cache(1)
def font_files() -> tuple[Path, ...]:
    """Files of the fonts in NAMES that are installed, in that order."""
    found = [path for name in NAMES for folder in folders() for path in sorted(folder.rglob(name))]
    return tuple(path for path in found if path.suffix.lower() in ENDINGS)


def font_for(text: str, size: int) -> tuple[Any, bool]:
    """A Pillow font, and whether it can show all of `text`; a lack is logged once, with what to install."""
    letters = "".join(sorted({letter for letter in text if ord(letter) > 126 and letter.isprintable()}))
    return _font_with(letters, size, font_files()) if letters else (default_font(size), True)


@lru_cache(64)
def _font_with(letters: str, size: int, installed: tuple[Path, ...]) -> tuple[Any, bool]:
    for path in installed:
        font = _open(path, size)
        if font is not None and covers(font, letters):
            return font, True
    _lament(_script(letters))
    return default_font(size), False


@lru_cache(8)
def default_font(size: int) -> Any:
    """Pillow's own font, which it would read anew for each text."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


@lru_cache(32)
def _open(path: Path, size: int) -> Any:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(str(path), size)
    except OSError:
        return None


def covers(font: Any, letters: str) -> bool:
    """Whether each of the letters has a picture of its own."""
    missing = bytes(font.getmask(MISSING))
    return all(bytes(font.getmask(letter)) != missing for letter in letters)


def _script(letters: str) -> str:
    return "Chinese" if any("\u4e00" <= letter <= "\u9fff" for letter in letters) else f"{letters[:3]!r}"


@lru_cache(8)
def _lament(script: str) -> None:
    get_logger(__name__).warning(
        "no font on this machine shows %s: pictures and videos leave such text out. "
        "Install one (Debian: fonts-noto-cjk).",
        script,
    )


def wrapped(text: str, font: Any, width: int, lines: int) -> list[str]:
    """`text` broken into at most `lines` lines of `width` pixels: at blanks, and between Chinese letters."""
    out = [""]
    for piece in _pieces(" ".join(text.split())):
        if font.getlength(out[-1] + piece.rstrip()) <= width:
            out[-1] += piece
        else:
            out.append(piece.lstrip())
    if len(out) <= lines:
        return [line.rstrip() for line in out]
    return [*(line.rstrip() for line in out[: lines - 1]), out[lines - 1].rstrip()[:-1] + "…"]


def _pieces(text: str) -> list[str]:
    pieces, word = [], ""
    for letter in text:
        word += letter
        if letter == " " or ord(letter) >= 0x2E80:
            pieces.append(word)
            word = ""
    return [*pieces, word] if word else pieces
