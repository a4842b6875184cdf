"""The incremental reader against the standard library's whole-file decoder, and against every kind of damage."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nav_eval.dataset import streaming
from nav_eval.dataset.streaming import JsonStream
from nav_eval.errors import DatasetError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=12,
)


def parts_of(path: Path, content: bytes, **options: Any) -> list[streaming.Part]:
    path.write_bytes(content)
    return list(JsonStream(str(path), **options))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.lists(JSON, max_size=5),
    piece=st.integers(1, 40),
    packed=st.booleans(),
    indent=st.sampled_from([None, 2]),
)
def test_any_list_in_any_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: list[Any], piece: int, packed: bool, indent: int | None
) -> None:
    monkeypatch.setattr(streaming, "_PIECE", piece)
    text = json.dumps(records, indent=indent, ensure_ascii=piece % 2 == 0).encode("utf-8", "surrogatepass")
    assert [p.value for p in parts_of(tmp_path / "a.json", gzip.compress(text) if packed else text)] == records


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.dictionaries(st.text(), JSON, max_size=4), records=st.lists(JSON, max_size=4), piece=st.integers(1, 40))
def test_any_object_in_any_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any], records: list[Any], piece: int
) -> None:
    monkeypatch.setattr(streaming, "_PIECE", piece)
    whole = {**value, "episodes": records}
    parts = parts_of(tmp_path / "a.json", json.dumps(whole).encode())
    assert [p.value for p in parts if p.number is not None] == records
    assert {p.key: p.value for p in parts if p.number is None} == {k: v for k, v in whole.items() if k != "episodes"}


def test_byte_order_mark_and_plain_text_under_a_gz_name(tmp_path: Path) -> None:
    assert parts_of(tmp_path / "a.json.gz", b"\xef\xbb\xbf[1]")[0].value == 1


GOOD = json.dumps({"episodes": [{"a": "é" * 2000, "b": [1.5, 2]}] * 40}, ensure_ascii=False).encode()

DAMAGED = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n", "the file is empty"),
    "not JSON": (b"hello", "not JSON: it begins with 'h'"),
    "number": (b"12", "not JSON"),
    "truncated text": (GOOD[:-900], "cut off"),
    "truncated in a key": (b'{"epis', "cut off"),
    "truncated after a record": (b"[1", "cut off"),
    "truncated gzip": (gzip.compress(GOOD)[:-9], "cut off or damaged"),
    "gzip header only": (b"\x1f\x8b\x08\x00", "cut off or damaged"),
    "damaged gzip": (gzip.compress(GOOD)[:60] + b"\xff\xff\xff" + gzip.compress(GOOD)[63:], "cut off or damaged"),
    "more text": (b"[1] [2]", "more text follows"),
    "missing comma": (b"[1 2]", "expected a comma"),
    "missing colon": (b'{"a" 1}', "expected a key"),
    "key that is not a string": (b"{1: 2}", "expected a key"),
    "trailing comma": (b"[1,]", "not JSON"),
    "broken record": (b'[{"a": }, {"b": 1}]' + b" " * 100, r"\[0\]: not JSON"),
    "not UTF-8": (b'["\xff\xfe"]', "not UTF-8"),
    "deep": (b"[" * 200_000, "cannot be decoded"),
    "huge number": (b"[" + b"9" * 10_000 + b"]", "cannot be decoded"),
    "twice": (b'{"a": 1, "a": 2}', "'a' appears twice"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_named(tmp_path: Path, kind: str) -> None:
    content, message = DAMAGED[kind]
    with pytest.raises(DatasetError, match=message) as error:
        parts_of(tmp_path / "a.json", content)
    assert "a.json" in str(error.value)


def test_records_before_the_damage_are_given(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(GOOD[:-900])
    stream = iter(JsonStream(str(path)))
    assert [next(stream).number for _ in range(39)] == list(range(39))
    with pytest.raises(DatasetError):
        next(stream)


def test_gzip_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    bomb = gzip.compress(b'["' + b"a" * 30_000_000 + b'"]')
    assert len(bomb) < 50_000
    with pytest.raises(DatasetError, match="more than 5000000 bytes"):
        parts_of(tmp_path / "a.json.gz", bomb, max_bytes=5_000_000)


@pytest.mark.parametrize("begin", [b"", b"[{}"])
def test_a_gigabyte_of_blanks_ends_within_seconds(tmp_path: Path, begin: bytes) -> None:
    """A file of 1 MiB, below dataset.max_bytes: 256 gzip members of 4 MiB each."""
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(begin) + 256 * gzip.compress(b" " * (4 << 20)))
    assert path.stat().st_size < 5 << 18
    begun = time.process_time()
    with pytest.raises(DatasetError, match="more than 100 times its size"):
        list(JsonStream(str(path)))
    assert time.process_time() - begun < 10


def test_a_dense_but_small_file_is_read(tmp_path: Path) -> None:
    text = b'["' + b"a" * 30_000_000 + b'"]'
    assert len(parts_of(tmp_path / "a.json.gz", gzip.compress(text))[0].value) == 30_000_000


def test_a_single_value_may_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "_LONGEST", 3_000_000)
    with pytest.raises(DatasetError, match="one value is longer"):
        parts_of(tmp_path / "a.json", b'["' + b"a" * 9_000_000)


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_no_such_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match=r"Check dataset\.data_path"):
        list(JsonStream(str(tmp_path / name)))
