"""Own data are checked by the evaluator itself before a phase opens, and stay what they were when it opened."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from graphs import default_items, grid_scan
from nav_eval.errors import ConfigError
from nav_eval_server import opening
from nav_eval_server.folder import Folder
from nav_eval_server.models import Event, Notice
from nav_eval_server.opening import CHANGED, CHECKED, CORRECTED, OPENED
from nav_eval_server.phase_data import resolve
from nav_eval_server.settings import current
from patience import until
from served import free_port
from server.competition import phase
from server.conftest import Command, Make
from server.serving import nav_eval, serving

DATA = "evaluation.dataset.data_path: data/"
LATER = {"opens": "2098-01-01T00:00"}


def write_set(folder: Path, scan: str, width: int) -> None:
    """Two paths, five instructions, on a graph of their own."""
    (folder / "connectivity").mkdir(parents=True)
    (folder / "connectivity" / f"{scan}_connectivity.json").write_text(json.dumps(grid_scan(width, 3)))
    (folder / "episodes.json").write_text(json.dumps([{**one, "scan": scan} for one in default_items()]))


def rewrite(change: Callable[[dict[str, Any]], object]) -> None:
    """The file with a change."""
    file = Folder(current().folder).challenge
    content = yaml.safe_load(file.read_text())
    change(content)
    file.write_text(yaml.safe_dump(content))


@pytest.fixture
def folder(command: Command) -> Path:
    """A competition with own data for each of two phases, not served yet."""

    def own(content: dict[str, Any]) -> None:
        content["allow_overlap"] = False
        content["phases"] = {name: phase() | {"split": name} for name in ("dev", "final")}
        content["evaluation"]["dataset"]["data_path"] = "data/${dataset.split}/episodes.json"
        content["evaluation"]["simulator"]["connectivity_dir"] = "data/${dataset.split}/connectivity"

    rewrite(own)
    write_set(current().folder / "data" / "dev", "house", 4)
    write_set(current().folder / "data" / "final", "villa", 5)
    return current().folder


def serve() -> subprocess.CompletedProcess[str]:
    """The whole command, in a process of its own; for what it refuses, since it would not end."""
    return nav_eval("competition", "serve", Folder(current().folder).challenge, "--port", free_port())


def moments(action: str) -> dict[str, Any]:
    return {event.subject: event.details for event in Event.objects.filter(action=action)}


def test_what_is_played_is_noted_when_it_opens_and_what_is_changed_later(command: Command, folder: Path) -> None:
    command("serve", port=free_port())
    noted, opened = moments(CHECKED), moments(OPENED)["homes"]
    played = {name: (told["episodes"], told["scenes"]) for name, told in noted.items()}
    assert played == dict.fromkeys(("dev", "final"), (5, 1))
    assert noted["dev"]["sha256"] != noted["final"]["sha256"]
    file = Folder(folder).challenge
    file.write_text("# a remark changes nothing\n" + file.read_text())
    command("serve", port=free_port())
    assert Event.objects.count() == 3
    rewrite(lambda content: content["endpoints"].update(probe_seconds=2))
    for _ in range(2):
        command("serve", port=free_port())
        assert (Event.objects.count(), moments(CHANGED)["homes"]["rules_sha256"]) == (4, opened["rules_sha256"])


def spoil_sensors(content: dict[str, Any]) -> None:
    content["evaluation"]["simulator"]["sensors"]["skybox"] = {}


def dev() -> Path:
    return current().folder / "data" / "dev"


def another_split(content: dict[str, Any]) -> None:
    """A file that says which split it is, and a phase that says another one."""
    (dev() / "episodes.json").rename(dev() / "R2R_val_unseen.json")
    content["evaluation"]["dataset"]["data_path"] = "data/dev/R2R_val_unseen.json"


def no_graph(content: dict[str, Any]) -> None:
    """The file of episodes is there, and one of its scenes is not."""
    (dev() / "connectivity" / "house_connectivity.json").rename(current().folder / "x")
    (dev() / "connectivity" / "other_connectivity.json").write_text("[]")


def no_graphs(content: dict[str, Any]) -> None:
    shutil.rmtree(dev() / "connectivity")


def no_episodes(content: dict[str, Any]) -> None:
    (dev() / "episodes.json").unlink()


def cut_off(content: dict[str, Any]) -> None:
    (dev() / "episodes.json").write_text("[")


STUCK = '''
from nav_eval import register_task
from nav_eval.tasks.navigation import VLNTask


@register_task("stuck")
class Stuck(VLNTask):
    """It begins, and cannot be walked in."""

    name = "stuck"

    def carry_out(self, action, simulator):
        raise RuntimeError("the lift is out of order")
'''


def stuck_at_the_first_step(content: dict[str, Any]) -> None:
    """What `config validate` alone does not see, nor a run before its first action."""
    (current().folder / "stuck.py").write_text(STUCK)
    content["evaluation"] |= {"plugins": ["stuck"]}
    content["evaluation"]["task"]["type"] = "stuck"


@pytest.mark.parametrize(
    ("spoil", "told", "later"),
    [
        (stuck_at_the_first_step, rf"\({DATA}.*the lift is out of order", ""),
        (another_split, rf"\({DATA}.*is 'dev', but data/dev/R2R_val_unseen\.json is the split 'val_unseen'", ""),
        (no_graph, rf"\({DATA}.*house", "FIX "),
        (spoil_sensors, rf"\({DATA}.*skybox", ""),
        (no_episodes, r"\(evaluation.+: .*episodes\.json: No such file", "ok  "),
        (cut_off, r"\(evaluation.+: .*episodes\.json: .*the JSON text is cut off", "FIX "),
        (no_graphs, r"\(evaluation.+: .*connectivity", "FIX "),
    ],
)
def test_an_open_phase_that_cannot_be_played_is_refused_before_anything_is_locked(
    command: Command,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[dict[str, Any]], None],
    told: str,
    later: str,
) -> None:
    """`later`: what is said of one that opens later (where the fault is not in what another, open one plays too): it
    may still be without its data."""
    rewrite(spoil)
    deeds: dict[str, dict[str, Any]] = {"serve": {"port": free_port()}, "freeze": {"phase": "dev"}}
    for name, options in deeds.items():
        with pytest.raises(ConfigError, match=rf"(?s)phases\.dev: cannot be played {told}") as refused:
            command(name, **options)
        assert name == "freeze" or str(Folder(folder).challenge) in str(refused.value)
    assert not Event.objects.exists()
    assert command("doctor") == 1
    assert re.search(rf"(?s)FIX  dev \(open\): .*{told.partition('.*')[2]}", capsys.readouterr().out)
    command("serve", port=free_port(), jobs=0)
    if later:
        rewrite(lambda content: content["phases"]["dev"].update(LATER))
        command("serve", port=free_port())
        assert "dev" not in moments(CHECKED)
        command("doctor")
        assert f"{later} dev (upcoming, opens 2098-01-01 00:00 UTC): " in capsys.readouterr().out


def one_file(content: dict[str, Any]) -> None:
    content["evaluation"]["dataset"]["data_path"] = "data/dev/episodes.json"
    content["evaluation"]["simulator"]["connectivity_dir"] = "data/dev/connectivity"


def copied_under_another_name(content: dict[str, Any]) -> None:
    """Other ids, another name of the scene: the same episodes for all that."""
    file = current().folder / "data" / "final" / "episodes.json"
    shutil.rmtree(file.parent)
    write_set(file.parent, "chalet", 4)
    file.write_text(json.dumps([{**one, "path_id": one["path_id"] + 70} for one in json.loads(file.read_text())]))


def later(content: dict[str, Any]) -> None:
    one_file(content)
    content["phases"]["final"] |= LATER


def same_scene(content: dict[str, Any]) -> None:
    file = current().folder / "data" / "final" / "episodes.json"
    shutil.copytree(current().folder / "data/dev/connectivity", file.parent / "connectivity", dirs_exist_ok=True)
    one, other = default_items()
    file.write_text(json.dumps([{**one, "scan": "house", "path": one["path"][::-1]}, {**other, "scan": "villa"}]))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (one_file, "5 of its 5 episodes and 1 of its 1 scenes are also those of phases.dev"),
        (copied_under_another_name, "5 of its 5 episodes and 1 of its 1 scenes"),
        (later, "5 of its 5 episodes"),
        (same_scene, "0 of its 5 episodes and 1 of its 2 scenes"),
    ],
)
def test_two_phases_do_not_play_the_same_unless_it_is_said(
    command: Command,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[dict[str, Any]], None],
    told: str,
) -> None:
    rewrite(spoil)
    with pytest.raises(ConfigError) as refused:
        command("serve", port=free_port())
    said = str(refused.value)
    assert [text for text in (f"phases.final: {told}", DATA, "set allow_overlap: true.") if text not in said] == []
    command("doctor")
    assert "FIX  " in capsys.readouterr().out.partition("phases.final: ")[0].rpartition("\n")[2]
    assert not Event.objects.exists()
    if spoil is one_file:
        rewrite(lambda content: content.update(allow_overlap=True))
        command("serve", port=free_port())
        assert Event.objects.filter(action=OPENED).count() == 1


def test_what_a_phase_played_that_is_over_is_not_played_again(command: Command, folder: Path) -> None:
    shutil.rmtree(folder / "data" / "final")
    rewrite(lambda content: content["phases"]["final"].update(LATER))
    command("serve", port=free_port())
    shutil.copytree(folder / "data" / "dev", folder / "data" / "final")

    def turn(content: dict[str, Any]) -> None:
        content["phases"]["final"]["opens"] = content["phases"]["dev"]["opens"]
        content["phases"]["dev"]["closes"] = "2021-01-01T00:00"

    rewrite(turn)
    refused = serve()
    assert refused.returncode == 2
    assert re.search(r"phases\.final: 5 of its 5 episodes .+ those of phases\.dev", refused.stderr)


def move(folder: Path) -> None:
    shutil.move(folder / "data", folder / "disk")

    def there(content: dict[str, Any]) -> None:
        content["evaluation"]["dataset"]["data_path"] = "disk/${dataset.split}/episodes.json"
        content["evaluation"]["simulator"]["connectivity_dir"] = "disk/${dataset.split}/connectivity"

    rewrite(there)


def test_the_same_data_may_move_once_it_is_open_and_no_others_take_their_place(
    command: Command, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a new place, at the old one, and by another order of the same episodes."""
    command("serve", port=free_port())
    opened, content = moments(OPENED)["homes"]["rules_sha256"], json.loads((dev() / "episodes.json").read_text())
    (dev() / "episodes.json").write_text(json.dumps(content[::-1]))

    def refused(told: str, **more: int) -> None:
        with pytest.raises(ConfigError, match=told):
            command("serve", port=free_port(), **more)

    told = r"phases\.dev: evaluation\.dataset\.data_path data/dev/episodes\.json and its scenes are not what was opened"
    refused(told)
    command("doctor")
    assert "FIX  dev (open): " in capsys.readouterr().out
    move(folder)
    refused(told.replace("data/dev", "disk/dev"))
    assert not Event.objects.filter(action=CORRECTED).exists()
    (folder / "disk" / "dev" / "episodes.json").write_text(json.dumps(content))
    command("token", name="a")
    refused("Serve it once where the data lie", jobs=0)
    command("serve", port=free_port())
    corrected = moments(CORRECTED)["homes"]["rules_sha256"]
    assert corrected != opened
    command("serve", port=free_port(), jobs=0)
    rewrite(lambda content: content["evaluation"]["evaluation"].update(max_steps=7))
    refused("the rules were changed after the opening")
    assert Event.objects.filter(action=CORRECTED).count() == 1


def webhook() -> dict[str, Any]:
    """Nobody's, so that organisers are told something."""
    return {"webhook": {"url": f"http://127.0.0.1:{free_port()}/", "allowed_networks": ["loopback"]}}


def test_a_phase_that_opens_while_it_is_served_is_checked_then(make: Make) -> None:
    """By the real server: its organisers hear of one that cannot be played before a team submits."""
    soon = phase() | {"opens": (datetime.now(UTC) + timedelta(seconds=8)).isoformat()}
    challenge = make(phases={"dev": soon, "bad": soon | {"split": "other"}}, notify=webhook())
    with serving(challenge):
        until(lambda: Event.objects.filter(action=CHECKED).exists() and Notice.objects.exists(), "the checks")
    assert [*moments(CHECKED)] == ["dev"]
    notice = Notice.objects.get()
    assert notice.kind == "unplayable"
    assert "phases.bad: cannot be played (evaluation.dataset.data_path: " in notice.body


def test_a_phase_that_cannot_be_played_is_asked_again_until_it_can(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its organisers are told once of each fault."""
    monkeypatch.setattr(opening, "AGAIN_SECONDS", 0.0)
    challenge = make(phases={"dev": phase()}, notify=webhook())
    data = Path(challenge.evaluation["dataset"]["data_path"])
    away = data.rename(data.with_name("away"))
    openings, asked = opening.Openings(challenge), []
    monkeypatch.setattr(opening, "resolve", lambda *told: asked.append(told) or resolve(*told))

    def tended(times: int) -> bool:
        openings.tend()
        return len(asked) >= times

    until(lambda: tended(3), "two checks")
    assert Notice.objects.filter(kind="unplayable").count() == 1
    away.rename(data)
    until(lambda: tended(3) and Event.objects.filter(action=CHECKED).exists(), "the check that finds it")
    assert Notice.objects.count() == 1
