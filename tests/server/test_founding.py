"""nav-eval competition init."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nav_eval.errors import InputError
from nav_eval_server.challenge import load_challenge
from nav_eval_server.folder import Folder
from nav_eval_server.founding import Answers, found, init, make_data

MAIN = [sys.executable, "-c", "from nav_eval.cli import main; main()"]


def test_keys_are_for_one_user_only(tmp_path: Path) -> None:
    found(tmp_path, Answers("a", "a", "UTC", "ada", 1))
    folder = Folder(tmp_path)
    for path in (folder.private, folder.runs, folder.work, folder.uploads):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    keys = list(folder.private.iterdir())
    assert {key.name for key in keys} == {"django.key", "organiser.pem", "seed", "vault.key"}
    assert {stat.S_IMODE(key.stat().st_mode) for key in keys} == {0o600}


def test_a_competition_is_not_founded_twice(tmp_path: Path) -> None:
    found(tmp_path, Answers("a", "a", "UTC", "ada", 1))
    before = Folder(tmp_path).secret("seed")
    with pytest.raises(InputError, match="holds a competition already"):
        init(tmp_path, yes=True)
    found(tmp_path, Answers("a", "a", "UTC", "ada", 1))  # as after a crash: keys that are there stay
    assert Folder(tmp_path).secret("seed") == before


def test_without_the_server_the_command_says_what_to_install(tmp_path: Path) -> None:
    """The metadata of the server hidden, as where it is not installed."""
    hidden = (
        "import importlib.metadata as m; m.entry_points = lambda **_: m.EntryPoints(); "
        "from nav_eval.cli import main; main()"
    )
    said = subprocess.run(
        [sys.executable, "-c", hidden, "competition", "serve", "x.yaml", "--port", "80"], capture_output=True, text=True
    )
    assert said.returncode == 2
    assert "pip install nav-eval-server" in said.stderr


def test_the_evaluator_gains_no_web_framework() -> None:
    script = "import sys, nav_eval.cli as c; c.make_app(); print([m for m in ('django', 'ninja') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"


def test_the_seed_is_in_no_list_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found(tmp_path, Answers("a", "a", "UTC", "ada", 1))
    called: list[tuple[list[str], str]] = []

    def run(command: list[str], **options: str) -> subprocess.CompletedProcess[str]:
        called.append((command, options["input"]))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    make_data(load_challenge(tmp_path / "challenge.yaml"), "dev", 1)
    seed = Folder(tmp_path).secret("seed")
    assert [seed in given for _, given in called] == [True, True]
    assert not any(seed in " ".join(command) for command, _ in called)


@pytest.mark.soak
def test_init_makes_what_can_be_served(tmp_path: Path) -> None:
    done = subprocess.run(
        [*MAIN, "competition", "init", str(tmp_path / "My Homes"), "--yes", "--buildings", "1"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "shown this once" in done.stdout
    seed = Folder(tmp_path / "My Homes").secret("seed")
    assert seed not in done.stdout + done.stderr + "".join(map(str, (tmp_path / "My Homes" / "data").rglob("*")))
    checked = subprocess.run(
        [*MAIN, "validate", "data/standard/episodes/vln/all.json.gz", "simulator.scenes_dir=data/standard/scenes"],
        cwd=tmp_path / "My Homes",
        env=os.environ,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, json.dumps(checked.stdout)
