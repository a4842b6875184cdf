"""The same shards on a Ray cluster: nodes with other files, a node that goes away, and a cluster of our own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

import nav_eval
from graphs import write_r2r
from nav_eval.jit import cache_home
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.machines import UnfitMachine
from nav_eval.runs.registry import benchmark_config
from patience import PATIENCE
from playing import play, records
from rooms import write_room

TESTS = str(Path(__file__).parents[1])
MAIN = "from nav_eval.cli import main; main()"
RAY = ["evaluation.parallel.executor=ray", "evaluation.parallel.sessions=2"]


@pytest.fixture(scope="module")
def cluster():
    """A head node and another one, a worker's place on each."""
    import ray  # which takes a second of every process that collects this file

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_gcs_server_port_wait_time_s", "120")  # a cold disk takes more than Ray's 30 seconds
        patch.setenv("PYTHONPATH", os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])]))
        made = with_a_head()
        made.other = made.add_node(num_cpus=1)
        ray.init(address=made.address, log_to_driver=False)
        yield made
        ray.shutdown()
        made.shutdown()


def with_a_head():
    """Ray's own processes now and then do not come up on a busy machine; what they had to say is told then."""
    from ray.cluster_utils import Cluster

    began = time.time()
    try:
        return Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    except RuntimeError as error:
        logs = [log for log in Path("/tmp/ray").glob("session_2*/logs/gcs_server.*") if log.stat().st_mtime > began]
        told = "\n".join(f"{log}: {log.read_text(errors='replace')[-2000:]}" for log in logs)
        warnings.warn(f"{error}: once more. {told or 'Its server wrote nothing.'}", stacklevel=1)
        return Cluster(initialize_head=True, head_node_args={"num_cpus": 1})


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Rooms with navmeshes, and the overrides that play in them; beside them the same with another navmesh."""
    folder = tmp_path_factory.mktemp("rooms")
    overrides = [o for o in write_room(folder, scenes=2) if not o.startswith("simulator.scenes_dir")]
    shutil.copytree(folder / "rooms", folder / "other")
    for place, radius in (("rooms", 0.2), ("other", 0.4)):
        for name in ("room0", "room1"):
            scene = nav_eval.load_scene(str(folder / place / f"{name}.glb"))
            mesh = scene.build_navmesh(agent_radius=radius, agent_height=1.5)
            mesh.save(str(folder / place / f"{name}.navmesh"))
    agent = "agent_service.agent='end_to_end.agents:GpsAgent'"
    plugin = ["plugins=[end_to_end.elsewhere]", "simulator.backend=rooms-of-this-machine", agent]
    return folder, [*overrides, *plugin, "agent_service.secret=s3"]


@pytest.mark.soak
def test_machines_with_other_files_play_nothing_and_the_records_stay_the_same(
    rooms, cluster, tmp_path, monkeypatch, caplog
):
    folder, overrides = rooms
    monkeypatch.chdir(folder)
    overrides = [*overrides, "simulator.scenes_dir=rooms"]  # the driver's folder; workers have another one
    alone = play(tmp_path / "alone", overrides, "pointnav")
    here = rf"{re.escape(socket.gethostname())} at [0-9.]+"
    faults = (
        rf"{here}: room[01]\.glb: navmesh is not what the run began with.*\. Others play",
        rf"{here}: .*/nowhere.*Others play",
    )
    assert alone.results.statuses == {"ok": 6}
    config = benchmark_config("pointnav", overrides=[*overrides, *RAY, "evaluation.parallel.workers=2"])
    others = (str(folder / "other"), "/nowhere")
    runs = (tmp_path / "ray", tmp_path / "again")  # once more, because Ray itself may lose a machine
    told = next((run for run in runs if told_beside(others, cluster, faults, caplog, config, run)), None)
    assert told is not None
    assert records(told) == records(tmp_path / "alone")
    monkeypatch.setenv("ROOMS", str(folder / "other"))  # now it is the driver that has other files
    with pytest.raises(
        UnfitMachine, match=r"room[01]\.glb: navmesh(.|\n)*No machine of the Ray cluster can play"
    ) as caught:
        run_benchmark(config, tmp_path / "nobody")
    assert caught.value.exit_code == 2


def told_beside(others, cluster, faults, caplog, config, out):
    """Whether a run beside machines that hold other files tells all `faults`. The machines are gone afterwards."""
    until_told(faults, caplog, out.with_name(f"told-{out.name}"))
    added = [cluster.add_node(num_cpus=1, env_vars={"ROOMS": rooms}) for rooms in others]
    run_benchmark(config, out)
    for machine in added:
        cluster.remove_node(machine)
    return all(re.search(fault, caplog.text) for fault in faults)


def until_told(texts, caplog, flag):
    """Keep every machine that the cluster has busy until the log holds all these texts, or for two minutes."""
    import ray

    @ray.remote(num_cpus=1)
    def busy():
        end = time.monotonic() + PATIENCE
        flag.with_name(f"{flag.name}-{os.getpid()}").touch()
        while not flag.exists() and time.monotonic() < end:
            time.sleep(0.1)

    def tell():
        end = time.monotonic() + PATIENCE
        while not all(re.search(text, caplog.text) for text in texts) and time.monotonic() < end:
            time.sleep(0.1)
        flag.touch()

    for machine in ray.nodes():
        busy.options(label_selector={"ray.io/node-id": machine["NodeID"]}).remote()
    while len(list(flag.parent.glob(f"{flag.name}-*"))) < len(ray.nodes()):
        time.sleep(0.1)
    threading.Thread(target=tell, daemon=True).start()


def begun(words, folder, environment):
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
    )


@pytest.mark.soak
def test_a_cluster_that_loses_a_node_leaves_the_same_records_and_prints_nothing_of_it(
    world, undisturbed, tmp_path, cluster
):
    command = ["run", "r2r", *world, *RAY, "evaluation.parallel.workers=2"]
    words = [*command, f"evaluation.parallel.address={cluster.address}", "--out", "ray", "-q"]
    process = begun(words, tmp_path, os.environ | {"COLUMNS": "300"})
    journal = tmp_path / "ray" / "episodes.jsonl"
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 3):
        time.sleep(0.05)
    address = cluster.other.node_ip_address
    cluster.remove_node(cluster.other, allow_graceful=False)
    told, warned = process.communicate()
    assert (process.returncode, told) == (0, "ray\n")
    (line,) = warned.splitlines()
    assert f"a worker is lost ({socket.gethostname()} at {address} is gone); another one takes over." in line
    assert records(tmp_path / "ray") == undisturbed


def test_a_cluster_of_our_own_is_silent_and_listens_on_the_loopback_interface_only(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    command = ["run", "r2r", *write_r2r(tmp_path), *RAY, "agent_service.agent='end_to_end.agents:SlowAgent'"]
    environment |= {"PYTHONPATH": TESTS, "HOME": str(home), "NAV_EVAL_CACHE": str(cache_home())}
    process = begun([*command, "--out", "run", "--quiet"], tmp_path, environment)
    seen = set()
    while process.poll() is None:
        seen |= listening(process.pid)
        time.sleep(0.3)
    assert process.communicate() == ("run\n", "")
    assert len(seen) >= 4
    assert {address for address, _ in seen} <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}
    assert (home / ".ray" / "auth_token").stat().st_size


def listening(root):
    """(address, inode) of every TCP socket that a process or its descendants listen at."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family = {root}
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    own = {inode for pid in family for inode in sockets(pid)}
    found = set()
    for table, kind in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in own:
                found.add((address(fields[1].split(":")[0], kind), fields[9]))
    return found


def sockets(pid):
    try:
        return [
            found[1] for fd in Path(f"/proc/{pid}/fd").iterdir() if (found := re.match(r"socket:\[(\d+)", target(fd)))
        ]
    except OSError:
        return []


def target(link):
    try:
        return str(link.readlink())
    except OSError:
        return ""


def address(text, kind):
    """The kernel writes words of 32 bits in the machine's byte order."""
    words = [bytes.fromhex(text[i : i + 8])[:: 1 if sys.byteorder == "big" else -1] for i in range(0, len(text), 8)]
    return socket.inet_ntop(kind, b"".join(words))
