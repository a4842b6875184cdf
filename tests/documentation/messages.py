"""What the source can say to a user: its strings, with {0}, {1}, ... for what they quote, as zh.po writes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ERRORS = re.compile(
    r"(Config|Dataset|Scene|Navmesh|Predictions|RunDirectory|Input|Usage|NavEval|Simulator)Error"
    r"|(Service|Simulator)Unavailable|ResourceExhausted"
)
SAYS = re.compile(r"(?:.*\.)?(say|complain|_complain|_say|write|worked|warning|info|error|fault|notice)")
WORDS = re.compile(r"[A-Za-z']{2,}")
LOGGED = re.compile(r"%(?:\.\d+)?[sdrfg]")


def strings(folder: Path) -> Iterator[str]:
    """Every text of two words and more in the code of a file or under a folder, but for documentation."""
    for file in sorted(folder.rglob("*.py")) or [folder]:
        yield from filter(is_prose, _strings(ast.parse(file.read_text(encoding="utf-8"))))


def messages(folder: Path) -> Iterator[str]:
    """What errors, logs, `say` and faults are given, and no other text."""
    for file in sorted(folder.rglob("*.py")) or [folder]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            texts = map(_text, _told(node))
            yield from filter(is_prose, (as_msgid(text) for text in texts if text is not None))


def _told(node: ast.AST) -> list[ast.expr]:
    """What a call that says something is given; of a pair that is yielded, the key of a fault and the fault."""
    if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
        return node.value.elts
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return node.args if ERRORS.fullmatch(name) or SAYS.fullmatch(name) else []
    return []


def is_prose(msgid: str) -> bool:
    return len(WORDS.findall(msgid)) > 1 and " " in msgid


def as_msgid(text: str) -> str:
    """Placeholders, which are NUL in `text`, numbered; without the white space around it."""
    parts = LOGGED.sub("\0", text).strip().split("\0")
    return "".join(f"{part}{{{number}}}" for number, part in enumerate(parts[:-1])) + parts[-1]


def _strings(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    text = _text(node)
    if text is not None:
        yield as_msgid(text)
        inside: list[ast.AST] = [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
        sums = [part for part in ast.walk(node) if isinstance(part, ast.BinOp)]
        inside += [side for part in sums for side in (part.left, part.right) if _text(side) is None]
    else:
        inside = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.arg)]
    for child in inside:
        yield from _strings(child)


def _text(node: ast.AST) -> str | None:
    """Of a literal or of a sum of some; None of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_text(side) for side in (node.left, node.right)]
        return None if sides == [None, None] else "".join("\0" if side is None else side for side in sides)
    return None
