"""The settings of a connection to a participant as small frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval.errors import ConfigError
from nav_eval_sdk.protocol.tensors import ENCODINGS

FORMS = ("auto", "msgpack", "json", "stream", "unary")


@dataclass(frozen=True, slots=True)
class Retry:
    """A broken connection is tried again `attempts` times, `pause` s apart and doubling, within the deadline only."""

    attempts: int = 2
    pause: float = 0.2
    longest_pause: float = 2.0


@dataclass(frozen=True, slots=True)
class Encoding:
    """How observations travel. `form`: auto, or msgpack | json over REST, stream | unary over gRPC.

    `tensors`: raw, zstd or png for arrays, where the service takes it. `jpeg` names the sensors whose images may lose
    detail on the way to a service that takes JPEG.
    """

    form: str = "auto"
    tensors: str = "raw"
    jpeg: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Encoding:
        """From "msgpack", "zstd", "json+png" and the like."""
        words = text.split("+")
        forms = [word for word in words if word in FORMS]
        packings = [word for word in words if word in ENCODINGS and word != "jpeg"]
        if len(forms) > 1 or len(packings) > 1 or len(forms) + len(packings) != len(words):
            raise ConfigError(
                f"agent_service.encoding: {text!r} is not a form such as msgpack, stream or msgpack+zstd."
            )
        return cls(forms[0] if forms else "auto", packings[0] if packings else "raw")
