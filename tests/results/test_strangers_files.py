"""A run directory that somebody else sent: whatever its files are and hold, reading it ends with one message."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from nav_eval import cli
from nav_eval.cli import _call
from nav_eval.cli.exit import guarded
from nav_eval.cli.say import say_json, say_yaml
from nav_eval.errors import ConfigError, RunDirectoryError, is_printable, one_line
from nav_eval.results.records import episode_result
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.registry import benchmark_config

READERS = [
    ["report", "{run}", "--out", "{run}/../page"],
    ["rescore", "{run}"],
    ["replay", "{run}"],
    ["verify", "{run}"],
]
READERS += [["compare", "{run}", "{own}"], ["publish", "{run}", "--out", "{run}/../public"]]
DEEP = b"[" * 200_000 + b"\n"


def _exit_codes(run: Path, own: Path) -> set[int]:
    commands = [[word.format(run=run, own=own) for word in command] for command in READERS]
    return {guarded(_call, command, debug=False) for command in commands}


KINDS: dict[str, Callable[[Path], None]] = {
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "loop": lambda path: path.symlink_to(path.name),
    "pipe": lambda path: os.mkfifo(path),
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["config.yaml", "manifest.json", "episodes.jsonl", "trajectories.jsonl", "results.json"]
)
def test_a_file_that_is_none_is_refused(name: str, kind: str, run: Path) -> None:
    """Neither endless nor another file of this machine: what a link points at would be read, or published."""
    (run / name).unlink()
    KINDS[kind](run / name)
    with pytest.raises(RunDirectoryError, match=name):
        RunDirectory(run)


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_every_reader_refuses_them(kind: str, run: Path, own: Path) -> None:
    (run / "trajectories.jsonl").unlink()
    KINDS[kind](run / "trajectories.jsonl")
    assert _exit_codes(run, own) == {2}


CONTENTS = {
    "deep": lambda row: DEEP,
    "lists": lambda row: json.dumps(row | {"steps": [], "timing": [], "metrics": [], "status": []}).encode() + b"\n",
    "numbers": lambda row: b"1\n2\n",
    "a status that does not exist": lambda row: json.dumps(row | {"status": "won"}).encode() + b"\n",
    "ids that are lists": lambda row: json.dumps(row | {"scene_id": []}).encode() + b"\n",
    "no UTF-8": lambda row: b"\xff\xfe\n",
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("name", ["episodes.jsonl", "trajectories.jsonl"])
def test_a_damaged_record_is_bad_input(name: str, content: str, run: Path, own: Path) -> None:
    row = json.loads((run / name).read_text().splitlines()[0])
    (run / name).write_bytes(CONTENTS[content](row))
    assert _exit_codes(run, own) <= {0, 1, 2}


@pytest.mark.parametrize("content", [DEEP, b"[]", b"7", b"\xff", b"{"])
def test_a_damaged_manifest_is_bad_input(content: bytes, run: Path, own: Path) -> None:
    (run / "manifest.json").write_bytes(content)
    assert _exit_codes(run, own) == {2}


def test_an_action_that_the_task_does_not_have_is_bad_input_of_replay(run: Path) -> None:
    path = run / "trajectories.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"action":"stop"', b'"action":"fly"'))
    assert guarded(_call, ["replay", str(run)], debug=False) == 2


def test_names_of_a_stranger_are_one_line_on_the_terminal(
    run: Path, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = run / "config.yaml"
    config.write_text(config.read_text().replace("name: r2r", 'name: "\\e[31m\\n\\u202e\\u2028"', 1))
    record = json.loads((run / "episodes.jsonl").read_text().splitlines()[0])
    record["metrics"] = {"a\x1b[31m\nb": 1.0, "success": "yes"}
    (run / "episodes.jsonl").write_text(json.dumps(record) + "\n")
    _exit_codes(run, own)
    told = capsys.readouterr()
    assert not set("\x1b\u202e\u2028") & set(told.out + told.err)


def test_commands_write_through_the_one_place_that_spells_out() -> None:
    """Otherwise the next command's line would bring a stranger's name to the terminal as it is."""
    folder = Path(cli.__file__).parent
    others = [path for path in folder.glob("*.py") if path.name not in ("say.py", "exit.py")]
    assert [
        path.name for path in others if "stdout.write" in path.read_text() or "stderr.write(f" in path.read_text()
    ] == ["run.py"]


@pytest.mark.parametrize("say", [say_json, say_yaml])
def test_a_document_has_its_own_escapes(say: Callable[[object], None], capsys: pytest.CaptureFixture[str]) -> None:
    hostile = {"\x1b[31m\n\u202e": ["\x9b\x7f\u2028", "走"]}
    say(hostile)
    told = capsys.readouterr().out
    assert is_printable(told)
    assert yaml.safe_load(told) == hostile


def test_one_line() -> None:
    assert one_line("a\r\n\x1b\u2028\u200fb") == "a\\r\\n\\x1b\\u2028\\u200fb"


def test_a_record_is_read_as_it_was_written(own: Path) -> None:
    for line in (own / "episodes.jsonl").read_text().splitlines():
        record = json.loads(line)
        result = episode_result(record)
        assert (result.status, result.steps, result.metrics) == ("ok", record["steps"], record["metrics"])


LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)


@pytest.mark.parametrize(("text", "said"), [(LAUGHS, "100,000"), ("plugins: &a [*a]\n", "itself")])
def test_aliases_of_aliases_are_counted_before_they_are_written_out(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        benchmark_config(None, file=path)
