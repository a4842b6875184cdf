"""Where a kernel's machine code is kept: one file per set of argument types, named by what it holds.

Numba's own cache numbers a function's files in an index that every process rewrites: two processes that read the
index before either has written it take the same number, and from then on it gives one overload's code out for
another's. Here there is no index. A file is written whole and renamed, it begins with the SHA-256 of the rest, and one
that is damaged is removed with a warning and compiled again. Processes that need the same code at the same time wait
for the one that compiles it; nothing is wrong if they do not, it only costs more.

A wheel may bring such files (WHEEL), compiled for LEVEL. Frames, paths and metrics are the same bits as those of code
that is compiled here: no kernel may reorder or fuse what it computes.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from llvmlite import binding
from numba.core import serialize
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.typeinfer import register_dispatcher

from nav_eval.logging import get_logger

DIGEST_BYTES = 32
SUFFIX = ".nbc"
FORMAT = 2
"""Of what a file holds; one of another format is not asked for."""
WHEEL = Path(__file__).parent / "compiled"
"""The machine code of a wheel, in folders named as in the cache; `make release` puts it there, a checkout has none."""
LEVEL = (
    "x86_64-unknown-linux-gnu",
    "x86-64-v3",
    "+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,"
    "+sse4.1,+sse4.2,+ssse3,+xsave",
)
"""What it is compiled for: target, processor and its features (x86-64 psABI), which nearly all since 2015 have."""
MAX_WAIT = 300.0
"""Seconds that a process waits for another's compilation before it compiles for itself."""
POLL_SECONDS = 0.05
UNTOLD_SECONDS, TOLD_SECONDS = 1.0, 10.0


def kept(dispatcher: Any, signature: str | list[str] | None, settings: dict[str, Any], directory: Path) -> Any:
    """A kernel whose machine code is kept in `directory`; with signatures it is compiled for these now, and no more.

    `settings` are those that `numba.njit` was given.
    """
    cache = MachineCode(dispatcher.py_func, settings, directory)
    compile_now = dispatcher.compile

    def compile_once(types: Any) -> Any:
        with cache.compiled_once(types, dispatcher.targetctx.codegen()):
            return compile_now(types)

    dispatcher._cache, dispatcher.compile = cache, compile_once
    if signature is not None:
        with register_dispatcher(dispatcher):
            for one in [signature] if isinstance(signature, str) else signature:
                dispatcher.compile(one)
        dispatcher.disable_compile()
    return dispatcher


def in_wheel(directory: Path) -> bool:
    """Whether the wheel brings the kernels that `directory` of the cache is for, and this processor can run them."""
    return _can_run_level(cpu_target.target_context.codegen().magic_tuple()) and (WHEEL / directory.name).is_dir()


def kernels_in(directory: Path) -> int:
    """How many compiled kernels `directory` holds."""
    return sum(1 for _ in directory.glob(f"*{SUFFIX}"))


class MachineCode(_Cache):
    """Numba's view of the files of one kernel."""

    def __init__(self, function: Any, settings: dict[str, Any], directory: Path) -> None:
        code, cells = function.__code__, function.__closure__ or ()
        inner = hashlib.sha256(code.co_code + _pickled(tuple(cell.cell_contents for cell in cells))).hexdigest()
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")[-80:]
        self._identity = (function.__module__, function.__qualname__, code.co_firstlineno, inner, settings)
        self._directory = directory

    @property
    def cache_path(self) -> str:
        return str(self._directory)

    def enable(self) -> None:
        """Always."""

    def disable(self) -> None:
        """Never."""

    def flush(self) -> None:
        """Nothing is kept open."""

    def files(self, signature: Any, codegen: Any) -> list[Path]:
        """Where code for `signature` that this processor can run may be: first that which is compiled here."""
        processor = codegen.magic_tuple()
        found = [self._directory / self._file_name(signature, processor)]
        if _can_run_level(processor):
            found.append(WHEEL / self._directory.name / self._file_name(signature, LEVEL))
        return found

    def _file_name(self, signature: Any, processor: tuple[str, ...]) -> str:
        what = repr((FORMAT, self._identity, signature, processor)).encode()
        return f"{self._name}-{hashlib.sha256(what).hexdigest()[:24]}{SUFFIX}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None where it must be compiled."""
        rtsys.initialize(target_context)  # enough to run code; what compiles it is imported where it is compiled
        stored = next(filter(None, map(_read, self.files(sig, target_context.codegen()))), None)
        if stored is None:
            return None
        rebuilt: Any = CompileResult._rebuild
        parts = pickle.loads(memoryview(stored)[DIGEST_BYTES:])  # may import a module that compiles
        with _loading(target_context.codegen()):
            return rebuilt(target_context, *parts)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, unless it holds addresses of this process."""
        if data.library.has_dynamic_globals:
            return
        path, content = self.files(sig, data.codegen)[0], _pickled(_with_symbols(data))
        try:
            _write(path, hashlib.sha256(content).digest() + content)
        except OSError as error:
            get_logger(__name__).warning("%s cannot be written (%s): it is compiled again next time.", path, error)

    @contextmanager
    def compiled_once(self, signature: Any, codegen: Any) -> Iterator[None]:
        """Around a compilation: what another process has compiled meanwhile is there when this is entered."""
        if any(path.exists() for path in self.files(signature, codegen)):
            yield
        else:
            # Numba's lock comes first, as in a kernel that is being compiled and compiles those it calls.
            _import_array_functions()
            with global_compiler_lock, _alone(self._directory), _report_compilation(self._directory), _uncollected():
                yield


@cache
def _can_run_level(processor: tuple[str, ...]) -> bool:
    """Whether a processor, as numba describes it, has what LEVEL asks for."""
    return processor[0] == LEVEL[0] and {*LEVEL[2].split(",")} <= {*processor[2].split(",")}


def _read(path: Path) -> bytes | None:
    """A file with its digest; None where there is none, or one that is damaged."""
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(stored[DIGEST_BYTES:]).digest() == stored[:DIGEST_BYTES]:
        return stored
    get_logger(__name__).warning("%s is damaged: removed, and compiled again.", path)
    with suppress(OSError):
        path.unlink()
    return None


@cache
def _import_array_functions() -> None:
    """Numba's, whose import would import scipy.linalg, 0.2 s of CPU, only to see that it is there."""
    from numba.np import linalg  # it alone takes 0.03 s to import

    asked = linalg.ensure_blas
    linalg.ensure_blas = _find_scipy
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = asked  # a kernel that multiplies matrices has it looked at when it is compiled


def _find_scipy() -> None:
    if find_spec("scipy") is None:
        raise ImportError("scipy is not installed")


class Loaded(JITCodeLibrary):
    """Machine code from the cache. Its bitcode, which only kernels that call it need, is not parsed before they ask."""

    _bitcode = b""

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, _, (machine_code, bitcode, symbols) = state
        library: Any = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(machine_code)
        library._finalize_final_module()
        library._bitcode = bitcode
        codegen._engine._defined_symbols |= symbols
        return library

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self._bitcode)
        return self._shared_module


def _with_symbols(data: Any) -> Any:
    """What numba keeps of a compiled function, and the names that its bitcode defines."""
    (name, kind, code), *rest = data._reduce()
    module = data.library._get_module_for_linking()
    symbols = {
        one.name for group in (module.functions, module.global_variables) for one in group if not one.is_declaration
    }
    return (name, kind, (*code, symbols)), *rest


@contextmanager
def _loading(codegen: Any) -> Iterator[None]:
    """Under the compiler's lock, which numba holds here: libraries that are read are `Loaded`."""
    before = codegen._library_class
    codegen._library_class = Loaded
    try:
        yield
    finally:
        codegen._library_class = before


class Notice:
    """What a user is told of compilations that nobody announced: once that they go on, then how far they are."""

    def __init__(self) -> None:
        self.silent = False
        self._seconds = 0.0
        self._told = 0.0
        self._functions = 0

    def compiled(self, seconds: float, directory: Path) -> None:
        """A kernel, with those it calls, took so long; more than a second in all is worth a word."""
        first = not self._told
        self._seconds += seconds
        self._functions += 1
        if self.silent or self._seconds - self._told < (UNTOLD_SECONDS if first else TOLD_SECONDS):
            return
        self._told = self._seconds
        get_logger(__name__).warning(
            "Compiling for this machine, once: a minute or two, kept in %s. `nav-eval doctor --warm` does it ahead."
            if first
            else "... still compiling (%s).",
            directory.parent if first else f"{self._functions} functions in {self._seconds:.0f} s",
        )


notice = Notice()


@contextmanager
def _report_compilation(directory: Path) -> Iterator[None]:
    """Around a compilation under the compiler's lock; the time of a kernel that is called is its caller's."""
    outermost, begun = not _depth, time.monotonic()
    _depth.append(1)
    try:
        yield
    finally:
        _depth.pop()
    if outermost:
        notice.compiled(time.monotonic() - begun, directory)


_depth: list[int] = []


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector, which takes a tenth of a compilation to find nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _write(path: Path, content: bytes) -> None:
    """The whole file or none."""
    number, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    fresh = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def _pickled(value: Any) -> bytes:
    """With what numba needs for functions and modules."""
    dumps: Any = serialize.dumps
    content: bytes = dumps(value)
    return content


_held: set[Path] = set()


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Keep other processes from compiling into `directory`; threads of this one hold the compiler's lock."""
    if directory in _held:
        yield
        return
    with ExitStack() as stack:
        with suppress(OSError):
            _wait_for(stack.enter_context((directory / ".lock").open("ab")))
        _held.add(directory)
        stack.callback(_held.remove, directory)
        yield


def _wait_for(file: BinaryIO) -> None:
    """Lock a file until it is closed; after MAX_WAIT go on without. Raises OSError where nothing can be locked."""
    until = time.monotonic() + MAX_WAIT
    while time.monotonic() < until:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(POLL_SECONDS)
