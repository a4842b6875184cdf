"""Inputs of several named files, and mutations that keep them JSON, so that fuzzing gets past the parser.

An input is a head (what to do with the files) and files: `head`, then for each a line `=== name` and its bytes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fuzz.oddities import NAMES, ODD, PLACEHOLDERS

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
        places = list(_places(box))
        holder, key = chance.choice(places)
        chance.choice(_CHANGES)(holder, key, places, chance)
        if not box:
            box = [chance.choice(ODD)]
    return box[0]


def _places(box: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index) below `box`, up to a few thousand."""
    waiting, count = [box], 0
    while waiting and count < 5000:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            count += 1
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _replace(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    holder[key] = _copy(chance.choice(ODD))


def _delete(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    del holder[key]


def _double(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    if isinstance(holder, list):
        holder.insert(key, _copy(holder[key]))
    else:
        holder[f"{PLACEHOLDERS['twice']}{key}"] = _copy(holder[key])


def _swap(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    other, at = chance.choice(places)
    holder[key] = _copy(other[at])


def _rename(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    if isinstance(holder, dict):
        holder[chance.choice(NAMES)] = holder.pop(key)


def _wrap(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    holder[key] = chance.choice([[holder[key]], {chance.choice(NAMES): holder[key]}, str(holder[key])])


def _adjust(holder: Any, key: Any, places: Any, chance: random.Random) -> None:
    old = holder[key]
    if isinstance(old, bool) or not isinstance(old, int | float | str):
        return
    if isinstance(old, str):
        at = chance.randrange(len(old) + 1)
        holder[key] = old[:at] + chance.choice(["", "_", "/", " ", "0", "\x1b[2J", "é", "\ud800", old]) + old[at:]
    else:
        small = max(-1e300, min(1e300, old))
        holder[key] = chance.choice([-old, old + 1, small * 1e9, small / 3, str(small), small * 1e300, 7])


_CHANGES = (_replace, _replace, _replace, _delete, _double, _swap, _swap, _rename, _wrap, _adjust, _adjust)


def _copy(value: Any) -> Any:
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
