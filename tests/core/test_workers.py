from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.jobs import Deadly, failing, result, surprised, unborn
from nav_eval.core.workers import Launcher, Processes, Shard, WorkerLost, WorkerPool, shards
from nav_eval.errors import RunDirectoryError, SceneError
from patience import PATIENCE

keys = st.lists(st.tuples(st.sampled_from("abc"), st.uuids().map(str)), min_size=1, max_size=80, unique=True)


@given(keys, st.integers(1, 9), st.integers(1, 40))
def test_shards_are_disjoint_complete_and_share_the_sessions(keys, count, sessions):
    parts = shards(keys, count, sessions)
    assert sorted(key for part in parts for key in part.keys) == sorted(keys)
    assert len(parts) == min(count, sessions, len(keys))
    assert sum(part.sessions for part in parts) == sessions
    assert all(part.keys and part.sessions for part in parts)
    assert max(len(part.keys) for part in parts) - min(len(part.keys) for part in parts) <= 1
    assert parts == shards(keys, count, sessions)
    visits = sum(len({scene for scene, _ in part.keys}) for part in parts)
    assert visits <= len({scene for scene, _ in keys}) + len(parts) - 1


KEYS = tuple(("s", str(number)) for number in range(9))


def played(job, parts):
    delivered = []
    lost = WorkerPool(Processes(job), lambda key, reason: result(key, "worker_crash", reason))
    lost.play(parts, delivered.append)
    return delivered


def test_a_worker_crash_costs_only_the_episode_that_causes_it(caplog):
    delivered = played(Deadly(poison=("4",), unlucky=("7",)), [Shard(KEYS, 3)])
    statuses = {one.episode_id: one.status for one in delivered}
    assert len(delivered) == len(statuses) == 9
    assert {name for name, status in statuses.items() if status != "ok"} == {"4"}
    crash = next(one for one in delivered if one.status == "worker_crash")
    assert "SIGKILL" in crash.failure_reason
    assert {record.getMessage() for record in caplog.records} >= {"played 0", "played 8"}


def test_what_a_job_raises_is_raised_here():
    with pytest.raises(SceneError, match="is gone"):
        played(failing, [Shard(KEYS, 1)])
    with pytest.raises(Exception, match=r"a worker failed: ValueError: what\?"):
        played(surprised, [Shard(KEYS, 1)])


def test_workers_that_die_before_they_begin_are_not_started_for_ever():
    with pytest.raises(WorkerLost, match="exit code 3"):
        played(unborn, [Shard(KEYS, 1)])


class Scripted(Launcher):
    """Messages of threads instead of processes."""

    def __init__(self):
        self.stopped = threading.Event()

    def messages(self, shard):
        for key in shard.keys:
            yield key
            yield result(key)
        if shard.keys[0] == KEYS[0]:
            self.stopped.wait(PATIENCE)
            raise WorkerLost("stopped")

    def stop(self):
        self.stopped.set()


def test_a_store_that_fails_stops_every_worker():
    kept = []

    def full(one):
        if len(kept) == 3:
            raise RunDirectoryError("the disk is full")
        kept.append(one)

    launcher = Scripted()
    with pytest.raises(RunDirectoryError, match="full"):
        WorkerPool(launcher, lambda key, reason: result(key, "worker_crash")).play(
            [Shard(KEYS[:2], 1), Shard(KEYS[2:], 1)], full
        )
    assert launcher.stopped.is_set()
    assert len(kept) == 3
