"""A list of people as spreadsheets write it: name, email and, where there is one, team. Commas, semicolons or tabs.

The columns may be headed, in English or Chinese, and then stand in any order.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from nav_eval.errors import InputError
from nav_eval_server.queue.states import Sentence
from nav_eval_server.visible import looks_taken, named, visible

COLUMNS = ("name", "email", "team")
HEADS = {
    "name": "name",
    "姓名": "name",
    "email": "email",
    "e-mail": "email",
    "邮箱": "email",
    "team": "team",
    "队伍": "team",
}
OTHER, MORE = "a column of another head", "a column too many"
MAX_PEOPLE = 2000
MAX_BYTES = 1 << 20
NO_NAME: Sentence = {"en": "the name is missing or too long", "zh": "姓名缺失或过长"}
NO_EMAIL: Sentence = {"en": "this is not an e-mail address", "zh": "邮箱地址无效"}
TWICE: Sentence = {"en": "this e-mail address stands above, too", "zh": "该邮箱在上文已出现"}
NO_TEAM: Sentence = {
    "en": "a team's name has 2 to 60 visible characters, one letter at least",
    "zh": "队伍名称须为 2 至 60 个可见字符，至少含一个字母",
}
ALIKE: Sentence = {
    "en": "this team's name looks like another one's; write both in the same way",
    "zh": "该队伍名称与另一个相似；请统一写法",
}
COUNT: Sentence = {"en": "write name, email and, if you like, team", "zh": "请依次填写姓名、邮箱和（可选）队伍"}
NOT_UTF_8: Sentence = {
    "en": "the file is not UTF-8; save it as CSV UTF-8",
    "zh": "文件不是 UTF-8 编码；请另存为 CSV UTF-8",
}
TOO_LONG: Sentence = {
    "en": f"the file has more than {MAX_PEOPLE} lines or 1 MiB",
    "zh": f"文件超过 {MAX_PEOPLE} 行或 1 MiB",
}
NOBODY: Sentence = {"en": "nobody stands in this file", "zh": "文件中没有任何人"}


@dataclass(frozen=True)
class Listed:
    """`team`: "" for one of their own."""

    name: str
    email: str
    team: str


@dataclass(frozen=True)
class Fault:
    line: int
    said: Sentence


def read(data: bytes, teams: Collection[str]) -> tuple[list[Listed], list[Fault]]:
    """Who is listed, and what is wrong, by line. `teams`: names that there are."""
    if len(data) > MAX_BYTES:
        return [], [Fault(1, TOO_LONG)]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [], [Fault(data.count(b"\n", 0, error.start) + 1, NOT_UTF_8)]
    try:
        rows = [*_rows(text)]
    except csv.Error:
        return [], [Fault(1, COUNT)]
    if not 0 < len(rows) <= MAX_PEOPLE:
        return [], [Fault(1, TOO_LONG if rows else NOBODY)]
    return _check(rows, {*teams})


def _check(rows: Iterable[tuple[int, Mapping[str, str]]], teams: set[str]) -> tuple[list[Listed], list[Fault]]:
    found, faults = dict[str, Listed](), list[Fault]()
    for line, cells in rows:
        try:
            one = _read_row(cells)
            _check_new(one, found, teams)
        except _Wrong as wrong:
            faults.append(Fault(line, wrong.said))
        else:
            found[one.email] = one
            teams |= {one.team} - {""}
    return [*found.values()], faults


class _Wrong(Exception):
    def __init__(self, said: Sentence) -> None:
        super().__init__()
        self.said = said


def _rows(text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Lines that have anything: their number, and what stands in their columns."""
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    columns: Sequence[str] = COLUMNS
    for n, row in enumerate(reader):
        cells = [cell.strip() for cell in row]
        heads = [HEADS.get(cell.casefold(), OTHER) for cell in cells]
        if n == 0 and "email" in heads:
            columns = heads
        elif any(cells):
            names = [*columns, *[MORE] * len(cells)]
            yield reader.line_num, {name: cell for name, cell in zip(names, cells, strict=False) if cell}


def _read_row(cells: Mapping[str, str]) -> Listed:
    if MORE in cells or not {"name", "email"} <= cells.keys():
        raise _Wrong(COUNT)
    try:
        name = visible(cells["name"], 150)
    except InputError:
        raise _Wrong(NO_NAME) from None
    email = cells["email"].lower()
    try:
        validate_email(email)
    except ValidationError:
        raise _Wrong(NO_EMAIL) from None
    return Listed(name, email, _team(cells.get("team", "")))


def _team(text: str) -> str:
    try:
        name = named(text) if text else ""
    except InputError:
        raise _Wrong(NO_TEAM) from None
    if len(name) == 1:
        raise _Wrong(NO_TEAM)
    return name


def _check_new(one: Listed, found: Mapping[str, Listed], names: Collection[str]) -> None:
    if one.email in found:
        raise _Wrong(TWICE)
    if one.team and one.team not in names and looks_taken(one.team, names):
        raise _Wrong(ALIKE)
