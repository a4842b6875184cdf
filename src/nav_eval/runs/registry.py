"""Benchmarks by name: the YAML files inside the package, and those of plug-ins.

A plug-in's entry point in the group `nav_eval.benchmarks` names a path (str or Path) of a YAML file, or a function
without arguments that answers one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nav_eval.config.file import read_yaml
from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.registry import Registry, import_plugins

if TYPE_CHECKING:
    from nav_eval.config.schema import Config

BENCHMARKS: Registry[str | Path | Callable[[], str | Path]] = Registry("benchmarks")


def register_benchmark(name: str, file: str | Path) -> None:
    """Make the YAML file of a benchmark known as `name`. Raises ConfigError if it is taken."""
    BENCHMARKS.add(name, file)


def benchmark_names() -> list[str]:
    return sorted({*builtin_benchmarks(), *BENCHMARKS.names()})


def benchmark_config(
    benchmark: str | None, *, file: str | Path | None = None, overrides: Sequence[str] = (), plugins: bool = True
) -> Config:
    """The resolved configuration of a benchmark, built-in or a plug-in's, and of a --config file.

    The modules of its `plugins` are imported, unless it is only to be looked at.
    """
    config = load_config(benchmark, file=file, overrides=overrides, benchmark_file=_own_file(benchmark))
    import_plugins(config.plugins if plugins else ())
    return config


def benchmark_description(name: str) -> str:
    """What it is in one line: as its file says, without composing the rest, which takes a tenth of a second."""
    told = read_yaml(_own_file(name) or builtin_benchmarks()[name]).content.get("benchmark")
    given = told.get("description") if isinstance(told, dict) else None
    if isinstance(given, str) and "${" not in given:
        return given
    return benchmark_config(name, plugins=False).benchmark.description


def benchmark_itself(name: str) -> Config | None:
    """A benchmark as it is without anybody's settings; None where none is called so. Nothing of it is imported."""
    if name not in benchmark_names():
        return None
    return load_config(name, environment={}, benchmark_file=_own_file(name))


def _own_file(benchmark: str | None) -> Path | None:
    """Of a plug-in's benchmark."""
    if benchmark is None or benchmark in builtin_benchmarks() or benchmark not in BENCHMARKS:
        return None
    member = BENCHMARKS.get(benchmark)
    return Path(member() if callable(member) else member)
