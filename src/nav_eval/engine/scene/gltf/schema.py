"""The part of the glTF 2.0 schema that a scene needs, as typed structs: msgspec refuses wrong types with their path.

Source: Khronos glTF 2.0 specification and the extensions named below. Unknown keys are ignored, as it asks.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, field

Index = Annotated[int, Meta(ge=0, le=2**53)]
Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]


class Buffer(Struct, rename="camel", frozen=True):
    byte_length: Index
    uri: str | None = None


class MeshoptView(Struct, rename="camel", frozen=True):
    """EXT_meshopt_compression and its successor KHR_meshopt_compression."""

    buffer: Index
    byte_length: Index
    byte_stride: Index
    count: Index
    mode: str
    byte_offset: Index = 0
    filter: str = "NONE"


class BufferViewExtensions(Struct, rename="camel", frozen=True):
    meshopt: MeshoptView | None = field(default=None, name="EXT_meshopt_compression")
    khr_meshopt: MeshoptView | None = field(default=None, name="KHR_meshopt_compression")


class BufferView(Struct, rename="camel", frozen=True):
    buffer: Index
    byte_length: Index
    byte_offset: Index = 0
    byte_stride: Annotated[int, Meta(ge=1, le=252)] | None = None
    extensions: BufferViewExtensions = BufferViewExtensions()


class SparseIndices(Struct, rename="camel", frozen=True):
    buffer_view: Index
    component_type: int
    byte_offset: Index = 0


class SparseValues(Struct, rename="camel", frozen=True):
    buffer_view: Index
    byte_offset: Index = 0


class Sparse(Struct, rename="camel", frozen=True):
    count: Index
    indices: SparseIndices
    values: SparseValues


class Accessor(Struct, rename="camel", frozen=True):
    component_type: int
    count: Index
    type: str
    buffer_view: Index | None = None
    byte_offset: Index = 0
    normalized: bool = False
    sparse: Sparse | None = None


class Image(Struct, rename="camel", frozen=True):
    uri: str | None = None
    buffer_view: Index | None = None
    mime_type: str | None = None


class Sampler(Struct, rename="camel", frozen=True):
    wrap_s: int = 10497
    wrap_t: int = 10497


class ImageRef(Struct, rename="camel", frozen=True):
    source: Index


class TextureExtensions(Struct, rename="camel", frozen=True):
    basisu: ImageRef | None = field(default=None, name="KHR_texture_basisu")
    hm3d: ImageRef | None = field(default=None, name="GOOGLE_texture_basis")
    webp: ImageRef | None = field(default=None, name="EXT_texture_webp")
    avif: ImageRef | None = field(default=None, name="EXT_texture_avif")


class Texture(Struct, rename="camel", frozen=True):
    source: Index | None = None
    sampler: Index | None = None
    extensions: TextureExtensions = TextureExtensions()


class TextureTransform(Struct, rename="camel", frozen=True):
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    tex_coord: Index | None = None


class TextureInfoExtensions(Struct, rename="camel", frozen=True):
    transform: TextureTransform | None = field(default=None, name="KHR_texture_transform")


class TextureInfo(Struct, rename="camel", frozen=True):
    index: Index
    tex_coord: Index = 0
    extensions: TextureInfoExtensions = TextureInfoExtensions()


class Pbr(Struct, rename="camel", frozen=True):
    base_color_factor: Vec4 = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: TextureInfo | None = None


class SpecularGlossiness(Struct, rename="camel", frozen=True):
    diffuse_factor: Vec4 = (1.0, 1.0, 1.0, 1.0)
    diffuse_texture: TextureInfo | None = None


class Lightmap(Struct, rename="camel", frozen=True):
    """NAV_EVAL_lightmap: docs/extending/scene-format.md."""

    texture: TextureInfo


class MaterialExtensions(Struct, rename="camel", frozen=True):
    specular_glossiness: SpecularGlossiness | None = field(default=None, name="KHR_materials_pbrSpecularGlossiness")
    lightmap: Lightmap | None = field(default=None, name="NAV_EVAL_lightmap")


class GltfMaterial(Struct, rename="camel", frozen=True):
    name: str = ""
    pbr: Pbr = field(default=Pbr(), name="pbrMetallicRoughness")
    emissive_texture: TextureInfo | None = None
    alpha_mode: str = "OPAQUE"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    extensions: MaterialExtensions = MaterialExtensions()


class DracoPrimitive(Struct, rename="camel", frozen=True):
    buffer_view: Index
    attributes: dict[str, Index]


class PrimitiveExtensions(Struct, rename="camel", frozen=True):
    draco: DracoPrimitive | None = field(default=None, name="KHR_draco_mesh_compression")


class Primitive(Struct, rename="camel", frozen=True):
    attributes: dict[str, Index]
    indices: Index | None = None
    material: Index | None = None
    mode: int = 4
    targets: list[Any] | None = None
    extensions: PrimitiveExtensions = PrimitiveExtensions()
    extras: Any = None


class Mesh(Struct, rename="camel", frozen=True):
    primitives: list[Primitive]
    name: str = ""
    extras: Any = None


class Instancing(Struct, rename="camel", frozen=True):
    attributes: dict[str, Index]


class NodeExtensions(Struct, rename="camel", frozen=True):
    instancing: Instancing | None = field(default=None, name="EXT_mesh_gpu_instancing")


class Node(Struct, rename="camel", frozen=True):
    name: str = ""
    children: list[Index] = []
    mesh: Index | None = None
    skin: Index | None = None
    matrix: list[float] | None = None
    translation: Vec3 | None = None
    rotation: Vec4 | None = None
    scale: Vec3 | None = None
    extensions: NodeExtensions = NodeExtensions()
    extras: Any = None


class SkyPicture(Struct, frozen=True):
    """nav_eval's own, in a scene's `extras.nav_eval_sky`: an image of six square faces, one below the other."""

    image: Index
    above: float = 0.0


class GltfScene(Struct, rename="camel", frozen=True):
    nodes: list[Index] = []
    name: str = ""
    extras: Any = None


class Asset(Struct, rename="camel", frozen=True):
    version: str = "2.0"


class Gltf(Struct, rename="camel", frozen=True):
    asset: Asset
    accessors: list[Accessor] = []
    buffer_views: list[BufferView] = []
    buffers: list[Buffer] = []
    images: list[Image] = []
    materials: list[GltfMaterial] = []
    meshes: list[Mesh] = []
    nodes: list[Node] = []
    samplers: list[Sampler] = []
    scenes: list[GltfScene] = []
    scene: Index | None = None
    textures: list[Texture] = []
    extensions_required: list[str] = []
