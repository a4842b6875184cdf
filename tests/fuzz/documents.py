"""Inputs of several named files, and mutations that keep them JSON, so that fuzzing gets past the parser.

An input is a head (what to do with the files) and files: `head`, then for each a line `=== name` and its bytes.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Values and names that decoders stumble over.
PLACEHOLDERS = {"twice": "<<twice>>", "deep": "<<deep>>", "digits": "<<digits>>", "huge": "<<huge>>"}
"""Strings that stand for what Python's JSON writer cannot write; `_encode` puts it in."""
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, -0.0, 0.5, 2**31, -(2**31), 2**63, 2**64, 10**400, -(10**400), 1e308, -1e308, 1e200,
    5e-324, math.nan, math.inf, -math.inf,
    "", " ", "0", "1", "-1", "nan", "1e999", "true", "null", "a" * 3000, "\x00", "\x1b[31m", "\ud800", "\u202e", "é",
    "\uff11\uff12", "\u0663", "北京", "मंदिर", "👩‍👩‍👧", "../../etc/passwd", "/etc/passwd", "//", ".", "~", "C:\\x",
    "%s{}", "a\nb", "<script>alert(1)</script>", "${oc.env:HOME}", "???",
    [], {}, [[]], [None], [0], [1, 2, 3], [1.5, 0.0, -2.0], [0, 0, 0, 1], [0.0, 1.0, 0.0, 0.0], ["a"], ["a", "b", "a"],
    {"": 0}, {"a": 1}, {"position": [0, 0, 0]}, [{}], [[0, 0, 0]], [[0, 0, 0], [1, 0, 0], [math.nan, 0, 0]],
    *PLACEHOLDERS.values(),
)  # fmt: skip

NAMES = (
    "", "episodes", "goals", "goals_by_category", "content", "position", "rotation", "info", "extra", "instruction",
    "path", "path_id", "scan", "scene_id", "episode_id", "object_id", "heading", "a.b", "a[0]", "__class__", "é",
    "\ud800", "self", "type", "options", "0", "trajectory", "instr_id", "inst_idx", "instruction_id",
)  # fmt: skip
CHANGES = (*["replace"] * 3, "delete", "double", "swap", "swap", "rename", "wrap", "adjust", "adjust")
_MARK = re.compile(rb"(?:^|\n)=== ([\w.-][\w./-]{0,60})\n")


def pack(head: str, files: Mapping[str, bytes]) -> bytes:
    return head.encode() + b"".join(b"\n=== %s\n%s" % (name.encode(), content) for name, content in files.items())


def unpack(data: bytes) -> tuple[str, dict[str, bytes]]:
    head, *rest = _MARK.split(data)
    return head.decode(errors="replace"), {
        name.decode(): content for name, content in zip(rest[0::2], rest[1::2]) if b".." not in name
    }


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """A custom mutator of atheris: mostly the values of one file's JSON, now and then its bytes or the head."""
    import atheris

    chance = random.Random(seed)
    head, files = unpack(data)
    if not files or chance.random() < 0.02:
        return bytes(atheris.Mutate(data, max_size))
    if chance.random() < 0.03:
        head = bytes(atheris.Mutate(head.encode(), 64)).decode(errors="replace").replace("\n", " ")
    name = chance.choice(sorted(files))
    if chance.random() < 0.03 and len(files) > 1:
        files[chance.choice(sorted(files))] = files.pop(name)
    else:
        changed = _structured(files[name], chance) if chance.random() < 0.9 else None
        files[name] = bytes(atheris.Mutate(files[name], max_size)) if changed is None else changed
    return pack(head, files)[:max_size]


def _structured(content: bytes, chance: random.Random) -> bytes | None:
    """`content` with some of its JSON values changed; None if it is no JSON."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return _lines(content, chance)
    return _encode(_changed(value, chance), chance)


def _lines(content: bytes, chance: random.Random) -> bytes | None:
    """The same for JSON lines: one line is changed, doubled or left out."""
    lines = content.splitlines()
    at = chance.randrange(len(lines)) if len(lines) > 1 else None
    if at is None:
        return None
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return None
    new = _encode(_changed(value, chance), chance)
    lines[at : at + 1] = chance.choice([[new], [new], [new], [lines[at], new], []])
    return b"\n".join(lines)


def _changed(value: Any, chance: random.Random) -> Any:
    box = [value]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        found = list(places(box))
        holder, key = chance.choice(found)
        _change(chance.choice(CHANGES), holder, key, found, chance)
        if not box:
            box = [chance.choice(ODD)]
    return box[0]


def places(box: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index) below `box`, up to a few thousand."""
    waiting, count = [box], 0
    while waiting and count < 5000:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            count += 1
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _change(how: str, holder: Any, key: Any, found: Any, chance: random.Random) -> None:
    old = holder[key]
    match how:
        case "replace":
            holder[key] = copied(chance.choice(ODD))
        case "delete":
            del holder[key]
        case "double" if isinstance(holder, list):
            holder.insert(key, copied(old))
        case "double":
            holder[f"{PLACEHOLDERS['twice']}{key}"] = copied(old)
        case "swap":
            other, at = chance.choice(found)
            holder[key] = copied(other[at])
        case "rename" if isinstance(holder, dict):
            holder[chance.choice(NAMES)] = holder.pop(key)
        case "wrap":
            holder[key] = chance.choice([[old], {chance.choice(NAMES): old}, str(old)])
        case "adjust" if isinstance(old, int | float | str) and not isinstance(old, bool):
            holder[key] = _adjusted(old, chance)


def _adjusted(old: float | str, chance: random.Random) -> Any:
    if isinstance(old, str):
        at = chance.randrange(len(old) + 1)
        return old[:at] + chance.choice(["", "_", "/", " ", "0", "\x1b[2J", "é", "\ud800", old]) + old[at:]
    small = max(-1e300, min(1e300, old))
    return chance.choice([-old, old + 1, small * 1e9, small / 3, str(small), small * 1e300, 7])


def copied(value: Any) -> Any:
    """A deep one."""
    return json.loads(json.dumps(value))


def _encode(value: Any, chance: random.Random) -> bytes:
    """JSON text, with what JSON's writer cannot say put in afterwards: numbers past range, depth, keys twice."""
    try:
        text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    except (ValueError, RecursionError, OverflowError):
        return b"[]"
    text = text.replace(PLACEHOLDERS["twice"], "")
    text = text.replace(f'"{PLACEHOLDERS["deep"]}"', "[" * 3000 + "]" * 3000)
    text = text.replace(f'"{PLACEHOLDERS["digits"]}"', "9" * 5000).replace(f'"{PLACEHOLDERS["huge"]}"', "1e999")
    if chance.random() < 0.03:
        text = text[: chance.randrange(len(text) + 1)]
    if chance.random() < 0.01:
        text = f"\ufeff{text}"
    return text.encode(errors="surrogatepass" if chance.random() < 0.2 else "replace")
