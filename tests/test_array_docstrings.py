"""A public function that takes or returns arrays says their shape, itself or by an array type that is documented."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "src/nav_eval/engine"
WORLDS = ROOT / "packages/nav-eval-worlds/src/nav_eval_worlds"
SIMULATOR = ROOT / "src/nav_eval/simulator"
ROOMS = [*(folder for folder in sorted(ENGINE.iterdir()) if folder.is_dir()), SIMULATOR, WORLDS]
"""One by one: a class of one has the name of an array type of another."""
ARRAYS = {"NDArray", "ndarray", "ArrayLike"}
SIZE = r"(?:\.\.\.|\w+(?: [-+*/] \w+)*)"
SHAPE = re.compile(rf"\((?=[^()]*,)(?=[^()]*\b(?:[A-Z]|\d)){SIZE}(?:, {SIZE})*,?\)|\bscalar|\bshapes?\b")
"""`(N, 3)`, `(H, W)`, `(N,)`, `(3 * MAX_ROWS,)`, or a word that says so."""


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def trees(folder: Path) -> list[tuple[Path, ast.Module]]:
    return [(file, tree(file)) for file in sorted(folder.rglob("*.py"))]


def names(node: ast.AST) -> set[str]:
    """Words of an annotation, which may be a string."""
    return set(re.findall(r"[A-Za-z_]\w*", ast.unparse(node)))


def assigned(folder: Path) -> Iterator[tuple[str, ast.expr, str]]:
    """Names of the modules, their values and docstrings."""
    for _, module in trees(folder):
        for node, after in pairwise([*module.body, ast.Pass()]):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and node.value:
                yield target.id, node.value, ast.unparse(after) if isinstance(after, ast.Expr) else ""


def aliases(*folders: Path) -> set[str]:
    """Names that stand for an array type in the sources and tell no shape: `Floats = npt.NDArray[np.float32]`."""
    every = [one for folder in folders for one in assigned(folder)]
    found = set(ARRAYS)
    while more := {name for name, value, _ in every if _is_type(value, found)} - found:
        found |= more
    return ARRAYS | {name for name, value, doc in every if _is_type(value, found) and not SHAPE.search(doc)}


def _is_type(value: ast.expr, arrays: set[str]) -> bool:
    """Whether a module's constant is an array type, not an array: `Floats`, `NDArray[...]`, `Floats | None`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return _is_type(value.left, arrays) or _is_type(value.right, arrays)
    base = value.value if isinstance(value, ast.Subscript) else value
    last = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    return last in arrays


def functions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Public functions, and the public methods of public classes."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield f"{owner}{node.name}", node


def on_arrays(function: ast.FunctionDef, arrays: set[str]) -> bool:
    given = function.args
    notes = [one.annotation for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)] + [function.returns]
    return any(note is not None and names(note) & arrays for note in notes)


def silent(room: Path, arrays: set[str]) -> Iterator[str]:
    """Functions on arrays whose docstring names no shape."""
    arrays = arrays - {node.name for _, module in trees(room) for node in module.body if isinstance(node, ast.ClassDef)}
    for file, module in trees(room):
        for name, function in functions(module.body):
            if on_arrays(function, arrays) and not SHAPE.search(ast.get_docstring(function) or ""):
                yield f"{file.relative_to(ROOT)}:{function.lineno} {name}"


def test_a_function_on_arrays_says_their_shape() -> None:
    arrays = aliases(ENGINE, SIMULATOR, WORLDS)
    assert [one for room in ROOMS for one in silent(room, arrays)] == []


def test_what_counts_as_a_shape(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "Floats = npt.NDArray[np.float32]\nMaybe: TypeAlias = Floats | None\n"
        'Points = Floats\n"""(N, 3) metres."""\ndef moves(a: Points) -> Points: ...\n'
        'def tells(a: Floats) -> int:\n    """Of (N, 3) points."""\n'
        'def hides(a: "Maybe") -> int:\n    """Of points (all of them)."""\n'
        "def plain(a: int) -> int: ...\ndef _own(a: Floats) -> int: ...\n"
        "class A:\n    def hides(self) -> npt.NDArray[np.uint8]: ...\n"
    )
    found = [one for file, module in trees(tmp_path) for one, node in functions(module.body) if _bare(node, tmp_path)]
    assert found == ["hides", "A.hides"]


def _bare(function: ast.FunctionDef, folder: Path) -> bool:
    return on_arrays(function, aliases(folder)) and not SHAPE.search(ast.get_docstring(function) or "")
