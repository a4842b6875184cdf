"""Old public names, which lead to the new ones for a while and say so."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of `module`: what `names` (old: new) renamed is found, with a DeprecationWarning.

    `__getattr__ = old_names(__name__, {"Felt": "Contacts"})`; a new name with dots is of the module that it tells.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is now called {names[name]}.", DeprecationWarning, stacklevel=2)
        home, _, new = names[name].rpartition(".")
        return getattr(import_module(home or module), new)

    return get
