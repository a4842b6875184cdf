"""The one numba decorator of the project, and which directory its machine code is kept in (see machine_code.py).

Numba notices a change of the file that defines a kernel, not of the kernels that it calls, so the cache
directory's name holds a hash of every source file of the package that the kernel lives in; a kernel therefore calls
kernels of its own package only (engine/navmesh, engine/render, metrics, ...). The cache lies in the user's
own cache directory; where that cannot be written, kernels are compiled anew in each process, and said so.
Kernels release the GIL and keep IEEE order (no fastmath): parity with recorded float32 answers depends on it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from nav_eval.logging import get_logger
from nav_eval.variables import CACHE, CACHE_HOME

F = TypeVar("F", bound=Callable[..., Any])
UNTESTED_NUMBA = (0, 69)
"""The first release that no test has seen; pyproject.toml has the same bound."""
COMMON = {"error_model": "numpy", "no_cfunc_wrapper": True}


@cache
def source_hash(package: Path) -> str:
    """SHA-256 over names and contents of a package's Python files and tables when first asked, 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(path for path in package.rglob("*") if path.suffix in (".py", ".toml")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def kernel_cache(package: Path) -> Path | None:
    """The directory for a package's machine code, or None where nothing can be written and the wheel brings none."""
    import numba

    from nav_eval.machine_code import in_wheel

    directory = cache_home() / "kernels" / f"{package.name}-{source_hash(package)}-numba{numba.__version__}"
    if _writable(directory) or in_wheel(directory):
        return directory
    get_logger(__name__).warning(
        "No writable cache at %s: kernels are compiled again in every process. "
        "Set NAV_EVAL_CACHE to a directory that can be written.",
        directory,
    )
    return None


def _package_of(function: Callable[..., Any]) -> Path:
    """The package, at most two levels below its outermost one, whose files a kernel and its callees live in."""
    folder = Path(function.__code__.co_filename).parent
    outside = next(above for above in (folder, *folder.parents) if not (above / "__init__.py").exists())
    return outside.joinpath(*folder.relative_to(outside).parts[:3])


def cache_home() -> Path:
    """`$NAV_EVAL_CACHE`, else nav_eval in the user's cache directory: compiled kernels, navmeshes, scenes."""
    return Path(CACHE.get() or Path(CACHE_HOME.get()).expanduser() / "nav_eval")


@contextmanager
def room_beside(path: Path) -> Iterator[Path]:
    """An empty folder beside `path` to make it in. What killed processes left there goes, unless others are at work."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parent = os.open(path.parent, os.O_RDONLY)
    try:
        with suppress(OSError):  # others are at work, or this file system has no locks
            fcntl.flock(parent, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for left in path.parent.glob("tmp*"):
                shutil.rmtree(left, ignore_errors=True)
        with suppress(OSError):
            fcntl.flock(parent, fcntl.LOCK_SH)
        with tempfile.TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as room:
            yield Path(room)
    finally:
        os.close(parent)


def _writable(path: Path) -> bool:
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return True
    except OSError:
        return False


@cache
def _knows_numba() -> bool:
    """Whether numba is one whose inner parts inner_kernel.py and machine_code.py were tested with; else says so, once.

    Plain numba compiles the same kernels to the same results, several times as long and with its own cache.
    """
    import numba

    found = tuple(map(int, numba.__version__.split(".")[:2]))
    if found < UNTESTED_NUMBA:
        return True
    get_logger(__name__).warning(
        "numba %s is newer than nav_eval knows (below %d.%d): kernels compile more slowly. "
        "`pip install -U nav-eval` may know it; `pip install 'numba<%d.%d'` is fast.",
        numba.__version__,
        *UNTESTED_NUMBA,
        *UNTESTED_NUMBA,
    )
    return False


def kernel(signature: str | list[str] | None = None, **options: Any) -> Callable[[F], F]:
    """Compile a function with numba: nogil, cached on disk, numpy's division rules, no fastmath.

    `signature` is one numba signature or a list of them; without it each new combination of argument types
    compiles a variant. `options` go to `numba.njit` (for example `inline="always"`).
    """
    import numba

    njit: Any = numba.njit
    numba_is_off: bool = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    if not _knows_numba():
        return njit(signature, **{"nogil": True, "cache": True} | COMMON | options)  # type: ignore[no-any-return]

    def wrap(function: F) -> F:
        from nav_eval.inner_kernel import OuterCompiler
        from nav_eval.machine_code import kept

        settings = {"nogil": True} | COMMON | options
        directory = kernel_cache(_package_of(function))
        if directory is None or numba_is_off:
            compiled: F = njit(signature, pipeline_class=OuterCompiler, **settings)(function)
            return compiled
        empty = njit(pipeline_class=OuterCompiler, **settings)(function)
        return kept(empty, signature, settings, directory)  # type: ignore[no-any-return]

    return wrap


def inner(**options: Any) -> Callable[[F], F]:
    """A kernel that only kernels of its package call: compiled into each of them, for each set of argument types.

    Called from Python it raises TypeError. `options` are those of `numba.njit`.
    """
    import numba

    numba_is_off: bool = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    if not _knows_numba():
        return kernel(**options)

    def wrap(function: F) -> F:
        if numba_is_off:
            return function
        from nav_eval.inner_kernel import InnerCompiler, InnerKernel

        settings = {"nopython": True, "no_cpython_wrapper": True} | COMMON | options
        compiled: Any = InnerKernel(function, targetoptions=settings, pipeline_class=InnerCompiler)
        return compiled  # type: ignore[no-any-return]

    return wrap
