"""`nav-eval-agent check` of a service that is still loading: it says so, and waits."""

from __future__ import annotations

import logging
import threading

from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.conformance import Target, check, log
from patience import PATIENCE


def test_it_says_that_it_waits_and_checks_what_has_loaded() -> None:
    told = threading.Event()

    class Slow(VLNAgent):
        """Loads until somebody says that he waits for it."""

        def __init__(self) -> None:
            assert told.wait(PATIENCE)

        def reset(self, episode: object) -> None:
            """Nothing to keep."""

        def act(self, observation: object) -> str:
            return "stop"

    handler = logging.Handler()
    handler.emit = lambda record: told.set() if "is loading" in record.getMessage() else None  # type: ignore[method-assign]
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    with start(Slow, port=0) as agent:
        found = list(check(Target(agent.endpoint)))
    log.removeHandler(handler)
    assert told.is_set()
    assert [one for one in found if not one.ok] == []
    assert len(found) > 5
