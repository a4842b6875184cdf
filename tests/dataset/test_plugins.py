"""What is wrong with the reader of somebody else's format is told as its fault, with name, file and line."""

from __future__ import annotations

import pytest

from graphs import write_r2r
from nav_eval import evaluate
from nav_eval.cli import _call
from nav_eval.cli.exit import BAD_INPUT, guarded
from nav_eval.dataset.r2r import R2RDataset
from nav_eval.dataset.registry import DATASETS, load_dataset
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import ConfigError, DatasetError
from nav_eval.testing.fakes import fake_episode


class Reader:
    def __init__(self, request):
        self.files = [request.data_path]

    def __iter__(self):
        yield fake_episode()
        yield {}["start"]


class Filless(Reader):
    def __init__(self, request):
        """Sets no `files`."""


class Plain(Reader):
    def __iter__(self):
        return iter([{"episode_id": "1"}])


class Unready(Reader):
    def __init__(self, request):
        self.files = request.paths


class Derived(R2RDataset):
    """One of ours, read in another way."""

    def read(self, record, goals):
        yield from super().read(record, goals)
        yield {}["more"]


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    for kind in (Reader, Filless, Plain, Unready, Derived):
        monkeypatch.setitem(DATASETS._members, kind.__name__, DATASETS._admit(kind.__name__, kind))


LINE = Reader.__iter__.__code__.co_firstlineno + 2
RAISED = rf"data set 'Reader' of a.json failed \(test_plugins.py, line {LINE}: KeyError: 'start'\)"


def test_an_error_of_the_reader_is_told_with_its_line():
    with pytest.raises(DatasetError, match=RAISED):
        list(load_dataset("Reader", "a.json"))
    with pytest.raises(DatasetError, match=RAISED):
        evaluate("pointnav-demo", overrides=["dataset.type=Reader", "dataset.data_path=a.json"])
    (fault,) = validate_dataset("a.json", "Reader").faults
    assert f"test_plugins.py, line {LINE}: KeyError" in str(fault)


def test_it_is_bad_input_and_no_internal_error(capsys):
    words = ["run", "pointnav-demo", "dataset.type=Reader", "dataset.data_path=a.json"]
    assert guarded(_call, words, debug=False) == BAD_INPUT
    assert f"line {LINE}: KeyError: 'start'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "error", "told"),
    [
        ("Filless", ConfigError, r"'Filless' \(test_plugins.py\) has no `files`. Set self.files"),
        ("Plain", ConfigError, r"has {'episode_id': '1'} for an episode. Yield nav_eval.Episode"),
        ("Unready", DatasetError, r"'Unready' failed \(test_plugins.py, line \d+: AttributeError"),
    ],
)
def test_what_it_lacks_is_told(kind, error, told):
    with pytest.raises(error, match=told):
        list(load_dataset(kind, "a.json"))


def test_a_reader_that_derives_from_ours_is_told_of_too(tmp_path, capsys):
    line = Derived.read.__code__.co_firstlineno + 2
    words = ["run", "r2r", *write_r2r(tmp_path), "dataset.type=Derived"]
    assert guarded(_call, words, debug=False) == BAD_INPUT
    told = capsys.readouterr().err
    assert f"R2R_val.json: Derived.read failed (test_plugins.py, line {line}: KeyError: 'more'). Fix it there." in told
