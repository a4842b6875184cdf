"""`nav-eval-agent check` of a competition's address: what agents play under there, and when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from nav_eval_sdk.competition import Competition, CompetitionError
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.text import line


class Size(msgspec.Struct):
    width: int | None
    height: int | None


class Conditions(msgspec.Struct):
    task: str
    max_steps: int
    act_seconds: float
    reset_seconds: float
    episode_seconds: float | None
    sensors: dict[str, Size]
    convention: str | None = None


class Phase(msgspec.Struct):
    name: str
    kind: str
    status: str
    opens: datetime
    closes: datetime | None
    images: str | None = None  # servers of before did not say

    @property
    def takes(self) -> str:
        return {"also": f"{self.kind} or container image", "only": "container image"}.get(self.images or "", self.kind)


class About(msgspec.Struct):
    """As the server's `GET /competition` has it."""

    name: str
    conditions: Conditions
    phases: list[Phase]


def ask(url: str, ca: str | None) -> About | None:
    """None of what is no competition server, or of nobody there: `url` may be that of a service."""
    if not url.startswith(("http://", "https://")):
        return None
    try:
        return msgspec.json.decode(Competition(url, ca=ca).about(), type=About)
    except (CompetitionError, msgspec.MsgspecError, ValueError, OSError):
        return None


def described(about: About) -> Iterator[str]:
    """Lines for a participant."""
    rules = about.conditions
    yield f"{line(about.name)} is a competition ({line(rules.task)}). In every phase:"
    yield f"  at most {rules.max_steps} steps in an episode (max_steps)"
    yield f"  seconds: {rules.act_seconds:g} for act, {rules.reset_seconds:g} for reset"
    if rules.episode_seconds is not None:
        yield f"  seconds: {rules.episode_seconds:g} for a whole episode"
    yield f"  the sensors are {line(', '.join(_sensor(name, size) for name, size in rules.sensors.items()), 1000)}"
    if rules.convention:
        yield f"  scores follow {line(rules.convention)} (task.convention)"
    for phase in about.phases:
        name, kind, status = line(phase.name), line(phase.takes), line(phase.status)
        if phase.closes is None:
            yield f"{name}: takes {kind}, {status}, from {_moment(phase.opens)}, no end"
        else:
            yield f"{name}: takes {kind}, {status}, from {_moment(phase.opens)} to {_moment(phase.closes)}"


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M %Z}"


def _sensor(name: str, size: Size) -> str:
    sides = [str(side) for side in (size.width, size.height) if side is not None]
    return f"{name} {'x'.join(sides)}".strip()


known(globals())
