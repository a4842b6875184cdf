"""Protobuf classes built at run time from a committed descriptor set, once, however many threads ask first.

Two sets of the same classes do not mix: a value made by one thread would not fit into a message made by another.
"""

from __future__ import annotations

import threading
from importlib.resources import files
from typing import Any


class MessageClasses:
    """The classes of a descriptor set of this package, in a pool of their own; full message name -> class."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._classes: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Raises KeyError."""
        if not self._classes:
            with self._lock:
                self._classes = self._classes or _load(self._file)
        return self._classes[name]


def _load(file: str) -> dict[str, Any]:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    blob = (files("nav_eval_sdk.protocol") / file).read_bytes()
    pool = descriptor_pool.DescriptorPool()
    found: dict[str, Any] = {}
    for described in descriptor_pb2.FileDescriptorSet.FromString(blob).file:
        pool.AddSerializedFile(described.SerializeToString())
        messages = pool.FindFileByName(described.name).message_types_by_name.values()
        found |= {message.full_name: message_factory.GetMessageClass(message) for message in messages}
    return found
