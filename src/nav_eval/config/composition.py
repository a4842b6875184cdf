"""What Hydra composes of the layers' names: the tree on which the values are set.

Composing it is nearly all that loading a configuration costs, and what is inside the package does not change while a
process runs: a tree of built-in files alone is composed once, and each call sets its values in a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig

ROOT = "nav_eval_run"
HYDRA_GROUPS = ("output", "launcher", "sweeper", "help", "hydra_help", "hydra_logging", "job_logging")
"""Groups of what Hydra does for a program that it starts; they are left out."""


def composed(
    defaults: Sequence[str | None], nodes: Mapping[str, Any], overrides: Sequence[str], groups: Sequence[str]
) -> dict[str, Any]:
    """The tree of `defaults`, then `overrides` in turn; interpolations resolved.

    `defaults`: built-in files and `nodes` (name -> content); None is the place of a `profile`. Raises what Hydra,
    OmegaConf and PyYAML raise. Hydra's state is global: one thread at a time.
    """
    from hydra._internal.config_loader_impl import ConfigLoaderImpl
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf

    chosen: list[Override] = []
    values: list[Override] = []
    for override in OverridesParser.create().parse_overrides(list(overrides)):
        (chosen if _picks_a_group(override, groups) else values).append(override)
    tree = _layers(tuple(defaults), nodes, tuple(str(override.input_line) for override in chosen))
    # Hydra's own, for its words and its order of what is added, merged and deleted.
    ConfigLoaderImpl._apply_overrides_to_config(values, tree)
    resolved = OmegaConf.to_container(tree, resolve=True)
    assert isinstance(resolved, dict)
    return {str(key): value for key, value in resolved.items()}


def _picks_a_group(override: Override, groups: Sequence[str]) -> bool:
    """Whether it picks a member of a group, or something of Hydra's, and no value of ours."""
    key = override.key_or_group
    ours = key in groups and not isinstance(override.value(), dict)
    return ours or not key or "/" in key or key.partition(".")[0] == "hydra"


def _layers(defaults: tuple[str | None, ...], nodes: Mapping[str, Any], chosen: tuple[str, ...]) -> DictConfig:
    """Without Hydra as far as a file of the user's is only values, on top of built-in files."""
    from omegaconf import open_dict
    from omegaconf.errors import OmegaConfBaseException

    if not nodes:
        return deepcopy(_built_in(defaults, chosen))
    (*below, top) = defaults
    values = nodes.get(str(top), {})
    added = any(one.startswith("+") for one in chosen)  # a group that comes after the file
    if added or {*nodes} != {top} or {"defaults", "hydra"} & {*values}:
        return _tree(defaults, nodes, chosen)
    tree = deepcopy(_built_in(tuple(below), chosen))
    try:
        with open_dict(tree):
            tree.merge_with(values)
    except OmegaConfBaseException:  # Hydra's message is better
        return _tree(defaults, nodes, chosen)
    return tree


@lru_cache(maxsize=64)
def _built_in(defaults: tuple[str | None, ...], chosen: tuple[str, ...]) -> DictConfig:
    return _tree(defaults, {}, chosen)


def _tree(defaults: tuple[str | None, ...], nodes: Mapping[str, Any], chosen: tuple[str, ...]) -> DictConfig:
    from hydra import compose, initialize_config_module
    from hydra.core.config_store import ConfigStore
    from hydra.core.global_hydra import GlobalHydra

    store = ConfigStore.instance()
    GlobalHydra.instance().clear()
    for name, content in nodes.items():
        store.store(name=name, node=content, package="_global_")
    named = [{"profile": None} if name is None else name for name in defaults]
    left_out = [{f"override hydra/{group}": None} for group in HYDRA_GROUPS]
    store.store(name=ROOT, node={"defaults": [*named, "_self_", *left_out]})
    with initialize_config_module("nav_eval.configs", version_base="1.3"):
        return compose(ROOT, overrides=list(chosen))
