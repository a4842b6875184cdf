"""The fuzzing process of one target: atheris follows the branches of our modules, findings are written and counted.

`python -m fuzz.worker TARGET CPU_SECONDS CORPUS FINDINGS`; `python -m fuzz` starts it. A Python exception is written
down once per place and fuzzing goes on; a hang, a crash or too much memory ends the process by libFuzzer's hand.
Modules with compiled kernels are left alone, because Numba compiles their very bytecode.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import atheris

FOLLOWED = ("nav_eval", "nav_eval_sdk")
MEMORY_MB = 3000
ADDRESS_SPACE = 12 << 30
"""So that a huge allocation is a MemoryError, which is a finding, and not the end of the machine."""
HANG_SECONDS = 10


def main() -> None:
    target, seconds, corpus, findings = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    with atheris.instrument_imports(include=list(FOLLOWED), exclude=_compiled(), enable_loader_override=False):
        module: Any = importlib.import_module(f"fuzz.{target}")
        _plant(module.seeds(), module.one, corpus)
        session = Session(module.one, seconds, findings)
        more = {"custom_mutator": module.mutate} if hasattr(module, "mutate") else {}
        atheris.Setup(_arguments(module, target, corpus, findings), session, **more)
        session.begin()
        atheris.Fuzz()


class Session:
    """Called with every input; ends the process when its CPU seconds are spent."""

    def __init__(self, one: Callable[[bytes], None], seconds: float, findings: Path) -> None:
        self._one = one
        self._seconds = seconds
        self._findings = findings
        self._executions = 0
        self._places: set[str] = set()

    def begin(self) -> None:
        self._until = time.process_time() + self._seconds

    def __call__(self, data: bytes) -> None:
        self._executions += 1
        try:
            self._one(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
            self._write_down(data, error)
        if time.process_time() > self._until:
            self._end()

    def _write_down(self, data: bytes, error: Exception) -> None:
        place = _place(error)
        if place not in self._places:
            self._places.add(place)
            name = f"{type(error).__name__}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
            (self._findings / name).write_bytes(data)
            text = "".join(traceback.format_exception(error))
            (self._findings / f"{name}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")

    def _end(self) -> None:
        (self._findings / "stats.json").write_text(json.dumps({"executions": self._executions}))
        os._exit(0)  # libFuzzer takes an ordinary exit for a crash


def _place(error: Exception) -> str:
    """The kind of an error and where our code raised it: two such are the same finding."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "nav_eval" in frame.filename] or list(frames)
    return f"{type(error).__name__} " + " ".join(f"{frame.filename}:{frame.lineno}" for frame in ours[-2:])


def _plant(seeds: list[bytes], one: Callable[[bytes], None], corpus: Path) -> None:
    """Put the seeds into the corpus; running them first also compiles what is compiled on first use."""
    for seed in seeds:
        one(seed)
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def _compiled() -> list[str]:
    """The modules of nav_eval that hold kernels."""
    root = Path(str(files("nav_eval")))
    held = [path for path in root.rglob("*.py") if re.search("@(kernel|inner)", path.read_text(encoding="utf-8"))]
    return [".".join(path.relative_to(root.parent).with_suffix("").parts) for path in held]


def _arguments(module: Any, target: str, corpus: Path, findings: Path) -> list[str]:
    regressions = Path(__file__).with_name("regressions") / target
    return [
        f"fuzz {target}",
        str(corpus),
        *([str(regressions)] if regressions.is_dir() else []),
        f"-artifact_prefix={findings}/",
        f"-max_len={getattr(module, 'MAX_LEN', 65536)}",
        f"-timeout={HANG_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-seed={os.environ.get('FUZZ_SEED', '0')}",
        "-len_control=0",
        "-print_final_stats=1",
    ]


if __name__ == "__main__":
    main()
