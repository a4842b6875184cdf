"""The base of every structure of the wire, and what makes msgspec look at each before a second thread can.

msgspec works out how to read a structure when it first meets one, and shows its half-made notes to other threads
meanwhile: two that meet it together may end the process with a segmentation fault (seen with 0.22). While a
module is being imported no other thread has its classes yet, so each module of structures calls `known` at its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Message(msgspec.Struct, frozen=True):
    """Base of all messages: unknown keys are ignored, so that a newer peer can still be understood."""


def known(namespace: Mapping[str, Any]) -> None:
    """Have msgspec look at every structure in a module's `globals()`, and at whatever their fields hold."""
    for value in list(namespace.values()):
        if isinstance(value, type) and issubclass(value, msgspec.Struct):
            msgspec.json.Decoder(value)
