"""What a perturbation reaches in a benchmark: one that changes nothing is refused, or left out of a sweep."""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval.config.schema import Config, PerturbationConfig
from nav_eval.core.interfaces import Task
from nav_eval.errors import ConfigError
from nav_eval.runs import builder
from nav_eval.runs.builder import Plan
from nav_eval.runs.effective import Effective
from nav_eval.simulator.perturbations.registry import PERTURBATIONS, make_perturbations


@dataclass(frozen=True, slots=True)
class Reach:
    """`reworded`: episodes told otherwise, None where no words are changed; `lacking`: why it is of no use."""

    reworded: int | None = None
    lacking: str = ""


def perturbed(config: Config, name: str, severity: int) -> Config:
    """The same with this perturbation alone."""
    only = (PerturbationConfig(name=name, severity=severity),)
    return config.model_copy(update={"perturbations": only})


def reach(config: Config, task: Task, name: str, severity: int) -> Reach:
    """What `name` changes in the episodes of a configuration, its own perturbations left out."""
    clean = config.model_copy(update={"perturbations": ()})
    simulator = Effective.of(clean, task).simulator
    perturbation = make_perturbations({name: severity})[name]
    kinds = {sensor.type or key for key, sensor in simulator.sensors.items()}
    changed = (
        perturbation.simulator(simulator) != simulator or perturbation.evaluation(clean.evaluation) != clean.evaluation
    )
    elsewhere = changed or bool(kinds & {*perturbation.sensors})
    if perturbation.rewords:
        reworded = _reword(clean, task, name, severity)
        told = "no episode here has other words for it"
        return Reach(reworded, "" if reworded or elsewhere else told)
    if elsewhere:
        return Reach()
    wanted = f" (it is one of sensors {', '.join(perturbation.sensors)})" if perturbation.sensors else ""
    return Reach(lacking=f"nothing here is affected by it{wanted}")


def _reword(clean: Config, task: Task, name: str, severity: int) -> int:
    before, after = (
        builder.make_episodes(Effective.of(config, task)) for config in (clean, perturbed(clean, name, severity))
    )
    return sum(one.instruction != other.instruction for one, other in zip(before, after, strict=True))


def check_reach(plan: Plan) -> None:
    """Raises ConfigError for a perturbation that changes nothing: its figures would look like robustness."""
    for name, severity in plan.config.perturbed.items():
        if lacking := reach(plan.config, plan.task, name, severity).lacking:
            raise ConfigError(f"perturbations: {name} changes nothing: {lacking}. Leave it out.")


def check_perturbations(config: Config) -> None:
    """Raises ConfigError for an unknown name, a severity that is too high, or a name that stands there twice."""
    names = [one.name for one in config.perturbations]
    for one in config.perturbations:
        most = getattr(PERTURBATIONS.get(one.name), "severities", one.severity)
        if one.severity > most:
            raise ConfigError(f"perturbations: {one.name} has severities up to {most}, not {one.severity}.")
        if names.count(one.name) > 1:
            raise ConfigError(f"perturbations: {one.name} appears twice. Leave one out.")
