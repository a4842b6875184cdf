"""A label is what a file is known to be, or nothing."""

from __future__ import annotations

import gzip
import json

import pytest

from nav_eval.dataset.split import known_split, same_split


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("R2R_val_unseen.json", "val_unseen"),
        ("R2R_val_seen.json", "val_seen"),
        ("R2R_train.json", "train"),
        ("R2R_test.json.gz", "test"),
        ("FGR2R_val_seen.json", "val_seen"),
        ("val_unseen.json.gz", "val_unseen"),
        ("val_seen_guide.json.gz", "val_seen"),
        ("val_train_seen.json.gz", "val_train_seen"),
        ("test_challenge_guide.json.gz", "test_challenge"),
        ("gibson.val_mini.json.gz", "val_mini"),
        ("val.json.gz", "val"),
        ("my_test.json", None),
        ("all.json.gz", None),
        ("data.json", None),
        ("interval.json", None),
        ("val_seen_subset.json", None),
        ("R2R_val_seen_aug.json", None),
    ],
)
def test_a_name_that_the_field_gives(tmp_path, name, split):
    assert known_split(tmp_path / name) == split


@pytest.mark.parametrize(
    ("content", "split"),
    [
        ([{"path_id": 1, "split": "val_seen"}], "val_seen"),
        ({"split": "minival", "episodes": []}, "minival"),
        ({"episodes": [{"instruction": {"split": "val_unseen", "language": "en-US"}}]}, "val_unseen"),
        ({"episodes": [{"instruction": "a text"}]}, "train"),
        ({"episodes": []}, "train"),
        ([], "train"),
    ],
)
def test_content_says_more_than_the_name(tmp_path, content, split):
    path = tmp_path / "train.json.gz"
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    assert known_split(path) == split


def test_damage_is_left_to_the_loader(tmp_path):
    path = tmp_path / "R2R_val_seen.json"
    path.write_bytes(b"\x1f\x8b broken")
    assert known_split(path) == "val_seen"


def test_a_role_is_part_of_its_split():
    assert same_split("val_seen", "val_seen_guide")
    assert not same_split("val_seen", "val_unseen")
