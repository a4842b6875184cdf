"""nav-eval report: one self-contained HTML page of one run or several."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nav_eval.cli.exit import DONE
from nav_eval.cli.say import say

if TYPE_CHECKING:
    from nav_eval.config.schema import Config
    from nav_eval.core.types import EpisodeResult
    from nav_eval.report.context import ReportContext
    from nav_eval.report.document import ReportOptions


def report(
    *arguments: str,
    out: Path | None = None,
    entry: list[str] | None = None,
    by: str | None = None,
    with_published: str | None = None,
    columns: str | None = None,
    sentence: bool = False,
    against: Path | None = None,
    public: bool = False,
    no_3d: bool = False,
    allow_plugins: bool = False,
) -> int:
    """Write a report that opens in any browser: nav-eval report RUN_DIR [RUN_DIR ...] [key=value ...].

    Parameters
    ----------
    arguments
        Run directories; two are compared side by side, three to fifty are a leaderboard. Or folders of sweeps: a
        robustness card.
        Then, if the data has moved, where it lies now:
        for example dataset.data_path=... simulator.scenes_dir=...
    out
        The file to write; by default report.html in the first run directory. The ending decides what is written:
        .html the page, .tex a LaTeX table, .md a Markdown table, .csv the leaderboard, .parquet one row per episode,
        .rrd a recording for Rerun.
    entry
        The name and links of a run on the board: name=...,url=...,paper=...; once per agent, all its seeds, in the
        order of the runs, or in any order with run=DIRECTORY.
    by
        The metric that orders the board; by default the benchmark's primary one.
    with_published
        Show a table of published results beside the runs, marked as not run here: a name from
        `nav-eval list published`.
    columns
        Measures of a .tex or .md table, separated by commas; or paper (TL NE OSR SR SPL nDTW as papers print them, the
        default of .tex), or all (with four decimals, the default of .md); with 95 % intervals, the best in bold.
    sentence
        Write no file: print the sentence for a paper, with episodes, homes, seeds, split, generator, and the settings
        that differ from the benchmark's.
    against
        Another evaluator's values of the run's episodes, as for `score --against`: the page of one run shows what
        differs and why. Needs the run's trajectories.
    public
        Leave out whatever belongs to single episodes, so that a hidden test split stays hidden.
    no_3d
        Leave out the buildings' 3-D shapes, so that the page is small.
    allow_plugins
        Import and execute what the runs' own config.yaml names: plugins, simulator.command.
    """
    from nav_eval.errors import RunDirectoryError

    paths, overrides = split_runs(arguments)
    if not paths:
        raise RunDirectoryError("report: name a run directory, for example logs/evaluations/r2r-20260101-120000.")
    target = out or paths[0] / "report.html"
    if any((path / "robustness.json").exists() for path in paths):
        if sentence:
            raise RunDirectoryError(f"report --sentence: {paths[0]} holds a sweep. Name one of the runs in it.")
        _write_card(paths, target)
        say(target)
        return DONE
    context = make_context(overrides, allow_plugins=allow_plugins)
    if with_published:
        context.config(paths[0])  # imports the plug-ins, one of which may bring the table
    if sentence:
        say(*_sentences(paths, context, tuple(entry or ()), public))
        return DONE
    options = _options(tuple(entry or ()), by, with_published)
    _write(paths, context, target, options, columns, against, public, no_3d)
    say(target)
    return DONE


def _write_card(paths: list[Path], target: Path) -> None:
    from nav_eval.errors import ConfigError
    from nav_eval.report.robustness import read_sweeps, write_card

    if target.suffix != ".html":
        raise ConfigError(f"{target}: the card of a sweep is a page. Name a file that ends in .html.")
    write_card(read_sweeps(paths), target)


def _sentences(paths: list[Path], context: ReportContext, entry: tuple[str, ...], public: bool) -> list[str]:
    """One for all runs where they are judged together, else one each."""
    from nav_eval.cli.chinese import asked_for
    from nav_eval.report.board import make_board, with_entries
    from nav_eval.report.document import comparison
    from nav_eval.report.sentence import joint_sentence, run_sentence
    from nav_eval.report.source import read_run

    runs = with_entries([read_run(path, context.config(path)) for path in paths], entry)
    compared, board = comparison(runs, context), make_board(runs, context)
    joint = joint_sentence(runs, context, compared, board, public=public)
    found = [joint] if joint else [run_sentence(run, context, public=public) for run in runs]
    return [one["zh" if asked_for() else "en"] for one in found]


def _options(entry: tuple[str, ...], by: str | None, table: str | None) -> ReportOptions:
    from nav_eval.report.document import ReportOptions
    from nav_eval.report.published import published

    return ReportOptions(entry, by, published(table) if table else ())


def _write(
    paths: list[Path],
    context: ReportContext,
    target: Path,
    options: ReportOptions,
    columns: str | None,
    against: Path | None,
    public: bool,
    no_3d: bool,
) -> None:
    from nav_eval.errors import ConfigError
    from nav_eval.report.best import best
    from nav_eval.report.board import make_board, with_entries
    from nav_eval.report.document import make_document
    from nav_eval.report.page import write_page
    from nav_eval.report.parquet import write_parquet
    from nav_eval.report.rerun_file import write_recording
    from nav_eval.report.seeds import agents, together
    from nav_eval.report.source import read_run
    from nav_eval.report.tables import FORMATS, write_table

    if against and (len(paths) > 1 or target.suffix != ".html" or public or columns is not None):
        raise ConfigError(
            "report --against: makes the whole page of one run. Name one, and drop --public or --columns."
        )
    known = (".html", *FORMATS, ".csv", ".parquet", ".rrd")
    if target.suffix not in known:
        raise ConfigError(f"--out {target}: its ending is none of {', '.join(known)}. Name the file so.")
    if public and target.suffix in (".parquet", ".rrd"):
        raise ConfigError(f"{target}: holds single episodes, so it cannot be public. Drop --public.")
    if columns is not None and target.suffix not in FORMATS:
        raise ConfigError(f"--columns: {target} is no .tex or .md table. Name one with --out, or drop --columns.")
    if target.suffix in (*FORMATS, ".csv"):
        runs = with_entries([read_run(path, context.config(path)) for path in paths], options.entries)
        board = make_board(runs, context, options.by)
        rows, placed = together(agents(runs), board)
        write_table(rows, target, placed, partial(best, rows, context), columns, options.others)
    elif target.suffix == ".parquet":
        write_parquet([read_run(path, context.config(path)) for path in paths], target)
    elif target.suffix == ".rrd":
        write_recording([read_run(path, context.config(path)) for path in paths], context, target)
    else:
        document = make_document(paths, context, options, public=public, solid=not no_3d)
        if against:
            document["against"] = _comparison(paths[0], context.config(paths[0]), against)
        write_page(document, target)


def _comparison(path: Path, config: Config, table: Path) -> dict[str, Any]:
    """The run's own results beside the table's, and those under other conventions where they differ."""
    from nav_eval.report.source import read_run
    from nav_eval.results.run_directory import RunDirectory
    from nav_eval.runs.against import against
    from nav_eval.runs.plan import opened
    from nav_eval.runs.scoring import rescored_episodes

    directory = RunDirectory(path)
    directory.open_for_reading()

    def score_again(other: Config) -> list[EpisodeResult]:
        with opened(other.blind()) as plan:
            return [result for result, _, _ in rescored_episodes(directory, plan)]

    with directory:
        return against(config, table, list(read_run(path, config).results.values()), score_again)


def split_runs(arguments: tuple[str, ...]) -> tuple[list[Path], tuple[str, ...]]:
    """Run directories, and overrides: words with "=" that name no directory."""
    overrides = tuple(word for word in arguments if "=" in word and not Path(word).is_dir())
    return [Path(word) for word in arguments if word not in overrides], overrides


def make_context(overrides: tuple[str, ...] = (), *, allow_plugins: bool = False) -> ReportContext:
    """What nav_eval.report takes from the composition root."""
    from nav_eval.report.context import ReportContext
    from nav_eval.runs import builder
    from nav_eval.runs.comparison import compare_runs, read_records
    from nav_eval.runs.effective import Effective, make_task
    from nav_eval.runs.ranks import rank_runs
    from nav_eval.runs.registry import benchmark_itself

    read = cache(read_records)

    return ReportContext(
        config=partial(_config, overrides=overrides, allow_plugins=allow_plugins),
        episodes=lambda config: builder.make_episodes(Effective.of(config)),
        task=make_task,
        backend=lambda config, task: builder.make_backend(Effective.of(config, task)),
        compare=partial(compare_runs, read=read),
        rank=partial(rank_runs, read=read),
        benchmark=benchmark_itself,
    )


def _config(path: Path, overrides: tuple[str, ...], allow_plugins: bool) -> Config:
    from nav_eval.results.run_directory import RunDirectory

    directory = RunDirectory(path)
    directory.manifest()
    return directory.trusted_config(overrides, allow_plugins=allow_plugins)
