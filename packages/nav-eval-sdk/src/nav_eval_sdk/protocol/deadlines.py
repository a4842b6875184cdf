"""How long an evaluator waits for a service, unless its configuration says otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deadlines:
    """Seconds. `act` is the specification's `timeout`; `ready` is how long a service may take to load its model."""

    connect: float = 10.0
    ready: float = 300.0
    reset: float = 60.0
    act: float = 30.0
    episode: float | None = None
