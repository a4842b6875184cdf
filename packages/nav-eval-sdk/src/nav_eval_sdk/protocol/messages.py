"""Every message of the wire as a msgspec structure; JSON and msgpack are written from it, gRPC is converted to it.

Names and shapes of the specification's section 4 are kept. What a competition needs (session_id, step, request_id,
declared observations and actions, limits) is added beside them and has a default wherever a service written from the
specification alone would leave it out. A bound that is null does not exist, because JSON has no infinity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from nav_eval_sdk.protocol.actions import answered
from nav_eval_sdk.protocol.limits import Limits as Limits
from nav_eval_sdk.protocol.specs import ActionSpec as ActionSpec
from nav_eval_sdk.protocol.specs import Argument as Argument
from nav_eval_sdk.protocol.specs import ListSpec as ListSpec
from nav_eval_sdk.protocol.specs import NumberSpec as NumberSpec
from nav_eval_sdk.protocol.specs import Spec as Spec
from nav_eval_sdk.protocol.specs import StructSpec as StructSpec
from nav_eval_sdk.protocol.specs import TensorSpec as TensorSpec
from nav_eval_sdk.protocol.specs import TextSpec as TextSpec
from nav_eval_sdk.protocol.structs import Message as Message
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.usage import Usage as Usage
from nav_eval_sdk.protocol.version import JSON, MSGPACK, PROTOCOL_VERSION, SDK_VERSION

DEFAULT_SESSION = "default"


class Tensor(Message, kw_only=True, frozen=True):
    """An array on msgpack and gRPC. `data`: little-endian, C order, packed as `encoding` says."""

    dtype: str
    shape: tuple[int, ...] = ()
    encoding: str = "raw"
    data: memoryview


class Instruction(Message, frozen=True):
    text: str
    tokens: tuple[str, ...] = ()
    language: str = "en"


class EpisodeData(Message, frozen=True):
    """The request of reset. Under `disclosure: competition` ids are opaque and the pose is the origin.

    start_position: [x, y, z] m, y up; start_rotation: quaternion [x, y, z, w]; both absent when they are not known.
    """

    episode_id: str
    scene_id: str
    instruction: Instruction | None = None
    start_position: tuple[float, float, float] | None = None
    start_rotation: tuple[float, float, float, float] | None = None
    session_id: str = DEFAULT_SESSION
    request_id: str = ""
    protocol: int = PROTOCOL_VERSION
    seed: int = 0
    task: str = ""
    observation_spec: dict[str, Spec] = msgspec.field(default_factory=dict)
    action_space: dict[str, ActionSpec] = msgspec.field(default_factory=dict)
    limits: Limits = Limits()


def in_order(data: EpisodeData) -> EpisodeData:
    """The same with the keys of every map sorted, so that an agent sees one order on every wire: gRPC's maps have none.

    Observations are read in the order of their specs.
    """
    return msgspec.convert(msgspec.to_builtins(data, order="deterministic"), EpisodeData)


class InitialObservation(Message, frozen=True):
    """The answer of reset. `initial_observation` is the specification's; the evaluator ignores it."""

    status: str = "ready"
    initial_observation: dict[str, Any] | None = None


class Envelope(Message, frozen=True):
    """What is said beside an observation; every wire carries whatever fields this has, and none is named again.

    `step` counts from 0; without it the service takes the next one. A field that the agent's WIRE_ONLY does not name
    is shown to it beside its sensors; let it be UNSET by default, so that nothing is sent where nothing is said.
    """

    session_id: str = DEFAULT_SESSION
    step: int | None = None
    request_id: str = ""

    def said(self) -> dict[str, Any]:
        """Field -> value, without what is left out."""
        fields = ((name, getattr(self, name)) for name in Envelope.__struct_fields__)
        return {name: value for name, value in fields if value is not None and value is not msgspec.UNSET}


class Observation(Envelope, kw_only=True, frozen=True):
    """The request of act. `step` counts from 0; without it the service takes the next one.

    `observation` has no default: sensors that lie bare in the body would otherwise be an observation of nothing.
    """

    observation: dict[str, msgspec.Raw]


class ObservationOut(Envelope, kw_only=True, frozen=True):
    """The same as it is written: values are prepared by nav_eval_sdk.protocol.values."""

    observation: dict[str, Any]


ANSWERED: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"action": {"type": "string"}, "action_args": {"type": "object"}},
                "required": ["action"],
            },
        ]
    },
}
"""What `Action.actions` must hold."""


class Action(Message, frozen=True):
    """The answer of act. It repeats session, step and request, so that it cannot be taken for another's.

    `timing`: seconds, for example {"think": 0.12}. `actions`: several at once, [{"action", "action_args"}], up to
    `max_chunk` of the limits; then `action` is not read. Anything is taken in there, so that it can be called an
    invalid action: `parts` reads it. `usage`: what the answer cost; `said`: the model's own words, for the report.
    """

    action: str = ""
    action_args: dict[str, Any] = msgspec.field(default_factory=dict)
    session_id: str | None = None
    step: int | None = None
    request_id: str | None = None
    timing: dict[str, float] = msgspec.field(default_factory=dict)
    actions: Annotated[Any, msgspec.Meta(extra_json_schema=ANSWERED)] | msgspec.UnsetType = msgspec.UNSET
    usage: Usage | msgspec.UnsetType = msgspec.UNSET
    said: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def several(self) -> bool:
        """Whether `actions` counts."""
        return self.actions is not None and self.actions is not msgspec.UNSET

    def parts(self, most: int) -> list[tuple[str, Mapping[str, Any]]]:
        """(name, arguments) of each action that it holds; raises ActionFault for what is no list of one to `most`."""
        return answered(self.actions, most) if self.several else [(self.action, self.action_args)]


class EpisodeEnd(Message, frozen=True):
    session_id: str = DEFAULT_SESSION
    reason: str = ""


class EndStatus(Message, frozen=True):
    status: str = "ok"


class ServiceStatus(Message, frozen=True):
    """`status`: ready, loading or draining."""

    status: str
    detail: str = ""


class Validation(Message, frozen=True):
    """Answer of validate: `status` as in health; `reasons`: why such an episode cannot be run here."""

    status: str = "ready"
    ok: bool = True
    reasons: tuple[str, ...] = ()


class SensorWish(Message, frozen=True):
    """A sensor that the agent needs; 0 = any size."""

    name: str
    width: int = 0
    height: int = 0


class Info(Message, frozen=True):
    """What a service says of itself."""

    protocols: tuple[int, ...] = (PROTOCOL_VERSION,)
    name: str = ""
    version: str = ""
    sdk: str = f"python {SDK_VERSION}"
    content_types: tuple[str, ...] = (JSON, MSGPACK)
    encodings: tuple[str, ...] = ("raw", "png")
    streaming: bool = False
    sensors: tuple[SensorWish, ...] = ()
    action_space: tuple[str, ...] = ()
    max_sessions: int = 1
    max_batch: int = 1


class Problem(Message, frozen=True):
    """An error as application/problem+json (RFC 9457); `code` is stable, `detail` is for people."""

    code: str
    title: str = ""
    status: int = 500
    detail: str = ""
    type: str = "about:blank"


known(globals())
