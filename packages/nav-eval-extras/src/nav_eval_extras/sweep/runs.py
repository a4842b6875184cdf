"""One benchmark under one perturbation after the other: what `nav-eval sweep` does.

Every cell is a run of its own in a folder of the sweep's, so that it resumes, replays and compares as any other:
DIR/clean, DIR/blur-1, DIR/blur-2, ... Beside them lie robustness.json and report.html.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.orchestrator import Watcher
from nav_eval.errors import ConfigError
from nav_eval.report.robustness import write_card
from nav_eval.report.source import told_definitions
from nav_eval.results.compare import RunRecords
from nav_eval.results.files import write_json
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.comparison import RULES, run_records
from nav_eval.runs.evaluation import Evaluated, run_benchmark
from nav_eval.runs.perturbing import Reach, perturbed, reach
from nav_eval.runs.plan import opened
from nav_eval.simulator.perturbations.registry import PERTURBATIONS
from nav_eval_extras.sweep.costs import Cell, robustness

SCHEMA = 1
CLEAN = "clean"
SUITES = {
    "robustness": (
        "blur",
        "low_light",
        "colour_shift",
        "dropped_frames",
        "depth_noise",
        "camera_height",
        "field_of_view",
        "actuation_noise",
        "people_in_the_way",
        "latency",
        "pose_drift",
        "paraphrase",
        "typos",
        "truncated",
        "other_language",
    ),
    "controls": ("no_text", "other_path", "no_pictures"),
}
SHARED = (
    "benchmark",
    "profile",
    "split",
    "seed",
    "renderer",
    "run_rules_sha256",
    "dataset_sha256",
    "assets_sha256",
    "episodes_sha256",
)
"""Facts of the clean run that two sweeps must share to stand on one card: perturbations are drawn from the seed."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Which perturbations, and which severities of each; None: all that it has."""

    name: str
    perturbations: tuple[str, ...]
    severities: tuple[int, ...] | None = None

    @classmethod
    def parse(cls, suite: str, severities: str | None = None) -> Suite:
        """`suite`: a suite's name, or perturbations by name, separated by commas. Raises ConfigError."""
        names = SUITES.get(suite) or tuple(_words(suite))
        for name in names:
            try:
                PERTURBATIONS.get(name)
            except ConfigError as error:
                raise ConfigError(f"suite: {error} Suites: {', '.join(SUITES)}.") from None
        if not names or len(set(names)) < len(names):
            raise ConfigError(f"suite: {suite!r} names nothing, or something twice. Write suite=blur,typos")
        return cls(suite, names, _severities(severities))

    def of(self, name: str) -> list[int]:
        """The severities of a perturbation that are played: its highest for those that it has not."""
        most = int(getattr(PERTURBATIONS.get(name), "severities", 1))
        return sorted({min(one, most) for one in self.severities or range(1, most + 1)})


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.strip("[]").split(",") if word.strip()]


def _severities(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    words = _words(text)
    if not words or not all(word.isdecimal() and int(word) > 0 for word in words):
        raise ConfigError(f"severities: {text!r} are not severities. Write severities=1,3")
    return tuple(map(int, words))


Told = Callable[[str, int, Evaluated], None]
"""(perturbation, severity, what came of it), after each run; the clean one first, with severity 0."""


def sweep_benchmark(
    config: Config,
    suite: Suite,
    out: Path | None = None,
    *,
    resume: bool = False,
    watchers: Sequence[Watcher] = (),
    told: Told = lambda name, severity, evaluated: None,
) -> tuple[dict[str, Any], Path, bool]:
    """Play all cells; the content of robustness.json, the sweep's folder, and whether no episode failed in any run.

    Raises what run_benchmark raises; what is played stays, and `resume` goes on with what is missing.
    """
    if config.perturbed:
        raise ConfigError("perturbations: a sweep sets them itself, one at a time. Leave the key out.")
    folder = RunDirectory.named(out, config, "-sweep").path
    found = _reach(config, suite)
    played = [
        (name, severity) for name in suite.perturbations if not found[name].lacking for severity in suite.of(name)
    ]
    if not played:
        raise ConfigError(
            f"suite: no perturbation of {suite.name} changes anything here: {next(iter(found.values())).lacking}."
        )
    clean = run_benchmark(config, folder / CLEAN, resume=resume, watchers=watchers)
    told(CLEAN, 0, clean)
    blameless = clean.results.blameless
    for name, severity in played:
        done = run_benchmark(
            perturbed(config, name, severity), folder / f"{name}-{severity}", resume=resume, watchers=watchers
        )
        told(name, severity, done)
        blameless = blameless and done.results.blameless
    document = _document(suite, folder, played, found)
    write_json(folder / "robustness.json", document)
    write_card([document], folder / "report.html")
    return document, folder, blameless


def _reach(config: Config, suite: Suite) -> dict[str, Reach]:
    """What each perturbation changes here; of words what its highest severity does."""
    with opened(config) as plan:
        return {name: reach(plan.config, plan.task, name, suite.of(name)[-1]) for name in suite.perturbations}


def _document(suite: Suite, folder: Path, played: Sequence[tuple[str, int]], found: dict[str, Reach]) -> dict[str, Any]:
    names = [CLEAN, *(f"{name}-{severity}" for name, severity in played)]
    runs = [_but_for_perturbations(run) for run in run_records([folder / name for name in names])]
    directory = RunDirectory(folder / CLEAN)
    manifest, summary = directory.manifest(), directory.results() or {}
    every = dict.fromkeys(name for values in runs[0].episodes.values() for name in values)
    definitions = told_definitions(summary, every, directory.config())
    shared = [name for name in every if "clock" not in definitions[name].needs and _in_all(name, runs)]
    higher = [name for name in shared if definitions[name].better == "higher"]
    cells = [
        Cell(name, severity, run, found[name].reworded) for (name, severity), run in zip(played, runs[1:], strict=True)
    ]
    measured = robustness(runs[0], cells, shared, higher, int(manifest["seed"]))
    for axis in measured["axes"]:
        for cell in axis["cells"]:
            cell["n_failed"] = _count_failures(folder / cell["run"])
        axis["definition"] = inspect.cleandoc(PERTURBATIONS.get(axis["name"]).__doc__ or "")
    return {
        "schema": SCHEMA,
        "suite": suite.name,
        "agent": manifest.get("agent") or folder.resolve().name,
        "privileged": bool(manifest.get("privileged")),
        "primary": directory.config().benchmark.primary,
        "shared": {name: manifest.get(name) for name in SHARED},
        "n_episodes": len(runs[0].episodes),
        "n_failed": _count_failures(folder / CLEAN),
        "n_scenes": len({scene for scene, _ in runs[0].episodes}),
        "metrics": {name: asdict(definitions[name]) for name in shared},
        "clean": {name: summary.get("metrics", {}).get(name) for name in shared},
        **measured,
        "left_out": [{"name": name, "why": one.lacking} for name, one in found.items() if one.lacking],
    }


def _but_for_perturbations(run: RunRecords) -> RunRecords:
    """Named as its folder, and what it must share with the others of its sweep: all but what differs by design."""
    shared = {key: value for key, value in run.metadata.items() if key not in ("perturbations", RULES)}
    return replace(run, name=Path(run.name).name, metadata=shared)


def _in_all(metric: str, runs: Sequence[RunRecords]) -> bool:
    """Whether every episode has a number of it."""
    return all(isinstance(values.get(metric), int | float) for run in runs for values in run.episodes.values())


def _count_failures(path: Path) -> int:
    """Episodes of a run that ended with a failure: they count in its figures as such, whatever was perturbed."""
    return int((RunDirectory(path).results() or {}).get("n_failed", 0))
