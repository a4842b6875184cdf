"""Second attempts are counted over all segments of a run; tests/end_to_end/test_services.py plays them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nav_eval.config.secrecy import public_config
from nav_eval.core.attempts import Attempt, Attempts
from nav_eval.core.types import EpisodeResult
from nav_eval.errors import RunDirectoryError
from nav_eval.results.attempts import AttemptFile
from nav_eval.results.records import episode_record, episode_result
from nav_eval.results.run_directory import config_differences
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk.protocol.usage import Usage

KEY = ("scene", "1_0")


def test_a_record_from_before_restarts_had_their_name_is_read_and_compared():
    record = episode_record(EpisodeResult(*KEY, "ok", None, {}, 1, {"tries": 2, "restarts": 1, "resumes": 0}))
    old = record | {"timing": {"tries": 2, "replays": 1, "resumes": 0}}
    assert episode_result(old) == episode_result(record)
    assert "replays" not in episode_result(old).timing
    now = public_config(benchmark_config("r2r", overrides=[]))
    service = {name: value for name, value in now["agent_service"].items() if name != "episode_restarts"}
    assert config_differences(now | {"agent_service": service | {"replays": 2}}, now) == []
    assert config_differences(now | {"agent_service": service | {"replays": 3}}, now) == [
        "agent_service.episode_restarts was 3, is 2"
    ]


def noted(path, *events):
    file = AttemptFile(path, lambda: None)
    for event in events:
        file.attempts.note(event if isinstance(event, Attempt) else Attempt(KEY, event))
    file.close()


def counted(attempts):
    timing = attempts.marked(EpisodeResult(*KEY, "ok", None, {}, 1, {})).timing
    return tuple(timing.get(name) for name in ("tries", "restarts", "resumes"))


@pytest.mark.parametrize(
    ("events", "counts", "lost"),
    [
        (["shown"], (None, None, None), 0),
        (["shown", "lost", "shown"], (2, 1, 0), 1),
        (["shown", "shown"], (2, 0, 1), 0),
        (["shown", "shown", "lost", "shown", "shown"], (4, 1, 2), 1),
        (["shown", "lost", "shown", "lost", "shown"], (3, 2, 0), 2),
    ],
)
def test_attempts_are_counted_over_segments(tmp_path, events, counts, lost):
    for event in events:
        noted(tmp_path / "tries.jsonl", event)
    attempts = AttemptFile(tmp_path / "tries.jsonl", lambda: None).attempts
    assert counted(attempts) == counts
    assert attempts.lost([KEY]) == ({KEY: lost} if lost else {})


def test_what_a_lost_attempt_had_cost_is_part_of_the_episode(tmp_path):
    events = [Attempt(KEY, "shown"), Attempt(KEY, "lost", Usage(requests=2, cost={"USD": 0.5})), Attempt(KEY, "lost")]
    noted(tmp_path / "tries.jsonl", *events)
    read = AttemptFile(tmp_path / "tries.jsonl", lambda: None).attempts
    last = EpisodeResult(*KEY, "ok", None, {}, 1, {}, usage=Usage(requests=3, cost={"CNY": 1.0}))
    assert read.marked(last).usage == Usage(requests=5, cost={"CNY": 1.0, "USD": 0.5})
    assert read.marked(replace(last, usage=None)).usage == Usage(requests=2, cost={"USD": 0.5})
    elsewhere = replace(last, episode_id="another")
    assert read.marked(elsewhere).usage == elsewhere.usage


def test_a_truncated_last_line_is_cut_off_and_a_damaged_one_named(tmp_path):
    path = tmp_path / "tries.jsonl"
    noted(path, "shown", "lost", "shown")
    path.write_bytes(path.read_bytes()[:-9])
    noted(path, "shown", "shown")
    assert counted(AttemptFile(path, lambda: None).attempts) == (3, 1, 1)
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(RunDirectoryError, match="line 1 is damaged"):
        AttemptFile(path, lambda: None)


def test_nothing_is_written_before_there_is_something_to_note(tmp_path):
    AttemptFile(tmp_path / "tries.jsonl", lambda: None).close()
    assert list(tmp_path.iterdir()) == []
    assert counted(Attempts([Attempt(KEY, "shown")] * 2)) == (2, 0, 1)
