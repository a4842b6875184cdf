"""Environment variables: each that is read is declared once, and every command bears each that is declared."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import nav_eval
from documentation.configuration import parts
from graphs import write_r2r
from nav_eval.cli import main
from nav_eval.variables import VARIABLES
from variables_set import values

ROOT = Path(__file__).parents[2]
SOURCES = [*ROOT.glob("src/**/*.py"), *ROOT.glob("packages/*/src/**/*.py")]
DECLARATION = ROOT / "packages/nav-eval-sdk/src/nav_eval_sdk/variables.py"
NAME = re.compile(r"\bNAV_?EVAL_[A-Z_]*[A-Z]\b")
SPOKEN_OF = [path for path in ROOT.glob("[!.]*") if path.is_file()] + [
    path
    for folder in ("src", "packages", "docker", "docs", "examples", "unity")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".md", ".yaml", ".txt", ".po", ".cpp", ".cs", ".toml"} or "Dockerfile" in path.name
]
DECLARED = {variable.name: variable for variable in VARIABLES}


def reads(tree: ast.AST) -> Iterator[int]:
    """Lines that read one variable by its name; one that is handed on, or set for others where it is not, is none."""
    for node in ast.walk(tree):
        held = node.comparators[0] if isinstance(node, ast.Compare) else getattr(node, "value", None)
        used = isinstance(held, ast.AST) and ast.unparse(held) == "os.environ"
        if isinstance(node, ast.Compare | ast.Subscript) or getattr(node, "attr", "setdefault") != "setdefault":
            found = used or getattr(node, "attr", "").startswith("getenv")
        else:
            found = isinstance(node, ast.ImportFrom) and "environ" in {alias.name for alias in node.names}
        if found:
            yield node.lineno


@pytest.mark.parametrize(
    "text", ["os.environ['A']", "os.environ.get('A')", "'A' in os.environ", "os.getenv('A')", "from os import environ"]
)
def test_a_read_is_found(text: str) -> None:
    assert list(reads(ast.parse(text))) == [1]


@pytest.mark.parametrize("text", ["os.environ | {'A': '1'}", "os.environ.setdefault('A', '1')", "os.path.get('A')"])
def test_what_is_no_read_is_not(text: str) -> None:
    assert not list(reads(ast.parse(text)))


def test_only_a_declaration_reads_the_environment() -> None:
    texts = {path: path.read_text("utf-8") for path in SOURCES}
    spoken = {path: text for path, text in texts.items() if "environ" in text or "getenv" in text}  # else it reads none
    found = {path: list(reads(ast.parse(text))) for path, text in spoken.items()}
    assert {path for path, lines in found.items() if lines} == {DECLARATION}


@pytest.mark.parametrize("name", sorted({name for path in SPOKEN_OF for name in NAME.findall(path.read_text("utf-8"))}))
def test_a_variable_that_is_spoken_of_is_declared_or_a_key(name: str) -> None:
    keys = {part.name for part in parts()} | {key.name for part in parts() for key in part.keys}
    assert name in DECLARED or name.removeprefix("NAV_EVAL_").lower().replace("__", ".") in keys


@pytest.mark.parametrize("name", DECLARED)
def test_the_owner_reads_it(name: str) -> None:
    owner = DECLARED[name].owner.replace(".", "/")
    roots = (ROOT / "src", *ROOT.glob("packages/*/src"), ROOT)
    (file,) = (file for root in roots for file in (root / f"{owner}.py", root / owner / "__init__.py") if file.exists())
    declarations = (DECLARATION, ROOT / "src/nav_eval/variables.py")
    constants = [at for path in declarations for at in constant_of(path, name)]
    assert any(re.search(rf"\b{word}\b", file.read_text("utf-8")) for word in [*constants, name])


def constant_of(path: Path, name: str) -> Iterator[str]:
    """What it is called in Python."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and name in {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}:
            yield ast.unparse(node.targets[0])


@pytest.mark.parametrize("name", DECLARED)
def test_it_is_explained_in_both_languages(name: str) -> None:
    assert re.search("[a-z]", DECLARED[name].about)
    assert re.search("[\u4e00-\u9fff]", DECLARED[name].chinese)


def test_there_is_a_valid_value_for_each(tmp_path: Path) -> None:
    assert values(tmp_path).keys() == DECLARED.keys()


@pytest.mark.parametrize("name", DECLARED)
def test_every_command_that_reads_a_configuration_bears_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, values(tmp_path)[name])
    tiny = [*write_r2r(tmp_path), "dataset.limit=1"]
    for words in (["config", "show"], ["run", "--out", "run", "--progress", "none"]):
        monkeypatch.setattr(sys, "argv", ["nav-eval", *words, "r2r", *tiny, "agent_service.agent=stop"])
        monkeypatch.setattr(sys, "path", list(sys.path))
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0, capsys.readouterr().err
    nav_eval.make_env("r2r", overrides=tiny).close()
