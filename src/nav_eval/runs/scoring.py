"""Scores without an agent: of a submission file, of recorded trajectories (rescore), of recorded actions (replay)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from nav_eval.config.schema import Config
from nav_eval.core.actions import STOP, Action
from nav_eval.core.aggregate import EvaluationResults
from nav_eval.core.capabilities import HasGraph
from nav_eval.core.environment import Environment
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.types import OURS, AgentState, EpisodeResult, Need, StepRecord
from nav_eval.dataset.episode import Episode, EpisodeKey, name_with_scene
from nav_eval.errors import InvalidAction, PredictionsError, RunDirectoryError, SceneError, one_line
from nav_eval.geometry import euclidean
from nav_eval.results.predictions import Prediction, read_predictions
from nav_eval.results.records import read_trajectory
from nav_eval.results.run_directory import RunDirectory, dataset_sums
from nav_eval.runs import builder
from nav_eval.runs.builder import Plan
from nav_eval.runs.effective import Effective, make_task
from nav_eval.runs.plan import opened

START_TOLERANCE = 0.5
"""Metres: rounding and snapping are forgiven, another start is not."""
OFFICIAL = 3
"""Instructions of each path that R2R's eval.py scores."""
OBJECTS = ("rgs", "rgspl")
UNTOLD: tuple[Need, ...] = ("actions", "clock")
"""What no submission file tells."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded value and what it came to this time."""

    scene_id: str
    episode_id: str
    what: str
    recorded: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.scene_id} {self.episode_id}: {self.what} was {self.recorded!r}, is {self.now!r}"


@dataclass(frozen=True, slots=True)
class Scored:
    """A submission's figures, one result per episode, and what could not be scored and why."""

    results: EvaluationResults
    episodes: Sequence[EpisodeResult]
    notes: Sequence[str] = ()


def score_predictions(config: Config, path: Path, *, allow_partial: bool = False) -> Scored:
    """Score a submission file. Raises PredictionsError listing what is missing or belongs to no episode.

    Where a scene has neither navmesh nor mesh, only what needs no geodesic distance is scored, and said.
    """
    predictions = _asked_for(read_predictions(path), config.dataset.instructions_per_path)
    named = any(prediction.object_id is not None for prediction in predictions.values())
    if named and config.dataset.type == "reverie":
        config = _with_objects(config)
    with opened(config.blind()) as plan:
        episodes, plan = plan.episodes, plan.without(*UNTOLD)
        names = _names(path, predictions, episodes)
        _check_ids(path, predictions, [*names.values()], allow_partial)
        with _environment(plan) as full, _environment(plan.without("distance")) as paths_only:
            scorer = _Scorer(full, paths_only)
            try:
                results = [scorer.score(episode, predictions.get(names[episode.key])) for episode in episodes]
            except PredictionsError as error:
                raise PredictionsError(f"{path}: {error}") from None
    if all(not result.metrics for result in results):
        raise PredictionsError(
            f"{', '.join(episodes.dataset.files)}: has no goals (a hidden test split), so nothing can be scored here."
        )
    return Scored(plan.aggregator().aggregate_metrics(results), results, scorer.notes())


def _with_objects(config: Config) -> Config:
    """With the measures of the objects that a submission names."""
    task = make_task(config)
    names = task.measurements if config.task.measurements is None else config.task.measurements
    added = [*names, *(name for name in OBJECTS if name not in names)]
    return config.model_copy(update={"task": config.task.model_copy(update={"measurements": tuple(added)})})


def _names(path: Path, predictions: Collection[str], episodes: EpisodeManager) -> dict[EpisodeKey, str]:
    """What the file calls each episode: by instruction id (RxR) or by episode id, with its scene if it repeats."""
    told = [(episode.key, (_instruction_id(episode), _path_and_instruction(episode))) for episode in episodes]
    for place in (0, 1):
        by_instruction = {key: names[place] for key, names in told}
        known = set(by_instruction.values()) - {""}
        if known and set(predictions) <= known:
            return by_instruction
    keys = [key for key, _ in told]
    if predictions and set(predictions) <= {*map(name_with_scene, keys)}:
        return {key: name_with_scene(key) for key in keys}
    (name, times), *_ = Counter(episode_id for _, episode_id in keys).most_common(1)
    if times > 1:
        raise PredictionsError(
            f"{path}: {times} scenes have an episode {one_line(name)}: name each episode SCENE:ID, "
            "as the submission.json of a run does."
        )
    return {key: key[1] for key in keys}


def _instruction_id(episode: Episode) -> str:
    return (episode.instruction.instruction_id if episode.instruction else "") or ""


def _path_and_instruction(episode: Episode) -> str:
    """What HAMT and BEVBert call an instruction of RxR."""
    instruction, path = _instruction_id(episode), episode.extra.get("path_id")
    return f"{path}_{instruction}" if instruction and path is not None else ""


class _Scorer:
    """Scores episode by episode; remembers scenes in which no distance can be measured, and paths along no edge."""

    def __init__(self, full: Environment, paths_only: Environment) -> None:
        self._full = full
        self._paths_only = paths_only
        self._unmeasured: dict[str, int] = {}
        self._jumped: list[str] = []

    def score(self, episode: Episode, prediction: Prediction | None) -> EpisodeResult:
        environment = self._environment(episode)
        result = replace(_score(environment, episode, prediction), reference=environment.reference)
        if prediction is not None and _jumps(environment, prediction):
            self._jumped.append(episode.episode_id)
        return result

    def _environment(self, episode: Episode) -> Environment:
        simulator = self._full.simulator
        if episode.scene_id not in self._unmeasured:
            simulator.start(episode)
            try:
                here = simulator.get_agent_state().place
                simulator.distance_to(here, [here])
            except SceneError:
                self._unmeasured[episode.scene_id] = 0
        if episode.scene_id in self._unmeasured:
            self._unmeasured[episode.scene_id] += 1
            return self._paths_only
        return self._full

    def notes(self) -> list[str]:
        found = []
        if self._jumped:
            found.append(
                f"Some viewpoints in these trajectories are joined by no edge: {_some(self._jumped)}. They are scored "
                "as they are; R2R's own script refuses such a file."
            )
        return [*found, *self._unmeasured_notes()]

    def _unmeasured_notes(self) -> list[str]:
        if not self._unmeasured:
            return []
        scenes = _some(sorted(self._unmeasured))
        return [
            f"Without navmesh and mesh ({scenes}), so without geodesic metrics: episodes "
            f"{sum(self._unmeasured.values())}, scenes {len(self._unmeasured)}. "
            "Success, SPL and navigation error cover the others only. "
            "Set simulator.scenes_dir to score them all."
        ]


def _check_ids(path: Path, predictions: Mapping[str, Prediction], wanted: Sequence[str], allow_partial: bool) -> None:
    alien = sorted(predictions.keys() - set(wanted))
    missing = [name for name in wanted if name not in predictions]
    if alien:
        raise PredictionsError(f"{path}: {_some(alien)} belong to no episode of this data set. Is it the right split?")
    if missing and not allow_partial:
        official = all(_place(name) >= OFFICIAL for name in missing)
        hint = (
            f" R2R's official script scores without them: dataset.instructions_per_path={OFFICIAL}." if official else ""
        )
        raise PredictionsError(
            f"{path}: {len(missing)} of {len(wanted)} episodes are missing: {_some(missing)}. Complete the file.\n"
            f"Whoever scores it may count them as failures: --allow-partial.{hint}"
        )


def _asked_for(predictions: Mapping[str, Prediction], per_path: int | None) -> Mapping[str, Prediction]:
    """Without the rows of instructions that dataset.instructions_per_path leaves out, as R2R's official script does."""
    if per_path is None:
        return predictions
    return {name: prediction for name, prediction in predictions.items() if _place(name) < per_path}


def _place(name: str) -> int:
    """Which instruction of its path an id of R2R's names (`<path_id>_<k>`); -1 for any other id."""
    place = name.rpartition("_")[2] if "_" in name else ""
    return int(place) if place.isdecimal() else -1


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(one_line, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def _score(environment: Environment, episode: Episode, prediction: Prediction | None) -> EpisodeResult:
    environment.reset(episode)
    if prediction is None:
        lost = {**environment.metrics, **environment.measurements.failure_values} if episode.has_goal else {}
        return _result(episode, "agent_error", "missing from the submission", lost, 0, _unmeasured(environment, lost))
    steps = _steps(environment, episode, prediction)
    values = _measure(environment, steps)
    return _result(episode, "ok", None, values, len(steps), _unmeasured(environment, values))


def _steps(environment: Environment, episode: Episode, prediction: Prediction) -> list[StepRecord]:
    start = environment.simulator.get_agent_state()
    first = prediction.states[0]
    if start.node is not None and first.node != start.node:
        raise PredictionsError(
            f"episode {episode.episode_id}: the trajectory begins at {first.node!r}, not at the start {start.node!r}."
        )
    away = euclidean(start.position, first.position)
    if start.node is None and not away <= START_TOLERANCE:
        raise PredictionsError(f"episode {episode.episode_id}: the path begins {away:.2f} m away from the start.")
    states = [_at_node(environment, episode, state) for state in prediction.states]
    steps = [StepRecord(Action("move_to" if state.node else "move_forward"), state) for state in states[1:]]
    if prediction.stopped is False:
        return steps
    events = {} if prediction.object_id is None else {"object": prediction.object_id}
    return [*steps, StepRecord(STOP, states[-1], events=events)]


def _jumps(environment: Environment, prediction: Prediction) -> bool:
    """Whether some step of it goes along no edge of the navigation graph."""
    nodes = [state.node for state in prediction.states]
    if None in nodes:
        return False
    neighbours = cast("HasGraph", environment.simulator).graph().neighbours
    return any(after != before and after not in neighbours[str(before)] for before, after in pairwise(nodes))


def _at_node(environment: Environment, episode: Episode, state: AgentState) -> AgentState:
    if state.node is None:
        return state
    graph = cast("HasGraph", environment.simulator).graph()
    if state.node not in graph:
        raise PredictionsError(
            f"episode {episode.episode_id}: {state.node!r} is not a viewpoint of scan {episode.scene_id}."
        )
    return AgentState(graph.positions[state.node], state.rotation, state.node, elevation=state.elevation)


def _measure(environment: Environment, steps: Sequence[StepRecord]) -> Mapping[str, Any]:
    for step in steps:
        environment.follow(step)
    return environment.metrics


def _unmeasured(environment: Environment, values: Mapping[str, Any]) -> Mapping[str, str]:
    return {name: why for name, why in environment.metric_faults.items() if name not in values}


def rescore(directory: RunDirectory, plan: Plan) -> tuple[EvaluationResults, list[Difference], Counter[str]]:
    """Recompute metrics from recorded poses; differences are those from the values that the run wrote.

    Last, the metrics of which the run wrote none, and in how many episodes. One that our own fault ended after its last
    step was played to its end: it gets the values it earned.
    """
    differences: list[Difference] = []
    gained: Counter[str] = Counter()

    def results() -> Iterator[EpisodeResult]:
        for result, recorded, found in rescored_episodes(directory, plan):
            differences.extend(found)
            gained.update(name for name in result.metrics if name not in recorded.metrics)
            yield result

    return plan.aggregator().aggregate_metrics(results()), differences, gained


def rescored_episodes(
    directory: RunDirectory, plan: Plan
) -> Iterator[tuple[EpisodeResult, EpisodeResult, list[Difference]]]:
    """Each episode under the plan's rules, as the run recorded it, and where the two differ."""
    with _environment(plan) as environment:
        for episode, recorded, (_, steps) in _recorded(directory, plan.episodes):
            environment.reset(episode)
            result = _rescore(environment, episode, recorded, steps)
            result = replace(result, reference=environment.reference, usage=recorded.usage)
            yield result, recorded, _metric_differences(environment, recorded, result.metrics)


def _rescore(
    environment: Environment, episode: Episode, recorded: EpisodeResult, steps: Sequence[StepRecord]
) -> EpisodeResult:
    values = dict(_measure(environment, steps))
    status, reason = recorded.status, recorded.failure_reason
    if status in OURS and steps and environment.over:
        status, reason = "ok", None
    if status in ("budget_exceeded", *OURS):
        return _result(episode, status, reason, {}, recorded.steps)
    if status != "ok" and episode.has_goal:
        values |= environment.measurements.failure_values
    return _result(episode, status, reason, values, recorded.steps, _unmeasured(environment, values))


def changed_inputs(directory: RunDirectory, config: Config, episodes: EpisodeManager) -> list[str]:
    """Names of the episode files and scenes that are missing or not, byte for byte, those of the run.

    `config`: with the run's sensors, because what a scene is made of depends on what is looked at.
    """
    manifest, now = directory.manifest(), dataset_sums(episodes.dataset.files)
    with closing(builder.make_backend(Effective.of(config))) as backend:
        for scene in dict.fromkeys(scene for scene, _ in episodes.keys):
            with suppress(SceneError):  # poses and metrics may do without its mesh
                now |= backend.assets(scene)
    then = manifest["dataset_sha256"] | manifest["assets_sha256"]
    return sorted(name for name in then if now.get(name) != then[name])


def _again(environment: Environment, step: StepRecord, episode: Episode) -> StepRecord:
    try:
        return environment.step(step.action, place=step.place)
    except InvalidAction as error:
        raise RunDirectoryError(
            f"trajectories.jsonl, episode {episode.episode_id} of {episode.scene_id}: {error}"
            " No run of this task recorded that."
        ) from None


def replay(directory: RunDirectory, plan: Plan) -> tuple[int, list[Difference]]:
    """Carry out the recorded actions again: episodes replayed, and every pose or metric that differs."""
    count, differences = 0, []
    with _environment(plan) as environment:
        for episode, recorded, (start, steps) in _recorded(directory, plan.episodes):
            if start is None:
                continue
            count += 1
            environment.reset(episode)
            differences += _pose_difference(episode, "start", start, environment.simulator.get_agent_state())
            for index, step in enumerate(steps):
                now = _again(environment, step, episode)
                differences += _pose_difference(episode, f"pose after step {index}", step.state, now.state)
                differences += _company_difference(episode, f"people after step {index}", step, now)
            if recorded.status == "ok":
                differences += _metric_differences(environment, recorded, environment.metrics)
    return count, differences


Recorded = tuple[Episode, EpisodeResult, tuple[AgentState | None, tuple[StepRecord, ...]]]


def _recorded(directory: RunDirectory, episodes: EpisodeManager) -> Iterator[Recorded]:
    journal = directory.journal
    recorded = journal.recorded
    done = [key for key in episodes.keys if key in recorded]
    results, lines = journal.in_order(done), journal.trajectories(done)
    for episode, result, line in zip(episodes.only(done), results, lines, strict=True):
        yield episode, result, read_trajectory(line)


def _pose_difference(episode: Episode, what: str, recorded: AgentState, now: AgentState) -> list[Difference]:
    return [] if recorded == now else [Difference(episode.scene_id, episode.episode_id, what, recorded, now)]


def _company_difference(episode: Episode, what: str, recorded: StepRecord, now: StepRecord) -> list[Difference]:
    before, after = (step.events.get("people") for step in (recorded, now))
    return [] if before == after else [Difference(episode.scene_id, episode.episode_id, what, before, after)]


def _metric_differences(
    environment: Environment, recorded: EpisodeResult, values: Mapping[str, Any]
) -> list[Difference]:
    """Of those metrics that do not read the clock."""
    found = environment.measurements.definitions
    shared = [name for name in recorded.metrics if name in values and "clock" not in found[name].needs]
    return [
        Difference(recorded.scene_id, recorded.episode_id, name, recorded.metrics[name], values[name])
        for name in shared
        if not _equal(recorded.metrics[name], values[name])
    ]


def _equal(a: Any, b: Any) -> bool:
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return bool(a == b) or (numbers and not math.isfinite(a) and not math.isfinite(b))


@contextmanager
def _environment(plan: Plan) -> Iterator[Environment]:
    """One for a single session."""
    environment = plan.environment()
    with closing(environment.simulator):
        yield environment


def _result(
    episode: Episode,
    status: Any,
    reason: str | None,
    metrics: Mapping[str, Any],
    steps: int,
    unmeasured: Mapping[str, str] = MappingProxyType({}),
) -> EpisodeResult:
    return EpisodeResult(
        scene_id=episode.scene_id,
        episode_id=episode.episode_id,
        status=status,
        failure_reason=reason,
        metrics=metrics,
        steps=steps,
        timing={},
        unmeasured=unmeasured,
    )
