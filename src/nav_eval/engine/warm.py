"""Compiles the engine's kernels for this machine before anybody needs them: its packages side by side, in processes.

Machine code lands in the cache directory (see jit.py), and each package has a lock of its own there, so the packages
do not wait for each other. A process that comes later reads the code in a tenth of a second.
"""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

from nav_eval import machine_code
from nav_eval.jit import cache_home, kernel_cache, source_hash
from nav_eval.logging import get_logger

HERE = Path(__file__).parent
PARTS = {
    "navmesh": "nav_eval.engine.navmesh.queries",
    "recast": "nav_eval.engine.recast.build",
    "people": "nav_eval.engine.people.warm",
    "render": "nav_eval.engine.render.warm",
}
"""Package -> module whose import, and whose `warm` if it has one, compiles all of its kernels."""
TOLD_SECONDS = 10.0
POLL_SECONDS = 0.1


def warm(say: Callable[[str], None], without: Sequence[str] = ()) -> None:
    """Compile what is not compiled yet; `say` is told once if anything is, then every ten seconds how far.

    `without`: parts that are left for whoever needs them first.
    """
    if is_warm(without):
        return
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=compile_part, args=(name,)) for name in PARTS if name not in without]
    for process in processes:
        process.start()
    _tell_until_ended(processes, say)
    if all(process.exitcode == 0 for process in processes):
        _touch(_marker(without))
    else:
        get_logger(__name__).warning("Not everything could be compiled beforehand; the rest is when it is needed.")


def is_warm(without: Sequence[str] = ()) -> bool:
    """True if this version of the engine, or what is asked of it, is in the wheel or was compiled into this cache."""
    return _marker().exists() or _marker(without).exists() or _in_wheel(without)


def _in_wheel(without: Sequence[str]) -> bool:
    directories = _directories(without)
    return bool(directories) and all(map(machine_code.in_wheel, directories))


def compile_part(name: str) -> None:
    """Compile one package's kernels, in this process and without a word."""
    machine_code.notice.silent = True
    module = import_module(PARTS[name])
    if hasattr(module, "warm"):
        module.warm()


def _tell_until_ended(processes: Sequence[BaseProcess], say: Callable[[str], None]) -> None:
    begun, before, found_cold = time.monotonic(), _compiled(), False
    told = begun
    while any(process.is_alive() for process in processes):
        time.sleep(POLL_SECONDS)
        if not found_cold and _compiled() > before:
            found_cold = True
            say(f"Compiling the simulator for this machine, once: a minute or two. Kept in {cache_home()}.")
        if found_cold and time.monotonic() - told > TOLD_SECONDS:
            told = time.monotonic()
            say(f"  {_compiled()} of about {_kernels()} kernels after {told - begun:.0f} s")


def _compiled() -> int:
    """How many kernels the cache holds of this version of the engine."""
    return sum(map(machine_code.kernels_in, _directories()))


def _directories(without: Sequence[str] = ()) -> list[Path]:
    """Of the cache, for each package; none where nothing can be written."""
    found = [kernel_cache(HERE / name) for name in PARTS if name not in without]
    return [directory for directory in found if directory]


def _kernels() -> int:
    """How many the source defines."""
    sources = (path.read_text(encoding="utf-8") for name in PARTS for path in (HERE / name).rglob("*.py"))
    return sum(len(re.findall(r"^ *@kernel\(", source, re.MULTILINE)) for source in sources)


def _marker(without: Sequence[str] = ()) -> Path:
    import numba

    what = "-".join(("engine", *(f"no_{name}" for name in without), source_hash(HERE)))
    return cache_home() / "kernels" / f"{what}-numba{numba.__version__}.warm"


def _touch(marker: Path) -> None:
    try:
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
    except OSError as error:
        get_logger(__name__).warning("The cache cannot be written (%s): the next process compiles again.", error)
