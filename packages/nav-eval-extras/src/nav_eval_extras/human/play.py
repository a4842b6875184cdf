"""A benchmark played by a person: practice first, in a run of its own, then the run that counts."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nav_eval import ActionSpec
from nav_eval.config.schema import Config, DatasetConfig, SensorConfig
from nav_eval.core.orchestrator import Watcher
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import ConfigError
from nav_eval.results.files import write_bytes
from nav_eval.runs.builder import Plan
from nav_eval.runs.evaluation import Evaluated, run_benchmark
from nav_eval.runs.plan import opened
from nav_eval_extras.human.decisions import Decisions
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.person import Person, text_argument

PRACTICE = "practice"
KEY = "human.key"
PICTURES = ("rgb", "panorama", "skybox")
WEEK = 7 * 24 * 3600.0
"""A person may leave the page open over a weekend."""
LAST_WORD_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Options:
    """`practice`: episodes to practise on before the run; `show_results`: the person is told how it went at the end;
    `notes`: of the episodes, for the reader of the results.
    """

    practice: int = 0
    show_results: bool = False
    notes: Sequence[str] = ()


def link_key(out: Path) -> str:
    """The key of the run's link: the one that it began with, so that a link stays good when the run is resumed."""
    path = out / KEY
    return path.read_text(encoding="ascii").strip() if path.is_file() else secrets.token_urlsafe(24)


def for_people(config: Config) -> Config:
    """The same with an agent that may take its time, and a skybox that turns with it.

    Raises ConfigError for what no person does.
    """
    parallel = config.evaluation.parallel
    if config.agent_service.type == "remote":
        raise ConfigError("agent_service.type: a person plays here, no service. Leave agent_service out.")
    if (parallel.workers, parallel.sessions, parallel.executor) != (1, 1, "local"):
        raise ConfigError("evaluation.parallel: a person plays one episode at a time. Leave evaluation.parallel out.")
    deadlines = config.agent_service.deadlines.model_copy(update={"reset": WEEK, "act": WEEK, "episode": None})
    service = config.agent_service.model_copy(update={"deadlines": deadlines, "disclosure": "competition"})
    simulator = config.simulator.model_copy(update={"sensors": _as_people_look(config.simulator.sensors)})
    return config.model_copy(update={"agent_service": service, "simulator": simulator})


def _as_people_look(sensors: Mapping[str, SensorConfig]) -> dict[str, SensorConfig]:
    """Faces of a skybox lie as the scan does; a person looks ahead."""
    return {
        name: one.model_copy(update={"options": {"kind": "equirectangular", **one.options}})
        if (one.type or name) == "skybox"
        else one
        for name, one in sensors.items()
    }


def play_benchmark(
    config: Config, out: Path, game: Game, key: str, options: Options, watchers: Sequence[Watcher] = ()
) -> Evaluated:
    """Let a person play, or go on playing; returns when the last episode has ended.

    Raises what run_benchmark raises; what was decided until then is kept in `out`.
    """
    keep = _KeepsKey(out, key)
    if options.practice:
        person = Person(game, Decisions(out / PRACTICE), practice=True)
        _play(to_practise(config, options.practice), out / PRACTICE, person, [keep])
    person = Person(game, Decisions(out), notes=options.notes)
    evaluated = _play(config, out, person, [keep, *watchers])
    game.finish(LAST_WORD_SECONDS, phase="done", **_summary(person, options.show_results))
    return evaluated


def check_playable(config: Config) -> list[str]:
    """What a reader of the results must know of these episodes before they are played.

    Raises ConfigError where a person could not answer, or would see nothing.
    """
    with opened(config) as plan:
        check_plan(plan)
        return [*not_offered(plan), *_again(plan)]


def not_offered(plan: Plan) -> list[str]:
    """The actions that a person plays without."""
    names = [name for name, spec in plan.actions.actions.items() if not _can_offer(name, spec)]
    return [f"task.actions: a person has no button for {', '.join(names)}, and plays without."] if names else []


def _can_offer(name: str, spec: ActionSpec) -> bool:
    kinds = {key: one.kind for key, one in spec.arguments.items()}
    return name == "move_to" or not kinds or text_argument(kinds) is not None


def _again(plan: Plan) -> list[str]:
    ways = [_way(episode) for episode in plan.episodes]
    again = len(ways) - len(set(ways))
    if not again:
        return []
    return [
        f"{again} of {len(ways)} episodes have start and goal of an earlier one, which a person remembers: "
        "dataset.episodes chooses others."
    ]


def check_plan(plan: Plan, enough: Collection[str] = (*PICTURES, "navigable")) -> None:
    """Raises ConfigError where a person could not answer, or is shown nothing of what is `enough`."""
    actions = plan.actions.actions
    if not any(name != "stop" and (name == "move_to" or not spec.arguments) for name, spec in actions.items()):
        raise ConfigError(
            f"task.actions: a person has keys for single actions and viewpoints, not for {', '.join(actions)}. "
            "Set task.actions=[stop,move_forward,turn_left,turn_right]."
        )
    kinds = {sensor.type or name for name, sensor in plan.sensors.items()}
    if kinds.isdisjoint(enough):
        raise ConfigError(
            "simulator.sensors: a person needs a picture. Add +simulator.sensors.rgb={width: 640, height: 480}."
        )


def _way(episode: Episode) -> tuple[object, ...]:
    goals = tuple((goal.position, goal.node, goal.object_id) for goal in episode.goals)
    return episode.scene_id, episode.start_position, episode.start_node, goals


def _play(config: Config, out: Path, person: Person, watchers: Sequence[Watcher]) -> Evaluated:
    return run_benchmark(config, out, resume=True, watchers=[*watchers, person], agent=person, called=person.name)


def to_practise(config: Config, count: int) -> Config:
    """The same with other episodes of the data set, all in one building: in one that the run has not, if possible.

    None has start and goal of one of the run.
    """
    every = config.dataset.model_copy(update={"limit": None, "sample": None, "episodes": None})
    used = set(_ways(config).values())
    spare = [key for key, way in _ways(_with(config, every)).items() if way not in used]
    seen, held = {way[0] for way in used}, Counter(scene for scene, _ in spare)
    scene = min(held, key=lambda scene: (held[scene] < count, scene in seen), default="")
    if held[scene] < count:
        raise ConfigError(
            f"--practice {count}: no building has so many episodes beside those of the run. Set dataset.limit lower, "
            "or practise on fewer."
        )
    ids = tuple(key[1] for key in spare if key[0] == scene)[:count]
    return _with(config, every.model_copy(update={"episodes": ids, "scenes": (scene,)}))


def _with(config: Config, dataset: DatasetConfig) -> Config:
    return config.model_copy(update={"dataset": dataset})


def _ways(config: Config) -> dict[EpisodeKey, Any]:
    with opened(config) as plan:
        return {episode.key: _way(episode) for episode in plan.episodes}


def _summary(person: Person, told: bool) -> dict[str, Any]:
    """What the last page says."""
    results = person.results
    if not told:
        return {"episodes": len(results)}
    reached = [result.metrics.get("success") for result in results]
    return {"episodes": len(results), "reached": [one if one is None else bool(one) for one in reached]}


class _KeepsKey(Watcher):
    """Keeps the link's key beside the run, readable by its owner only, as soon as there is a run."""

    def __init__(self, out: Path, key: str) -> None:
        self._path, self._key = out / KEY, key

    def begin(self, keys: object, store: object) -> None:
        if not self._path.exists():
            write_bytes(self._path, self._key.encode(), mode=0o600)
