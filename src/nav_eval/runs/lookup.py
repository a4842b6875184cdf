"""Whether everything that a configuration names is there: looked up by name, nothing of it is opened or run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

from nav_eval.config.faults import Fault
from nav_eval.config.options import option_faults
from nav_eval.config.schema import Config
from nav_eval.core.actions import ActionSpace
from nav_eval.errors import ConfigError
from nav_eval.registry import check_importable, nearest
from nav_eval.runs import builder
from nav_eval.runs.perturbing import check_perturbations


def check(config: Config, *, agent_given: bool = False) -> None:
    """Look everything up that is named. Raises one ConfigError with all that is wrong."""
    from nav_eval.dataset.registry import DATASETS
    from nav_eval.metrics.registry import METRICS
    from nav_eval.simulator.registry import SIMULATORS, check_people, check_physics
    from nav_eval.simulator.sensors.registry import SENSORS
    from nav_eval.tasks.registry import TASKS, own_actions, own_metrics

    faults: list[str] = []

    def look(key: str, find: Callable[[], object]) -> None:
        try:
            find()
        except ConfigError as error:
            text = str(error).removeprefix(f"{key}: ")
            faults.append(f"{key}: {text}{config.origin(key)}")

    look("task.type", lambda: TASKS.get(config.task.type))
    look("task.actions", lambda: ActionSpace.of(config.task.actions or (), own_actions(config)))
    for name in config.task.measurements or ():
        own = own_metrics(config)
        look("task.measurements", partial(METRICS.get, name, own) if name not in own else tuple)
    look("simulator.backend", lambda: SIMULATORS.get(config.simulator.backend))
    look("simulator.physics", partial(check_physics, config.simulator))
    look("simulator.people", partial(check_people, config.simulator))
    look("task.measurements", partial(_check_company, config))
    look("task.measurements", partial(_check_forces, config))
    for name, sensor in config.simulator.sensors.items():
        look(f"simulator.sensors.{name}", partial(SENSORS.get, sensor.type or name))
    look("perturbations", partial(check_perturbations, config))
    look("dataset.type", lambda: DATASETS.get(config.dataset.type))
    service = config.agent_service
    if agent_given:
        pass
    elif service.type == "local" and _gives_endpoint(config):
        faults.append(
            f"agent_service.{_endpoint_key(config)}: is given, but agent_service.type is local, which would run the "
            f"agent {service.agent!r} here. Add agent_service.type=remote, or leave the endpoint out."
        )
    elif service.type == "remote":
        look("agent_service", lambda: builder.make_service(config, b"").close())
    elif ":" in service.agent:
        look("agent_service.agent", partial(_check_agent, service.agent))
    else:
        look("agent_service.agent", lambda: builder.agent_class(service.agent))
    look("agent_service.jpeg", partial(_check_jpeg, config))
    look("evaluation.parallel.executor", partial(_check_executor, config))
    look("output.video", partial(_check_video, config))
    faults += [f"{key}: {text}{config.origin(key)}" for key, text in _option_faults(config)]
    if faults:
        raise ConfigError("\n  ".join([f"{len(faults)} fault{'s' * (len(faults) > 1)} in the configuration:", *faults]))


def _gives_endpoint(config: Config) -> bool:
    """Whether somebody means a service: an endpoint given for this run, or beside no type. A record holds both."""
    told, key = config.agent_service.model_fields_set, _endpoint_key(config)
    return key in told and ("type" not in told or config.given_now(f"agent_service.{key}"))


def _endpoint_key(config: Config) -> str:
    return "endpoints" if config.agent_service.endpoints else "endpoint"


def _option_faults(config: Config) -> Iterator[Fault]:
    """What is wrong with options, as far as it is known whose they are; `task.options` are any metric's, too."""
    from nav_eval.metrics.registry import METRICS
    from nav_eval.simulator.registry import CROWDS, PHYSICS, SIMULATORS, option_owners
    from nav_eval.simulator.sensors.registry import SENSORS
    from nav_eval.tasks.registry import TASKS, own_metrics

    simulator, task = config.simulator, config.task
    if simulator.backend in SIMULATORS and simulator.physics in PHYSICS:
        yield from option_faults("simulator.options", simulator.options, option_owners(simulator))
    given = simulator.people
    if (given.count or given.options) and given.motion in CROWDS:
        yield from option_faults("simulator.people.options", given.options, [CROWDS.get(given.motion)])
    for name, sensor in simulator.sensors.items():
        if (kind := sensor.type or name) in SENSORS:
            yield from option_faults(f"simulator.sensors.{name}.options", sensor.options, [SENSORS.get(kind)])
    if task.options and task.type in TASKS:
        metrics = [METRICS.get(name) for name in METRICS]
        owners = [TASKS.get(task.type), *own_metrics(config).values(), *metrics]
        yield from option_faults("task.options", task.options, owners)


def _check_agent(name: str) -> None:
    module, _, attribute = name.partition(":")
    try:
        check_importable(module, attribute)
    except (ImportError, ValueError) as error:
        raise builder.no_agent(name, error) from None


def _check_forces(config: Config) -> None:
    """Raises ConfigError for a metric of forces where the configured body feels none."""
    from nav_eval.metrics.registry import METRICS
    from nav_eval.simulator.registry import PHYSICS, SIMULATORS

    simulator, names = config.simulator, config.task.measurements or ()
    if simulator.physics not in PHYSICS or simulator.backend not in SIMULATORS:
        return
    feels = getattr(PHYSICS.get(simulator.physics), "feels", True)
    asked = [name for name in names if name in METRICS and "forces" in METRICS.get(name).needs]
    if asked and not feels and getattr(SIMULATORS.get(simulator.backend), "takes_physics", False):
        raise ConfigError(
            f"{', '.join(asked)}: needs a body with mass, and simulator.physics={simulator.physics} has none. "
            "Choose another engine: nav-eval list physics."
        )


def _check_company(config: Config) -> None:
    """Raises ConfigError for a metric of people where nobody else is in the building."""
    from nav_eval.metrics.registry import METRICS
    from nav_eval.tasks.registry import TASKS

    own = getattr(TASKS.get(config.task.type), "measurements", ()) if config.task.type in TASKS else ()
    names = own if config.task.measurements is None else config.task.measurements
    asked = [name for name in names if name in METRICS and "people" in METRICS.get(name).needs]
    if asked and not config.simulator.people.count:
        others = ",".join(name for name in names if name not in asked) or "success"
        raise ConfigError(
            f"{', '.join(asked)}: needs people, and simulator.people.count is 0. Set it to 1 or more, or measure only "
            f"what needs no people: task.measurements=[{others}]."
        )


def _check_jpeg(config: Config) -> None:
    sensors = config.simulator.sensors
    for name in config.agent_service.jpeg:
        if name not in sensors:
            raise ConfigError(f"no sensor is called {name!r}.{nearest(name, sensors)}")


def _check_executor(config: Config) -> None:
    if config.evaluation.parallel.executor == "ray" and find_spec("ray") is None:
        from nav_eval.runs.cluster import NO_RAY

        raise ConfigError(NO_RAY)


def _check_video(config: Config) -> None:
    parallel = config.evaluation.parallel
    if config.output.video != "none" and (parallel.workers > 1 or parallel.executor != "local"):
        raise ConfigError("output.video: is recorded in this process only; set evaluation.parallel.workers=1.")
