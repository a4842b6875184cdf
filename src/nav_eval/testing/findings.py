"""What a check found, and how all of them become one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from nav_eval.errors import NavEvalError

G = TypeVar("G")


class NotConforming(AssertionError):
    """Something does not keep its contract; the message lists what."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check and what came of it; `detail` is empty if all is well. `skipped`: why it could not be made."""

    check: str
    detail: str = ""
    skipped: str = ""

    @property
    def ok(self) -> bool:
        return not self.detail

    @property
    def mark(self) -> str:
        return "skipped" if self.skipped else "ok" if self.ok else "WRONG"

    def line(self, cell: Callable[[str, int], str] = str.ljust, spoken: Callable[[str], str] = str) -> str:
        """For a person; `cell` pads the mark, `spoken` says the rest in another language."""
        return f"{cell(self.mark, 8)} {spoken(self.check)}  {spoken(self.detail or self.skipped)}".rstrip()

    def __str__(self) -> str:
        return self.line()


class Skip(Exception):
    """Raised by a check that cannot be made here."""


def demand(findings: Iterable[Finding]) -> list[Finding]:
    """All findings; raises NotConforming if any check failed."""
    made = list(findings)
    failed = [f"{finding.check}: {finding.detail}" for finding in made if not finding.ok]
    if failed:
        raise NotConforming("\n  ".join([f"{len(failed)} of {len(made)} checks failed:", *failed]))
    return made


def run_checks(checks: Iterable[Callable[[G], str]], given: G) -> Iterator[Finding]:
    """Each check by its name; an error of ours ends a check, not the run."""
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            yield Finding(name, check(given))
        except Skip as reason:
            yield Finding(name, skipped=str(reason))
        except NavEvalError as error:
            yield Finding(name, f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever a plug-in raises is a finding
            yield Finding(name, f"it raised {type(error).__name__}: {error}")
