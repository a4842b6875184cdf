"""Does a perturbation keep nav_eval.core.interfaces.Perturbation? Tried at every severity, in a room, without an agent.

It must be the same for every agent, session and worker, and leave the form of what it changes as it was: a service
would otherwise learn of it from the specs, or be sent what these do not promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Perturbation, Simulator, SimulatorBackend
from nav_eval.core.perturbing import PerturbedSensors, SeededRngSource
from nav_eval.core.types import Observations
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.dataset.tokens import tokenize
from nav_eval.errors import ConfigError
from nav_eval.simulator.perturbations.registry import PERTURBATIONS, PerturbationFactory
from nav_eval.simulator.registry import make_simulator_backend
from nav_eval.testing.findings import Finding, Skip, run_checks
from nav_eval.testing.places import room
from nav_eval.testing.simulator import difference

TOLD = "Walk through the hallway, turn right before the wooden table and stop beside the yellow chair."
WORDINGS = (
    Instruction(text=TOLD, tokens=tokenize(TOLD)),
    Instruction(text="Leave the hallway to the right; wait at the chair next to the table."),
    Instruction(text="穿过走廊，在木桌前右转，停在黄色的椅子旁边。", language="zh"),
)
SEEDS = 8
"""Runs in which one that comes by chance has time to come."""
STEPS = ("move_forward", "turn_left", "move_forward")


@dataclass(frozen=True, slots=True)
class Trial:
    """One severity of a perturbation in a room with the sensors that it changes; `kinds`: name -> type of these."""

    make: PerturbationFactory
    severity: int
    config: SimulatorConfig
    episodes: list[Episode]
    kinds: Mapping[str, str]

    def perturbation(self) -> Perturbation:
        return self.make(self.severity)

    def backend(self) -> SimulatorBackend:
        return make_simulator_backend(self.perturbation().simulator(self.config), 0)

    def perturbed(self, seed: int = 0) -> PerturbedSensors:
        return PerturbedSensors({"tried": self.perturbation()}, self.kinds, seed)


def check_perturbation(perturbation: str | type[Perturbation]) -> Iterator[Finding]:
    """Findings, one by one, of every severity. `perturbation`: its name as registered, or its class."""
    make = PERTURBATIONS.get(perturbation) if isinstance(perturbation, str) else perturbation
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        config, episodes = room(Path(folder))
        for severity in range(1, int(getattr(make, "severities", 1)) + 1):
            made = list(run_checks([can_be_made], (make, severity)))
            yield from (_at(severity, finding) for finding in made)
            if all(finding.ok for finding in made):
                trial = _trial(make, severity, config, episodes)
                yield from (_at(severity, finding) for finding in run_checks(CHECKS, trial))


def _at(severity: int, finding: Finding) -> Finding:
    return replace(finding, check=f"severity {severity}: {finding.check}")


def can_be_made(wanted: tuple[PerturbationFactory, int]) -> str:
    make, severity = wanted
    made: object = make(severity)
    return "" if isinstance(made, Perturbation) else f"it is {made!r:.60}, no nav_eval.Perturbation."


def _trial(make: PerturbationFactory, severity: int, config: SimulatorConfig, episodes: list[Episode]) -> Trial:
    sensors = {kind: SensorConfig(width=224, height=168) for kind in make(severity).sensors}
    fitting = {kind: sensor for kind, sensor in sensors.items() if _fits(config, kind, sensor)}
    config = config.model_copy(update={"sensors": {**config.sensors, **fitting}})
    return Trial(make, severity, config, episodes, {name: name for name in config.sensors})


def _fits(config: SimulatorConfig, kind: str, sensor: SensorConfig) -> bool:
    """Whether a room has what a sensor needs; those of graphs are passed over."""
    try:
        backend = make_simulator_backend(config.model_copy(update={"sensors": {kind: sensor}}), 0)
        backend.open_session().close()
    except ConfigError:
        return False
    return True


def it_changes_something(trial: Trial) -> str:
    """Or its figures would look like robustness."""
    perturbation = trial.perturbation()
    config = perturbation.simulator(trial.config) != trial.config
    words = any(_reword(trial, given).text != given.text for given in WORDINGS)
    return "" if config or words or _seen_otherwise(trial) else "neither the simulator, the words nor any reading."


def _seen_otherwise(trial: Trial) -> bool:
    if not trial.perturbation().sensors:
        return False
    return any(
        difference(clean, shown)
        for seed in range(SEEDS)
        for clean, shown in _walk(trial, trial.episodes[0], trial.perturbed(seed))
    )


def _reword(trial: Trial, given: Instruction) -> Instruction:
    others = [one for one in WORDINGS if one is not given]
    return trial.perturbation().instruction(given, others, SeededRngSource(0, trial.episodes[0].key, "tried"))


def the_instruction_stays_one(trial: Trial) -> str:
    for given in WORDINGS:
        told: object = _reword(trial, given)
        if not isinstance(told, Instruction) or not told.text.strip():
            return f"of {given.text!r:.40} it made {told!r:.60}. Return an Instruction with a text."
        if told != _reword(trial, given):
            return "asked twice it says something else: draw from `rng` alone."
        if told.text != given.text and not trial.perturbation().rewords:
            return "it changes the instruction, but `rewords` is False, so it is never asked. Write rewords = True"
    return ""


def the_simulator_can_be_made(trial: Trial) -> str:
    made = trial.perturbation().simulator(trial.config)
    SimulatorConfig.model_validate(made.model_dump())
    again = trial.perturbation().simulator(trial.config)
    backend = make_simulator_backend(made, 0)
    backend.open_session().close()
    backend.close()
    return "" if made == again else "asked twice it answers another configuration."


def the_specs_stay_as_they_were(trial: Trial) -> str:
    """They are sent to the participant."""
    clean, perturbed = make_simulator_backend(trial.config, 0), trial.backend()
    before, after = clean.open_session().observation_spec, perturbed.open_session().observation_spec
    return "" if dict(before) == dict(after) else "the specs of the sensors differ, which tells the participant of it."


def readings_keep_their_form(trial: Trial) -> str:
    backend = trial.backend()
    specs = backend.open_session().observation_spec
    for _, shown in _walk(trial, trial.episodes[0], trial.perturbed()):
        for name, spec in specs.items():
            if fault := spec.fault(shown.get(name), thorough=True):
                return f"sensor {name} {fault}, as its spec says."
    return ""


def looking_twice_shows_the_same(trial: Trial) -> str:
    perturbed = trial.perturbed()
    for step, (clean, shown) in enumerate(_walk(trial, trial.episodes[0], perturbed)):
        if fault := difference(shown, perturbed.apply(clean, step)):
            return f"the second look at a step shows another {fault}."
    return ""


def nothing_that_is_handed_in_is_written_to(trial: Trial) -> str:
    perturbed = trial.perturbed()
    for clean, kept in ((clean, deepcopy(clean)) for clean, _ in _walk(trial, trial.episodes[0], trial.perturbed())):
        perturbed.begin(trial.episodes[0])
        perturbed.apply(clean, 0)
        if fault := difference(clean, kept):
            return f"it writes into {fault}, which others look at: make a copy."
    return ""


def every_session_meets_the_same(trial: Trial) -> str:
    """A fresh one, and one that has another episode behind it."""
    used = trial.perturbed()
    list(_walk(trial, trial.episodes[1], used))
    for (_, one), (_, other) in zip(
        _walk(trial, trial.episodes[0], trial.perturbed()), _walk(trial, trial.episodes[0], used), strict=True
    ):
        if fault := difference(one, other):
            return f"after another episode it shows another {fault}: forget everything in `begin`, draw from `rng`."
    return ""


def _walk(trial: Trial, episode: Episode, perturbed: PerturbedSensors) -> Iterator[tuple[Observations, Observations]]:
    """What the simulator observes and what is shown of it, step by step of one walk."""
    if not trial.perturbation().sensors:
        raise Skip("it changes no reading")
    session: Simulator = trial.backend().open_session()
    session.start(episode)
    perturbed.begin(episode)
    for step in range(len(STEPS) + 1):
        clean = session.observe()
        yield clean, perturbed.apply(clean, step)
        if step < len(STEPS):
            session.step(STEPS[step])


CHECKS = (
    it_changes_something,
    the_simulator_can_be_made,
    the_specs_stay_as_they_were,
    the_instruction_stays_one,
    readings_keep_their_form,
    looking_twice_shows_the_same,
    nothing_that_is_handed_in_is_written_to,
    every_session_meets_the_same,
)
