"""What a camera sees, and the interface that every renderer offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.engine.people.kinds import Posed
from nav_eval.engine.render.camera import Lens
from nav_eval.errors import ConfigError, SimulatorError

Output = Literal["rgb", "depth", "semantic", "normal"]
Shading = Literal["auto", "unlit", "headlight"]
OUTPUTS: tuple[Output, ...] = get_args(Output)
SHADINGS: tuple[Shading, ...] = get_args(Shading)

Image = NDArray[Any]
People: TypeAlias = Sequence[Posed]


class Frame:
    """One image of each kind that was asked for; `semantic` and `normal` may be computed on first use."""

    __slots__ = ("_images", "_resolve")

    def __init__(self, images: Mapping[str, Image], resolve: Callable[[str], Image] | None = None) -> None:
        self._images = dict(images)
        self._resolve = resolve

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """(H, W, 3) uint8 sRGB, top row first; where nothing is hit, the scene's sky, else black."""
        return self._get("rgb")

    @property
    def depth(self) -> NDArray[np.float32]:
        """(H, W) float32, metres along the optical axis; 0 where nothing is hit."""
        return self._get("depth")

    @property
    def semantic(self) -> NDArray[np.int32]:
        """(H, W) int32 object ids; 0 where there is none."""
        return self._get("semantic")

    @property
    def normal(self) -> NDArray[np.float32]:
        """(H, W, 3) float32 unit face normals in the world frame; zeros where nothing is hit."""
        return self._get("normal")

    def _get(self, name: str) -> Image:
        if name not in self._images:
            if self._resolve is None:
                raise SimulatorError(f"This renderer was made without {name!r}: add it to `outputs`.")
            self._images[name] = self._resolve(name)
        return self._images[name]


class Renderer(Protocol):
    """Draws one scene with one lens. Positions are the camera's, metres, world frame (y up); angles in radians.

    A renderer may be shared by threads. `close` frees what it holds; the prepared scene may live on in others.
    """

    kind: str
    lens: Lens
    notes: tuple[str, ...]
    """What was changed to draw the scene, one line each (textures halved, for example)."""

    def render(
        self, position: ArrayLike, yaw: float, pitch: float = 0.0, roll: float = 0.0, people: People = ()
    ) -> Frame:
        """One view, with whoever stands there. position: (3,), metres; angles in radians."""

    def render_batch(
        self,
        positions: ArrayLike,
        yaws: ArrayLike,
        pitches: ArrayLike | None = None,
        people: Sequence[People] | None = None,
    ) -> list[Frame]:
        """N views, (N, 3) and (N,) and (N,), in order, each with its people; as fast as this machine allows."""

    def close(self) -> None:
        """Free memory and threads; calling it twice is harmless."""


def check_outputs(outputs: Sequence[str]) -> tuple[str, ...]:
    """The names, if all are known and there is at least one."""
    unknown = [name for name in outputs if name not in OUTPUTS]
    if unknown or not outputs:
        raise ConfigError(f"Unknown camera outputs {unknown}: choose from {', '.join(OUTPUTS)}.")
    return tuple(outputs)


def check_batch(
    positions: ArrayLike, yaws: ArrayLike, pitches: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(N, 3) metres, (N,) and (N,) radians as float64 arrays; pitch 0 where none is given."""
    places = np.asarray(positions, np.float64).reshape(-1, 3)
    headings = np.asarray(yaws, np.float64).reshape(-1)
    tilts = np.zeros(len(places)) if pitches is None else np.asarray(pitches, np.float64).reshape(-1)
    if not len(places) == len(headings) == len(tilts):
        raise SimulatorError(
            f"A batch of {len(places)} positions needs as many yaws and pitches, not {len(headings)} and {len(tilts)}."
        )
    return places, headings, tilts
