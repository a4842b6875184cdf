"""Mutations of scene files that keep their outer form: a GLB's chunks, JSON, lines of words, bytes of a body."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from typing import Any

from engine.scene.made import glb
from fuzz.documents import copied, places

Bytes = Callable[[bytes], bytes]
NUMBERS: tuple[Any, ...] = (
    0, 1, 2, 3, 4, 5, 6, 7, 16, 99, 255, 256, -1, 65535, 65536, 1 << 20, (1 << 26) + 1, 1 << 27, 2**31 - 1, 2**31,
    2**32 - 1, 2**53, 0.5, -0.5, 1e-30, 1e30, 1e308, 5120, 5121, 5122, 5123, 5125, 5126, 33071, 33648,
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None, True, "", "MASK", "BLEND", "SCALAR", "VEC2", "VEC3", "VEC4", "MAT4", "TRIANGLES", "INDICES", "EXPONENTIAL",
    "OCTAHEDRAL", "QUATERNION", "COLOR", "NONE", "data:;base64,AA", "data:,", "../x", "a.png", "room.glb", [], {}, [0],
    [1e30, 0, 0], [0.0] * 16, [1e20] * 16,
)  # fmt: skip
KEYS = ("POSITION", "TEXCOORD_0", "COLOR_0", "_OBJECT_ID", "TRANSLATION", "ROTATION", "SCALE", "indices", "children")
WORDS = [
    *b"0 1 -1 3 nan inf 1e39 1e400 99 4294967296 x / 1// list uchar double f v vt O R C element property".split(),
    b"",
    b"\xff",
    b"9" * 30,
]


def mutated(name: str, content: bytes, chance: random.Random, raw: Bytes) -> bytes:
    """`content` changed as files of such a name are; `raw` changes bytes."""
    if chance.random() < 0.1:
        return raw(content)
    if content[:4] == b"glTF":
        return _glb(content, chance, raw)
    if name.endswith(("json", "gltf")):
        return _document(content, chance) or raw(content)
    if name.endswith("ply") and b"end_header\n" in content:
        head, _, body = content.partition(b"end_header\n")
        if chance.random() < 0.4 or b"ascii" in head:
            return _words(head + b"end_header\n", chance) + (body if chance.random() < 0.5 else _words(body, chance))
        return head + b"end_header\n" + raw(body)
    return _words(content, chance) if name.endswith(("obj", "mtl", "house", "txt")) else raw(content)


def _glb(content: bytes, chance: random.Random, raw: Bytes) -> bytes:
    try:
        (length,) = struct.unpack_from("<I", content, 12)
    except struct.error:
        return raw(content)
    text, binary = content[20 : 20 + length], content[28 + length :]
    changed = _document(text, chance) if chance.random() < 0.75 else text
    if changed is text or chance.random() < 0.1:
        binary = raw(binary)
    return raw(content) if changed is None else glb(changed, binary)


def _document(text: bytes, chance: random.Random) -> bytes | None:
    """A few values of a JSON document changed; None if it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict | list):
        return None
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        found = list(places(document))
        if found:
            _change(*chance.choice(found), found, chance)
    return json.dumps(document).encode()


def _change(holder: Any, key: Any, found: list[tuple[Any, Any]], chance: random.Random) -> None:
    old, what = holder[key], chance.random()
    if what < 0.45:
        near = isinstance(old, int | float) and abs(old) < 2**60 and chance.random() < 0.4
        holder[key] = old + chance.choice((-1, 1, 3)) if near else chance.choice(NUMBERS)
    elif what < 0.55:
        holder[key] = copied(chance.choice(OTHERS))
    elif what < 0.75:
        alike = [other[at] for other, at in found if type(other[at]) is type(old)]
        holder[key] = copied(chance.choice(alike))
    elif what < 0.85:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(key, copied(old))
    else:
        holder[chance.choice(KEYS)] = copied(old)


def _words(content: bytes, chance: random.Random) -> bytes:
    lines = [line.split(b" ") for line in content.split(b"\n")]
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(lines))
        line, what = lines[at], chance.random()
        if what < 0.7:
            line[chance.randrange(len(line))] = chance.choice(WORDS if chance.random() < 0.7 else chance.choice(lines))
        elif what < 0.8:
            lines.insert(at, list(line))
        elif what < 0.9 and len(lines) > 1:
            del lines[at]
        else:
            line.insert(chance.randrange(len(line) + 1), chance.choice(WORDS))
    return b"\n".join(b" ".join(line) for line in lines)
