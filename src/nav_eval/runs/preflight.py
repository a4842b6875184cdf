"""No episode is played at a participant's cost: what `validate` lists and `run` refuses, or leaves out, before anything
is asked of anybody.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

from nav_eval.config.loader import builtin_benchmarks
from nav_eval.core.preflight import Preflight, Unplayable
from nav_eval.dataset.dataset import records
from nav_eval.dataset.detect import detect_type
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.dataset.fields import Fault
from nav_eval.dataset.validate import Findings, validate_dataset
from nav_eval.errors import DatasetError, advice, one_line
from nav_eval.logging import get_logger
from nav_eval.runs import builder
from nav_eval.runs.builder import Plan
from nav_eval.runs.effective import Effective, make_task
from nav_eval.runs.registry import benchmark_config

SHOWN = 3
BENCHMARK_OF = {"fgr2r": "r2r", "soon": "r2r", "cvdn": "ndh", "vlnverse": "r2r-ce", "objectnav": "objectnav-hm3d"}
"""By type of data set, where there is none of its name."""


def refuse_faulty(plan: Plan, finished: Collection[EpisodeKey]) -> None:
    """Raises DatasetError for episodes that nobody could play, unless dataset.faulty says to leave them out.

    `finished` episodes are not looked at again.
    """
    wanted = set(plan.episodes.keys).difference(finished)
    if not wanted or plan.config.dataset.faulty == "exclude":
        return
    if found := _unplayable(plan, wanted):
        raise DatasetError(_refusal(plan, found, len(wanted)))


def without_faulty(plan: Plan) -> Plan:
    """With the episodes that somebody could play, and a note on the others; as it was unless dataset.faulty=exclude.

    Always looks at all, so that a run keeps its episodes when it is resumed. Raises DatasetError if none is left.
    """
    if plan.config.dataset.faulty != "exclude":
        return plan
    episodes = plan.whole
    keys = {one.key: None for one in _unplayable(plan, set(episodes.keys))}
    if not keys:
        return plan
    if len(keys) == len(episodes):
        raise DatasetError(f"{', '.join(episodes.dataset.files)}: none of the {len(keys)} episodes can be played.")
    names = ", ".join(f"{name} of {scene}" for scene, name in list(keys)[:SHOWN]) + ", ..." * (len(keys) > SHOWN)
    note = f"Left out by dataset.faulty=exclude: {len(keys)} of {len(episodes)} episodes cannot be played: {names}."
    get_logger(__name__).warning(note)
    left = episodes.narrowed([key for key in episodes.keys if key not in keys])
    return replace(plan, whole=left, episodes=left, notes=[note])


def validate_playable(path: Path, kind: str | None, benchmark: str | None, overrides: Sequence[str]) -> Findings:
    """Every fault of a data set file, and of its episodes in the scenes or graphs that the overrides name.

    `kind`: the data set's type, told from the file if None. `benchmark`: whose body and navmesh are meant.
    """
    kind = kind or _kind(path)
    config = benchmark_config(benchmark or _benchmark_of(kind), overrides=overrides)
    dataset = config.dataset.model_copy(update={"data_path": str(path)})
    config = config.model_copy(update={"dataset": dataset})
    in_world = benchmark is not None or any(override.lstrip("+~").startswith("simulator.") for override in overrides)
    task = make_task(config)
    with closing(builder.make_backend(Effective.of(config, task))) if in_world else nullcontext() as backend:
        preflight = Preflight(backend, task, config.evaluation.success_distance)
        found = validate_dataset(path, kind, dataset.gt_path, dataset.max_bytes, preflight.take)
        found.in_world = in_world
        told: dict[tuple[str, str, str], Fault] = {}  # the instructions of one R2R path share its faults
        for one in preflight.unplayable():
            told.setdefault((one.fault.file, one.fault.path, one.fault.message), one.fault)
    misplaced = {(fault.file, fault.episode) for fault in found.faults if "position" in fault.path}
    for fault in told.values():
        if (fault.file, fault.episode) not in misplaced:  # it was looked for where it is not
            found.add(fault)
    return found


def _kind(path: Path) -> str | None:
    try:
        return detect_type(str(path))
    except DatasetError:
        return None  # validate_dataset says it


def _benchmark_of(kind: str | None) -> str | None:
    name = BENCHMARK_OF.get(kind or "", kind)
    return name if name in builtin_benchmarks() else None


def _unplayable(plan: Plan, wanted: Collection[EpisodeKey]) -> list[Unplayable]:
    preflight = Preflight(plan.backend, plan.task, plan.rules.success_distance)
    missing = set(wanted)
    for record, episode in records(plan.whole.dataset):
        preflight.take(record, episode, wanted=episode.key in missing)
        missing.discard(episode.key)
        if not missing and preflight.has_goals:
            break
    return list(preflight.unplayable())


def _refusal(plan: Plan, found: Sequence[Unplayable], total: int) -> str:
    faulty = len({one.key for one in found})
    place = "connectivity_dir" if plan.backend.starts_at == "node" else "scenes_dir"
    where = getattr(plan.config.simulator, place) or "..."
    different = list({one.fault.message: one for one in reversed(found)}.values())[::-1]
    shown = [f"{one.fault} (scene {one_line(one.key[0])})" for one in different[:SHOWN]]
    more = [f"... and {len(found) - len(shown)} more."] if len(found) > len(shown) else []
    what = advice(
        f"dataset.faulty=exclude. `nav-eval validate {found[0].fault.file} simulator.{place}={where}` lists all.",
        "overrides=['dataset.faulty=exclude'].",
    )
    return (
        "\n  ".join([f"{faulty} of {total} episodes cannot be played by anybody:", *shown, *more])
        + f"\nFix them, or leave them out: {what}"
    )
