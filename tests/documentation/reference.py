"""Writes those parts of the pages that the code itself knows; `make docs` runs it, a test compares.

On a page, what lies between `<!-- generated: NAME -->` and `<!-- end of NAME -->` is replaced by what the function of
that NAME in GENERATED answers; the rest of the page is written by hand.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

from documentation import catalogue, commands, configuration, evidence, matrix
from documentation.language import chinese

DOCS = Path(__file__).parents[2] / "docs"
PAGES, CHINESE = DOCS / "reference", DOCS / "zh" / "reference"
GENERATED: dict[str, Callable[[], Iterator[str]]] = {
    "nav-eval": commands.of_evaluator,
    "competition": commands.of_server,
    "nav-eval-agent": commands.of_participant,
    "keys": configuration.keys,
    "options": configuration.options,
    "variables": configuration.variables,
    "benchmarks": catalogue.benchmarks,
    "metrics": catalogue.metrics,
    "tasks": catalogue.tasks,
    "actions": catalogue.actions,
    "sensors": catalogue.sensors,
    "data-sets": matrix.matrix,
    "evidence-split": evidence.split,
    "evidence-duplicates": evidence.duplicates,
    "evidence-agents": evidence.agents,
    "evidence-absent": evidence.absent,
    "evidence-ranks": evidence.ranks,
}
PART = re.compile(r"(?<=<!-- generated: )(?P<name>[\w-]+) -->\n.*?\n<!-- end of (?P=name)(?= -->)", re.DOTALL)


def pages() -> list[Path]:
    """The pages that hold a generated part."""
    beside = (folder / f"{name}.md" for folder in (DOCS, DOCS / "zh") for name in ("data", "evidence"))
    found = sorted([*PAGES.glob("*.md"), *CHINESE.glob("*.md"), *beside])
    return [page for page in found if PART.search(page.read_text(encoding="utf-8"))]


def regenerated(page: Path) -> str:
    """A page with its generated parts made anew, in its language."""
    with chinese() if page.is_relative_to(DOCS / "zh") else nullcontext():
        return PART.sub(_part, page.read_text(encoding="utf-8"))


def _part(found: re.Match[str]) -> str:
    name = found["name"]
    lines = "\n".join(line.rstrip() for line in GENERATED[name]()).replace("\n\n\n", "\n\n")
    return f"{name} -->\n\n{lines.strip()}\n\n<!-- end of {name}"


def forget_environment() -> None:
    """What this machine sets must not be seen on a page."""
    for name in [name for name in os.environ if name.startswith("NAV_EVAL_")]:
        del os.environ[name]


def main() -> None:
    forget_environment()
    for page in pages():
        page.write_text(regenerated(page), encoding="utf-8")
        sys.stdout.write(f"{page}\n")


if __name__ == "__main__":
    main()
