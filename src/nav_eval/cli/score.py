"""nav-eval score, rescore, replay, compare, rank: figures of what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nav_eval.cli.chinese import language
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import say, say_json
from nav_eval.cli.table import against_table, episodes, first, metrics_table

if TYPE_CHECKING:
    from nav_eval.config.schema import Config
    from nav_eval.core.types import EpisodeResult
    from nav_eval.dataset.episode import EpisodeKey
    from nav_eval.results.run_directory import RunDirectory

SHOWN = 20


def score(
    predictions: Path,
    /,
    *overrides: str,
    benchmark: str | None = None,
    config: Path | None = None,
    allow_partial: bool = False,
    out: Path | None = None,
    episodes: Path | None = None,
    against: Path | None = None,
) -> int:
    """Score a submission file offline: nav-eval score FILE --benchmark r2r dataset.data_path=... [key=value ...].

    Parameters
    ----------
    predictions
        R2R, R4R: [{"instr_id", "trajectory"}]; NDH: [{"inst_idx", "trajectory"}]; REVERIE: with "predObjId";
        VLN-CE: {episode_id: [{"position", "heading", "stop"}]}; RxR: jsonl of {"instruction_id", "path"}.
        Plain, .gz, or a .zip with one such file; DUET's detail files as they are.
    overrides
        key=value, as for `run`.
    benchmark
        The benchmark whose rules and data are used.
    config
        A YAML file with your own settings, as for `run`; with it --benchmark may be left out.
    allow_partial
        Count missing episodes as failures instead of refusing the file.
    out
        Also write the results as JSON to this file.
    episodes
        Also write a JSON line per episode to this file: scene_id, episode_id, status, metrics.
    against
        Another evaluator's values of the same episodes (JSON by episode id, JSON rows, CSV): what differs, in how
        many episodes, and the likely reason; exit code 1 if anything does.
    """
    from nav_eval.errors import ConfigError
    from nav_eval.results.export import results_document
    from nav_eval.results.files import write_json, write_lines
    from nav_eval.runs.builder import settled_split
    from nav_eval.runs.registry import benchmark_config
    from nav_eval.runs.scoring import score_predictions

    if benchmark is None and config is None:
        raise ConfigError("score: give a benchmark, whose rules apply: --benchmark NAME or --config FILE.")
    resolved = settled_split(benchmark_config(benchmark, file=config, overrides=overrides))
    scored = score_predictions(resolved, predictions, allow_partial=allow_partial)
    document = results_document(resolved, scored.results, scored.notes)
    if against is not None:
        document["against"] = _comparison(resolved, predictions, against, scored.episodes, allow_partial)
    if out is not None:
        write_json(out, document)
    if episodes is not None:
        names = ("scene_id", "episode_id", "status", "metrics")
        write_lines(episodes, ({name: getattr(one, name) for name in names} for one in scored.episodes))
    say(*metrics_table(document).splitlines())
    return DONE if scored.results.blameless and _tell_compared(document) else FINDINGS


def _comparison(
    config: Config, predictions: Path, table: Path, results: Sequence[EpisodeResult], allow_partial: bool
) -> dict[str, Any]:
    from nav_eval.runs.against import against
    from nav_eval.runs.scoring import score_predictions

    def score_again(other: Config) -> Sequence[EpisodeResult]:
        return score_predictions(other, predictions, allow_partial=allow_partial).episodes

    return against(config, table, results, score_again)


def _tell_compared(document: Mapping[str, Any]) -> bool:
    """Whether a third party's table, where one was given, says the same."""
    from nav_eval.runs.against import agrees

    if "against" not in document:
        return True
    say(*against_table(document["against"]).splitlines())
    return agrees(document["against"])


def rescore(run_directory: Path, /, *overrides: str, allow_plugins: bool = False) -> int:
    """Recompute metrics from recorded trajectories: nav-eval rescore RUN_DIR [key=value ...].

    Parameters
    ----------
    run_directory
        What `nav-eval run` wrote.
    overrides
        For example task.measurements=[ndtw,cls]; without any, the values must equal those of the run.
    allow_plugins
        Import and execute what the run's own config.yaml names: plugins, simulator.command.
    """
    from nav_eval.results.export import results_document
    from nav_eval.runs.plan import opened
    from nav_eval.runs.scoring import rescore as recompute

    directory, config = _open(run_directory, overrides, allow_plugins)
    with directory, opened(config.blind()) as plan:
        results, differences, gained = recompute(directory, plan)
        document = results_document(config, results)
        directory.write_json("rescored.json", document)
        whole = _whole(directory, plan.episodes.keys)
    say(*metrics_table(document).splitlines())
    say(*(f"{name}: the run has no value in {episodes(count)}" for name, count in gained.items()))
    fine = "equal to what the run wrote" if whole and not gained else "all values that the run has are equal"
    code = DONE if overrides else _report(differences, fine)
    say(f"written to {directory.path / 'rescored.json'}; the run's own results stay as they are")
    return FINDINGS if results.lost or results.metric_faults or not whole else code


def replay(run_directory: Path, /, *overrides: str, allow_plugins: bool = False) -> int:
    """Re-simulate the recorded actions; exit code 1 if any pose, metric, episode file or scene differs.

    Parameters
    ----------
    run_directory
        What `nav-eval run` wrote, with trajectories.
    overrides
        Where the data lies now, if it has moved: for example simulator.scenes_dir=...
    allow_plugins
        Import and execute what the run's own config.yaml names: plugins, simulator.command.
    """
    from nav_eval.runs.plan import opened
    from nav_eval.runs.scoring import changed_inputs
    from nav_eval.runs.scoring import replay as simulate

    directory, config = _open(run_directory, overrides, allow_plugins)
    with directory, opened(config.blind()) as plan:
        changed = changed_inputs(directory, config, plan.episodes)
        say(*(f"{name} is missing, or not the file that this run was made with" for name in changed))
        count, differences = simulate(directory, plan)
        whole = _whole(directory, plan.episodes.keys)
    code = _report(differences, f"{episodes(count)} replayed, every pose and metric equal")
    return FINDINGS if changed or not whole else code


def compare(*run_directories: Path, mix: bool = False, json: bool = False) -> int:
    """Compare runs on the same episodes with paired tests; the first is the baseline.

    Runs of one agent with different seeds, in directories agent@1, agent@2, are one entry: their mean.

    Parameters
    ----------
    run_directories
        Two or more run directories.
    mix
        Also take runs whose scores are of different conventions (task.convention), and say in what these differ.
    json
        Print JSON instead of a table.
    """
    from nav_eval.runs.comparison import compare_runs, comparison_table, read_records, warn_of_other_plugins
    from nav_eval.runs.ranks import headline

    read = cache(read_records)
    comparison = compare_runs(run_directories, read, mix=mix)
    warn_of_other_plugins([read(path) for path in run_directories])
    if json:
        say_json(comparison)
    else:
        say(*comparison_table(comparison).splitlines(), *headline(run_directories, language(), read, mix=mix))
    return DONE


def rank(*run_directories: Path, by: str | None = None, mix: bool = False, json: bool = False) -> int:
    """Rank runs on their common episodes, with shared ranks and a range of ranks for each.

    Runs of one agent with different seeds, in directories agent@1, agent@2, are one entry: their mean.

    Parameters
    ----------
    run_directories
        Finished run directories, one per entry; `run --resume` finishes one that is not.
    by
        The metric; by default the benchmark's primary one (benchmark.primary): spl; ndtw for RxR, goal_progress for
        NDH.
    mix
        Also take runs whose scores are of different conventions (task.convention), and say in what these differ.
    json
        Print JSON instead of a table.
    """
    from nav_eval.report.verdict import sentences
    from nav_eval.runs.comparison import read_records, warn_of_other_plugins
    from nav_eval.runs.ranks import rank_runs, ranking_table

    read = cache(read_records)
    ranking = rank_runs(run_directories, by, read, mix=mix)
    warn_of_other_plugins([read(path) for path in run_directories])
    if json:
        say_json(ranking)
    else:
        definition = read(run_directories[0]).definitions[ranking.metric]
        say(*ranking_table(ranking), *sentences(language(), ranking, definition, {}))
    return DONE


def _open(path: Path, overrides: tuple[str, ...], allow_plugins: bool) -> tuple[RunDirectory, Config]:
    from nav_eval.results.run_directory import RunDirectory

    directory = RunDirectory(path)
    directory.open_for_reading()
    return directory, directory.trusted_config(overrides, allow_plugins=allow_plugins)


def _whole(directory: RunDirectory, keys: Sequence[EpisodeKey]) -> bool:
    """Whether a finished run has its episodes; says which it has lost, and how many one has that is not finished."""
    from nav_eval.dataset.episode import name_with_scene

    recorded, manifest = directory.journal.recorded, directory.manifest()
    finished, expected = manifest.get("finished"), (directory.results() or manifest).get("n_episodes", 0)
    lost = expected - len(recorded)
    if lost > 0 and not finished:
        say(f"the run is not finished: {len(recorded)} of {episodes(expected)} are recorded")
    elif lost > 0:
        absent = [name_with_scene(key) for key in keys if key not in recorded]
        names = f" ({first(absent)})" if len(absent) == lost else ""
        say(f"{lost} of the run's {episodes(expected)} are missing in episodes.jsonl or trajectories.jsonl{names}")
        say("The run has lost records: restore both files from a copy, or play it anew with another --out.")
    return lost <= 0 or not finished


def _report(differences: list[Any], fine: str) -> int:
    say(*differences[:SHOWN])
    if len(differences) > SHOWN:
        say(f"... and {len(differences) - SHOWN} more differences")
    say(f"{len(differences)} differences" if differences else fine)
    return FINDINGS if differences else DONE
