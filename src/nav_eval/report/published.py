"""Tables of published results, which a board can show beside one's own runs: printed elsewhere, run by nobody here.

A table is a TOML file: pages, and on each page results as they are printed there. Figures are texts, so that no digit
is added or lost. The built-in file is published.toml; a plug-in adds its own with `register_published` or an entry
point in the group `nav_eval.published_tables`, which names a path or a function that answers one.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal, get_args

import msgspec

from nav_eval.config.schema import Convention
from nav_eval.errors import ConfigError
from nav_eval.registry import Registry
from nav_eval_sdk.protocol.structs import known

HERE = ("r2r", "reverie", "r2r-ce", "rxr-ce", "objectnav-mp3d", "objectnav-hm3d", "objectnav-hm3d-v2")
PUBLISHED: Registry[str | Path | Callable[[], str | Path]] = Registry(
    "published tables", dict.fromkeys(HERE, "nav_eval.report.published:own_file")
)
METRES = ("TL", "NE")
SHARES = ("OSR", "SR", "SPL", "nDTW", "SDTW", "RGS", "RGSPL")
MAX_METRES = 1000
YEARS = range(2017, 2100)


class _Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    benchmark: str
    split: str
    model: str
    paper: str
    year: int
    link: str
    figures: dict[str, str]
    printed: str
    inputs: str = ""
    note: str = ""
    convention: str = ""
    read: Literal[1, 2] = 1


class _Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    where: str
    authors: bool
    scale: Literal["share", "percent"]
    result: list[_Result]
    convention: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    page: list[_Page]
    chinese: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Published:
    """One model on one split. `figures`: TL and NE in metres, the others in percent, with the digits as printed.

    `where` is the page that it was read on, `printed` what stands there; `quoted`: by others than the model's authors.
    `convention`: whose evaluator made the figures, a name of `task.convention`; "" where nothing tells it.
    `read`: how often the figures were compared with the page, the second time by somebody else.
    `inputs_zh` and `note_zh`: the same in Chinese, "" where the table does not say it.
    """

    benchmark: str
    model: str
    paper: str
    year: int
    link: str
    split: str
    inputs: str
    inputs_zh: str
    note: str
    note_zh: str
    figures: Mapping[str, Decimal]
    printed: str
    where: str
    quoted: bool
    convention: str = ""
    read: int = 1


def register_published(name: str, file: str | Path) -> None:
    """Make the results of benchmark `name` in a TOML file known as the table `name`. Raises ConfigError if taken."""
    PUBLISHED.add(name, file)


def own_file() -> Path:
    """The built-in file."""
    return Path(__file__).with_name("published.toml")


def published(name: str) -> tuple[Published, ...]:
    """The table's results. Raises ConfigError for a name that is none, and a file that is not as it must be."""
    member = PUBLISHED.get(name)
    path = Path(member() if callable(member) else member)
    file = _read(path)
    found = [(page, one) for page in file.page for one in page.result if one.benchmark == name]
    if not found:
        raise ConfigError(f"{path}: holds no result of benchmark {name!r}.")
    faults = [fault for page, one in found for fault in _faults(page, one)] + [
        f"`chinese` has {text!r}, which is no result's `inputs` or `note`" for text in _idle(file)
    ]
    counts = Counter((one.split, one.model) for _, one in found)
    faults += [f"{model}, {split}: appears twice" for (split, model), count in counts.items() if count > 1]
    if faults:
        raise ConfigError(f"{path}: {faults[0]}.")
    return tuple(_entry(page, one, file.chinese) for page, one in found)


def of_split(table: Sequence[Published], split: str | None) -> tuple[Published, ...]:
    """Those of the runs' split, where the table has any; else all."""
    return tuple(one for one in table if one.split == split) or tuple(table)


def _read(path: Path) -> _File:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(f"{path}: is no table of published results ({error}).") from None


def _idle(file: _File) -> list[str]:
    used = {text for page in file.page for one in page.result for text in (one.inputs, one.note)}
    return [text for text in file.chinese if text not in used]


def _faults(page: _Page, one: _Result) -> Iterator[str]:
    told = f"{one.model}, {one.split}"
    for field in ("model", "split", "paper", "printed"):
        if not getattr(one, field).strip():
            yield f"{told}: `{field}` is empty"
    for field, link in (("link", one.link), ("where", page.where)):
        if not link.startswith(("https://", "http://")):
            yield f"{told}: `{field}` is no address on the web"
    convention = one.convention or page.convention
    if convention and convention not in get_args(Convention):
        yield f"{told}: convention {convention!r} is none of {', '.join(get_args(Convention))}"
    if one.year not in YEARS:
        yield f"{told}: year {one.year}"
    if not one.figures:
        yield f"{told}: has no figure"
    for name, text in one.figures.items():
        if name not in METRES + SHARES:
            yield f"{told}: {name} is none of {', '.join(METRES + SHARES)}"
        elif not _possible(name, text, page.scale):
            yield f"{told}: {name} = {text!r} cannot be ({page.scale})"


def _possible(name: str, text: str, scale: str) -> bool:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return False
    most = MAX_METRES if name in METRES else {"share": 1, "percent": 100}[scale]
    return value.is_finite() and 0 <= value <= most


def _entry(page: _Page, one: _Result, chinese: Mapping[str, str]) -> Published:
    moved = 2 if page.scale == "share" else 0
    told = msgspec.structs.asdict(one) | {
        "figures": {n: Decimal(text).scaleb(moved if n in SHARES else 0) for n, text in one.figures.items()},
        "convention": one.convention or page.convention,
    }
    inputs, note = (chinese.get(text, "") for text in (one.inputs, one.note))
    return Published(**told, inputs_zh=inputs, note_zh=note, where=page.where, quoted=not page.authors)


known(globals())
