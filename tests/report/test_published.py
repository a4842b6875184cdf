"""Tables of published results: their form. Whether the figures are those of the pages, a reader must see."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from nav_eval.cli.inspect import list_names
from nav_eval.errors import ConfigError
from nav_eval.report.published import HERE, PUBLISHED, SHARES, own_file, published, register_published

RESULT = """
[[page]]
where = "https://example.org"
authors = true
scale = "{scale}"
[[page.result]]
benchmark = "lab-nav"
split = "test"
model = "{model}"
paper = "A Paper"
year = {year}
link = "{link}"
figures = {{ {figures} }}
printed = "0.5"
convention = "{convention}"
read = {read}
"""
GOOD = {
    "scale": "share",
    "convention": "",
    "read": 1,
    "model": "M",
    "year": 2024,
    "link": "https://example.org/p",
    "figures": 'SR = "0.5", NE = "3"',
}


def written(path: Path, **changes: object) -> Path:
    path.write_text(RESULT.format(**(GOOD | changes)))
    return path


@pytest.mark.parametrize("name", HERE)
def test_every_figure_stands_in_what_was_printed(name: str) -> None:
    for one in published(name):
        numbers = set(re.findall(r"\d+(?:[.]\d+)?", one.printed))
        for figure, value in one.figures.items():
            assert numbers & {format(value, "f"), format(value.scaleb(-2), "f")}, (one.model, figure)


def test_five_and_twenty_models_with_page_paper_and_year() -> None:
    every = [one for name in HERE for one in published(name)]
    assert len({one.model for one in every}) >= 25
    assert {name.split("-")[0] for name in HERE} == {"r2r", "reverie", "rxr", "objectnav"}
    assert {one.split for one in published("r2r")} >= {"val_unseen", "test"}
    shares = [value for one in every for figure, value in one.figures.items() if figure in SHARES]
    # A share taken for a percentage, or the other way, would be here.
    assert min(shares) > 1


@pytest.mark.parametrize("name", HERE)
def test_what_is_said_of_a_result_is_said_in_chinese_with_the_same_numbers(name: str) -> None:
    for one in published(name):
        for english, chinese in ((one.inputs, one.inputs_zh), (one.note, one.note_zh)):
            if english in ("", "RGB"):
                assert chinese == ""
            else:
                assert re.search("[\u4e00-\u9fff]", chinese), english
                assert re.findall(r"\d[\d.,]*", english) == re.findall(r"\d[\d.,]*", chinese)


def test_a_table_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PUBLISHED, "_members", dict(PUBLISHED._members))
    register_published("lab-nav", written(tmp_path / "lab.toml"))
    (one,) = published("lab-nav")
    assert one.figures == {"SR": Decimal("50"), "NE": Decimal("3")}
    assert "lab-nav" in PUBLISHED.names()
    with pytest.raises(ConfigError, match="registered already"):
        register_published("r2r", own_file())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"figures": 'SR = "50"'}, r"SR = '50' cannot be \(share\)"),
        ({"figures": 'NE = "-1"'}, "NE = '-1' cannot be"),
        ({"figures": 'SR = "nan"'}, "SR = 'nan' cannot be"),
        ({"figures": 'SRR = "0.5"'}, "SRR is none of TL, NE"),
        ({"figures": ""}, "has no figure"),
        ({"year": 1999}, "year 1999"),
        ({"link": "javascript:alert(1)"}, "`link` is no address"),
        ({"model": ""}, "`model` is empty"),
        ({"scale": "permille"}, "is no table of published results"),
        ({"read": 3}, "is no table of published results"),
        ({"convention": "vlnce"}, "convention 'vlnce' is none of r2r-eval, duet"),
    ],
)
def test_a_table_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], told: str
) -> None:
    monkeypatch.setattr(PUBLISHED, "_members", dict(PUBLISHED._members))
    register_published("lab-nav", written(tmp_path / "lab.toml", **changes))
    with pytest.raises(ConfigError, match=told):
        published("lab-nav")


def test_chinese_of_what_no_result_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PUBLISHED, "_members", dict(PUBLISHED._members))
    path = written(tmp_path / "lab.toml")
    path.write_text(path.read_text() + '[chinese]\n"RBG" = "彩色"\n', encoding="utf-8")
    register_published("lab-nav", path)
    with pytest.raises(ConfigError, match="`chinese` has 'RBG', which is no result's"):
        published("lab-nav")


def test_the_same_twice_and_a_name_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PUBLISHED, "_members", dict(PUBLISHED._members))
    path = written(tmp_path / "lab.toml")
    path.write_text(path.read_text() * 2)
    register_published("lab-nav", path)
    with pytest.raises(ConfigError, match="M, test: appears twice"):
        published("lab-nav")
    with pytest.raises(ConfigError, match=r"there is no 'r2r-c'[.] Did you mean 'r2r-ce'"):
        published("r2r-c")


def test_the_list_says_by_whose_convention_the_results_are_and_how_many_were_read_twice(capsys):
    """What nothing tells is not guessed; a figure of R2R's or VLN-CE's test comes from its leaderboard's evaluator."""
    list_names("published")
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    for name in HERE:
        table = published(name)
        unknown = sum(not one.convention for one in table)
        assert f"unknown {unknown}" in lines[name] or not unknown
        assert lines[name].endswith(f"; read twice: {sum(one.read == 2 for one in table)} of {len(table)}")
    assert {one.convention for one in published("r2r") if one.split == "test"} == {"r2r-eval"}
    assert {one.convention for one in published("r2r-ce")} == {"vln-ce", ""}
    assert {one.convention for one in published("reverie")} == {"reverie", ""}
