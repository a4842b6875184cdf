"""A configuration of built-in files and of overrides as plain as `dataset.limit=5`, composed without Hydra.

Hydra and OmegaConf take 0.15 s of CPU to import and to compose, as much as all else of a short command. What is not
plain is theirs (composition.py), and what is plain becomes what they make of it: tests/config/test_plain.py compares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from importlib.resources import files
from pathlib import Path
from typing import Any

OVERRIDE = re.compile(
    r"\+\+(?!hydra\.)([a-z_]+(?:\.[a-z_]+)+)=(?:(0|[1-9][0-9]{0,15})|(?!(?:null|true|false|nan|inf)$)([a-z_][a-z0-9_]*))"
)
"""A key inside a section, and a whole number or a word."""
FROM_ENVIRONMENT = re.compile(r"\$\{oc\.env:(\w+),(\w+)\}")
"""The one interpolation of built-in files: a variable, and what stands for one that is not set."""


def is_plain(override: str) -> bool:
    """Whether Hydra's grammar would take its value as it stands."""
    return OVERRIDE.fullmatch(override) is not None


def plainly_composed(
    layers: Sequence[str | None], overrides: Sequence[str], environment: Mapping[str, str]
) -> dict[str, Any] | None:
    """The tree of built-in files (None: of none), then `overrides` in turn; None where that takes Hydra."""
    tree: dict[str, Any] = {}
    for layer in filter(None, layers):
        tree = _merged(tree, _built_in(layer))
    for override in overrides:
        found = OVERRIDE.fullmatch(override)
        if found is None or _meets_a_list(tree, found[1]):
            return None
        value: Any = int(found[2]) if found[2] else found[3]
        tree = _merged(tree, reduce(lambda held, name: {name: held}, reversed(found[1].split(".")), value))
    filled: dict[str, Any] = _filled(tree, environment)
    return filled


@cache
def _built_in(name: str) -> dict[str, Any]:
    """A file with those of its `defaults`, under the key that its first line names."""
    import yaml

    text = Path(str(files("nav_eval") / "configs" / f"{name}.yaml")).read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    tree: dict[str, Any] = {}
    for default in content.pop("defaults", ["_self_"]):
        part = content if default == "_self_" else _built_in("/".join(*default.items()).removeprefix("/"))
        tree = _merged(tree, part)
    package = text.partition("\n")[0].removeprefix("# @package ")
    return tree if package == "_global_" else {package: tree}


def _merged(below: Any, above: Any) -> Any:
    """Sections key by key; what is none replaces what was there."""
    if not isinstance(above, Mapping):
        return above
    below = below if isinstance(below, Mapping) else {}
    return {**below, **{key: _merged(below.get(key), value) for key, value in above.items()}}


def _meets_a_list(tree: Any, key: str) -> bool:
    for name in key.split("."):
        if isinstance(tree, list):
            return True
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return False


def _filled(value: Any, environment: Mapping[str, str]) -> Any:
    """With what the environment says."""
    if isinstance(value, Mapping):
        return {key: _filled(one, environment) for key, one in value.items()}
    if isinstance(value, str):
        return FROM_ENVIRONMENT.sub(lambda found: environment.get(found[1], found[2]), value)
    return value
