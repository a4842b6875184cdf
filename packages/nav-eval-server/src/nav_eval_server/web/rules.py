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
    told, played = challenge.evaluation, challenge.conditions
    yield _("Task"), played.task
    yield _("Ranked by"), titles([challenge.ranking.by])
    yield _("Convention"), played.convention or ""
    yield _("Shown beside it"), titles(challenge.ranking.secondary_metrics)
    shown = (challenge.ranking.by, *challenge.ranking.secondary_metrics)
    yield _("Also measured"), titles(n for n in _at(told, "task", "measurements") or () if n not in shown)
    yield _("Sensors"), " · ".join(f"{name} {size}".strip() for name, size in played.sensors.items())
    yield _("Step forward"), _text(_at(told, "simulator", "motion", "forward_step"), "m")
    yield _("Turn"), _text(_at(told, "simulator", "motion", "turn_angle"), "°")
    yield _("Steps in an episode, at most"), _text(played.max_steps)
    yield _("Actions in one answer, at most"), _text(_at(told, "evaluation", "max_chunk"))
    if _at(told, "evaluation", "clock") == "charged":
        yield _("The world does not wait: a step per"), _text(_at(told, "evaluation", "step_s") or TICK, "s")
        yield _("Charged for each answer"), _text(_at(told, "evaluation", "latency_s"), "s")
    yield _("Success within"), _text(_at(told, "evaluation", "success_distance"), "m")
    yield _("Time for one action"), _text(played.act_seconds, "s")
    yield _("Time to begin an episode"), _text(played.reset_seconds, "s")
    yield _("Time for one episode"), _text(played.episode_seconds, "s")
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
