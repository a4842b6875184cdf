"""nav-eval scene and nav-eval data: what a scene holds, its navmesh, a picture of it; which files are missing."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import cell, say, say_json
from nav_eval.errors import ConfigError
from nav_eval.variables import DATA
from nav_eval_sdk.protocol.simulator import Body

if TYPE_CHECKING:
    from PIL.Image import Image

    from nav_eval.engine.navmesh.mesh import NavMesh
    from nav_eval.engine.scene import Scene

Up = Literal["auto", "y", "z"]
Kind = Literal["pose", "depth", "semantic", "plan", "rooms", "sheet", "interactive"]
EYE = 1.25
"""Metres: the height of most profiles' cameras."""


def info(scene: Path, *, up: Up = "auto", scale: float = 1.0, json: bool = False) -> int:
    """Print triangles, materials, textures, extent, rooms and what was repaired while reading.

    Parameters
    ----------
    scene
        A .glb, .gltf, .obj or .ply file.
    up
        Which axis of the file points up; auto follows its owner's layout.
    scale
        Length of the file's unit in metres: 0.001 for millimetres.
    json
        Print JSON instead of lines.
    """
    from nav_eval.engine.scene import scene_info

    found = asdict(scene_info(scene, up, scale))
    if json:
        say_json(found)
    else:
        say(*(f"{cell(name, 20)} {_format_value(value)}" for name, value in found.items() if name != "notes"))
        say(*(f"note: {note}" for note in found["notes"]))
    return DONE


def _format_value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_format_value, value))
    return str(value)


def navmesh(
    scene: Path,
    *,
    up: Up = "auto",
    scale: float = 1.0,
    out: Path | None = None,
    agent_radius: float = Body().radius,
    agent_height: float = Body().height,
    rebuild: bool = False,
) -> int:
    """Read a scene's navmesh, or build one: walkable area, islands, polygons.

    Parameters
    ----------
    scene
        A scene file, or a .navmesh file itself.
    up
        Which axis of the scene's file points up.
    scale
        Length of the scene file's unit in metres: 0.001 for millimetres. A .navmesh is in metres.
    out
        Save the navmesh here, in Habitat's format.
    agent_radius
        Distance in metres kept from walls, for a navmesh that is built.
    agent_height
        Clearance in metres, for a navmesh that is built.
    rebuild
        Build one even where a .navmesh lies beside the scene.
    """
    from nav_eval.engine.navmesh.mesh import load_navmesh
    from nav_eval.engine.scene import load_scene

    beside = scene if scene.suffix == ".navmesh" else scene.with_suffix(".navmesh")
    loaded = None if rebuild else load_navmesh(beside)
    if loaded is None and scene.suffix == ".navmesh":
        raise ConfigError(f"{scene}: there is no such navmesh. Give the scene to build one.")
    mesh = loaded or load_scene(scene, up, scale).build_navmesh(agent_radius=agent_radius, agent_height=agent_height)
    say(f"{'read from ' + str(beside) if loaded else 'built'}: {mesh.area:.2f} m2 walkable")
    for island in sorted(mesh.islands, key=lambda island: -island.area):
        say(f"  island {island.index}: {island.area:.2f} m2, {island.polygons} polygons, radius {island.radius:.2f} m")
    if out is not None:
        mesh.save(out)
        say(out)
    return DONE


def view(
    scene: Path,
    *,
    out: Path | None = None,
    kind: Kind = "pose",
    position: tuple[float, float, float] | None = None,
    yaw: float | None = None,
    pitch: float = 0.0,
    size: tuple[int, int] = (640, 480),
    hfov: float = 79.0,
    storey: int = 0,
    poses: int = 20,
    seed: int = 0,
    up: Up = "auto",
    scale: float = 1.0,
) -> int:
    """Save a picture of a scene, or a page to walk about in it.

    From a pose: what an agent would see, its depth, or its semantics with a legend. Of the whole scene: a floor plan
    with room names, one view of each room, a sheet of random poses beside the plan, or an interactive page.

    Parameters
    ----------
    scene
        A scene file.
    out
        The PNG to write, or the HTML of an interactive page; by default view.png or view.html.
    kind
        pose, depth or semantic; plan or rooms (of a scene with annotated rooms); sheet; or interactive, one page that
        needs no network.
    position
        Camera position in metres; by default 1.25 m above a walkable place with a good view.
    yaw
        Degrees, positive = left; by default that of the farthest view.
    pitch
        Degrees, positive = up.
    size
        Width and height in pixels.
    hfov
        Horizontal field of view, degrees.
    storey
        Which storey a plan shows.
    poses
        How many random poses a sheet shows.
    seed
        Seed of the random poses of a sheet; none of them is left out.
    up
        Which axis of the file points up.
    scale
        Length of the file's unit in metres: 0.001 for millimetres.
    """
    from nav_eval.engine.scene import load_scene
    from nav_eval.report import views

    loaded = load_scene(scene, up, scale)
    if kind == "interactive":
        return _page(scene, loaded, out or Path("view.html"))
    out = out or Path("view.png")
    if kind == "plan":
        picture = views.floor_plan(loaded, storey)
    elif kind == "rooms":
        picture = views.contact_sheet(loaded)
    elif kind == "sheet":
        from nav_eval.report.sheet import pose_sheet, random_poses

        picture = pose_sheet(loaded, random_poses(_navmesh(scene, loaded), poses, seed, EYE), hfov=hfov)
        say(f"{poses} random poses of seed {seed}, none left out")
    else:
        picture = _look(scene, loaded, kind, position, yaw, pitch, size, hfov)
    picture.save(out)
    say(out)
    return DONE


def _page(path: Path, scene: Scene, out: Path) -> int:
    """The interactive page; walls stop nobody in a scene that has no floor."""
    from nav_eval.errors import NavmeshError
    from nav_eval.report.walk import write_walk

    try:
        mesh = _navmesh(path, scene)
    except NavmeshError:
        mesh = None
    write_walk(scene, mesh if mesh and mesh.islands else None, out)
    say(f"{out}: {out.stat().st_size / 1e6:.1f} MB, opens in any browser without a network")
    return DONE


def _look(
    path: Path,
    scene: Scene,
    kind: Literal["pose", "depth", "semantic"],
    position: tuple[float, float, float] | None,
    yaw: float | None,
    pitch: float,
    size: tuple[int, int],
    hfov: float,
) -> Image:
    """A picture from a pose, which is sought where it is not given; angles in degrees."""
    import math

    from nav_eval.report import labels, views

    draw = {"pose": views.view_image, "depth": labels.depth_image, "semantic": labels.semantic_image}[kind]
    places = _places(path, scene) if position is None else [position]
    place, open_yaw = views.open_pose(scene, places) if yaw is None or position is None else (position, 0.0)
    heading = open_yaw if yaw is None else math.radians(yaw)
    return draw(scene, place, heading, math.radians(pitch), size, hfov)


def _places(path: Path, scene: Scene) -> list[tuple[float, float, float]]:
    """Camera positions over the largest island, and a few elsewhere, because the largest may be a roof."""
    mesh = _navmesh(path, scene)
    largest = max(mesh.islands, key=lambda island: island.area)
    spots = [*mesh.random_points(16, 0, largest.index), *mesh.random_points(8, 1)]
    return [(float(x), float(y) + EYE, float(z)) for x, y, z in spots]


def _navmesh(path: Path, scene: Scene) -> NavMesh:
    """The one beside the scene, else one that is built."""
    from nav_eval.engine.navmesh.mesh import load_navmesh

    return load_navmesh(path.with_suffix(".navmesh")) or scene.build_navmesh()


def data_check(root: Path | None = None, *, json: bool = False) -> int:
    """List which licensed data set and scene is expected where, and what is missing; exit code 1 if anything is.

    Parameters
    ----------
    root
        The data folder; by default NAV_EVAL_DATA, else data/.
    json
        Print JSON instead of lines.
    """
    from nav_eval.dataset.data_check import data_check as check

    findings = check(root or Path(DATA.get()))
    if json:
        say_json(findings)
    for finding in () if json else findings:
        say(f"{cell(finding.state, 8)} {spoken(finding.name)} ({', '.join(finding.benchmarks)})")
        if finding.state != "present":
            say(f"         {finding.detail}")
    if all(finding.state == "present" for finding in findings):
        return DONE
    if not json:
        say("No licence yet: vln-demo needs none. nav-eval run vln-demo dataset.limit=5")
    return FINDINGS
