from __future__ import annotations

import json
import math
import resource
from collections import deque

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState, EpisodeResult, StepRecord
from nav_eval.errors import NavEvalError, RunDirectoryError
from nav_eval.results.journal import Journal
from nav_eval.results.records import episode_record, episode_result, read_trajectory, trajectory_record

floats = st.floats(allow_nan=False, allow_infinity=False)
points = st.tuples(floats, floats, floats)
states = st.builds(
    AgentState,
    position=points,
    rotation=st.tuples(floats, floats, floats, floats),
    node=st.none() | st.text(),
    elevation=floats,
)
actions = st.builds(Action, name=st.text(), args=st.dictionaries(st.text(), floats | st.text()))
steps = st.builds(StepRecord, action=actions, state=states, collided=st.booleans(), latency=floats)
results = st.builds(
    EpisodeResult,
    scene_id=st.text(),
    episode_id=st.text(),
    status=st.sampled_from(["ok", "agent_error", "worker_crash"]),
    failure_reason=st.none() | st.text(),
    metrics=st.dictionaries(st.text(), floats | st.just(math.inf)),
    steps=st.integers(0, 10**6),
    timing=st.dictionaries(st.text(), floats),
    start=states,
    trajectory=st.lists(steps, max_size=4).map(tuple),
    unmeasured=st.dictionaries(st.text(), st.text()),
)


def made(episode_id, value=1.0):
    state = AgentState((1.0, 2.0, 3.0))
    return EpisodeResult(
        scene_id="s",
        episode_id=str(episode_id),
        status="ok",
        failure_reason=None,
        metrics={"success": value},
        steps=1,
        timing={"wall": 0.5},
        start=state,
        trajectory=(StepRecord(Action("stop"), state),),
    )


def journal_of(folder, *numbers):
    """One that holds these episodes, and is closed."""
    folder.mkdir(exist_ok=True)
    journal = Journal(folder)
    for number in numbers:
        journal.add(made(number))
    journal.close()
    return folder / "episodes.jsonl"


@given(results)
@settings(max_examples=60)
def test_records_keep_every_digit(result):
    back = episode_result(_through_json(episode_record(result)))
    assert (back.scene_id, back.episode_id) == (result.scene_id, result.episode_id)
    assert back.metrics == ({} if result.status == "worker_crash" else result.metrics)
    assert back.unmeasured == result.unmeasured
    start, trajectory = read_trajectory(_through_json(trajectory_record(result)))
    assert (start, trajectory) == (result.start, result.trajectory)


def _through_json(record):
    return json.loads(json.dumps(msgspec.json.decode(msgspec.json.encode(record))))


def test_a_journal_continues_where_it_was(tmp_path):
    journal_of(tmp_path, 1)
    second = Journal(tmp_path)
    second.add(made(2))
    assert sorted(second.finished()) == [("s", "1"), ("s", "2")]
    second.close()


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_truncated_last_line_is_cut_off_and_its_episode_run_again(tmp_path, cut):
    path = journal_of(tmp_path, 0, 1, 2)
    path.write_bytes(path.read_bytes()[:-cut])
    again = Journal(tmp_path)
    assert sorted(again.finished()) == [("s", "0"), ("s", "1")]
    again.add(made(2))
    again.settle([("s", str(n)) for n in range(3)])
    again.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["episode_id"] for line in lines] == ["0", "1", "2"]


def test_an_episode_without_its_trajectory_is_missing(tmp_path):
    journal_of(tmp_path, 0, 1)
    path = tmp_path / "trajectories.jsonl"
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    assert list(Journal(tmp_path).finished()) == [("s", "0")]


def test_damage_in_the_middle_is_not_swallowed(tmp_path):
    path = journal_of(tmp_path, 0, 1)
    path.write_bytes(b"{broken\n" + path.read_bytes())
    with pytest.raises(RunDirectoryError, match="line 1"):
        Journal(tmp_path)


def test_settling_gives_the_files_an_order_that_does_not_depend_on_timing(tmp_path):
    contents = []
    for name, order in (("a", [0, 1, 2]), ("b", [2, 0, 1])):
        journal_of(tmp_path / name, *order)
        journal = Journal(tmp_path / name)
        journal.settle([("s", str(n)) for n in range(3)])
        journal.close()
        contents.append([(tmp_path / name / f).read_bytes() for f in ("episodes.jsonl", "trajectories.jsonl")])
    assert contents[0] == contents[1]


def test_a_reader_leaves_a_line_in_the_making_alone(tmp_path):
    path = journal_of(tmp_path, 0, 1)
    path.write_bytes(whole := path.read_bytes()[:-5])
    assert list(Journal(tmp_path, writable=False).finished()) == [("s", "0")]
    assert path.read_bytes() == whole


def test_a_file_that_may_grow_no_more_is_said_and_loses_nothing_finished(tmp_path):
    journal, (soft, hard) = Journal(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(NavEvalError, match=r"reached its size limit.*--resume"):
            deque(map(journal.add, map(made, range(1000))))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    journal.close()
    assert len(Journal(tmp_path).finished()) >= 3
