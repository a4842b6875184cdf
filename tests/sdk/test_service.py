"""The service without a transport: once per step, one waiter per request, sessions that end, batches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.errors import BadMessage, ServiceProblem
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol.messages import ActionSpec, Envelope, EpisodeEnd, Info, SensorWish, TensorSpec
from nav_eval_sdk.server.agents import AgentThread
from nav_eval_sdk.server.service import Service
from patience import PATIENCE, until

SPACE = {name: ActionSpec() for name in ("stop", "move_forward", "turn_left")}


class Agent(VLNAgent):
    """Counts its calls; thinks for as long as `gate` is closed."""

    gate = threading.Event()
    calls: list[tuple[str, Any]] = []  # noqa: RUF012

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def reset(self, episode: dict[str, Any]) -> None:
        assert threading.get_ident() == self._thread
        self.calls.append(("reset", episode["episode_id"]))

    def act(self, observation: dict[str, Any]) -> str:
        assert threading.get_ident() == self._thread
        self.gate.wait(PATIENCE)
        self.calls.append(("act", float(observation["x"][0])))
        return "move_forward"


@pytest.fixture(autouse=True)
def fresh() -> None:
    Agent.gate = threading.Event()
    Agent.gate.set()
    Agent.calls = []


@contextmanager
def service(agent: Any = Agent, sessions: int = 1, batch: int = 1, **options: Any) -> Iterator[Service]:
    made = Service(agent, Info(name="test", max_sessions=sessions, max_batch=batch), **options)
    made.load()
    yield made
    Agent.gate.set()
    made.close()


def episode(session: str = "a", request: str = "r", number: int = 0) -> m.EpisodeData:
    specs = {"x": TensorSpec(shape=(1,), dtype="float32")}
    return replace(synthetic_episode(specs, SPACE, number), session_id=session, request_id=request)


def act(made: Service, step: int | None, request: str, session: str = "a") -> m.Action:
    return made.act(Envelope(session, step, request), lambda specs: {"x": np.array([step or 0], np.float32)})


def in_thread(call: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(call())
        except ServiceProblem as problem:
            results.append(problem.code)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(ServiceProblem) as caught:
        call()
    return caught.value.code


def test_a_step_is_decided_once() -> None:
    with service() as made:
        made.reset(episode())
        first = act(made, 0, "q0")
        assert act(made, 0, "q0") == first
        assert act(made, 1, "q1").step == 1
        assert act(made, 1, "q1").step == 1
        assert [call for call in Agent.calls if call[0] == "act"] == [("act", 0.0), ("act", 1.0)]
        assert refused(lambda: act(made, 0, "q0")) == "step_conflict"
        assert refused(lambda: act(made, 1, "other")) == "step_conflict"
        assert refused(lambda: act(made, 3, "q3")) == "step_conflict"
        assert refused(lambda: act(made, 2, "q2", "b")) == "unknown_session"


def test_a_retry_waits_for_the_decision_being_made_and_sends_the_older_away() -> None:
    with service() as made:
        made.reset(episode())
        Agent.gate.clear()
        first, first_answer = in_thread(lambda: act(made, 0, "q"))
        until(lambda: bool(made._sessions["a"].last))
        second, second_answer = in_thread(lambda: act(made, 0, "q"))
        first.join(PATIENCE)
        assert first_answer == ["superseded"]
        assert refused(lambda: act(made, 1, "q1")) == "step_conflict"
        assert made.health().status == "ready"
        Agent.gate.set()
        second.join(PATIENCE)
        assert second_answer[0].step == 0
        assert Agent.calls == [("reset", "synthetic-0"), ("act", 0.0)]


def test_a_failure_is_remembered_like_an_answer() -> None:
    class Failing(Agent):
        def act(self, observation: dict[str, Any]) -> str:
            self.calls.append(("act", 0))
            raise RuntimeError("broke")

    with service(Failing) as made:
        made.reset(episode())
        assert refused(lambda: act(made, 0, "q")) == "agent_error"
        assert refused(lambda: act(made, 0, "q")) == "agent_error"
        assert Agent.calls == [("reset", "synthetic-0"), ("act", 0)]


def test_an_observation_that_does_not_fit_takes_no_step() -> None:
    def broken(specs: Any) -> dict[str, Any]:
        raise BadMessage("x: is missing.")

    with service() as made:
        made.reset(episode())
        assert refused(lambda: made.act(Envelope("a", 0, "q"), broken)) == "bad_request"
        assert act(made, 0, "q").step == 0


def test_a_reset_is_done_once_and_another_begins_anew() -> None:
    with service() as made:
        made.reset(episode(request="r1"))
        made.reset(episode(request="r1"))
        act(made, 0, "q0")
        made.reset(episode(request="r2", number=7))
        assert act(made, 0, "q0").step == 0
        assert Agent.calls == [("reset", "synthetic-0"), ("act", 0.0), ("reset", "synthetic-7"), ("act", 0.0)]


def test_the_specifications_own_requests_work() -> None:
    """No session, no step, no request id: one session, one step after the other."""
    with service() as made:
        plain = replace(episode(), session_id="default", request_id="")
        for _ in range(2):
            made.reset(plain)
            assert [act(made, None, "", "default").step for _ in range(3)] == [0, 1, 2]


def test_sessions_are_counted_and_a_silent_one_is_replaced() -> None:
    with service(sessions=2, idle_timeout=1.0) as made:
        made.reset(episode("a"))
        made.reset(episode("b"))
        assert refused(lambda: made.reset(episode("c"))) == "busy"
        made.end(EpisodeEnd(session_id="a"))
        made.end(EpisodeEnd(session_id="a"))
        made.reset(episode("c"))
        time.sleep(1.1)
        act(made, 0, "q", "c")
        made.reset(episode("d"))
        assert refused(lambda: act(made, 0, "q", "b")) == "unknown_session"
        assert act(made, 1, "q1", "c").step == 1


def test_an_agent_that_is_stuck_keeps_its_seat() -> None:
    with service(idle_timeout=0.0) as made:
        made.reset(episode("a"))
        Agent.gate.clear()
        thread, answer = in_thread(lambda: act(made, 0, "q"))
        until(lambda: bool(made._sessions["a"].last))
        assert refused(lambda: made.reset(episode("b"))) == "busy"
        made.end(EpisodeEnd(session_id="a"))
        thread.join(PATIENCE)
        assert answer == ["unknown_session"]
        assert refused(lambda: made.reset(episode("b"))) == "busy"
        Agent.gate.set()
        until(lambda: bool(made._free))
        made.reset(episode("b"))


def test_loading_draining_and_an_agent_that_cannot_be_made() -> None:
    made = Service(Agent, Info())
    assert made.health().status == "loading"
    assert refused(lambda: made.reset(episode())) == "loading"
    made.load()
    made.reset(episode())
    drained, _ = in_thread(lambda: made.drain(10))
    until(lambda: made.health().status == "draining")
    assert refused(lambda: made.reset(episode("b"))) == "draining"
    assert act(made, 0, "q").step == 0
    assert drained.is_alive()
    made.end(EpisodeEnd(session_id="a"))
    drained.join(PATIENCE)
    assert not drained.is_alive()
    made.close()

    def broken() -> Agent:
        raise OSError("no weights")

    unmade = Service(broken, Info())
    assert refused(unmade.load) == "agent_error"
    assert "no weights" in unmade.health().detail
    unmade.close()


def test_validate_says_why_not() -> None:
    wishes = Info(sensors=(SensorWish("rgb", 640, 480),), action_space=("stop", "fly"))
    made = Service(Agent, wishes)
    assert made.validate(None).ok
    answer = made.validate(replace(episode(), protocol=9))
    assert not answer.ok
    assert len(answer.reasons) == 3
    made.close()


@pytest.mark.parametrize(
    ("wish", "met"),
    [
        (SensorWish("rgb", 16, 12), True),
        (SensorWish("rgb"), True),
        (SensorWish("rgb", 16), True),
        (SensorWish("rgb", 12, 16), False),
        (SensorWish("rgb", 0, 16), False),
        (SensorWish("gps"), True),
        (SensorWish("words"), True),
    ],
)
def test_a_sensor_of_another_size_is_not_the_one_that_is_needed(wish: SensorWish, met: bool) -> None:
    specs = {
        "rgb": TensorSpec(shape=(12, 16, 3), dtype="uint8"),
        "gps": TensorSpec(shape=(2,), dtype="float32"),
        "words": m.TextSpec(),
    }
    made = Service(Agent, Info(sensors=(wish,)))
    answer = made.validate(replace(episode(), observation_spec=specs))
    assert (answer.ok, bool(answer.reasons)) == (met, not met)
    made.close()


class Batching(Agent):
    """Answers what its own session is at, so that a mix-up shows."""

    sizes: list[int] = []  # noqa: RUF012
    held = threading.Event()

    def reset(self, episode: dict[str, Any]) -> None:
        self.name_of_mine = episode["episode_id"]

    @classmethod
    def act_batch(cls, agents: Sequence[Any], observations: Sequence[dict[str, Any]]) -> list[Any]:
        cls.held.wait(PATIENCE)
        cls.sizes.append(len(agents))
        return [
            {"action": "stop", "action_args": {"who": agent.name_of_mine, "at": float(seen["x"][0])}}
            for agent, seen in zip(agents, observations)
        ]


def batched(agent: Any, sessions: int = 4, batch: int = 3) -> list[m.Action]:
    Batching.sizes, Batching.held = [], threading.Event()
    with service(agent, sessions, batch, max_wait=0.3) as made:
        for number in range(sessions):
            made.reset(replace(episode(str(number), number=number), action_space={}))
        calls = [in_thread(lambda n=number: act(made, 0, f"q{n}", str(n))) for number in range(sessions)]
        Batching.held.set()
        for thread, _ in calls:
            thread.join(PATIENCE)
        return [answers[0] for _, answers in calls]


def test_waiting_sessions_are_answered_together() -> None:
    answers = batched(Batching)
    assert [answer.action_args["who"] for answer in answers] == [f"synthetic-{n}" for n in range(4)]
    assert sum(Batching.sizes) == 4
    assert max(Batching.sizes) in (2, 3)


def test_a_plain_method_may_answer_a_batch_too() -> None:
    class Plain(Agent):
        def act_batch(self, observations: Sequence[dict[str, Any]]) -> list[str]:
            return ["stop" for _ in observations]

    assert [answer.action for answer in batched(Plain)] == ["stop"] * 4


@pytest.mark.parametrize("answers", [[], ["stop"] * 9, None])
def test_a_batch_of_the_wrong_size_fails_all_of_it(answers: Any) -> None:
    class Wrong(Agent):
        def act_batch(self, observations: Sequence[dict[str, Any]]) -> Any:
            return answers

    assert batched(Wrong) == ["agent_error"] * 4


def test_a_lone_session_does_not_wait_for_a_batch() -> None:
    Batching.held.set()
    with service(Batching, sessions=4, batch=4, max_wait=2 * PATIENCE) as made:
        made.reset(replace(episode(), action_space={}))
        begun = time.monotonic()
        act(made, 0, "q")
        assert time.monotonic() - begun < PATIENCE


@pytest.mark.parametrize(
    ("gap", "batch_seconds", "waiting", "patience"),
    [
        (0.001, 0.3, 1, 0.075),  # 16 acts in 16 ms, a batch takes 300: all are awaited, a quarter of a batch
        (0.015, 0.3, 1, 0.12),  # ... or eight times the usual gap
        (0.001, 0.3, 13, 0.3 * 3 / 13),  # ... but for no longer than those that come are spared
        (0.01, 0.3, 15, 0.02),
        (0.02, 0.3, 1, 0.005),  # 16 acts take longer than a batch: the evaluator works while the model does
        (0.001, 0.001, 1, 0.005),  # a model that is faster than the wait
        (None, 0.0, 1, 0.005),  # nothing is known yet
    ],
)
def test_a_batch_waits_for_those_that_are_due(
    gap: float | None, batch_seconds: float, waiting: int, patience: float
) -> None:
    thread = AgentThread(max_batch=16, max_wait=0.005)
    try:
        thread.busy_slots, thread._batch_seconds = 16, batch_seconds
        thread._gaps.extend([] if gap is None else [gap] * 15 + [batch_seconds])
        assert thread.patience(waiting) == pytest.approx(patience)
    finally:
        thread.stop()
