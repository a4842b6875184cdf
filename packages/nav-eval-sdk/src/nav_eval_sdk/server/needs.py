"""What an agent class says that it needs, and what an episode lacks of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nav_eval_sdk.protocol.messages import EpisodeData, Info, SensorWish


def describe(agent: Any, max_sessions: int, max_batch: int, *, streaming: bool) -> Info:
    """What /info says of an agent class."""
    from nav_eval_sdk.protocol.tensors import accepted_encodings

    sensors = getattr(agent, "sensors", {})
    return Info(
        name=getattr(agent, "name", "") or getattr(agent, "__name__", type(agent).__name__),
        version=getattr(agent, "version", ""),
        encodings=accepted_encodings(),
        streaming=streaming,
        sensors=tuple(SensorWish(name, *size) for name, size in dict(sensors).items()),
        action_space=tuple(getattr(agent, "action_space", ())),
        max_sessions=max_sessions,
        max_batch=max_batch,
    )


def objections(info: Info, data: EpisodeData) -> list[str]:
    """Why such an episode cannot be played by the agent that `info` describes; empty if it can."""
    found = []
    if data.protocol not in info.protocols:
        found.append(f"protocol {data.protocol} is not supported here, only {list(info.protocols)}")
    found += [lack for wish in info.sensors if (lack := _lacking(wish, data.observation_spec))]
    alien = set(info.action_space) - set(data.action_space)
    if info.action_space and data.action_space and alien:
        found.append(f"the agent also answers {sorted(alien)}, which the task does not allow")
    return found


def _lacking(wish: SensorWish, specs: Mapping[str, Any]) -> str:
    """What the episode lacks of a sensor that the agent needs; empty if nothing."""
    if wish.name not in specs:
        return f"the agent needs the sensor {wish.name!r}"
    height, width = (*getattr(specs[wish.name], "shape", ()), 0, 0)[:2]
    if (wish.width or width, wish.height or height) == (width, height):
        return ""
    return f"the agent needs {wish.name!r} at {wish.width} x {wish.height}, the episode has {width} x {height}"
