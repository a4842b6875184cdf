"""Only files are read, to their end and no further."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nav_eval.cli import _call
from nav_eval.cli.exit import guarded
from nav_eval.reading import file_sha256, opened, read

ENDLESS: dict[str, Callable[[Path], None]] = {
    "device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": lambda path: os.mkfifo(path),
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_is_no_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    ENDLESS[kind](tmp_path / "x")
    with pytest.raises(OSError, match="not a file"):
        opened(tmp_path / "x")


def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read(tmp_path / "x", 5) == b"12345"
    with pytest.raises(ValueError, match="5 bytes; at most 4"):
        read(tmp_path / "x", 4)


def test_the_sum_of_a_file_is_sha256(tmp_path: Path) -> None:
    """FIPS 180-2, appendix B.1."""
    (tmp_path / "x").write_bytes(b"abc")
    assert file_sha256(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


READERS = {
    "validate": (1, ["validate", "{x}"]),
    "graph": (1, ["validate", "{r2r}", "simulator.connectivity_dir={folder}"]),
    "score": (2, ["score", "{x}", "--benchmark", "r2r", "dataset.data_path={r2r}"]),
    "config": (2, ["config", "validate", "{x}"]),
    "--config": (2, ["config", "show", "r2r", "--config", "{x}"]),
    "run": (2, ["run", "--config", "{x}", "--out", "{folder}/out"]),
}
R2R = '[{"path_id": 1, "scan": "x", "heading": 0, "distance": 1, "path": ["a", "b"], "instructions": ["go"]}]'


@pytest.mark.parametrize("kind", ["device", "pipe"])
@pytest.mark.parametrize("reader", READERS)
def test_every_command_says_so(reader: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, command = READERS[reader]
    (tmp_path / "R2R_val_seen.json").write_text(R2R)
    x = tmp_path / ("x_connectivity.json" if reader == "graph" else "x.yaml" if "config" in reader else "x.json")
    ENDLESS[kind](x)
    names = {"x": x, "folder": tmp_path, "r2r": tmp_path / "R2R_val_seen.json"}
    assert guarded(_call, [word.format(**names) for word in command], debug=False) == code
    told = capsys.readouterr()
    assert "not a file" in told.out + told.err
