"""Faults of a configuration file are told with the line where a person finds them."""

from __future__ import annotations

import pytest

from nav_eval.config.loader import load_config
from nav_eval.errors import ConfigError

FAULTY = [
    ("dataset:\n  limit: 3\n\n  splitt: val\n", "dataset.splitt: unknown key. Did you mean 'split'?", "line 4]"),
    ("seed: 1\ndataset: {limit: 1,\n  episodes: {a: 1}}\n", "dataset.episodes: ", "line 3]"),
    ("# first\nmeasurements: [spl]\n", "Did you mean 'task.measurements'?", "line 2]"),
    ("task: &t {type: vln}\nsimulator: *t\n", "simulator.type: unknown key.", "line 1]"),
    ("dataset:\n  limit: 3\n  split: x\n  limit: 4\n", "line 4: 'limit' appears twice. Keep one of the two.", ""),
    ("seed: 1\nplugins: [{a: 1, a: 2}]\n", "line 2: 'a' appears twice.", ""),
    ("dataset:\n  limit: 3\n   split: x\n", "cannot be read as YAML: line 3: mapping values are not allowed", ""),
]


def load_faulty(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_config("vln-demo", file=path, environment={})
    return str(error.value).replace(str(path), "FILE")


@pytest.mark.parametrize(("text", "what", "where"), FAULTY)
def test_a_fault_names_its_line(tmp_path, text, what, where):
    said = load_faulty(tmp_path, text)
    assert what in said
    assert where in said
    assert "FILE" in said


def test_a_secret_that_stands_twice_is_not_repeated(tmp_path):
    said = load_faulty(tmp_path, "agent_service:\n  token: swordfish\n  token: swordfish2\n")
    assert "line 3: a key appears twice." in said
    assert "sword" not in said


def test_a_merged_section_may_set_anew_what_it_merges(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("dataset:\n  <<: {limit: 3, split: x}\n  limit: 4\n", encoding="utf-8")
    assert load_config("vln-demo", file=path, environment={}).dataset.limit == 4


@pytest.mark.parametrize(
    ("override", "kept"),
    [("dataset.episodes=[77]", ("77",)), ("dataset.episodes=77", ("77",)), ("dataset.episodes='a,b'", ("a", "b"))],
)
def test_ids_may_look_like_numbers_and_one_needs_no_brackets(override, kept):
    assert load_config("r2r", overrides=[override], environment={}).dataset.episodes == kept


def test_one_metric_needs_no_brackets():
    assert load_config("r2r", overrides=["task.measurements=spl"], environment={}).task.measurements == ("spl",)
