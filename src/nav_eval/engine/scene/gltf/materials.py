"""Materials and textures of a glTF file, reduced to what an unlit, baked scene shows.

Source: glTF 2.0 specification, section 3.9; KHR_texture_transform, KHR_texture_basisu, EXT_texture_webp,
EXT_texture_avif; the archived KHR_materials_pbrSpecularGlossiness, whose diffuse part stands in for base colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.gltf.container import GltfFile
from nav_eval.engine.scene.gltf.schema import GltfMaterial, Pbr, Sampler, TextureInfo, TextureTransform
from nav_eval.engine.scene.images import Pictures
from nav_eval.engine.scene.scene import AlphaMode, Material

_WRAPS = {33071: "clamp", 33648: "mirror", 10497: "repeat"}

UNNAMED_COLOR = (146 / 255, 128 / 255, 90 / 255, 1.0)
"""What Habitat paints a primitive without a material (read off its recorded frames of such a building)."""


@dataclass(frozen=True, slots=True)
class UvSource:
    """Where a material's texture coordinates come from: the set TEXCOORD_n, and a transform of them."""

    set: int = 0
    transform: TextureTransform | None = None

    def apply(self, uvs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scale, then rotate, then shift, as KHR_texture_transform orders it. (V, 2), 1 is a picture's side."""
        if self.transform is None:
            return uvs
        cosine, sine = math.cos(self.transform.rotation), math.sin(self.transform.rotation)
        scaled = uvs * np.array(self.transform.scale, np.float32)
        turn = np.array([[cosine, -sine], [sine, cosine]], np.float32)
        return scaled @ turn + np.array(self.transform.offset, np.float32)


@dataclass(slots=True)
class Look:
    """The materials of a file (the last one is the default), their textures, and two UvSources per material."""

    materials: list[Material] = field(default_factory=list)
    uv_sources: list[UvSource] = field(default_factory=list)
    light_sources: list[UvSource] = field(default_factory=list)
    textures: Sequence[NDArray[np.uint8]] = ()


def read_look(file: GltfFile) -> Look:
    """Every material of the file, and every image that one of them shows."""
    look = Look()
    images: dict[int, int] = {}
    for material in file.document.materials:
        pbr, info = _base_color(file, material)
        texture, wrap = (-1, ("repeat", "repeat")) if info is None else _texture(file, info, images)
        look.materials.append(_material(material, pbr, texture, wrap))
        look.uv_sources.append(UvSource() if info is None else _uv_source(info))
    for k, material in enumerate(file.document.materials):
        light = None if material.extensions.lightmap is None else material.extensions.lightmap.texture
        if light is not None:
            look.materials[k] = replace(look.materials[k], lightmap=_texture(file, light, images)[0])
        look.light_sources.append(UvSource() if light is None else _uv_source(light))
    look.materials.append(Material(name="default", base_color=UNNAMED_COLOR))
    look.uv_sources.append(UvSource())
    look.light_sources.append(UvSource())
    encoded = [(encoded_image(file, index), f"{file.source.path}: image {index}") for index in images]
    look.textures = Pictures(encoded, file.source.notes)
    return look


def _material(stored: GltfMaterial, pbr: Pbr, texture: int, wrap: tuple[str, str]) -> Material:
    mode = stored.alpha_mode.lower()
    return Material(
        name=stored.name,
        base_color=pbr.base_color_factor,
        texture=texture,
        alpha_mode=cast(AlphaMode, mode) if mode in ("mask", "blend") else "opaque",
        alpha_cutoff=stored.alpha_cutoff,
        double_sided=stored.double_sided,
        wrap=wrap,
    )


def _base_color(file: GltfFile, material: GltfMaterial) -> tuple[Pbr, TextureInfo | None]:
    """Base colour; where a scan keeps its picture elsewhere (diffuse or emissive texture), that."""
    old = material.extensions.specular_glossiness
    if old is not None and material.pbr.base_color_texture is None:
        return Pbr(base_color_factor=old.diffuse_factor), old.diffuse_texture
    if material.pbr.base_color_texture is None and material.emissive_texture is not None:
        file.source.notes.append(f"material {material.name!r} has no base colour texture: shows its emissive one")
        return Pbr(), material.emissive_texture
    return material.pbr, material.pbr.base_color_texture


def _uv_source(info: TextureInfo) -> UvSource:
    transform = info.extensions.transform
    if transform is None:
        return UvSource(info.tex_coord)
    return UvSource(info.tex_coord if transform.tex_coord is None else transform.tex_coord, transform)


def _texture(file: GltfFile, info: TextureInfo, images: dict[int, int]) -> tuple[int, tuple[str, str]]:
    """The index among our textures (images are shared), and the wrap modes."""
    document = file.document
    texture = file.at(document.textures, info.index, "texture")
    extensions = texture.extensions
    basis = extensions.basisu or extensions.hm3d
    chosen = extensions.webp or extensions.avif or (basis if texture.source is None else None)
    image = chosen.source if chosen else texture.source
    sampler = Sampler() if texture.sampler is None else file.at(document.samplers, texture.sampler, "sampler")
    wrap = (_WRAPS.get(sampler.wrap_s, "repeat"), _WRAPS.get(sampler.wrap_t, "repeat"))
    if image is None:
        file.source.notes.append(f"texture {info.index} names no image: shown white")
        return -1, wrap
    return images.setdefault(image, len(images)), wrap


def encoded_image(file: GltfFile, index: int) -> bytes:
    """The bytes of an image, from the file or beside it."""
    image = file.at(file.document.images, index, "image")
    if image.buffer_view is not None:
        return bytes(file.view(image.buffer_view)[0])
    if image.uri is None:
        raise file.error(f"image {index} has neither a uri nor a bufferView. Export the scene again.")
    return file.source.sibling(image.uri)
