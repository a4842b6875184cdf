"""What an attack is, what the contract lets come of it, and the rows of the tables that attacks are made of.

Expectations are taken from docs/design (exit codes, statuses, whose fault), never from what the product happens to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attacks.arena import Arena

PARTICIPANT = frozenset({"agent_timeout", "agent_error", "invalid_action", "service_unavailable"})


@dataclass(frozen=True, slots=True)
class Expectation:
    """`exits`: codes of the command; `statuses`: those that an episode may have got; `text`: the same for the table."""

    text: str
    exits: frozenset[int]
    statuses: frozenset[str] = frozenset()


def _expect(text: str, exits: set[int], statuses: frozenset[str] | set[str] = frozenset()) -> Expectation:
    return Expectation(text, frozenset(exits), frozenset(statuses))


UNHARMED = _expect("ok, exit 0", {0}, {"ok"})
FAILS = _expect("participant's failure, exit 1", {1}, PARTICIPANT)
NEVER_READY = _expect("not used, exit 3", {3}, PARTICIPANT)
FAILS_OR_ENDS = _expect("participant's failure, exit 1 or 3", {1, 3}, PARTICIPANT)
SURVIVES = _expect("ok or participant's failure, exit 0, 1, 3", {0, 1, 3}, PARTICIPANT | {"ok"})
INVALID = _expect("invalid_action, exit 1", {1}, {"invalid_action"})
INPUT_FAULT = _expect("one message, exit 1 or 2", {1, 2})
ONE_MESSAGE = _expect("done, or one message, exit 0, 1 or 2", {0, 1, 2})
REFUSED = _expect("refused, and the service works on", set())


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of a table: `what` is done, and how. `odd`: it may be taken as well as refused; `mute`: what comes names
    nothing that a service says of itself, so that it passes for one of the specification's three calls."""

    what: str
    make: Callable[..., Any]
    odd: bool = False
    mute: bool = False

    def expected(self, call: str, bad: Mapping[str, Expectation]) -> Expectation:
        if self.mute and call == "info":
            return UNHARMED
        return SURVIVES if self.odd else bad[call]


def spread(
    kinds: Iterable[Kind], bad: Mapping[str, Expectation], calls: Sequence[str], always: Sequence[str] = ()
) -> Iterator[tuple[Kind, str, Expectation]]:
    """Each kind on the calls of `always` and on one of the others in its turn, with what may come of it there.

    A wire decodes and fails in one place for all of its calls: all of them with everything found no more, in an hour.
    """
    for number, kind in enumerate(kinds):
        for call in in_turn(number, calls, always):
            yield kind, call, kind.expected(call, bad)


def in_turn(number: int, calls: Sequence[str], always: Sequence[str] = ()) -> tuple[str, ...]:
    others = [call for call in calls if call not in always]
    return (*always, others[number % len(others)])


@dataclass(slots=True)
class Outcome:
    """`observed` goes into the table; `findings` are what broke the expectation, empty if it was kept."""

    observed: str
    findings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    evidence: Path | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """`name`: family/target/what, unique. Where `carry_out` raises, the attack itself is at fault: a finding too."""

    name: str
    wire: str
    expected: Expectation
    carry_out: Callable[[Arena], Outcome]
