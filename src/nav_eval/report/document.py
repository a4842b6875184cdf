"""The report as plain JSON: what the page draws. Columns instead of rows, so that 2,000 episodes stay small.

A public document holds figures of many episodes only: no id, instruction, goal, path or message of a single one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.definitions import Definition
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report import figures
from nav_eval.report.best import Best, best
from nav_eval.report.board import MIN_ENTRIES, Board, excluded, make_board, with_entries
from nav_eval.report.cause import CAUSES
from nav_eval.report.columns import (
    Asked,
    FrameBudget,
    WordBudget,
    cause_columns,
    episode_columns,
    run_columns,
    significant,
)
from nav_eval.report.context import ReportContext
from nav_eval.report.interval import in_other_buildings, interval
from nav_eval.report.mesh import scene_mesh
from nav_eval.report.outcome import OUTCOMES
from nav_eval.report.published import Published
from nav_eval.report.scenery import Scenery, look_up
from nav_eval.report.seeds import agents, mean_in_group, together
from nav_eval.report.sentence import joint_sentence, run_sentence
from nav_eval.report.source import Run, common_definitions, read_run
from nav_eval.report.survey import Survey, survey
from nav_eval.report.tables import AS_PAPERS, PAPER, comma_separated, label, latex, markdown, ranked, table
from nav_eval.report.verdict import sentences
from nav_eval.report.words import metric_words, short_name
from nav_eval.results.export import ORACLE
from nav_eval.results.sensor_class import sensor_class

SCHEMA = 1
GRAPH = "nav_graph"
DIFFERENT = "different"
MAX_FRAME_BYTES = 7 << 19
"""Of JPEG; with the scenes' shapes a page stays below 8 MB."""
MAX_SAID = 2_000_000
"""Characters of what models said."""
MAX_STEPS = 1_000_000
"""Of all runs after the first: some 3 MB of paths."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What the reader of a report of several runs asked for: `--entry`, `--by`, and published results beside them."""

    entries: tuple[str, ...] = ()
    by: str | None = None
    others: tuple[Published, ...] = ()


NOTHING = ReportOptions()
MAX_RUNS = 50
"""Of one page: 50 runs of 1,021 episodes are 4.3 MB, and nobody reads more."""


def make_document(
    paths: Sequence[Path],
    context: ReportContext,
    options: ReportOptions = NOTHING,
    *,
    public: bool = False,
    live: bool = False,
    solid: bool = True,
) -> dict[str, Any]:
    """Read the runs and everything that they refer to; `solid`: with 3-D views of the buildings.

    Raises RunDirectoryError for a directory without a run, ConfigError for options that cannot be met.
    """
    if len(paths) > MAX_RUNS:
        raise ConfigError(
            f"A page holds {MAX_RUNS} runs at most, not {len(paths)}: name fewer, or write a table with --out x.csv."
        )
    runs = with_entries([read_run(path, context.config(path)) for path in paths], options.entries)
    keys = list(dict.fromkeys(key for run in runs for key in run.results))
    board = make_board(runs, context, options.by)
    scenery = look_up(runs[0], context, keys, shape=scene_mesh if solid and not public else None)
    compared = comparison(runs, context, public=public)
    rows, placed = together(entries := agents(runs), board)
    document = assemble(runs, scenery, compared, board.order, entries, public=public, live=live)
    for told, run in zip(document["runs"], runs, strict=True):
        told["sentence"] = run_sentence(run, context, public=public)
    document["sentence"] = joint_sentence(runs, context, compared, board, public=public)
    document["verdict"] = told_verdict(runs, board)
    if drawn := board_record(runs, board, options.others, public=public):
        bold, choices = cache(partial(best, rows, context)), _choices(options.others)
        drawn["files"] = {split: _files(rows, placed, bold, beside) for split, beside in choices.items()}
    document["board"] = drawn
    return document


def assemble(
    runs: Sequence[Run],
    scenery: Scenery,
    compared: Mapping[str, Any] | None,
    order: Sequence[int] = (0,),
    entries: Sequence[tuple[Sequence[int], Run]] = (),
    *,
    public: bool = False,
    live: bool = False,
) -> dict[str, Any]:
    """The document of runs that are read already; paths of those first in `order` are kept first."""
    asked = Asked(list(dict.fromkeys(key for run in runs for key in run.results)), scenery.episodes)
    definitions, scenes = common_definitions(runs), [scene for scene, _ in asked.keys]
    numbers = [figures.numbers(run, asked.keys, definitions) for run in runs]
    found = figures.groups(scenes, asked.shortest, asked.languages, asked.categories)
    leading = {name: definitions[name] for name in figures.leading_metrics(definitions)}
    # Without a metric (a hidden test split) there is nothing to break down.
    shown = (figures.public_groups(found) if public else found) if leading else []
    surveys = [survey(run, scenery) for run in runs]
    groups = figures.breakdown(numbers, scenes, shown, leading)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "version": version("nav-eval"),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "public": public,
        "live": live,
        "metrics": list(definitions),
        "definitions": {name: asdict(one) | {"words": metric_words(name, one)} for name, one in definitions.items()},
        "leading": list(leading),
        "runs": [
            _run(run, seen.outcomes.values(), public)
            | {"causes": figures.counted(CAUSES, (one.kind for one in seen.causes.values()))}
            for run, seen in zip(runs, surveys, strict=True)
        ],
        "comparison": compared,
        "verdict": None,
        "board": None,
        "groups": groups,
        "agents": _agents(entries, numbers, shown, leading, groups),
        "histograms": [h for name, one in definitions.items() if (h := figures.histogram(numbers, name, one.kind))],
        "latency": figures.latency([seen.latency for seen in surveys]),
        "notes": [],
        "episodes": None,
    }
    if not public:
        document |= _per_episode(runs, asked, scenery, surveys, numbers, order, live)
    return document


def _agents(
    entries: Sequence[tuple[Sequence[int], Run]],
    numbers: Sequence[figures.Numbers],
    found: Sequence[figures.Group],
    leading: Mapping[str, Definition],
    groups: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]] | None:
    """What the runs of each agent are together, also in each of the `groups`; None where each agent has one run."""
    if not any(row.seeds for _, row in entries):
        return None

    def in_groups(places: Sequence[int]) -> list[dict[str, Any]]:
        if len(places) == 1:
            return [told["runs"][places[0]] for told in groups]
        seeds = [numbers[i] for i in places]
        return [{name: mean_in_group(seeds, group, name, one) for name, one in leading.items()} for group in found]

    return [
        {
            "runs": places,
            "name": row.entry.name or row.agent,
            "metrics": {name: _round(_in_page(entry)) for name, entry in row.summary["metrics"].items()},
            "n_failed": row.summary["n_failed"],
            "n_excluded": sum(map(excluded, row.seeds or (row,))),
            "groups": in_groups(places),
        }
        for places, row in entries
    ]


def told_verdict(runs: Sequence[Run], board: Board) -> dict[str, list[str]] | None:
    """Who is better, in both languages of the page; None where nothing ranks the runs."""
    if board.ranking is None or board.metric is None:
        return None
    ranking, definition = board.ranking, common_definitions(runs)[board.metric]
    names = {place.name: label(runs[i]) for i, place in board.places(runs).items()}
    return {language: sentences(language, ranking, definition, names) for language in ("en", "zh")}


def board_record(
    runs: Sequence[Run], board: Board, others: Sequence[Published], *, public: bool = False
) -> dict[str, Any] | None:
    """The leaderboard as the page draws it; None for one run or two with nothing beside them."""
    if len(runs) < MIN_ENTRIES and not others:
        return None
    ranking, places = board.ranking, board.places(runs)
    measured = common_definitions(runs)
    refused = DIFFERENT if public and board.refused else board.refused
    return {
        "metric": board.metric,
        "primary": runs[0].config.benchmark.primary,
        "order": list(board.order),
        "places": [places[i] and asdict(places[i]) if i in places else None for i in range(len(runs))],
        "n": ranking.n_episodes if ranking else None,
        "buildings": ranking.n_buildings if ranking else None,
        "refused": refused,
        "columns": [[name, short_name(name, measured[name])] for name in PAPER if name in measured],
        "others": [_other(one) for one in others],
    }


def _choices(others: Sequence[Published]) -> dict[str, list[Published]]:
    """The published results of each split, all of them (""), and none ("none")."""
    splits = dict.fromkeys(one.split for one in others)
    return {"": list(others), "none": []} | {split: [o for o in others if o.split == split] for split in splits}


def _files(rows: Sequence[Run], board: Board, bold: Best, others: Sequence[Published]) -> dict[str, str]:
    """The board of one row for each agent as one may take it away, with these published results below."""
    paper = ranked(table(rows, AS_PAPERS, bold, others), rows, board)
    return {"csv": comma_separated(rows, board, others), "tex": latex(paper), "md": markdown(paper)}


def _other(one: Published) -> dict[str, Any]:
    return asdict(one) | {"figures": {name: format(value, "f") for name, value in one.figures.items()}}


def _per_episode(
    runs: Sequence[Run],
    asked: Asked,
    scenery: Scenery,
    surveys: Sequence[Survey],
    numbers: Sequence[figures.Numbers],
    order: Sequence[int],
    live: bool,
) -> dict[str, Any]:
    keys = asked.keys
    scenes = list(dict.fromkeys([*(scene for scene, _ in keys), *(scenery.scenes if live else ())]))
    budget = FrameBudget(runs, keys, MAX_FRAME_BYTES)
    drawn, words = _choose_drawn_runs(surveys, order), WordBudget(MAX_SAID)
    results = [
        run_columns(run, keys, surveys[i], numbers[i], budget, words, paths=i in drawn)
        | cause_columns(surveys[i].causes, keys)
        for i, run in enumerate(runs)
    ]
    thinned = [{"word": "note.pictures", "n": budget.every}] if budget.every > 1 else []
    if len(drawn) < len(runs):
        thinned.append({"word": "note.paths", "n": len(drawn)})
    return {
        "scenes": [_scene(name, scenery) for name in scenes],
        "episodes": episode_columns(asked, scenes),
        "results": results,
        "notes": [*scenery.notes, *thinned],
    }


def _choose_drawn_runs(surveys: Sequence[Survey], order: Sequence[int]) -> set[int]:
    """Indices of the runs whose paths a page can hold: the first of the board, and more while there is room."""
    drawn, steps = set[int](), 0
    for i in order:
        steps += surveys[i].steps
        if drawn and steps > MAX_STEPS:
            break
        drawn.add(i)
    return drawn


def _scene(name: str, scenery: Scenery) -> dict[str, Any]:
    scene = scenery.scenes.get(name)
    if scene is None:
        return {"id": name, "storeys": [], "mesh": None}
    mesh = scene.mesh.to_record() if scene.mesh else None
    return {"id": name, "storeys": [entry.to_record() for entry in scene.maps], "mesh": mesh}


def _run(run: Run, outcomes: Iterable[str], public: bool) -> dict[str, Any]:
    manifest, summary, config = run.manifest, run.summary, run.config
    return {
        "name": run.path.resolve().name,
        "agent": run.agent,
        "entry": asdict(run.entry),
        "remote": config.agent_service.type != "local",
        "privileged": run.privileged,
        "benchmark": summary["benchmark"],
        "profile": summary["profile"],
        "convention": config.task.convention,
        "split": summary["split"],
        "sensor_class": sensor_class(config.simulator.sensors),
        "started": manifest.get("started"),
        "finished": manifest.get("finished"),
        "seed": manifest.get("seed"),
        "success_distance": config.evaluation.success_distance,
        "max_steps": config.evaluation.max_steps,
        "n_expected": manifest.get("n_episodes", summary["n_episodes"]),
        "n": summary["n_episodes"],
        "n_failed": summary["n_failed"],
        "n_not_scored": summary.get("n_not_scored", 0),
        "n_lost": summary.get("n_lost", 0),
        "n_over_budget": summary.get("n_over_budget", 0),
        "n_excluded": excluded(run),
        "metric_faults": dict(summary.get("metric_faults", {})),
        "statuses": summary["statuses"],
        "metrics": {name: _round(_in_page(entry)) for name, entry in summary["metrics"].items()},
        "outcomes": figures.counted(OUTCOMES, outcomes),
        "selection": _selection(run),
        "hfov": next((s.hfov for s in config.simulator.sensors.values() if s.hfov), 90.0),
        "notes": [{"word": "note.oracle"} if note == ORACLE else note for note in summary["notes"]],
        "rule": config.task.success_rule,
        "gear": _gear(config),
        "references": _references(run),
        "usage": summary.get("usage"),
        "facts": {} if public else _facts(manifest),
    }


def _references(run: Run) -> dict[str, Any]:
    """The metrics that need a reference, and in how many episodes they were given which."""
    given: Mapping[str, int] = run.summary.get("references", {})
    metrics = [name for name, definition in run.definitions.items() if "reference" in definition.needs]
    return {"metrics": metrics if given.keys() - {"none"} else [], "given": given}


def _gear(config: Config) -> dict[str, Any]:
    """What the agent saw with, and what one action does: metres and degrees; None on a graph of viewpoints."""
    motion = config.simulator.motion
    sensors = config.simulator.sensors.items()
    moves = {"forward_step": motion.forward_step, "turn_angle": motion.turn_angle, "sliding": motion.sliding}
    return {
        "sensors": [{"name": n, "width": s.width, "height": s.height, "hfov": s.hfov} for n, s in sensors],
        "motion": None if config.simulator.backend == GRAPH else moves,
    }


def _in_page(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A metric's entry in results.json with its two intervals: on these episodes, and in other buildings."""
    kept = {key: entry[key] for key in ("mean", "n", "n_nonfinite", "spread") if key in entry}
    return kept | {"ci95": interval(entry), "ci95_buildings": in_other_buildings(entry)}


def _round(summary: Mapping[str, Any]) -> dict[str, Any]:
    def short(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [short(item) for item in value]
        return significant(value, 7) if isinstance(value, float) else value

    return {name: short(value) for name, value in summary.items()}


def _selection(run: Run) -> dict[str, Any]:
    """The filters that kept episodes of the split out of the run."""
    dataset = run.config.dataset
    chosen = {name: getattr(dataset, name) for name in ("limit", "sample", "scenes", "languages", "episodes")}
    return {name: len(value) if isinstance(value, tuple) else value for name, value in chosen.items() if value}


def _facts(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What the result depends on, for whoever wants to repeat it."""
    facts = {f"versions.{name}": str(value) for name, value in manifest.get("versions", {}).items()}
    facts |= {f"service.{name}": value for name, value in manifest.get("service", {}).items() if value}
    facts |= {f"dataset.{name}": str(value) for name, value in manifest.get("dataset_sha256", {}).items()}
    plain = {name: manifest.get(name) for name in ("nav_eval", "renderer", "config_sha256", "episodes_sha256")}
    return {name: str(value) for name, value in plain.items() if value is not None} | facts


def comparison(runs: Sequence[Run], context: ReportContext, *, public: bool = False) -> dict[str, Any] | None:
    """Paired tests of two runs, or why there are none; None for one run, or as many as a board judges together.

    A reason may name episodes.
    """
    if len(runs) < 2 or len(runs) >= MIN_ENTRIES:
        return None
    index = {str(run.path): i for i, run in enumerate(runs)}
    try:
        rows = context.compare([run.path for run in runs])
    except RunDirectoryError as error:
        return {"refused": DIFFERENT if public else str(error), "rows": []}
    return {"refused": None, "rows": [_comparison_row(row, index) for row in rows]}


def _comparison_row(row: Mapping[str, Any], index: Mapping[str, int]) -> dict[str, Any]:
    kept = _round({name: value for name, value in row.items() if name not in ("first", "second")})
    return kept | {"first": index[row["first"]], "second": index[row["second"]]}
