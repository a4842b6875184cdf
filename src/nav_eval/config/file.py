"""A configuration file: YAML with bounds, each fault told with its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nav_eval.config.secrecy import may_tell
from nav_eval.errors import ConfigError
from nav_eval.reading import read

if TYPE_CHECKING:
    from yaml import MarkedYAMLError, Node

MAX_BYTES = 4 << 20
"""Of a configuration file; YAML is read at a megabyte in a second or two."""
MAX_VALUES = 100_000
"""Of a configuration file. A few aliases of aliases are billions, and composing them takes as long."""
UNFORESEEN = (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError, AssertionError)
"""What PyYAML and Hydra raise, besides their own errors, for values of a kind that they did not expect."""


@dataclass(frozen=True)
class ConfigFile:
    """What a file holds, and where."""

    content: dict[str, Any]
    root: Node | None
    """The document as YAML composes it, with the line of every key."""

    def line(self, key: str) -> int:
        """The line of `key` (dotted), or of the section that should hold it; from 1."""
        line, node = 1, self.root
        for part in key.split("."):
            found = next((pair for pair in _pairs(node) if pair[0].value == part), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        return line


NOTHING = ConfigFile({}, None)


def read_yaml(path: Path) -> ConfigFile:
    """The file at `path`. Raises ConfigError with the line of what is no YAML or stands twice."""
    import yaml

    text = ""
    try:
        text = read(path, MAX_BYTES).decode()
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        twice = next(_repeated_keys(root, set()), None)  # before merges are written out
        content = None if root is None else loader.construct_document(root)
        count = _values(content, {})
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such configuration file.") from None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {_broken_line(error, text)}") from None
    except (OSError, RecursionError, yaml.YAMLError, *UNFORESEEN) as error:
        why = type(error).__name__ if may_tell(text) else first_line(error)
        raise ConfigError(f"{path}: cannot be read as YAML: {why}") from None
    _check(path, content, count)
    if twice is not None:
        name = "a key" if may_tell(text) else repr(twice.value)
        raise ConfigError(f"{path}: line {twice.start_mark.line + 1}: {name} appears twice. Keep one of the two.")
    return ConfigFile(content or {}, root)


def _check(path: Path, content: Any, count: float) -> None:
    if count == math.inf:
        raise ConfigError(f"{path}: an alias refers to itself. Write its value out.")
    if count > MAX_VALUES:
        raise ConfigError(
            f"{path}: holds more than {MAX_VALUES:,} values, aliases written out. Leave out what is not set."
        )
    if not isinstance(content, dict | None):
        raise ConfigError(f"{path}: must hold sections such as `task:` at its top, not {type(content).__name__}.")


def _pairs(node: Node | None) -> Iterable[tuple[Node, Node]]:
    from yaml import MappingNode

    return node.value if isinstance(node, MappingNode) else ()


def _repeated_keys(node: Node | None, seen: set[int]) -> Iterator[Node]:
    """Keys that stand twice in one section; YAML would silently take the later."""
    from yaml import CollectionNode, ScalarNode

    if not isinstance(node, CollectionNode) or id(node) in seen:
        return
    seen.add(id(node))
    names: set[tuple[str, str]] = set()
    for key, _ in _pairs(node):
        if isinstance(key, ScalarNode) and (key.tag, key.value) in names:
            yield key
        names.add((key.tag, str(key.value)))
    for part in node.value:
        yield from _repeated_keys(part[1] if isinstance(part, tuple) else part, seen)


def _broken_line(error: MarkedYAMLError, text: str) -> str:
    """What is wrong in which line; only the line where the file holds a secret, because YAML's words may quote it."""
    mark = error.problem_mark or error.context_mark
    line = f"line {mark.line + 1}" if mark else "somewhere"
    return f"{line} is not YAML. Put its value in quotes?" if may_tell(text) else f"{line}: {error.problem}."


def _values(content: Any, counted: dict[int, float]) -> float:
    """How many values `content` has when every alias is written out, which nothing has done yet; inf: one in itself."""
    if not isinstance(content, dict | list):
        return 1
    if id(content) not in counted:
        counted[id(content)] = math.inf
        parts = [*content, *content.values()] if isinstance(content, dict) else content
        counted[id(content)] = 1 + sum(_values(part, counted) for part in parts)
    return counted[id(content)]


def holds(content: Any, key: str) -> bool:
    """Whether `content` sets `key` (dotted), or something in its place."""
    for part in key.split("."):
        if not isinstance(content, Mapping):
            return True
        if part not in content:
            return False
        content = content[part]
    return True


def first_line(error: Exception) -> str:
    """What an error of several lines says first."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
