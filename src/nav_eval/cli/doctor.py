"""nav-eval doctor: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import cell, say
from nav_eval.variables import DATA

Check = tuple[str, bool | None, str]
"""What is looked at, whether it is well (None: optional, and absent), and in what words."""
MARKS = {True: "ok", False: "look", None: "--"}


def doctor(*, warm: bool = False) -> int:
    """Report Python, cores, memory, kernel cache, renderers, optional parts and data; exit code 1 if a part is broken.

    Parameters
    ----------
    warm
        Also compile what is compiled on first use, so that no run has to.
    """
    if warm:
        from nav_eval.engine.warm import warm as compile_engine

        compile_engine(lambda text: print(text, flush=True))  # noqa: T201 - the command's own output
    broken = False
    for name, fine, detail in _checks():
        say(f"{cell(MARKS[fine], 4)} {cell(name, 18)} {spoken(detail)}")
        broken = broken or fine is False
    return FINDINGS if broken else DONE


def _checks() -> Iterator[Check]:
    yield "python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()}"
    yield "CPU cores", True, f"{os.cpu_count()}"
    yield "main memory", *_memory()
    yield "cache folder", *_cache()
    yield "renderer cpu", *_run_check(_cpu)
    yield "renderer opengl", *_opengl()
    for extra, module in (("gl", "moderngl"), ("ray", "ray"), ("ktx2", "opengl_basisu"), ("sign", "cryptography")):
        there = find_spec(module) is not None
        yield (
            f"extra [{extra}]",
            there or None,
            "installed" if there else f"not installed: pip install 'nav-eval[{extra}]'",
        )
    root = Path(DATA.get())
    where = "is there" if root.is_dir() else "is not there (the *-demo benchmarks of nav-eval[demo] need none)"
    yield "data folder", root.is_dir() or None, f"{root} {where}; see `nav-eval data check`"


def _memory() -> tuple[bool, str]:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return total >= 2, f"{total:.1f} GiB"


def _cache() -> tuple[bool, str]:
    from nav_eval.jit import cache_home

    home = cache_home()
    try:
        home.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(home).free / 2**30
        fine = os.access(home, os.W_OK)
    except OSError as error:
        return False, f"{home}: {error.strerror}. Set NAV_EVAL_CACHE to a folder that can be written."
    return fine, f"{home} ({free:.1f} GiB free)" + ("" if fine else ": cannot be written, set NAV_EVAL_CACHE")


def _cpu() -> str:
    from nav_eval.engine.warm import is_warm

    compiled = is_warm(without=("people",))  # as the demonstration leaves it: only crowds still compile
    return "compiled" if compiled else "compiles on first use (a minute or two), or with `nav-eval doctor --warm`"


def _opengl() -> tuple[bool | None, str]:
    if find_spec("moderngl") is None:
        return None, "optional: pip install 'nav-eval[gl]', Debian packages libegl1 libgl1-mesa-dri"
    return _run_check(_card)


def _card() -> str:
    from nav_eval.engine.render.opengl import graphics_card

    card = graphics_card()
    return f"graphics card: {card}" if card else "no graphics card; software OpenGL where Mesa is installed"


def _run_check(check: Callable[[], str]) -> tuple[bool, str]:
    try:
        return True, check()
    except Exception as error:  # noqa: BLE001 - a doctor reports what is broken and goes on
        return False, f"{type(error).__name__}: {error}"
