"""The renderer `opengl`: moderngl through EGL, on a graphics card or on Mesa's software driver.

One pass draws colour, depth, object ids and normals of a whole batch into one tall framebuffer, which is read
back once. It follows Habitat's convention exactly as the cpu renderer does and is that renderer's oracle in
tests. An OpenGL context belongs to one thread, so each renderer runs its context on a thread of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.engine.people.figure import Figure
from nav_eval.engine.people.kinds import Eye, Posed
from nav_eval.engine.people.overlay import in_view, standing
from nav_eval.engine.render.camera import Lens, view
from nav_eval.engine.render.frame import Frame, Image, People, Shading, check_batch, check_outputs
from nav_eval.engine.render.layout import NEAR
from nav_eval.engine.render.shaders import BACKGROUND_VERTEX, VERTEX, fragment
from nav_eval.engine.render.sky import fitted, halvings
from nav_eval.engine.render.textures import halve_to_budget
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.errors import ConfigError
from nav_eval.geometry import Vec3

FAR = 1000.0
TALLEST = 8192
"""Rows of the framebuffer; a larger batch is drawn in parts."""
MAX_DRAWS = 2000
"""Draw calls that a frame may take to keep to the order of the file."""
MISSING = (
    "The opengl renderer cannot start: {reason}.\n"
    "Install it with: pip install 'nav-eval[gl]' and apt-get install libegl1 libgl1-mesa-dri; or use renderer=cpu."
)
ATTACHMENTS = {"rgb": (4, "f1"), "depth": (1, "f4"), "semantic": (1, "i4"), "normal": (4, "f4")}
"""Components and type of each output's texture."""


def create_context() -> Any:
    """A headless OpenGL 4.3 context; a clear error where there is none."""
    try:
        moderngl: Any = importlib.import_module("moderngl")
    except ImportError as error:
        raise ConfigError(MISSING.format(reason="moderngl is not installed")) from error
    try:
        return moderngl.create_context(standalone=True, backend="egl", require=430)
    except Exception as error:  # the library raises no narrower class
        raise ConfigError(MISSING.format(reason=str(error).strip() or type(error).__name__)) from error


def graphics_card() -> str | None:
    """Name of the device that OpenGL would use, None if that is the processor or nothing at all."""
    try:
        context = create_context()
    except ConfigError:
        return None
    name = str(context.info["GL_RENDERER"])
    context.release()
    return None if any(word in name.lower() for word in ("llvmpipe", "softpipe", "swrast")) else name


class OpenGLRenderer:
    """Draws a scene with OpenGL."""

    kind = "opengl"

    def __init__(
        self,
        scene: Scene,
        lens: Lens,
        outputs: Sequence[str] = ("rgb", "depth"),
        shading: Shading = "unlit",
        texture_budget_mib: int = 2048,
    ) -> None:
        self.lens = lens
        self._outputs = check_outputs(outputs)
        textures, self.notes = halve_to_budget(scene, texture_budget_mib * 2**20)
        lit = shading == "headlight" or (shading == "auto" and scene.bare)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="opengl")
        self._stage: _Stage | None = self._thread.submit(_Stage, scene, textures, lens, lit, self._outputs).result()

    @property
    def device(self) -> str:
        """The driver's name of the device."""
        return self._stage.device if self._stage else ""

    def render(
        self, position: ArrayLike, yaw: float, pitch: float = 0.0, roll: float = 0.0, people: People = ()
    ) -> Frame:
        """One view. position: (3,), metres; angles in radians."""
        return self._draw([(view(position, yaw, pitch, roll), people)])[0]

    def render_batch(
        self,
        positions: ArrayLike,
        yaws: ArrayLike,
        pitches: ArrayLike | None = None,
        people: Sequence[People] | None = None,
    ) -> list[Frame]:
        """N views with one read-back for each part of the batch that fits the framebuffer.

        positions (N, 3), metres; yaws and pitches (N,), radians.
        """
        places, headings, tilts = check_batch(positions, yaws, pitches)
        poses = [view(place, yaw, pitch) for place, yaw, pitch in zip(places, headings, tilts)]
        views = list(zip(poses, people or [()] * len(poses), strict=True))
        size = max(1, TALLEST // self.lens.height)
        return [frame for start in range(0, len(views), size) for frame in self._draw(views[start : start + size])]

    def close(self) -> None:
        """Release the context and its thread."""
        stage, self._stage = self._stage, None
        if stage is not None:
            self._thread.submit(stage.release).result()
            self._thread.shutdown()

    def _draw(self, views: list[_View]) -> list[Frame]:
        if self._stage is None:
            raise ConfigError("This opengl renderer is closed; make a new one.")
        return self._thread.submit(self._stage.draw, views).result()


_View: TypeAlias = tuple[NDArray[np.float64], People]
"""A camera's pose and who stands before it."""


class _Stage:
    """Everything that lives on the context's thread."""

    def __init__(
        self, scene: Scene, textures: dict[int, NDArray[np.uint8]], lens: Lens, lit: bool, outputs: tuple[str, ...]
    ) -> None:
        self.context = create_context()
        self.device = str(self.context.info["GL_RENDERER"])
        self.lens = lens
        self.outputs = outputs
        source = fragment(outputs)
        self.program = self.context.program(vertex_shader=VERTEX, fragment_shader=source)
        blank = self.context.program(vertex_shader=BACKGROUND_VERTEX, fragment_shader=source)
        blank["blank"] = True
        self.background = self.context.vertex_array(blank, [])
        self.blank = blank
        self.sky = scene.sky
        sky = () if scene.sky is None else fitted(halvings(scene.sky), lens.focal)
        self.skies = [self._cube(faces) for faces in sky]
        self.lit = lit
        self._set("lit", lit)
        self.lightmapped = scene.light_uvs is not None
        lightmaps = {material.lightmap for material in scene.materials}
        self.textures = {key: self._upload(image, key in lightmaps) for key, image in textures.items()}
        self._set("image", 0)
        self._set("lightmap", 1)
        self.draws = self._load(scene)
        self.rows = 0
        self.frame: Any = None

    def _upload(self, image: NDArray[np.uint8], lightmap: bool) -> Any:
        import moderngl

        height, width = image.shape[:2]
        texture = self.context.texture((width, height), 4, np.ascontiguousarray(image).tobytes())
        texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        texture.repeat_x = texture.repeat_y = not lightmap
        if not lightmap:
            texture.build_mipmaps()
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        return texture

    def _cube(self, faces: NDArray[np.uint32]) -> Any:
        """A texture of six layers from (6, N, N) RGBA."""
        import moderngl

        texture = self.context.texture_array((faces.shape[2], faces.shape[1], 6), 4, faces.tobytes())
        texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        texture.repeat_x = texture.repeat_y = False
        return texture

    def _open(self, pose: NDArray[np.float64]) -> None:
        """The background shows the sky that a camera at `pose` sees."""
        if self.sky is None or "open" not in self.blank:
            return
        self.skies[self.sky.seen_from(float(pose[10]))].use(2)
        self.blank["open"] = True
        self.blank["view"].write(pose[:9].astype("f4").tobytes())
        self.blank["spread"] = (self.lens.width / 2 / self.lens.focal, self.lens.height / 2 / self.lens.focal)

    def _load(self, scene: Scene) -> list[tuple[Material, int, int]]:
        """Upload the geometry; (material, first triangle, triangles) of each draw call."""
        order = draw_order(scene.material_ids)
        count = len(scene.positions)
        vertices = np.zeros(count, [("position", "f4", 3), ("uv", "f4", 2), ("light_uv", "f4", 2), ("color", "u1", 4)])
        vertices["position"] = scene.positions
        vertices["uv"] = 0.0 if scene.uvs is None else scene.uvs
        vertices["light_uv"] = 0.0 if scene.light_uvs is None else scene.light_uvs
        vertices["color"] = 255 if scene.colors is None else scene.colors
        objects = np.zeros(len(order), np.int32) if scene.object_ids is None else scene.object_ids[order]
        self.objects = self.context.buffer(np.ascontiguousarray(objects, np.int32).tobytes() or b"\0\0\0\0")
        if not len(order):
            return []
        self.mesh = self.context.vertex_array(
            self.program,
            [(self.context.buffer(vertices.tobytes()), "3f4 2f4 2f4 4f1", "position", "uv", "light_uv", "color")],
            index_buffer=self.context.buffer(np.ascontiguousarray(scene.triangles[order], np.int32).tobytes()),
        )
        ids = scene.material_ids[order]
        starts = np.flatnonzero(np.diff(ids, prepend=-1))
        sizes = np.diff(starts, append=len(ids))
        return [(scene.materials[ids[start]], int(start), int(size)) for start, size in zip(starts, sizes)]

    def draw(self, views: list[_View]) -> list[Frame]:
        """All views, one below the other, and one read-back of each output."""
        import moderngl

        self._make_room(len(views))
        self.frame.use()
        self.frame.clear(depth=1.0)
        width, height = self.lens.width, self.lens.height
        self.objects.bind_to_storage_buffer(0)
        for index, (pose, people) in enumerate(views):
            self.frame.viewport = (0, index * height, width, height)
            self.context.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
            self._open(pose)
            self.background.render(moderngl.TRIANGLES, vertices=3)
            self.context.enable(moderngl.DEPTH_TEST)
            seen = in_view(Eye(pose, self.lens.focal, width, height, width), people)
            with self._shading([person.position for person, _ in seen], pose):
                self._draw_view(pose)
            self._people(seen)
        images = {name: self._read(k, name, len(views)) for k, name in enumerate(self.outputs)}
        return [Frame({name: image[k] for name, image in images.items()}) for k in range(len(views))]

    def _draw_view(self, pose: NDArray[np.float64]) -> None:
        import moderngl

        self.program["clip"].write(clip_matrix(pose, self.lens).T.astype("f4").tobytes())
        self._set("eye", tuple(pose[9:12]))
        self._set("ahead", tuple(pose[6:9]))
        self.context.front_face = "cw"  # row 0 is the top row, which mirrors the picture
        for material, start, count in self.draws:
            if material.double_sided:
                self.context.disable(moderngl.CULL_FACE)
            else:
                self.context.enable(moderngl.CULL_FACE)
            self._use(material)
            self._set("first_triangle", start)
            self.mesh.render(moderngl.TRIANGLES, vertices=count * 3, first=start * 3)

    @contextmanager
    def _shading(self, places: list[Vec3], pose: NDArray[np.float64]) -> Iterator[None]:
        """What is drawn meanwhile is darker on the floor round these places."""
        self._set("people", len(places))
        feet = np.zeros((max(len(places), 1), 4), np.float32)
        feet[: len(places), :3] = [np.array(place) - pose[9:] for place in places] or np.zeros((0, 3))
        buffer = self.context.buffer(feet.tobytes())
        buffer.bind_to_storage_buffer(1)
        yield
        buffer.release()

    def _people(self, seen: list[tuple[Posed, Figure]]) -> None:
        """Bodies in their own colours."""
        import moderngl

        if not seen:
            return
        self.context.enable(moderngl.CULL_FACE)
        self._use(Material())
        self._set("lit", False)
        for person, body in seen:
            self._set("person", person.object_id)
            parts = [self.context.buffer(data.tobytes()) for data in (standing(person, body), body.skin.triangles)]
            layout = [(parts[0], "3f4 3f4", "position", "color")]
            mesh = self.context.vertex_array(self.program, layout, index_buffer=parts[1])
            mesh.render(moderngl.TRIANGLES)
            for part in (mesh, *parts):
                part.release()
        self._set("person", 0)
        self._set("lit", self.lit)

    def _set(self, name: str, value: Any) -> None:
        """Set a uniform, unless the compiler dropped it because no output needs it."""
        if name in self.program:
            self.program[name] = value

    def _use(self, material: Material) -> None:
        self._set("factor", tuple(min(max(float(value), 0.0), 1.0) for value in material.base_color))
        self._set("cutoff", material.alpha_cutoff if material.alpha_mode == "mask" else -1.0)
        self._set("textured", material.texture >= 0)
        self._set("lightmapped", self.lightmapped and material.lightmap >= 0)
        if material.lightmap >= 0:
            self.textures[material.lightmap].use(1)
        if material.texture >= 0:
            texture = self.textures[material.texture]
            texture.repeat_x, texture.repeat_y = (mode == "repeat" for mode in material.wrap)
            self._set("mirror", tuple(mode == "mirror" for mode in material.wrap))
            texture.use(0)

    def _make_room(self, count: int) -> None:
        """A framebuffer for at least `count` views."""
        rows = count * self.lens.height
        if rows <= self.rows:
            return
        self._release_frame()
        size = (self.lens.width, rows)
        kinds = [ATTACHMENTS[name] for name in self.outputs]
        self.targets = [self.context.texture(size, components, dtype=kind) for components, kind in kinds]
        self.depth_buffer = self.context.depth_renderbuffer(size)
        self.frame = self.context.framebuffer(self.targets, self.depth_buffer)
        self.rows = rows

    def _read(self, index: int, name: str, count: int) -> Image:
        """(count, H, W) or (count, H, W, 3) of one output."""
        components, kind = ATTACHMENTS[name]
        width, height = self.lens.width, self.lens.height
        data = self.frame.read((0, 0, width, count * height), components, attachment=index, alignment=1, dtype=kind)
        dtype = np.uint8 if kind == "f1" else np.dtype(kind)
        image = np.frombuffer(data, dtype).reshape(count, height, width, components)
        return np.ascontiguousarray(image[..., :3]) if components == 4 else image[..., 0].copy()

    def _release_frame(self) -> None:
        if self.frame is not None:
            for part in (*self.targets, self.depth_buffer, self.frame):
                part.release()
            self.frame = None

    def release(self) -> None:
        """Free everything the context holds."""
        self._release_frame()
        self.context.release()


def draw_order(material_ids: NDArray[np.int32]) -> NDArray[np.int64]:
    """Triangles in the order of the file, which decides where surfaces coincide; by material if it changes often.

    Both (T,).
    """
    if np.count_nonzero(np.diff(material_ids)) <= MAX_DRAWS:
        return np.arange(len(material_ids))
    return np.argsort(material_ids, kind="stable")


def clip_matrix(pose: NDArray[np.float64], lens: Lens) -> NDArray[np.float64]:
    """(4, 4) world to clip space; y points down, so that row 0 of the framebuffer is the picture's top row."""
    scale_x, scale_y = 2.0 * lens.focal / lens.width, 2.0 * lens.focal / lens.height
    depth = (FAR + NEAR) / (FAR - NEAR)
    project = np.array(
        [[scale_x, 0, 0, 0], [0, scale_y, 0, 0], [0, 0, depth, -2 * FAR * NEAR / (FAR - NEAR)], [0, 0, 1, 0]]
    )
    turn: NDArray[np.float64] = np.block(
        [[pose[:9].reshape(3, 3), np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]
    )
    return np.asarray(project @ turn, np.float64)
