"""What a run will do, with everything that it needs found to be there: `config validate` asks, `run` begins with it.

First the configuration alone (names, the agent's class, files of the connection), every fault at once; then the data
set, its split, whether the backend can serve it with these sensors and actions, whether every episode can be played,
and the files of every scene.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from nav_eval.config.faults import Fault
from nav_eval.config.options import option_faults
from nav_eval.config.schema import Config
from nav_eval.core.actions import ActionSpace
from nav_eval.core.capabilities import HasGraph
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import ConfigError, DatasetError, InputError
from nav_eval.logging import get_logger
from nav_eval.registry import check_importable, nearest
from nav_eval.runs import builder
from nav_eval.runs.builder import Plan
from nav_eval.runs.preflight import refuse_faulty, without_faulty
from nav_eval.runs.sharding import Part

GRAPH_ACTIONS = ("stop", "move_to", "turn_left", "turn_right", "look_up", "look_down")


@contextmanager
def opened(config: Config, *, agent_given: bool = True) -> Iterator[Plan]:
    """What every use of a configuration begins with: a run, its workers, a score, an environment to train in.

    Raises as `resolved` does, which goes on to look at every episode and scene.
    """
    check(config, agent_given=agent_given)
    config = builder.settled_split(config)
    task, episodes = builder.make_task(config), builder.make_episodes(config)
    with closing(builder.make_backend(config, task)) as backend:
        plan = Plan.of(config, task, backend, episodes)
        _check_world(plan)
        yield plan


@contextmanager
def resolved(
    config: Config,
    part: Part | None = None,
    *,
    finished: Collection[EpisodeKey] = (),
    commands: bool = True,
    agent_given: bool = False,
) -> Iterator[Plan]:
    """The plan of a run, or of a part of it; its backend is open until the end.

    `finished`: episodes that are not played again. `commands`: simulator.command may run. `agent_given`: the caller
    holds the agent, so its name is not looked up.

    Raises ConfigError with all that is wrong with the configuration itself, or ConfigError, DatasetError or SceneError
    at the first fault of what it names. Nothing is written, no code of the agent's is run.
    """
    may_look = commands or config.simulator.command is None
    with opened(config, agent_given=agent_given) as plan:
        if may_look:
            plan.backend.open_session().close()  # the sensors fit
        plan = without_faulty(plan)
        if part is not None:
            plan = replace(plan, episodes=part.of_run(plan.config, plan.whole))
        refuse_faulty(plan, finished)
        _check_goals(plan)
        if may_look:
            _look(plan, [key for key in plan.episodes.keys if key not in finished])
        yield replace(plan, assets=_assets(plan))


def _look(plan: Plan, keys: Sequence[EpisodeKey]) -> None:
    """Begin the first episode, so that what would end the run at once is told before it. Raises InputError."""
    environment = plan.environment()
    try:
        for episode in plan.episodes.only(keys[:1]):
            environment.reset(episode)
    except InputError:
        raise
    except Exception:  # noqa: BLE001 - that episode's fault alone: told when it is played
        get_logger(__name__).debug("the first episode", exc_info=True)
    finally:
        environment.simulator.close()


def _assets(plan: Plan) -> dict[str, str]:
    """Raises SceneError for a scene that is missing."""
    assets: dict[str, str] = {}
    for scene in dict.fromkeys(scene for scene, _ in plan.episodes.keys):
        told = plan.backend.assets(scene)
        if not isinstance(told, Mapping):
            raise ConfigError(
                f"simulator.backend={plan.config.simulator.backend}: assets({scene!r}) returned {told!r:.60}. "
                "Return a dict of file name -> SHA-256, {} for a scene without files."
            )
        assets |= told
    return assets


def check(config: Config, *, agent_given: bool = False) -> None:
    """Look everything up that is named. Raises one ConfigError with all that is wrong."""
    from nav_eval.agents.registry import AGENTS
    from nav_eval.dataset.registry import DATASETS
    from nav_eval.metrics.registry import METRICS
    from nav_eval.simulator.registry import SIMULATORS
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
    for name, sensor in config.simulator.sensors.items():
        look(f"simulator.sensors.{name}", partial(SENSORS.get, sensor.type or name))
    look("dataset.type", lambda: DATASETS.get(config.dataset.type))
    service = config.agent_service
    if agent_given:
        pass
    elif service.type == "local" and _gives_endpoint(config):
        faults.append(
            f"agent_service.endpoint: is given, but agent_service.type is local, which would run the agent "
            f"{service.agent!r} here. Add agent_service.type=remote, or leave the endpoint out."
        )
    elif service.type == "remote":
        look("agent_service", lambda: builder.make_service(config, b"").close())
    elif ":" in service.agent:
        look("agent_service.agent", partial(_check_agent, service.agent))
    else:
        look("agent_service.agent", lambda: AGENTS.get(service.agent))
    look("agent_service.jpeg", partial(_check_jpeg, config))
    look("evaluation.parallel.executor", partial(_check_executor, config))
    look("output.video", partial(_check_video, config))
    faults += [f"{key}: {text}{config.origin(key)}" for key, text in _option_faults(config)]
    if faults:
        raise ConfigError("\n  ".join([f"{len(faults)} fault{'s' * (len(faults) > 1)} in the configuration:", *faults]))


def _gives_endpoint(config: Config) -> bool:
    """Whether somebody means a service: an endpoint given for this run, or beside no type. A record holds both."""
    told = config.agent_service.model_fields_set
    now = config.origin("agent_service.endpoint") in (" [the command line]", " [the environment]")
    return "endpoint" in told and ("type" not in told or now)


def _option_faults(config: Config) -> Iterator[Fault]:
    """What is wrong with options, as far as it is known whose they are; `task.options` are any metric's, too."""
    from nav_eval.metrics.registry import METRICS
    from nav_eval.simulator.registry import SIMULATORS
    from nav_eval.simulator.sensors.registry import SENSORS
    from nav_eval.tasks.registry import TASKS, own_metrics

    simulator, task = config.simulator, config.task
    if simulator.backend in SIMULATORS:
        yield from option_faults("simulator.options", simulator.options, [SIMULATORS.get(simulator.backend)])
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


def _check_world(plan: Plan) -> None:
    """Raises ConfigError where the backend has another kind of world than the episodes, or cannot do an action."""
    config, backend, first = plan.config, plan.backend, next(iter(plan.episodes))
    name = config.simulator.backend
    if backend.starts_at == "position" and first.start_position is None:
        raise ConfigError(
            f"{builder.data_file(config.dataset)}: its episodes go from viewpoint to viewpoint of a navigation graph, "
            f"which simulator.backend={name} does not have. Add: {_onto_the_graph(config)}"
        )
    if backend.starts_at == "node" and first.start_node is None:
        raise ConfigError(
            f"dataset: episode {first.episode_id} starts at a point in a building, not at a viewpoint of a navigation "
            "graph. Add: simulator.backend=custom simulator.scenes_dir=FOLDER, and give sensors that it has."
        )
    strange = set(backend.lacks_actions).intersection(config.task.actions or plan.task.actions)
    if strange:
        hint = f" Add: '{_actions_of_the_graph()}'" if backend.starts_at == "node" else ""
        raise ConfigError(f"task.actions: {', '.join(sorted(strange))} mean nothing to simulator.backend={name}.{hint}")


def _check_goals(plan: Plan) -> None:
    """Raises DatasetError for a hidden split where nobody can play without goals. All have one, or none."""
    from nav_eval.simulator.sensors.registry import SENSORS

    if next(iter(plan.whole)).has_goal:
        return
    sensors = plan.sensors.items()
    showing = [name for name, sensor in sensors if getattr(SENSORS.get(sensor.type or name), "needs_goal", False)]
    if showing or plan.task.needs_goal:
        shown = f" (sensor {', '.join(showing)} shows them to the agent)" if showing else ""
        raise DatasetError(
            f"{builder.data_file(plan.config.dataset)}: none of its {len(plan.whole)} episodes has a goal, and "
            f"task.type={plan.config.task.type} cannot be played without{shown}.\n"
            "Give the file that holds the goals: dataset.data_path, dataset.split."
        )


def _onto_the_graph(config: Config) -> str:
    """Overrides that turn a configuration for buildings into one for Matterport3D's graph, fit to be pasted."""
    from nav_eval.simulator.sensors.registry import SENSORS

    sensors = {name: SENSORS.get(sensor.type or name) for name, sensor in config.simulator.sensors.items()}
    unfit = [name for name, kind in sensors.items() if {*getattr(kind, "needs", ())} - {HasGraph}]
    beside = Path(builder.data_file(config.dataset)).parent / "connectivity"
    folder = config.simulator.connectivity_dir or (str(beside) if beside.is_dir() else builder.connectivity())
    quoted = folder if re.fullmatch(r"[\w./-]+", folder) else f"'{folder}'"
    words = [
        "simulator.backend=nav_graph",
        f"simulator.connectivity_dir={quoted}",
        _actions_of_the_graph(),
        "+simulator.sensors.navigable={}",
        *(f"~simulator.sensors.{name}" for name in unfit),
    ]
    return " ".join(map(shlex.quote, words))


def _actions_of_the_graph() -> str:
    return f"task.actions=[{','.join(GRAPH_ACTIONS)}]"
