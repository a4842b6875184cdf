"""The evaluator's end of a simulator's wire: one connection, used by one thread, over a socket or gRPC.

Every call has a deadline and raises nav_eval_sdk.errors.WireError; after an error other than Refused the connection
is dropped, so that a late answer cannot be taken for the next one's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

from nav_eval_sdk.protocol.messages import Message
from nav_eval_sdk.protocol.simulator import Call
from nav_eval_sdk.protocol.values import Specs
from nav_eval_sdk.transport.base import Deadline

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)


class SimulatorClient(ABC):
    """One connection to a simulator."""

    @abstractmethod
    def call(self, call: Call[Q, A], request: Q, deadline: Deadline) -> A:
        """Any call but observe."""

    @abstractmethod
    def observe(self, session_id: str, specs: Specs, deadline: Deadline) -> dict[str, Any]:
        """Read-only arrays and plain values that fit `specs`."""

    def understand(self, headers: Sequence[str]) -> None:
        """Use the shortest form of header that the simulator reads (Description.headers)."""

    @abstractmethod
    def drop(self) -> None:
        """Close the connection."""
