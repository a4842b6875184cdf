"""The simulator's messages as protobuf; tensors travel in nav_eval.v1.Observation, as they do to agents.

Classes come from a committed descriptor set in a pool of its own, for the reason that protocol/grpc.py gives.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol.descriptors import MessageClasses
from nav_eval_sdk.protocol.messages import Message
from nav_eval_sdk.protocol.simulator import converted

SIMULATOR_SERVICE = "nav_eval.simulator.v1.SimulatorService"
M = TypeVar("M", bound=Message)


_CLASSES = MessageClasses("simulator.binpb")


def _class(name: str) -> Any:
    return _CLASSES[f"nav_eval.simulator.v1.{name}"]


def dump(message: Message) -> bytes:
    """Any message of the simulator's contract but an observation."""
    from google.protobuf import json_format

    fields = msgspec.json.decode(msgspec.json.encode(message))  # protobuf 4 takes lists, no tuples
    encoded: bytes = json_format.ParseDict(fields, _class(type(message).__name__)()).SerializeToString()
    return encoded


def load(data: bytes, kind: type[M]) -> M:
    """The reverse; raises BadMessage."""
    from google.protobuf import json_format
    from google.protobuf.message import DecodeError

    try:
        parsed = _class(kind.__name__).FromString(data)
        fields = json_format.MessageToDict(parsed, preserving_proto_field_name=True)
        return converted(fields, kind)
    except (DecodeError, RecursionError, UnicodeDecodeError, ValueError, json_format.Error) as error:
        raise BadMessage(f"no valid {kind.__name__}: {error}") from None
