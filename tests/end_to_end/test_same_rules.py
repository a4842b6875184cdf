"""Runs judged by different rules are not compared, and a replay says when its files are not those of the run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

import nav_eval
from graphs import SCAN, item, node, write_r2r
from nav_eval.cli.audit import verify
from nav_eval.cli.score import compare, rank, replay, rescore
from nav_eval.errors import RunDirectoryError
from nav_eval.results import audit
from nav_eval.results.rules import BY_CONVENTION
from nav_eval.runs.comparison import compare_runs
from playing import document, play
from rooms import write_room


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    items = [item(number, [node(0, 0), node(1, 0), node(2, number)], ["Walk."]) for number in range(3)]
    return write_r2r(tmp_path_factory.mktemp("world"), items=items)


@pytest.fixture(scope="module")
def plain(world, tmp_path_factory):
    """A run under the benchmark's own rules."""
    return run(world, tmp_path_factory.mktemp("plain") / "a")


@pytest.fixture
def first(plain, tmp_path):
    """A copy of it, to change."""
    return shutil.copytree(plain, tmp_path / "a")


def run(world, path, *overrides):
    play(path, [*world, "agent_service.agent=random", *overrides])
    return path


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("evaluation.success_distance=2", r"evaluation\.success_distance is 3\.0 in one and 2\.0 in the other"),
        ("evaluation.max_moves=5", r"evaluation\.max_moves is 30 in one and 5"),
        ("simulator.motion.turn_angle=15", r"simulator\.motion\.turn_angle is 30\.0 in one and 15\.0"),
        ("task.success_rule=stop", r"task\.success_rule is 'final' in one and 'stop' in the other"),
        ("task.ndtw_distance=1", r"task\.ndtw_distance"),
    ],
)
def test_runs_under_different_rules_are_not_compared(world, plain, tmp_path, rule, told):
    with pytest.raises(RunDirectoryError, match=told):
        compare_runs([plain, run(world, tmp_path / "b", rule)])


@pytest.mark.parametrize("command", [compare, rank])
def test_conventions_are_mixed_where_one_asks_for_it_and_nothing_else_is(world, tmp_path, capsys, caplog, command):
    """Two conventions of one walk: the figures of each, the same as in its own results.json."""
    ours, theirs = (
        run(world, tmp_path / name, f"task.convention={name}", "agent_service.agent=shortest_path")
        for name in ("vln-ce", "duet")
    )
    with pytest.raises(RunDirectoryError, match="Say --mix if you mean two conventions"):
        command(ours, theirs)
    assert command(ours, theirs, mix=True, json=True) == 0
    told = json.loads(capsys.readouterr().out)
    spl = [document(path)["metrics"]["spl"]["mean"] for path in (ours, theirs)]
    if command is rank:
        assert {Path(one["name"]).name: one["mean"] for one in told["places"]} == dict(zip(("vln-ce", "duet"), spl))
    else:
        (row,) = [row for row in told if row["metric"] == "spl"]
        assert [row["mean_first"], row["mean_second"]] == spl
    assert caplog.text.count("task.success_rule: stop (") == 1
    assert "task.reference" not in caplog.text
    shorter = run(world, tmp_path / "short", "task.convention=duet", "evaluation.max_moves=5")
    with pytest.raises(RunDirectoryError, match=r"max_moves is 30 in one and 5 in the other\.$"):
        command(ours, shorter, mix=True)


def test_seeds_of_one_agent_are_of_one_convention_and_nothing_is_said_where_nothing_differs(world, tmp_path, caplog):
    runs = [run(world, tmp_path / f"a@{name}", f"task.convention={name}") for name in ("vln-ce", "duet")]
    other = run(world, tmp_path / "b", "task.convention=duet")
    with pytest.raises(RunDirectoryError, match=r"task\.success_rule"):
        compare_runs([*runs, other], mix=True)
    assert compare_runs([runs[1], other], mix=True) == compare_runs([runs[1], other])
    assert caplog.text == ""


def test_mixing_frees_the_rules_that_conventions_set_and_no_others():
    """A convention's own file is the reference; which path is compared with is no rule but a fact of each run."""
    folder = Path(nav_eval.__file__).parent / "configs" / "convention"
    files = [yaml.safe_load(path.read_text()) for path in folder.glob("*.yaml")]
    keys = {f"{section}.{key}" for content in files for section, values in content.items() for key in values}
    assert keys - {"task.reference"} == BY_CONVENTION


def manifest(path, **changes):
    """manifest.json with `changes`; a value None takes a key out."""
    file = path / "manifest.json"
    content = json.loads(file.read_text()) | changes
    file.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return content


def test_rules_are_compared_by_their_sum_and_old_runs_by_their_keys(world, first, tmp_path):
    second = run(world, tmp_path / "b", "evaluation.success_distance=2")
    assert manifest(first)["run_rules_sha256"] != manifest(second)["run_rules_sha256"]
    text = (second / "config.yaml").read_text()
    (second / "config.yaml").write_text(text.replace("success_distance: 2.0", "success_distance: 3.0"))
    with pytest.raises(RunDirectoryError, match="run_rules_sha256 is"):
        compare_runs([first, second])
    manifest(second, nav_eval="0.0.9")  # its sum may be of other keys
    assert compare_runs([first, second])
    manifest(second, run_rules_sha256=None)
    assert compare_runs([first, second])
    manifest(second, nav_eval=manifest(first)["nav_eval"])
    assert compare_runs([first, second])
    (second / "config.yaml").write_text(text)
    with pytest.raises(RunDirectoryError, match=r"evaluation\.success_distance is 3\.0 in one and 2\.0"):
        compare_runs([first, second])


def test_a_run_is_not_resumed_under_rules_that_config_yaml_no_longer_tells(world, tmp_path):
    path = run(world, tmp_path / "a", "evaluation.success_distance=2")
    text = (path / "config.yaml").read_text()
    (path / "config.yaml").write_text(text.replace("success_distance: 2.0", "success_distance: 3.0"))
    again = [*world, "agent_service.agent=random"]
    with pytest.raises(RunDirectoryError, match="run_rules_sha256"):
        play(path, again, resume=True)
    manifest(path, run_rules_sha256=None)  # a run of before there was one
    play(path, again, resume=True)


def test_what_is_the_agents_own_choice_may_differ(world, plain, tmp_path):
    second = run(world, tmp_path / "b", "~simulator.sensors.instruction", "agent_service.agent=stop", "seed=4")
    assert {row["metric"] for row in compare_runs([plain, second])} >= {"success", "spl"}


def test_replay_names_the_file_that_was_changed(tmp_path, capsys):
    path = run(write_r2r(tmp_path / "world"), tmp_path / "a")
    assert replay(path) == 0
    data = next((tmp_path / "world").rglob("R2R*.json"))
    data.write_text(data.read_text() + "\n")
    capsys.readouterr()
    assert replay(path) == 1
    assert f"{data.name} is missing, or not the file that this run was made with" in capsys.readouterr().out
    graph = next((tmp_path / "world").rglob("*_connectivity.json"))
    graph.write_text(graph.read_text() + "\n")
    assert replay(path) == 1
    assert graph.name in capsys.readouterr().out


def _drop_a_line(path):
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


LOST = {
    "a result": ("episodes.jsonl", _drop_a_line, 1, 3),
    "a trajectory": ("trajectories.jsonl", _drop_a_line, 1, 3),
    "every trajectory": ("trajectories.jsonl", lambda path: path.write_text(""), 3, 3),
    "all but half a line": ("trajectories.jsonl", lambda path: path.write_text(path.read_text()[:60]), 3, 3),
}


@pytest.mark.parametrize("command", [replay, rescore])
@pytest.mark.parametrize("lost", LOST)
def test_a_finished_run_that_lost_episodes_is_not_equal(first, capsys, lost, command):
    """The items of `world` are 3 episodes of one instruction."""
    assert command(first) == 0
    name, lose, count, of = LOST[lost]
    lose(first / name)
    capsys.readouterr()
    assert command(first) == 1
    said = capsys.readouterr().out
    assert f"{count} of the run's {of} episodes are missing" in said
    assert f"({SCAN}:0_0" in said
    assert "equal to what the run wrote" not in said


@pytest.mark.parametrize("command", [replay, rescore])
def test_a_run_that_is_not_finished_says_how_much_of_it_was_looked_at(first, capsys, command):
    _drop_a_line(first / "episodes.jsonl")
    (first / "results.json").unlink()
    manifest(first, finished=None)
    assert command(first) == 0
    assert "not finished: 2 of 3 episodes" in capsys.readouterr().out


def test_why_runs_cannot_be_compared_is_told_before_what_is_not_compared(world, plain, tmp_path, caplog):
    other = run(world, tmp_path / "b", "evaluation.success_distance=2", "task.measurements=[success]")
    with pytest.raises(RunDirectoryError, match=r"evaluation\.success_distance"):
        compare_runs([plain, other])
    assert caplog.text == ""


def test_verify_says_who_signed(first, tmp_path, capsys):
    assert verify(first) == 0
    assert "NOT SIGNED" in capsys.readouterr().out
    public = audit.new_key(tmp_path / "key.pem")
    audit.sign(first, tmp_path / "key.pem")
    assert verify(first) == 0
    assert f"signed with public key {public}" in capsys.readouterr().out


def test_replay_needs_the_navmesh_and_tells_that_the_mesh_is_gone(tmp_path, capsys):
    overrides, mesh = write_room(tmp_path / "room"), tmp_path / "room" / "rooms" / "room0.glb"
    nav_eval.load_scene(mesh).build_navmesh().save(mesh.with_suffix(".navmesh"))
    play(tmp_path / "a", [*overrides, "agent_service.agent=random"], "pointnav")
    assert replay(tmp_path / "a") == 0
    mesh.unlink()
    capsys.readouterr()
    assert replay(tmp_path / "a") == 1
    said = capsys.readouterr().out
    assert "room0.glb: scene is missing" in said
    assert "every pose and metric equal" in said
