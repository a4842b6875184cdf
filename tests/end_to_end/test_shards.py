"""Shards of a run, each played for itself, and the run that is merged of them."""

from __future__ import annotations

import json
import re
import shutil

import pytest

import nav_eval
from end_to_end.agents import DigestAgent
from graphs import SCAN, grid_scan, item, node, write_r2r
from nav_eval.cli import make_app
from nav_eval.core.orchestrator import Watcher
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.results.audit import verify
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.comparison import compare_runs
from nav_eval.runs.merging import merge_runs
from nav_eval.runs.plan import opened
from nav_eval.runs.scoring import changed_inputs, replay, rescore
from nav_eval.runs.sharding import Part
from nav_eval_sdk import start
from playing import document, play, remote
from rooms import write_room

RANDOM, DIGEST = "agent_service.agent=random", "agent_service.agent='end_to_end.agents:DigestAgent'"
SECRET, NOBODYS = "agent_service.secret=s3", "agent_service.secret=null"
FILES = ("episodes.jsonl", "trajectories.jsonl", "results.json", "results.csv", "submission.json", "config.yaml")
TIMING = re.compile(r'"timing":\s*\{[^}]*\}')
COUNT = 20


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Two scans whose episodes alternate in the file, so that scene by scene is not the file's order."""
    folder = tmp_path_factory.mktemp("world")
    paths = [[node(x, 0), node(1, y), node(2, y)] for x in range(2) for y in range(3)]
    items = [item(n, path, ["Walk.", "Go on."]) | {"scan": (SCAN, "cabin")[n % 2]} for n, path in enumerate(paths)]
    items += [item(n, paths[n % 6], ["On."]) | {"scan": (SCAN, "cabin")[n % 3 == 0]} for n in range(6, 14)]
    for one in items:
        del one["distance"]  # the cabin has another spacing
    overrides = write_r2r(folder, items=items)
    (folder / "connectivity" / "cabin_connectivity.json").write_text(json.dumps(grid_scan(4, 3, spacing=1.5)))
    return [*overrides, RANDOM]


def run(folder, world, part=None, *more, **given):
    play(folder, [*world, SECRET, *more], part=part and Part.parse(part), **given)
    return folder


@pytest.fixture(scope="module")
def alone(world, tmp_path_factory):
    return run(tmp_path_factory.mktemp("alone") / "run", world)


@pytest.fixture(scope="module")
def thirds(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("thirds")
    return [run(folder / str(index), world, f"{index}/3") for index in (1, 2, 3)]


@pytest.fixture
def copies(thirds, tmp_path):
    """Shards to spoil."""
    return [shutil.copytree(path, tmp_path / f"copy{path.name}") for path in thirds]


def without_timing(folder, name):
    return TIMING.sub("", (folder / name).read_text())


@pytest.mark.parametrize(("count", "agent"), [(1, RANDOM), (6, RANDOM), (2, DIGEST)])
def test_merged_shards_are_the_run_that_one_machine_would_have_made(world, alone, tmp_path, count, agent):
    """The digest is of all that an agent is told."""
    parts = [run(tmp_path / str(index), world, f"{index}/{count}", agent) for index in range(count, 0, -1)]
    alone = alone if agent == RANDOM else run(tmp_path / "alone", world, None, agent)
    _, missing = merge_runs(parts, tmp_path / "merged")
    assert missing == []
    assert {name: without_timing(tmp_path / "merged", name) for name in FILES} == {
        name: without_timing(alone, name) for name in FILES
    }
    one, merged = RunDirectory(alone).manifest(), RunDirectory(tmp_path / "merged").manifest()
    changing = {"started", "finished", "sittings", "files_sha256", "shards"}
    assert {k: v for k, v in merged.items() if k not in changing} == {k: v for k, v in one.items() if k not in changing}
    assert len(merged["shards"]) == count


def test_a_merged_run_is_a_run_to_every_command(alone, thirds, tmp_path):
    merged = tmp_path / "merged"
    merge_runs(thirds, merged)
    assert verify(merged) == []
    with RunDirectory(merged) as directory:
        directory.open_for_reading()
        config = directory.config()
        with opened(config.blind()) as plan:
            assert changed_inputs(directory, config, plan.episodes) == []
            assert replay(directory, plan) == (COUNT, [])
            assert rescore(directory, plan)[1] == []
    assert all(row["difference"] == 0.0 for row in compare_runs([alone, merged]) if row["difference"] is not None)
    assert make_app()(["report", str(merged), "--out", str(tmp_path / "report.html")]) == 0


def test_a_shard_is_a_run_too_and_says_of_what(thirds):
    for folder in thirds:
        assert verify(folder) == []
    results = document(thirds[1])
    assert results["n_episodes"] == 7
    assert "Shard 2/3: 7 of 20 episodes" in results["notes"][0]
    manifest = RunDirectory(thirds[1]).manifest()
    assert (manifest["shard"], manifest["n_episodes"], manifest["whole"]["n_episodes"]) == ("2/3", 7, COUNT)


def test_a_shard_goes_on_where_it_was_interrupted(world, alone, thirds, tmp_path):
    class Power(Exception):
        """Fails."""

    class FailsAtThird(Watcher):
        taken = 0

        def take(self, result):
            self.taken += 1
            if self.taken == 3:
                raise Power

    with pytest.raises(Power):
        run(tmp_path / "2", world, "2/3", watchers=[FailsAtThird()])
    parts = [thirds[0], tmp_path / "2", thirds[2]]
    with pytest.raises(RunDirectoryError, match=r"2 \(shard 2/3\): 4 of its 7 episodes are missing; `run --resume`"):
        merge_runs(parts, tmp_path / "early")
    with pytest.raises(RunDirectoryError, match="it was shard 2/3, is shard 1/3"):
        run(tmp_path / "2", world, "1/3", resume=True)
    with pytest.raises(RunDirectoryError, match="it was shard 2/3, is no shard"):
        run(tmp_path / "2", world, resume=True)
    run(tmp_path / "2", world, "2/3", resume=True)
    merge_runs(parts, tmp_path / "merged")
    assert without_timing(tmp_path / "merged", "trajectories.jsonl") == without_timing(alone, "trajectories.jsonl")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("evaluation.success_distance=2.0", "evaluation.success_distance is 3.0 in {first}, 2.0 in {other}"),
        ("seed=7", "seed is 0 in {first}, 7 in {other}"),
        ("agent_service.secret=other", "agent_service.secret is another"),
        ("dataset.limit=19", "dataset.limit is None in {first}, 19 in {other}"),
        ("3/4", "another number of shards"),
        ("agent_service.agent=stop", "agent_service.agent is 'random' in {first}, 'stop' in {other}"),
        ("output.save_trajectories=false", "output.save_trajectories"),
    ],
)
def test_a_shard_of_another_run_is_refused_by_name(world, thirds, tmp_path, change, named):
    other = run(tmp_path / "other", world, *([change] if "/" in change else ["3/3", change]))
    named = named.format(first=thirds[0], other=other)
    with pytest.raises(RunDirectoryError, match=re.escape(named)) as caught:
        merge_runs([*thirds[:2], other], tmp_path / "merged")
    assert str(other) in str(caught.value)
    assert not (tmp_path / "merged").exists()


def test_a_stray_file_is_no_run_directory(thirds, tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(RunDirectoryError, match=r"notes\.txt: is not a run directory"):
        merge_runs([*thirds, tmp_path / "notes.txt"], tmp_path / "merged")


def test_a_shard_of_other_data_is_refused_and_the_same_data_elsewhere_is_not(world, alone, thirds, tmp_path):
    data = tmp_path / "data" / "R2R_val.json"
    data.parent.mkdir()
    original = next(o for o in world if o.startswith("dataset.data_path=")).partition("=")[2]
    shutil.copy(original, data)
    elsewhere = [o for o in world if not o.startswith("dataset.data_path=")] + [f"dataset.data_path={data}"]
    same = run(tmp_path / "same", elsewhere, "3/3")
    merge_runs([*thirds[:2], same], tmp_path / "merged")
    assert without_timing(tmp_path / "merged", "episodes.jsonl") == without_timing(alone, "episodes.jsonl")
    data.write_text(data.read_text().replace("Walk.", "Run."))
    other = run(tmp_path / "other", elsewhere, "3/3")
    with pytest.raises(RunDirectoryError, match=r"other \(shard 3/3\).*dataset R2R_val\.json is another"):
        merge_runs([*thirds[:2], other], tmp_path / "never")


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("nav_eval_sha256", "nav_eval is another"),
        ("versions", "versions numpy is another"),
        ("assets_sha256", "cabin_connectivity.json is another"),
        ("service", "service is"),
    ],
)
def test_a_shard_of_another_package_scene_or_service_is_refused(copies, tmp_path, key, named):
    path = copies[1] / "manifest.json"
    manifest = json.loads(path.read_text())
    spoilt = {"versions": manifest["versions"] | {"numpy": "0"}, "service": {"name": "x", "version": "2"}}
    both = dict.fromkeys(manifest["assets_sha256"], "0" * 64) | {"cabin_connectivity.json": "0" * 64}
    manifest[key] = {**spoilt, "assets_sha256": both}.get(key, "0" * 64)
    path.write_text(json.dumps(manifest))
    with pytest.raises(RunDirectoryError, match=named):
        merge_runs(copies, tmp_path / "merged")


def test_shards_that_are_missing_twice_there_or_damaged_are_named(thirds, copies, alone, tmp_path):
    out = tmp_path / "merged"
    with pytest.raises(RunDirectoryError, match="of 3 shards, number 2 is missing"):
        merge_runs([thirds[0], thirds[2]], out)
    with pytest.raises(RunDirectoryError, match="shard 2/3 is given twice"):
        merge_runs([*thirds, copies[1]], out)
    with pytest.raises(RunDirectoryError, match="is not a shard"):
        merge_runs([*thirds[:2], alone], out)
    with (copies[0] / "episodes.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(RunDirectoryError, match=r"copy1: is not what the run wrote: episodes\.jsonl was changed"):
        merge_runs([copies[0], *thirds[1:]], out)
    assert not out.exists()
    merge_runs(thirds, out)
    with pytest.raises(RunDirectoryError, match="holds a run already"):
        merge_runs(thirds, out)


def test_a_partial_merge_says_so_and_can_be_completed(world, alone, thirds, tmp_path, capsys):
    merged = tmp_path / "merged"
    assert make_app()(["merge", str(thirds[2]), str(thirds[0]), "--out", str(merged), "--partial"]) == 1
    assert "of 3 shards, number 2 is missing" in capsys.readouterr().out
    assert document(merged)["n_episodes"] == 13
    assert verify(merged) == []
    run(merged, world, resume=True)
    assert without_timing(merged, "trajectories.jsonl") == without_timing(alone, "trajectories.jsonl")


@pytest.fixture(scope="module")
def homes(tmp_path_factory):
    """A scan for each of three shards, which share none."""
    folder = tmp_path_factory.mktemp("homes")
    items = [item(n, [node(0, 0), node(n, 2)], ["Walk."]) | {"scan": f"home{n % 3}"} for n in range(6)]
    overrides = write_r2r(folder, width=6, items=items)
    for number in range(3):
        shutil.copy(folder / "connectivity/tinyhouse_connectivity.json", connectivity_of(folder, number))
    return folder, [*overrides, RANDOM]


def connectivity_of(folder, number):
    return folder / f"connectivity/home{number}_connectivity.json"


@pytest.fixture(scope="module")
def homes_alone(homes, tmp_path_factory):
    return run(tmp_path_factory.mktemp("homes-alone") / "run", homes[1])


def test_a_partial_merge_without_a_shards_scenes_can_be_completed(homes, homes_alone, tmp_path):
    folder, world = homes
    merged = tmp_path / "merged"
    merge_runs([run(tmp_path / str(index), world, f"{index}/3") for index in (3, 1)], merged, partial=True)
    run(merged, world, resume=True)
    for name in ("trajectories.jsonl", "results.json", "results.csv", "submission.json"):
        assert without_timing(merged, name) == without_timing(homes_alone, name)
    one, completed = RunDirectory(homes_alone).manifest(), RunDirectory(merged).manifest()
    assert completed["assets_sha256"] == one["assets_sha256"]
    assert verify(merged) == []
    for number in (0, 1):  # of a shard that was merged, and of the one that was not
        path = connectivity_of(folder, number)
        kept = path.read_text()
        path.write_text(kept + " ")
        with pytest.raises(RunDirectoryError, match=f"assets file home{number}_connectivity.json"):
            run(merged, world, resume=True)
        path.write_text(kept)


def test_only_a_scene_that_nobody_played_may_come_with_new_files(tmp_path):
    overrides = [*write_room(tmp_path, scenes=2), RANDOM]
    play(tmp_path / "1", overrides, "pointnav", part=Part(1, 2))
    merged, rooms = tmp_path / "merged", tmp_path / "rooms"
    merge_runs([tmp_path / "1"], merged, partial=True)
    mesh = nav_eval.load_scene(str(rooms / "room0.glb")).build_navmesh(agent_radius=0.1, agent_height=1.5)
    mesh.save(str(rooms / "room0.navmesh"))
    with pytest.raises(RunDirectoryError, match=r"assets file room0\.glb: navmesh"):
        play(merged, overrides, "pointnav", resume=True)
    (rooms / "room0.navmesh").rename(rooms / "room1.navmesh")
    assert play(merged, overrides, "pointnav", resume=True).document["n_episodes"] == 6


def test_a_partial_merge_of_shards_with_secrets_of_their_own_can_be_completed(homes, tmp_path):
    with start(DigestAgent, port=0) as server:
        overrides = [*homes[1], *remote(server.endpoint), "agent_service.disclosure=full"]
        parts = [run(tmp_path / str(n), overrides, f"{n}/3", NOBODYS) for n in (3, 2)]
        merge_runs(parts, tmp_path / "merged", partial=True)
        run(tmp_path / "merged", overrides, None, NOBODYS, resume=True)
    assert document(tmp_path / "merged")["n_episodes"] == 6
    assert (tmp_path / "merged/secret.key").stat().st_mode & 0o077 == 0


def test_shards_must_share_a_secret_where_it_shows(world, tmp_path):
    with pytest.raises(ConfigError, match="NAV_EVAL_AGENT_SERVICE__SECRET"):
        run(tmp_path / "none", world, "1/3", "agent_service.type=remote", NOBODYS)
    for told in ("full", "competition"):  # a local agent's secret follows from the seed
        parts = [
            run(tmp_path / f"{told}{i}", world, f"{i}/2", f"agent_service.disclosure={told}", NOBODYS) for i in (1, 2)
        ]
        assert merge_runs(parts, tmp_path / told)[1] == []


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "a/b", "-1/3", "1/3/5", "1/2\n"])
def test_a_shard_that_is_none_is_refused(text):
    told = {"0/3": "counted from 1", "4/3": "4 is more than 3", "3": "counted"}.get(text, "")
    with pytest.raises(ConfigError, match=f"(?s)(?=.*--shard 3/8).*{told}"):
        Part.parse(text)


def test_more_shards_than_episodes_are_refused_in_each(world, tmp_path):
    with pytest.raises(ConfigError, match="20 episodes are chosen"):
        run(tmp_path / "run", world, "1/21")
    assert not (tmp_path / "run").exists()
