"""The sky of a glTF file: nav_eval's own `extras.nav_eval_sky` of the scene that is shown.

It is a list of `{"image": index, "above": metres}`; each image holds the six faces of engine.scene.scene.Sky in that
order, one below the other, all of one size. Other programs show the file without it.
"""

from __future__ import annotations

import math

import msgspec

from nav_eval.engine.scene.gltf.container import GltfFile
from nav_eval.engine.scene.gltf.materials import encoded_image
from nav_eval.engine.scene.gltf.schema import SkyPicture
from nav_eval.engine.scene.images import MAX_TOTAL_PIXELS, Pictures, image_size
from nav_eval.engine.scene.scene import Sky

KEY = "nav_eval_sky"
MAX_PICTURES = 16
"""Pictures that a sky may have."""
msgspec.json.Decoder(SkyPicture)  # shown while no other thread has it: two that show it together can end the process


def read_sky(file: GltfFile) -> Sky | None:
    """The sky, or None where the file names none; SceneError if it is damaged."""
    document = file.document
    extras = document.scenes[document.scene or 0].extras if len(document.scenes) > (document.scene or 0) else None
    if not isinstance(extras, dict) or KEY not in extras:
        return None
    try:
        pictures = msgspec.convert(extras[KEY], list[SkyPicture])
    except msgspec.ValidationError as error:
        raise file.error(f"extras.{KEY} of the scene is damaged ({error}). Export the scene again.") from error
    heights = [picture.above for picture in pictures]
    if not 1 <= len(pictures) <= MAX_PICTURES or heights != sorted(heights) or not all(map(math.isfinite, heights)):
        raise file.error(f"extras.{KEY} needs 1 to {MAX_PICTURES} pictures in ascending order of `above`.")
    encoded = [(encoded_image(file, p.image), f"{file.source.path}: image {p.image}") for p in pictures]
    sizes = {image_size(*image) for image in encoded}
    width, height = min(sizes)
    if len(sizes) > 1 or height != 6 * width:
        raise file.error(f"the images of extras.{KEY} must be six square faces one below the other, all of one size.")
    if len(encoded) * width * height > MAX_TOTAL_PIXELS:
        raise file.error(f"the images of extras.{KEY} hold more than {MAX_TOTAL_PIXELS} pixels. Scale them.")
    return Sky(Pictures(encoded, file.source.notes), tuple(heights))
