"""Textures: every way of storing them, the limits, and KTX2 through its extra."""

from __future__ import annotations

import io
import pickle
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from engine.scene.made import encoded, simple
from nav_eval.engine.render.prepared import prepare
from nav_eval.engine.scene import images, load_scene
from nav_eval.engine.scene.cache import scene_bytes
from nav_eval.engine.scene.images import Pictures, decode_image, image_size
from nav_eval.errors import SceneError

RAMP = np.stack(np.broadcast_arrays(np.arange(0, 256, 16)[None], np.arange(0, 256, 32)[:, None], 7), axis=-1)
RGB = RAMP.astype(np.uint8)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "I;16"])
def test_png_modes(mode: str, tmp_path: Path) -> None:
    if mode == "I;16":
        image = Image.fromarray((RGB[..., 0].astype(np.uint16) << 8) + 255)
        expected = np.repeat(RGB[..., :1], 3, axis=2)
    else:
        image = Image.fromarray(RGB).convert(mode)
        expected = np.asarray(image.convert("RGB"))
    image.save(tmp_path / "x.png")
    decoded = decode_image((tmp_path / "x.png").read_bytes(), "x")
    assert decoded.shape == (8, 16, 4)
    assert decoded.dtype == np.uint8
    np.testing.assert_array_equal(decoded[..., :3], expected)
    assert (decoded[..., 3] == 255).all()


@pytest.mark.parametrize("size", [(1, 1), (3, 70_000), (300, 2)])
def test_the_size_of_a_png_is_pillows(size: tuple[int, int]) -> None:
    data = encoded(np.zeros((*size, 3), np.uint8))
    assert image_size(data, "wall") == images._png_size(data) == Image.open(io.BytesIO(data)).size


def test_a_png_whose_header_is_damaged_is_named_at_once() -> None:
    """Each byte of it, one at a time."""
    whole = encoded(RGB)
    for place in range(33):
        data = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        assert images._png_size(data) is None
        with pytest.raises(SceneError, match="wall"):
            image_size(data, "wall")


def test_transparency_is_kept() -> None:
    rgba = np.dstack([RGB, RGB[..., 0]])
    np.testing.assert_array_equal(decode_image(encoded(rgba), "x"), rgba)


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG", encoded(RGB)[:-30], b"GIF89a", b"\xabKTX 20\xbb\r\n\x1a\n", b"%PDF-1"]
)
def test_damaged_pictures_are_named(data: bytes) -> None:
    with pytest.raises(SceneError, match="wall"):
        decode_image(data, "wall")


def test_a_scene_of_too_many_pixels_is_halved_until_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_TOTAL_PIXELS", 100)
    notes: list[str] = []
    first, second = Pictures([(encoded(RGB), "a"), (encoded(RGB), "b")], notes)
    assert first.shape == second.shape == (4, 8, 4)
    np.testing.assert_allclose(first[0, 0, :3], RGB[:2, :2].mean(axis=(0, 1)), atol=1)
    assert "1/2" in notes[0]


def test_pictures_are_decoded_when_one_is_looked_at_and_a_damaged_one_is_named_then(tmp_path: Path) -> None:
    made = simple()
    made.textured(encoded(RGB)[:-30])
    scene = load_scene(made.save(tmp_path / "x.glb"))
    assert len(scene.textures) == 1
    assert scene_bytes(scene) > RGB.shape[0] * RGB.shape[1] * 4
    with pytest.raises(SceneError, match="image 0: the image is damaged"):
        prepare(scene)
    whole = Pictures([(encoded(RGB), "a")], [])
    assert pickle.loads(pickle.dumps(whole))[0].tolist() == whole[0].tolist()
    assert whole[0] is whole[0]
    assert not whole[0].flags.writeable


@pytest.mark.parametrize("codec", ["etc1s", "uastc"])
def test_ktx2_through_the_extra(tmp_path: Path, codec: str) -> None:
    pytest.importorskip("opengl_basisu", reason="pip install 'nav-eval[ktx2]'")
    encoder = pytest.importorskip("alktx2", reason="alktx2 makes the KTX2 fixtures")
    smooth = np.asarray(Image.fromarray(RGB).resize((64, 32), Image.Resampling.BICUBIC))
    packed = encoder.encode_bytes_to_ktx2(encoded(smooth), mime="image/png", codec=codec)
    made = simple()
    made.textured(packed, "ktx2", "KHR_texture_basisu")
    texture = load_scene(made.save(tmp_path / "x.glb")).textures[0]
    assert texture.shape == (32, 64, 4)
    assert np.abs(texture[..., :3].astype(int) - smooth).mean() < 10
    for length in (30, 90, len(packed) // 2):
        with pytest.raises(SceneError, match="wall"):
            decode_image(packed[:length], "wall")


def test_hm3d_s_basis_images_begin_at_the_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool at hand writes bare .basis files, so the decoder is a stand-in with opengl-basisu's interface."""

    class Texture:
        height, width = RGB.shape[:2]

        def transcode(self, target: str, level: int, face: int, layer: int) -> SimpleNamespace:
            assert (target, level, face, layer) == ("rgba8", 0, 0, 0)
            return SimpleNamespace(data=np.dstack([RGB, np.full(RGB.shape[:2], 255, np.uint8)]))

    monkeypatch.setitem(sys.modules, "opengl_basisu", SimpleNamespace(open=lambda data: Texture()))
    made = simple()
    made.textured(b"sB\x13\0" + bytes(90), "x-basis", "GOOGLE_texture_basis")
    np.testing.assert_array_equal(load_scene(made.save(tmp_path / "x.glb")).textures[0][::-1, :, :3], RGB)


def test_sixteen_k_is_read_and_more_is_not() -> None:
    """The size alone: Gibson has one such texture. So many pixels in a few bytes are a bomb."""
    for side, fits in ((16384, True), (16385, False)):
        png = bytearray(encoded(RGB))
        png[16:24] = side.to_bytes(4, "big") * 2
        png[29:33] = zlib.crc32(png[12:29]).to_bytes(4, "big")
        with pytest.raises(SceneError, match="cannot be a picture" if fits else "16385 x 16385"):
            image_size(bytes(png), "wall")
        if fits:
            png += bytes(side * side // images.PIXELS_PER_BYTE)
            assert image_size(bytes(png), "wall") == (side, side)


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opengl_basisu", None)
    header = b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(8) + (4).to_bytes(4, "little") * 2 + bytes(60)
    with pytest.raises(SceneError, match=r"nav-eval\[ktx2\]"):
        decode_image(header, "wall")


def test_what_pillow_takes_for_a_bomb_is_told_like_any_other_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    """WebP and TIFF check their size in Pillow's own way, which allows less than we do."""
    data = encoded(np.zeros((60, 60, 3), np.uint8), "WEBP")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(SceneError, match="wall"):
        decode_image(data, "wall")
