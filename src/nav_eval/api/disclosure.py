"""The one place that decides what a participant is told.

`competition`: every id (scene, episode, viewpoint) is an HMAC-SHA256 with the run's secret, the agent's seed is derived
in the same way, and the pose is given in the episode's own start frame, so it is the origin. Its measures are rounded:
positions are float32 numbers of the building's frame, whose differences lie on a lattice, and the turn that puts them
back on it is the heading. `full`: the data set's own, for agents with features computed beforehand. Goals, reference
path, geodesic distance, split name, trajectory id and metrics are sent in neither: they are not in what is copied here.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from nav_eval.api.packing import Packing, packed, raw
from nav_eval.core.actions import Action, ActionSpace
from nav_eval.core.interfaces import EpisodeOffer
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.core.types import Observations
from nav_eval.dataset.episode import Instruction
from nav_eval.errors import InvalidAction
from nav_eval.geometry import IDENTITY
from nav_eval_sdk.protocol import messages
from nav_eval_sdk.protocol.actions import ActionFault, named
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.transport.base import Ask

ORIGIN = (0.0, 0.0, 0.0)
Rewriting: TypeAlias = Callable[[Any], Any]
Parts: TypeAlias = Sequence[tuple[str, Mapping[str, Any]]]
"""(name, arguments) of the actions of an answer."""
GRID = {"m": 1e-4, "m/s": 1e-4, "rad": 1e-4, "rad/s": 1e-4, "degrees": 1e-2, "degrees/s": 1e-2}
"""Unit -> what a number or a vector of that unit is rounded to, under `competition`."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """`secret` lies in the run directory, so that resume and replay send the same ids."""

    mode: Literal["competition", "full"] = "competition"
    secret: bytes = b""

    @property
    def hides(self) -> bool:
        return self.mode == "competition"

    def opaque(self, kind: str, *names: str) -> str:
        """32 hexadecimal digits that tell nothing without the secret."""
        return self._digest(kind, *names).hex()[:32]

    def seed(self, seed: int, *names: str) -> int:
        """32 bits, so that any library takes them."""
        return int.from_bytes(self._digest("seed", str(seed), *names)[:4], "big")

    def _digest(self, *parts: str) -> bytes:
        text = "\0".join(parts)
        return hmac.new(self.secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


@dataclass(frozen=True, slots=True)
class Disclosed:
    """One episode as a participant may see it: the reset request, and views of what follows."""

    data: messages.EpisodeData
    nodes: NodeIds | None
    """None where the data set's own are told."""
    rewritten: Mapping[str, Rewriting]
    """Sensors whose values hold something to be hidden or rounded."""

    def ask(self, observations: Observations, *key: Any) -> Ask:
        """What is sent of one step; the given dict is not changed. `key`: session, step and request on a wire."""
        shown = _rewritten(self.rewritten, observations)
        return Ask(*key, specs=self.data.observation_spec, observation=shown)

    def answer(self, answer: messages.Action, space: ActionSpace) -> tuple[Action, ...]:
        """What the participant's answer means here; raises InvalidAction, which quotes it in a line."""
        try:
            parts = answer.parts(self.data.limits.chunk)
        except ActionFault as fault:
            raise InvalidAction(line(str(fault))) from None
        return self.actions(parts, space)

    def actions(self, parts: Parts, space: ActionSpace) -> tuple[Action, ...]:
        """The same of the (name, arguments) that an answer holds; all are looked at before any is carried out."""
        return tuple(self._action(named(at, len(parts)), part, space) for at, part in enumerate(parts))

    def _action(self, where: str, part: tuple[str, Mapping[str, Any]], space: ActionSpace) -> Action:
        try:
            action = space.parse(*part)
            return action if self.nodes is None else self.nodes.revealed(action, space)
        except InvalidAction as fault:
            raise InvalidAction(line(f"{where}{fault}")) from None


def disclose(offer: EpisodeOffer, policy: Disclosure, limits: messages.Limits, pack: Packing = raw) -> Disclosed:
    """Everything that is sent of an offer. Session and request ids are added by the client."""
    episode = offer.episode
    scene, key = episode.scene_id, episode.episode_id
    data = messages.EpisodeData(
        episode_id=policy.opaque("episode", scene, key) if policy.hides else key,
        scene_id=policy.opaque("scene", scene) if policy.hides else scene,
        instruction=_instruction(episode.instruction),
        start_position=ORIGIN if policy.hides else episode.start_position,
        start_rotation=IDENTITY if policy.hides else episode.start_rotation,
        seed=policy.seed(offer.seed, scene, key) if policy.hides else offer.seed,
        task=offer.task,
        observation_spec=packed(offer.observation_spec, pack),
        action_space=dict(offer.action_space.actions),
        limits=limits,
    )
    if not policy.hides:
        return Disclosed(data, None, {})
    nodes = NodeIds(policy, scene)
    return Disclosed(data, nodes, _rewritings(offer.observation_spec, nodes.hidden))


def _instruction(instruction: Instruction | None) -> messages.Instruction | None:
    if instruction is None:
        return None
    return messages.Instruction(text=instruction.text, tokens=instruction.tokens, language=instruction.language)


def _rewritings(specs: Mapping[str, Spec], hidden: Callable[[str], str]) -> dict[str, Rewriting]:
    return {name: made for name, spec in specs.items() if (made := rewriting(spec, hidden))}


def rewriting(spec: Spec, hidden: Callable[[str], str]) -> Rewriting | None:
    """What makes of a value of this spec what is sent of it; None where it is sent as it is.

    Nodes' ids become what `hidden` says; measures are rounded, within their bounds.
    """
    match spec:
        case TextSpec(is_node=True):
            return hidden
        case StructSpec():
            parts = _rewritings(spec.parts, hidden)
            return partial(_rewritten, parts) if parts else None
        case ListSpec():
            item = rewriting(spec.item, hidden)
            return partial(_list, item) if item else None
        case NumberSpec() if grids := _grids(spec):
            return partial(_number, float(round(1 / grids[0])), *spec.bounds)
        case TensorSpec() if grids := _grids(spec):
            per_unit = [float(round(1 / grid)) for grid in grids] * (spec.shape[0] // len(grids))
            return partial(_vector, per_unit, spec.dtype, *spec.bounds)
    return None


def _rewritten(parts: Mapping[str, Rewriting], value: Mapping[str, Any]) -> dict[str, Any]:
    """The same, in the same order; what is absent stays so."""
    shown = dict(value)
    for name, made in parts.items():
        if (part := shown.get(name)) is not None:
            shown[name] = made(part)
    return shown


def _list(item: Rewriting, value: Any) -> Any:
    return [None if entry is None else item(entry) for entry in value]


def _number(per_unit: float, low: float, high: float, value: float) -> float:
    """The nearest multiple. Zero has no sign, because that would tell of low bits, too."""
    scaled = value * per_unit
    near = round(scaled) / per_unit + 0.0 if math.isfinite(scaled) else value
    return low if near < low else high if near > high else near


def _vector(per_unit: Sequence[float], dtype: str, low: float, high: float, value: np.ndarray) -> np.ndarray:
    """The same of each component."""
    near = [_number(grid, low, high, part) for grid, part in zip(per_unit, value.tolist(), strict=True)]
    return np.array(near, dtype)


def _grids(spec: NumberSpec | TensorSpec) -> list[float]:
    """What a number, or each component of a vector of floats, is rounded to; [] for images and unknown units."""
    if isinstance(spec, TensorSpec) and (len(spec.shape) != 1 or np.dtype(spec.dtype).kind != "f"):
        return []
    grids = [GRID[unit] for unit in spec.unit.split(", ") if unit in GRID]
    whole = len(grids) == len(spec.unit.split(", ")) and len(grids) in (1, *getattr(spec, "shape", ()))
    return grids if whole else []


class NodeIds:
    """Swaps graph nodes' ids on the way out and back. It knows only the nodes that this episode has shown."""

    def __init__(self, policy: Disclosure, scene: str) -> None:
        self._policy = policy
        self._scene = scene
        self._opaque: dict[str, str] = {}
        self._real: dict[str, str] = {}

    def hidden(self, node: str) -> str:
        """The opaque id of a node that is shown now."""
        opaque = self._opaque.get(node)
        if opaque is None:
            opaque = self._opaque[node] = self._policy.opaque("viewpoint", self._scene, node)
            self._real[opaque] = node
        return opaque

    def revealed(self, action: Action, space: ActionSpace) -> Action:
        """The action with real node ids; raises InvalidAction for an id that was never shown."""
        keys = [key for key, argument in space.actions[action.name].arguments.items() if argument.kind == "node"]
        if not keys:
            return action
        return Action(action.name, dict(action.args) | {key: self._reveal(action.args[key]) for key in keys})

    def _reveal(self, opaque: str) -> str:
        if opaque not in self._real:
            raise InvalidAction(f"viewpoint {opaque[:80]!r} was not shown in this episode; choose one of `navigable`.")
        return self._real[opaque]
