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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from nav_eval.api.convert import Packing, raw, wire_actions, wire_specs
from nav_eval.core.actions import Action, ActionSpace
from nav_eval.core.interfaces import EpisodeOffer
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.core.types import Observations
from nav_eval.dataset.episode import Instruction
from nav_eval.errors import InvalidAction
from nav_eval.geometry import IDENTITY
from nav_eval_sdk.protocol import messages
from nav_eval_sdk.protocol.text import line

ORIGIN = (0.0, 0.0, 0.0)
Coarsening: TypeAlias = Callable[[Any], Any]
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
    nodes: NodeIds
    coarse: Mapping[str, Coarsening]
    """Sensors that hold something to be rounded."""

    def observation(self, observations: Observations) -> Observations:
        """What is sent of one step."""
        rounded = {name: made(observations[name]) for name, made in self.coarse.items() if name in observations}
        return self.nodes.hidden(observations | rounded)

    def action(self, name: str, arguments: Mapping[str, Any], space: ActionSpace) -> Action:
        """What the participant's answer means here; raises InvalidAction, which quotes it in a line."""
        try:
            return self.nodes.revealed(space.parse(name, arguments), space)
        except InvalidAction as fault:
            raise InvalidAction(line(str(fault))) from None


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
        observation_spec=wire_specs(offer.observation_spec, pack),
        action_space=wire_actions(offer.action_space),
        limits=limits,
    )
    specs = offer.observation_spec if policy.hides else {}
    coarse = {name: made for name, spec in specs.items() if (made := coarsening(spec))}
    return Disclosed(data, NodeIds(offer.observation_spec, policy, scene), coarse)


def _instruction(instruction: Instruction | None) -> messages.Instruction | None:
    if instruction is None:
        return None
    return messages.Instruction(text=instruction.text, tokens=instruction.tokens, language=instruction.language)


def coarsening(spec: Spec) -> Coarsening | None:
    """What rounds the measures in a value of this spec, within their bounds; None where there are none."""
    match spec:
        case StructSpec():
            parts = {name: made for name, inner in spec.parts.items() if (made := coarsening(inner))}
            return partial(_struct, parts) if parts else None
        case ListSpec():
            item = coarsening(spec.item)
            return partial(_list, item) if item else None
        case NumberSpec() if grids := _grids(spec):
            return partial(_number, float(round(1 / grids[0])), spec.low, spec.high)
        case TensorSpec() if grids := _grids(spec):
            return partial(_vector, np.rint(1 / np.array(grids)), spec)
    return None


def _struct(parts: Mapping[str, Coarsening], value: Any) -> Any:
    if value is None:
        return None
    return {name: parts[name](part) if name in parts else part for name, part in value.items()}


def _list(item: Coarsening, value: Any) -> Any:
    return None if value is None else [item(entry) for entry in value]


def _number(per_unit: float, low: float, high: float, value: Any) -> Any:
    """The nearest multiple. Zero has no sign, because that would tell of low bits, too."""
    if value is None:
        return None
    near = round(value * per_unit) / per_unit + 0.0 if math.isfinite(value) else value
    return min(max(near, low), high)


def _vector(per_unit: np.ndarray, spec: TensorSpec, value: Any) -> Any:
    """The same of each component."""
    if value is None:
        return None
    near = np.rint(np.asarray(value, np.float64) * per_unit) / per_unit + 0.0
    return np.clip(near, spec.low, spec.high).astype(spec.dtype)


def _grids(spec: NumberSpec | TensorSpec) -> list[float]:
    """What a number, or each component of a vector of floats, is rounded to; [] for images and unknown units."""
    if isinstance(spec, TensorSpec) and (len(spec.shape) != 1 or np.dtype(spec.dtype).kind != "f"):
        return []
    grids = [GRID[unit] for unit in spec.unit.split(", ") if unit in GRID]
    whole = len(grids) == len(spec.unit.split(", ")) and len(grids) in (1, *getattr(spec, "shape", ()))
    return grids if whole else []


class NodeIds:
    """Swaps graph nodes' ids on the way out and back. It knows only the nodes that this episode has shown."""

    def __init__(self, specs: Mapping[str, Spec], policy: Disclosure, scene: str) -> None:
        self._policy = policy
        self._scene = scene
        self._specs = {name: spec for name, spec in specs.items() if policy.hides and _names_nodes(spec)}
        self._opaque: dict[str, str] = {}
        self._real: dict[str, str] = {}

    def hidden(self, observations: Observations) -> Observations:
        """The same observations with opaque node ids; the given dict is not changed."""
        if not self._specs:
            return observations
        shown = {name: self._hide(spec, observations.get(name)) for name, spec in self._specs.items()}
        return observations | {name: value for name, value in shown.items() if value is not None}

    def revealed(self, action: Action, space: ActionSpace) -> Action:
        """The action with real node ids; raises InvalidAction for an id that was never shown."""
        keys = [key for key, argument in space.actions[action.name].items() if argument.kind == "node"]
        if not keys or not self._policy.hides:
            return action
        return Action(action.name, dict(action.args) | {key: self._reveal(action.args[key]) for key in keys})

    def _hide(self, spec: Spec, value: Any) -> Any:
        if value is None:
            return None
        match spec:
            case TextSpec(is_node=True):
                return self._id(value)
            case StructSpec():
                return {name: self._hide(spec.parts[name], part) for name, part in value.items()}
            case ListSpec():
                return [self._hide(spec.item, item) for item in value]
        return value

    def _id(self, node: str) -> str:
        if node not in self._opaque:
            opaque = self._policy.opaque("viewpoint", self._scene, node)
            self._opaque[node], self._real[opaque] = opaque, node
        return self._opaque[node]

    def _reveal(self, opaque: str) -> str:
        if opaque not in self._real:
            raise InvalidAction(f"viewpoint {opaque[:80]!r} was not shown in this episode; choose one of `navigable`.")
        return self._real[opaque]


def _names_nodes(spec: Spec) -> bool:
    match spec:
        case TextSpec():
            return spec.is_node
        case StructSpec():
            return any(_names_nodes(part) for part in spec.parts.values())
        case ListSpec():
            return _names_nodes(spec.item)
    return False
