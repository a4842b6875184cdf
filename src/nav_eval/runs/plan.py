"""What a run will do, with everything that it needs found to be there: `config validate` asks, `run` begins with it.

First the configuration alone (names, the agent's class, files of the connection), every fault at once; then the data
set, its split, whether the backend can serve it with these sensors and actions, whether every episode can be played,
and the files of every scene.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from nav_eval.config.schema import Config
from nav_eval.core.capabilities import HasGraph
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import ConfigError, DatasetError, InputError, advice
from nav_eval.logging import get_logger
from nav_eval.runs import builder
from nav_eval.runs.builder import Plan
from nav_eval.runs.effective import Effective, connectivity
from nav_eval.runs.lookup import check
from nav_eval.runs.perturbing import check_reach
from nav_eval.runs.preflight import refuse_faulty, without_faulty
from nav_eval.runs.sharding import Part

INTO_A_BUILDING = ("simulator.backend=custom", "simulator.scenes_dir=FOLDER")
GRAPH_ACTIONS = ("stop", "move_to", "turn_left", "turn_right", "look_up", "look_down")


@contextmanager
def opened(config: Config, *, agent_given: bool = True) -> Iterator[Plan]:
    """What every use of a configuration begins with: a run, its workers, a score, an environment to train in.

    Raises as `resolved` does, which goes on to look at every episode and scene.
    """
    check(config, agent_given=agent_given)
    effective = Effective.of(builder.settled_split(config))
    episodes = builder.make_episodes(effective)
    with closing(builder.make_backend(effective)) as backend:
        plan = Plan.of(effective, backend, episodes)
        _check_world(plan)
        _check_reference(plan)
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
            with closing(plan.backend.open_session()) as session:  # the sensors fit
                _check_actions(plan, session.lacks_actions)
        plan = without_faulty(plan)
        if part is not None:
            plan = replace(plan, episodes=part.of_run(plan.config, plan.whole))
        _check_instruction(plan)
        refuse_faulty(plan, finished)
        _check_goals(plan)
        if may_look:
            _look(plan, [key for key in plan.episodes.keys if key not in finished])
        check_reach(plan)
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


def _assets(plan: Plan) -> dict[str, Mapping[str, str]]:
    """Raises SceneError for a scene that is missing."""
    assets: dict[str, Mapping[str, str]] = {}
    for scene in dict.fromkeys(scene for scene, _ in plan.episodes.keys):
        told = plan.backend.assets(scene)
        if not isinstance(told, Mapping):
            raise ConfigError(
                f"simulator.backend={plan.config.simulator.backend}: assets({scene!r}) returned {told!r:.60}. "
                "Return a dict of file name -> SHA-256, {} for a scene without files."
            )
        assets[scene] = told
    return assets


def _check_world(plan: Plan) -> None:
    """Raises ConfigError where the backend has another kind of world than the episodes, or cannot do an action."""
    config, backend, first = plan.config, plan.backend, next(iter(plan.episodes))
    name = config.simulator.backend
    if backend.starts_at == "position" and first.start_position is None:
        raise ConfigError(
            f"{builder.data_file(config.dataset)}: its episodes go from viewpoint to viewpoint of a navigation graph, "
            f"which simulator.backend={name} does not have. Add: {_pasted(_onto_the_graph(config))}"
        )
    if backend.starts_at == "node" and first.start_node is None:
        raise ConfigError(
            f"dataset: episode {first.episode_id} starts at a point in a building, not at a viewpoint of a navigation "
            f"graph. Add: {_pasted(INTO_A_BUILDING)}, and give sensors that it has."
        )
    _check_actions(plan, backend.lacks_actions)


def _check_actions(plan: Plan, lacking: Iterable[str]) -> None:
    """Raises ConfigError for actions that mean nothing to the simulator."""
    config = plan.config
    asked = config.task.actions or plan.task.actions
    strange = set(lacking).intersection(asked)
    if strange:
        on_graph = plan.backend.starts_at == "node"
        kept = _actions_of_the_graph() if on_graph else _actions(name for name in asked if name not in strange)
        names = ", ".join(sorted(strange))
        raise ConfigError(
            f"task.actions: {names} are not supported by simulator.backend={config.simulator.backend}. "
            f"Add: {_pasted([kept])}"
        )


def _check_instruction(plan: Plan) -> None:
    """Raises DatasetError where the task is told by words and the data set has none. All have them, or none."""
    if "instruction" in plan.task.sensors and next(iter(plan.whole)).instruction is None:
        raise DatasetError(
            f"{builder.data_file(plan.config.dataset)}: none of its {len(plan.whole)} episodes has an instruction, and "
            f"task.type={plan.config.task.type} is told by one.\n"
            'Give each of them "instruction": {"text": "..."}, or name the task that the file is of.'
        )


def _check_reference(plan: Plan) -> None:
    """Raises ConfigError where there is no path of the kind that metrics shall compare with. All have one, or none."""
    kind, first = plan.config.task.reference, next(iter(plan.episodes))
    if first.reference_nodes and kind in ("densified", "gt"):
        raise ConfigError(
            f"task.reference: is {kind}, but the paths of this data set are viewpoints of a graph. Leave it out."
        )
    if kind == "gt" and first.has_goal and not first.gt_locations:
        raise ConfigError(
            f"task.reference: is gt, but {plan.episodes.dataset.files[0]} has no expert's paths beside it. "
            "Give their file in dataset.gt_path, or choose densified or given."
        )


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


def _pasted(overrides: Sequence[str]) -> str:
    """As they are written in a command line, or in Python."""
    return advice(" ".join(map(shlex.quote, overrides)), f"overrides={list(overrides)}")


def _onto_the_graph(config: Config) -> list[str]:
    """Overrides that turn a configuration for buildings into one for Matterport3D's graph."""
    from nav_eval.simulator.sensors.registry import SENSORS

    sensors = {name: SENSORS.get(sensor.type or name) for name, sensor in config.simulator.sensors.items()}
    unfit = [name for name, kind in sensors.items() if {*getattr(kind, "needs", ())} - {HasGraph}]
    beside = Path(builder.data_file(config.dataset)).parent / "connectivity"
    folder = config.simulator.connectivity_dir or (str(beside) if beside.is_dir() else connectivity())
    quoted = folder if re.fullmatch(r"[\w./-]+", folder) else f"'{folder}'"
    return [
        "simulator.backend=nav_graph",
        f"simulator.connectivity_dir={quoted}",
        _actions_of_the_graph(),
        "+simulator.sensors.navigable={}",
        *(f"~simulator.sensors.{name}" for name in unfit),
    ]


def _actions_of_the_graph() -> str:
    return _actions(GRAPH_ACTIONS)


def _actions(names: Iterable[str]) -> str:
    return f"task.actions=[{','.join(names)}]"
