"""A configuration as it takes effect: with the data that are made for it, and perturbed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nav_eval.config.schema import Config, DatasetConfig, EvaluationConfig, SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Perturbation, Task
from nav_eval.errors import ConfigError
from nav_eval.runs.generators import GENERATORS
from nav_eval.simulator.perturbations.registry import make_perturbations
from nav_eval.variables import DATA


@dataclass(frozen=True, slots=True)
class Effective:
    """What is read instead of `config` once a run begins; each part is worked out once.

    `dataset` and `simulator` have the paths of generated data, `simulator` also the sensors that tell the task's goal;
    it and `evaluation` are perturbed as configured. `perturbations`: those that did it, and may reword instructions;
    a session makes its own. Example: `Effective.of(benchmark_config("pointnav-demo")).simulator.scenes_dir`.
    """

    config: Config
    task: Task
    dataset: DatasetConfig
    simulator: SimulatorConfig
    evaluation: EvaluationConfig
    perturbations: Mapping[str, Perturbation]

    @classmethod
    def of(cls, config: Config, task: Task | None = None) -> Effective:
        """Makes generated data that are missing. Raises ConfigError for what cannot be made."""
        task = task or make_task(config)
        made = generated_data(config)
        perturbations = make_perturbations(config.perturbed)
        evaluation = config.evaluation
        for perturbation in perturbations.values():
            evaluation = perturbation.evaluation(evaluation)
        simulator = _with_goal_sensors(_locate(made.simulator), task.sensors)
        for perturbation in perturbations.values():
            simulator = perturbation.simulator(simulator)
        return cls(config, task, made.dataset, _in_time(simulator, evaluation), evaluation, perturbations)


def make_task(config: Config) -> Task:
    from nav_eval.tasks.registry import TASKS

    return TASKS.get(config.task.type)(config)


def generated_data(config: Config) -> Config:
    """The configuration with the paths of generated scenes and episodes, which are made now if they are missing.

    Raises ConfigError for an unknown generator, or a version of it that is not the installed one.
    """
    if config.dataset.data_path or config.dataset.generate is None:
        return config
    wish, split = config.dataset.generate, config.dataset.split or config.dataset.default_split
    if split is None:
        raise ConfigError("dataset.generate: of which split? Set dataset.split.")
    generator = GENERATORS.get(wish.generator)
    if wish.version != generator.version:
        raise ConfigError(
            f"dataset.generate.version: is {wish.version}, and this release makes version {generator.version} only. "
            "Install the release that made it, or leave the key out."
        )
    scenes, episodes = generator.make(wish.task or config.task.type, split, wish)
    file = "{split}.json.gz" if config.dataset.type == "r2r-ce" else "{split}/{split}.json.gz"
    return config.model_copy(
        update={
            "dataset": config.dataset.model_copy(update={"data_path": f"{episodes}/{file}"}),
            "simulator": config.simulator.model_copy(update={"scenes_dir": str(scenes)}),
        }
    )


def _with_goal_sensors(simulator: SimulatorConfig, names: Iterable[str]) -> SimulatorConfig:
    """The same with the sensors that the task needs to tell its goal."""
    missing = {name: SensorConfig() for name in names if name not in simulator.sensors}
    return simulator.model_copy(update={"sensors": {**simulator.sensors, **missing}})


def _in_time(simulator: SimulatorConfig, limits: EvaluationConfig) -> SimulatorConfig:
    """Where the world does not wait, a tick lasts for people as long as for the body."""
    if limits.clock == "lockstep" or not simulator.people.count:
        return simulator
    people = simulator.people.model_copy(update={"wait_s": limits.step_s})
    return simulator.model_copy(update={"people": people})


def data_root() -> str:
    """NAV_EVAL_DATA, default data/."""
    return DATA.get()


def connectivity() -> str:
    """Where the navigation graphs are, unless simulator.connectivity_dir says otherwise."""
    return f"{data_root()}/connectivity"


def _locate(simulator: SimulatorConfig) -> SimulatorConfig:
    """`simulator` with the usual folder of its backend's world, where none is given."""
    if simulator.backend == "custom" and simulator.scenes_dir is None and "scene" not in simulator.options:
        return simulator.model_copy(update={"scenes_dir": f"{data_root()}/scene_datasets"})
    if simulator.backend == "nav_graph" and simulator.connectivity_dir is None:
        return simulator.model_copy(update={"connectivity_dir": connectivity()})
    return simulator
