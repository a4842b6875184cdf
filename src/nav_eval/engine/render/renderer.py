"""`make_renderer`: one call for every kind of renderer, whatever it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.frame import SHADINGS, Renderer, Shading
from nav_eval.engine.render.prepared import TEXTURE_BUDGET_MIB, PreparedScene, prepare
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import ConfigError

Kind = Literal["cpu", "opengl", "auto"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def make_renderer(
    kind: str,
    scene: Scene | PreparedScene,
    *,
    width: int = 640,
    height: int = 480,
    hfov: float = 90.0,
    outputs: Sequence[str] = ("rgb", "depth"),
    shading: Shading = "unlit",
    texture_budget_mib: int = TEXTURE_BUDGET_MIB,
    antialiasing: bool = False,
    threads: int = 1,
) -> Renderer:
    """A renderer of one scene with one lens.

    kind: "cpu" (the default of every benchmark, the same frames on every machine), "opengl" (extra [gl]), or
    "auto": opengl on a machine with a graphics card, else cpu, as always with antialiasing. hfov: horizontal, degrees.
    outputs: what each frame holds, of rgb, depth, semantic, normal; the cpu renderer computes a missing semantic
    or normal image when it is first asked for. shading: "unlit" is Habitat's (colours as stored); "headlight"
    adds light from the camera so that shapes read; "auto" does so for scenes without textures and vertex colours.
    antialiasing: the cpu renderer blends the pixels at edges of surfaces in rgb; depth, semantic and normal stay.
    threads: that draw one frame of the cpu renderer, the same frame for any number.
    Materials that blend are drawn opaque, as in Habitat. Where no surface is, rgb shows the scene's sky, if it has one.
    """
    if shading not in SHADINGS:
        raise ConfigError(f"Unknown shading {shading!r}: choose from {', '.join(SHADINGS)}.")
    lens = Lens(width, height, hfov)
    if kind == "auto":
        kind = "cpu" if antialiasing else _best(scene)
    if kind == "cpu":
        from nav_eval.engine.render.cpu import CpuRenderer

        if isinstance(scene, Scene):
            scene = prepare(scene, texture_budget_mib=texture_budget_mib)
        return CpuRenderer(scene, lens, outputs, shading, antialiasing, threads)
    if kind == "opengl":
        from nav_eval.engine.render.opengl import OpenGLRenderer

        if antialiasing:
            raise ConfigError(
                "The opengl renderer has no antialiasing: simulator.renderer=cpu, or simulator.antialiasing=false."
            )
        if not isinstance(scene, Scene):
            raise ConfigError("The opengl renderer needs the scene itself, not one prepared for the cpu renderer.")
        return OpenGLRenderer(scene, lens, outputs, shading, texture_budget_mib)
    raise ConfigError(f"Unknown renderer {kind!r}: choose from {', '.join(KINDS)}.")


def _best(scene: Scene | PreparedScene) -> str:
    from nav_eval.engine.render.opengl import graphics_card

    return "opengl" if isinstance(scene, Scene) and graphics_card() else "cpu"
