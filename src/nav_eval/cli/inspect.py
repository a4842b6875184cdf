"""nav-eval list, validate and config: what there is, what is wrong with a data set, what a run would use."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.run import split_arguments
from nav_eval.cli.say import say, say_json, say_yaml
from nav_eval.errors import ConfigError
from nav_eval.registry import missing

Kind = Literal[
    "benchmarks",
    "tasks",
    "metrics",
    "simulators",
    "physics",
    "crowds",
    "sensors",
    "agents",
    "datasets",
    "generators",
    "scene_formats",
    "perturbations",
    "profiles",
    "published",
]


def list_names(kind: Kind, *, json: bool = False) -> int:
    """Print the names of one kind of component, built-in and from installed plug-ins.

    Parameters
    ----------
    kind
        What to list.
    json
        Print a JSON list of objects instead of lines.
    """
    rows = _rows(kind)
    if json:
        say_json(rows)
    else:
        width = max((len(row["name"]) for row in rows), default=0)
        say(*(f"{row['name']:<{width}}  {spoken(row.get('about', ''))}".rstrip() for row in rows))
    return DONE


def _rows(kind: Kind) -> list[dict[str, str]]:
    if kind == "benchmarks":
        return _benchmark_rows()
    if kind == "metrics":
        from nav_eval.metrics.registry import METRICS, known_definitions

        return [{"name": name, "about": str(found)} for name, found in known_definitions(METRICS, {}).items()]
    if kind == "profiles":
        from nav_eval.config.loader import model_profiles

        return [{"name": name, "about": about} for name, about in model_profiles().items()]
    if kind == "published":
        return _published_rows()
    registry = _registry(kind)
    if registry.elsewhere and not registry.names():
        raise missing(f"what `list {kind}` names", next(iter(registry.elsewhere.values())))
    if kind in ("perturbations", "agents", "generators"):
        return [{"name": name, "about": _first_sentence(registry.get(name))} for name in registry]
    return [{"name": name} for name in registry]


def _published_rows() -> list[dict[str, str]]:
    from nav_eval.report.published import PUBLISHED, published

    tables = {name: published(name) for name in PUBLISHED}
    return [
        {
            "name": name,
            "about": f"{len({one.model for one in table})} models, {', '.join(sorted({one.split for one in table}))}; "
            f"{_conventions([one.convention for one in table])}; "
            f"read twice: {sum(one.read == 2 for one in table)} of {len(table)}",
        }
        for name, table in tables.items()
    ]


def _conventions(told: Sequence[str]) -> str:
    """By whose conventions the results of a table are, each with its number of rows."""
    counts = [f"{name or 'unknown'} {count}" for name, count in sorted(Counter(told).items(), reverse=True)]
    return f"convention: {', '.join(counts)}"


def _first_sentence(member: object) -> str:
    """Of its own docstring, none that it inherits."""
    return " ".join(inspect.cleandoc(member.__doc__ or "").split("\n\n")[0].split())


def _registry(kind: Kind) -> Any:
    from importlib import import_module

    home = {
        "tasks": "nav_eval.tasks.registry:TASKS",
        "simulators": "nav_eval.simulator.registry:SIMULATORS",
        "physics": "nav_eval.simulator.registry:PHYSICS",
        "crowds": "nav_eval.simulator.registry:CROWDS",
        "sensors": "nav_eval.simulator.sensors.registry:SENSORS",
        "perturbations": "nav_eval.simulator.perturbations.registry:PERTURBATIONS",
        "agents": "nav_eval.agents.registry:AGENTS",
        "datasets": "nav_eval.dataset.registry:DATASETS",
        "generators": "nav_eval.runs.generators:GENERATORS",
        "scene_formats": "nav_eval.engine.scene.formats:SCENE_FORMATS",
    }[kind]
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)


def _benchmark_rows() -> list[dict[str, str]]:
    from nav_eval.runs.registry import benchmark_description, benchmark_names

    return [{"name": name, "about": benchmark_description(name)} for name in benchmark_names()]


def config_show(*arguments: str, config: Path | None = None) -> int:
    """Print the resolved configuration as YAML: nav-eval config show [BENCHMARK] [key=value ...].

    Parameters
    ----------
    arguments
        A benchmark's name and overrides, as for `run`.
    config
        A YAML file with your own settings.
    """
    from nav_eval.config.secrecy import public_config
    from nav_eval.runs.registry import benchmark_config

    benchmark, overrides = split_arguments(arguments)
    resolved = benchmark_config(benchmark, file=config, overrides=overrides, plugins=False)
    say_yaml(public_config(resolved))
    return DONE


def config_validate(
    *arguments: str,
    config: Path | None = None,
    allow_plugins: bool = False,
    contents: Path | None = None,
    score: bool = False,
) -> int:
    """Check that a configuration runs: every fault with its key, then the data, the scenes and the agent's class.

    It does what `run` does before its first episode, writes nothing, and runs nothing that the configuration names.

    Parameters
    ----------
    arguments
        A benchmark's name, or the YAML file itself, and overrides.
    config
        A YAML file with your own settings.
    allow_plugins
        Import its plugins, so that the names which they register are known, and start simulator.command.
    contents
        Also play one step, and write to this file (JSON) what would be played: SHA-256 of all, of each scene's files
        and of each episode, whatever their names are.
    score
        Check it for `nav-eval score`, which needs no sensor and no scene's mesh, in place of `run`.
    """
    from nav_eval.runs.contents import opened_for_score, write_contents
    from nav_eval.runs.plan import resolved
    from nav_eval.runs.registry import benchmark_config

    name, overrides = split_arguments(arguments)
    if config is None and name is not None and name.endswith((".yaml", ".yml")):
        config, name = Path(name), None
    given = benchmark_config(name, file=config, overrides=overrides, plugins=allow_plugins)
    try:
        with opened_for_score(given) if score else resolved(given, commands=allow_plugins) as plan:
            if contents is not None:
                write_contents(plan, contents, play=not score)
            say("valid")
    except ConfigError as error:
        if not given.plugins or allow_plugins:
            raise
        raise ConfigError(
            f"{error}\nNo plug-in was imported. If you trust {', '.join(given.plugins)}, add --allow-plugins."
        ) from None
    return DONE


def config_schema() -> int:
    """Print the JSON schema of a configuration."""
    from nav_eval.config.schema import Config

    say_json(Config.model_json_schema())
    return DONE


def validate(
    dataset: Path,
    /,
    *overrides: str,
    type: str | None = None,  # noqa: A002 - the option's own name
    benchmark: str | None = None,
) -> int:
    """List every fault of a data set file, repeated ones once with their count; exit code 1 if there is any.

    With --benchmark, simulator.scenes_dir=... or simulator.connectivity_dir=... also what its scenes or graphs tell:
    unknown scenes, starts off the navmesh, unreachable goals, paths of another length.

    Parameters
    ----------
    dataset
        A .json or .jsonl file, gzip or not.
    overrides
        key=value, as for `run`.
    type
        A name from `nav-eval list datasets`; by default it is recognised.
    benchmark
        The benchmark whose body and navmesh are used; by default the first one for such files.
    """
    from nav_eval.dataset.validate import in_lines
    from nav_eval.runs.preflight import validate_playable

    found = validate_playable(dataset, type, benchmark, overrides)
    say(*in_lines(found.faults), *in_lines(found.notices))
    counted = f"episodes {found.episodes}, scenes {len(found.scenes)}, instructions {found.instructions}"
    faults = len(found.faults)
    say(f"{dataset}: {faults or 'no'} fault{'s' if faults != 1 else ''} ({counted})")
    if not found.in_world:
        say(
            "Only the file was checked. For its scenes too, add --benchmark NAME, simulator.scenes_dir=FOLDER or "
            "simulator.connectivity_dir=FOLDER."
        )
    return FINDINGS if faults else DONE
