"""The rules as a spectator reads them. What is shown is listed here: seeds, paths and addresses are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from nav_eval.config.schema import EvaluationConfig
from nav_eval_server.challenge import Challenge
from nav_eval_server.web.columns import titles

TICK = EvaluationConfig().step_s


def facts(challenge: Challenge) -> list[tuple[str, str]]:
    """Label and value of every rule that the evaluation's configuration says."""
    return [(label, text) for label, text in _facts(challenge) if text]


def _facts(challenge: Challenge) -> Iterator[tuple[str, str]]:
    told = challenge.evaluation
    yield _("Task"), _text(_at(told, "task", "type"))
    yield _("Ranked by"), titles([challenge.ranking.by])
    yield _("Shown beside it"), titles(challenge.ranking.secondary_metrics)
    shown = (challenge.ranking.by, *challenge.ranking.secondary_metrics)
    yield _("Also measured"), titles(n for n in _at(told, "task", "measurements") or () if n not in shown)
    yield _("Sensors"), " · ".join(_sensors(_at(told, "simulator", "sensors") or {}))
    yield _("Step forward"), _text(_at(told, "simulator", "motion", "forward_step"), "m")
    yield _("Turn"), _text(_at(told, "simulator", "motion", "turn_angle"), "°")
    yield _("Steps in an episode, at most"), _text(_at(told, "evaluation", "max_steps"))
    yield _("Actions in one answer, at most"), _text(_at(told, "evaluation", "max_chunk"))
    if _at(told, "evaluation", "clock") == "charged":
        yield _("The world does not wait: a step per"), _text(_at(told, "evaluation", "step_s") or TICK, "s")
        yield _("Charged for each answer"), _text(_at(told, "evaluation", "latency_s"), "s")
    yield _("Success within"), _text(_at(told, "evaluation", "success_distance"), "m")
    yield _("Time for one action"), _text(_at(told, "agent_service", "timeout"), "s")
    yield _("Time to begin an episode"), _text(_at(told, "agent_service", "deadlines", "reset"), "s")
    yield _("Time for one episode"), _text(_at(told, "agent_service", "deadlines", "episode"), "s")
    yield _("Services may lie in"), ", ".join(challenge.endpoints.allowed_networks)
    yield _("At these ports"), ", ".join(challenge.endpoints.allowed_ports)


def _at(content: Mapping[str, Any], *keys: str) -> Any:
    found: Any = content
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _text(value: object, unit: str = "") -> str:
    """Degrees stand next to their number."""
    if value is None:
        return ""
    number = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{number}{'' if unit == '°' else ' '}{unit}".strip()


def _sensors(sensors: Mapping[str, Any]) -> Iterator[str]:
    for name, options in sensors.items():
        size = [str(options[key]) for key in ("width", "height") if (options or {}).get(key) is not None]
        yield f"{name} {'×'.join(size)}".strip()
