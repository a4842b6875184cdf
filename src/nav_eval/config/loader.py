"""From layers of configuration to one frozen, checked Config. Later layers win.

Built-in defaults (schema.py), the benchmark's file (nav_eval/configs/benchmarks), a --config file, NAV_EVAL_*
environment variables, the command line. Hydra's compose API does composition and the override grammar; pydantic
does validation, every fault at once. Nothing outside this module and composition.py knows Hydra.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nav_eval.config.composition import composed
from nav_eval.config.faults import faults_of
from nav_eval.config.file import NOTHING, UNFORESEEN, ConfigFile, first_line, holds, read_yaml
from nav_eval.config.secrecy import may_tell, overlaps, secret_keys, without_secrets
from nav_eval.errors import ConfigError, advice
from nav_eval.registry import nearest
from nav_eval.variables import VARIABLES

if TYPE_CHECKING:
    from pydantic import ValidationError

    from nav_eval.config.schema import Config

ENVIRONMENT_PREFIX = "NAV_EVAL_"
LINE_ENDS = "\r\n"
"""What a file's last line brings along into a variable."""
GROUPS = ("benchmarks", "tasks", "simulator", "profile")
CONVENTION = "task.convention"
PLUGIN_BENCHMARK, OWN_FILE = "nav_eval_plugin_benchmark", "nav_eval_config_file"
"""Names of layers that are in no file of the package; Hydra's messages tell them."""
PROFILED = "r2r-ce"
"""The benchmark of `profile=NAME` alone: what most models of the field publish."""
NO_KEYS = frozenset(variable.name for variable in VARIABLES)
MAX_FAULTS = 50
"""Told in one message."""
_HYDRA_IS_GLOBAL = threading.Lock()


def builtin_benchmarks() -> dict[str, Path]:
    """Name -> file of every benchmark inside the package."""
    return _members("benchmarks")


def model_profiles() -> dict[str, str]:
    """Name -> what stands in its file's first comment, of every published model whose cameras and motion are known."""
    told = {name: path.read_text(encoding="utf-8").splitlines()[1:] for name, path in _members("profile").items()}
    comments = {name: takewhile(lambda line: line.startswith("#"), lines) for name, lines in told.items()}
    return {name: " ".join(line.lstrip("# ") for line in lines) for name, lines in comments.items()}


def _members(group: str) -> dict[str, Path]:
    """Name -> file of every member that a group has inside the package."""
    folder = Path(str(files("nav_eval") / "configs" / group))
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load_config(
    benchmark: str | None = None,
    *,
    file: str | Path | None = None,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    benchmark_file: Path | None = None,
) -> Config:
    """The resolved configuration of a run.

    `benchmark`: a built-in name; `benchmark_file`: the file of a plug-in's benchmark; `file`: a --config file;
    `overrides`: Hydra grammar; `environment`: default os.environ. Raises ConfigError with every fault.
    Nothing that it names is imported or executed: it may be a stranger's.
    """
    environment = os.environ if environment is None else environment
    from_environment = environment_overrides(environment)
    if benchmark is None and file is None and any(override.startswith("profile=") for override in overrides):
        benchmark = PROFILED
    layers = Layers(benchmark, benchmark_file, Path(file) if file else None, from_environment, tuple(overrides))
    return validate(_with_secrets(layers.compose(), environment), layers)


def environment_overrides(environment: Mapping[str, str]) -> tuple[str, ...]:
    """NAV_EVAL_EVALUATION__MAX_STEPS=20 -> evaluation.max_steps=20, sorted by name.

    A secret is text in no grammar, so its variable's name stands for it until the layers are composed.
    """
    names = sorted(n for n in environment if n.startswith(ENVIRONMENT_PREFIX) and n not in NO_KEYS)
    keys = {name: _environment_key(name) for name in names}
    return tuple(
        f"{key}={name if key in secret_keys() else environment[name].rstrip(LINE_ENDS)}" for name, key in keys.items()
    )


def _with_secrets(content: dict[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """`content` with the secrets that it names by their variables. Raises ConfigError for one that is empty."""
    for key in secret_keys():
        section, _, name = key.rpartition(".")
        variable = ENVIRONMENT_PREFIX + key.upper().replace(".", "__")
        held = content.get(section)
        if variable in environment and isinstance(held, dict) and held.get(name) == variable:
            held[name] = environment[variable].rstrip(LINE_ENDS)
            if not held[name].strip():
                raise ConfigError(f"{variable} is set, but empty. Give it the value of {key}, or unset it.")
    return content


def _environment_key(name: str) -> str:
    return ".".join(part.lower() for part in name.removeprefix(ENVIRONMENT_PREFIX).split("__"))


@dataclass(frozen=True)
class Layers:
    """The sources of one configuration; they also say where a faulty value came from."""

    benchmark: str | None
    benchmark_file: Path | None
    file: Path | None
    environment: tuple[str, ...]
    command_line: tuple[str, ...]
    bare: bool = False
    """Without what may hold a secret: what is wrong with the rest can be told in full."""

    def __post_init__(self) -> None:
        known = builtin_benchmarks()
        if self.benchmark is not None and self.benchmark_file is None and self.benchmark not in known:
            raise ConfigError(
                f"there is no benchmark {self.benchmark!r}.{nearest(self.benchmark, known)} "
                + advice(
                    "`nav-eval list benchmarks` shows them; a file of your own is given with --config.",
                    f"There are {', '.join(known)}; a file of your own is given as config=FILE.",
                )
            )

    @cached_property
    def own(self) -> ConfigFile:
        """The --config file, read once however many faults ask where they come from."""
        return NOTHING if self.file is None else read_yaml(self.file)

    def compose(self) -> dict[str, Any]:
        """All layers merged by Hydra, interpolations resolved; not yet validated.

        Hydra's errors quote what they do not understand, so one that a secret may have part in is not told.
        """
        try:
            return self._compose()
        except ConfigError:
            self._without_secrets()._compose()
        raise ConfigError(
            f"{' or '.join(secret_keys())}: the value cannot be read, and is not shown here. Quote it, or set "
            f"{' or '.join(ENVIRONMENT_PREFIX + key.upper().replace('.', '__') for key in secret_keys())}, "
            "which is taken as it is."
        )

    def _without_secrets(self) -> Layers:
        environment = tuple(o for o in self.environment if not may_tell(o))
        command_line = tuple(o for o in self.command_line if not may_tell(o))
        return replace(self, environment=environment, command_line=command_line, bare=True)

    def _content_of(self, file: ConfigFile) -> dict[str, Any]:
        held: dict[str, Any] = without_secrets(file.content) if self.bare else file.content
        return held

    def _compose(self) -> dict[str, Any]:
        from hydra.errors import HydraException
        from omegaconf.errors import OmegaConfBaseException

        with _HYDRA_IS_GLOBAL:
            try:
                return composed(self._defaults(), self._nodes(), self._all_overrides(), (*GROUPS, "convention"))
            except (HydraException, OmegaConfBaseException) as error:
                raise ConfigError(_about_groups(first_line(error), self._all_overrides())) from None
            except (OSError, *UNFORESEEN) as error:  # where Hydra takes a value for a file's name, or for another type
                raise ConfigError(
                    f"the configuration cannot be put together ({first_line(error)}). "
                    "Check what `defaults` and the groups tasks, simulator and benchmarks are set to."
                ) from None
            except RecursionError:
                raise ConfigError(f"{self.file}: an alias refers to itself. Write its value out.") from None

    def _nodes(self) -> dict[str, Any]:
        """What is in no file of the package."""
        nodes: dict[str, Any] = {}
        if self.benchmark_file is not None:
            nodes[PLUGIN_BENCHMARK] = self._content_of(read_yaml(self.benchmark_file))
        if self.file is not None:
            nodes[OWN_FILE] = self._content_of(self.own)
        return nodes

    def _defaults(self) -> list[str | None]:
        """The names of the layers; None: of the profile."""
        benchmark = PLUGIN_BENCHMARK if self.benchmark_file else f"benchmarks/{self.benchmark}"
        given = (override.lstrip("+").partition("=") for override in (*self.environment, *self.command_line))
        return [
            *([benchmark] if self.benchmark_file or self.benchmark is not None else []),
            None,
            *self._convention(self.own.content.get("task")),
            *([OWN_FILE] if self.file is not None else []),
            *self._convention({key: value for key, _, value in given if key == CONVENTION}, CONVENTION),
        ]

    def _convention(self, keys: Any, key: str = "convention") -> list[str]:
        """The keys that a convention sets lie right under the layer that names it; an unknown one is validation's."""
        name = keys.get(key) if isinstance(keys, Mapping) else None
        return [f"convention/{name}"] if isinstance(name, str) and name in _members("convention") else []

    def given_now(self, key: str) -> bool:
        """Whether `key` was set for this call, by an override or the environment, and not by a file."""
        return _set_by((*self.command_line, *self.environment), key)

    def _all_overrides(self) -> list[str]:
        given = [(o, "environment") for o in self.environment] + [(o, "command line") for o in self.command_line]
        return [part for override, source in given for part in _whole(_force(override, source))]

    def origin(self, key: str) -> str:
        """Which layer last set `key` (dotted), in brackets."""
        if _set_by(self.command_line, key):
            return advice("[the command line]", "[overrides]")
        if _set_by(self.environment, key):
            return "[the environment]"
        if self.file is not None and holds(self.own.content, key):
            return f"[{self.file} line {self.own.line(key)}]"
        return f"[benchmark {self.benchmark}]" if self.benchmark else "[the defaults]"


def _set_by(overrides: Sequence[str], key: str) -> bool:
    return any(overlaps(override.lstrip("+~").partition("=")[0], key) for override in overrides)


def _force(override: str, source: str) -> str:
    """Plain `key=value` may name any key here: pydantic then reports all unknown ones together.

    sample(3), a value of output.video, would be a function in Hydra's grammar, so it is quoted.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    override = re.sub(r"=(sample\(\d+\))$", r"='\1'", override)
    try:
        parsed = OverridesParser.create().parse_override(override)
    except HydraException as error:
        raise ConfigError(
            f"{override!r} ({source}) is not an override: {first_line(error)} Write key=value, for example "
            "evaluation.max_steps=20; quote a value that holds spaces or brackets."
        ) from None
    if parsed.is_sweep_override():
        key, _, value = override.partition("=")
        raise ConfigError(
            f"{override!r} ({source}) is a sweep; nav_eval runs one configuration. Give one value, or write a list "
            f"in brackets: {key}=[{value}]"
        )
    plain = not override.startswith(("+", "~")) and parsed.key_or_group not in GROUPS
    return f"++{override}" if plain else override


def _about_groups(told: str, overrides: Sequence[str]) -> str:
    """What Hydra told; in our words where a group has no such member, or is chosen for the first time."""
    for group, _, name in (override.lstrip("+").partition("=") for override in overrides):
        if group not in GROUPS or not (f"'{group}'" in told or f"'{group}/{name}'" in told):
            continue
        names = _members(group)
        if name not in names:
            return f"{group}: there is no {name!r}.{nearest(name, names)} Known: {', '.join(names)}."
        return f"{group}={name}: nothing has chosen a {group} yet that this could replace. Write +{group}={name}"
    return told


def _whole(override: str) -> list[str]:
    """simulator.sensors={...} names all the sensors: Hydra would add them to the benchmark's, each with a frame of its
    own to draw.
    """
    return ["++simulator.sensors=null", override] if override.startswith("++simulator.sensors=") else [override]


def validate(content: Mapping[str, Any], layers: Layers) -> Config:
    """A Config, or a ConfigError with one line per fault: key, what is wrong, nearest name, where it came from."""
    from pydantic import ValidationError

    from nav_eval.config.schema import Config

    try:
        return Config.model_validate(_lists_to_tuples(content)).from_layers(layers)
    except ValidationError as error:
        raise ConfigError(_explain(error, layers)) from None


def _explain(error: ValidationError, layers: Layers) -> str:
    from nav_eval.config.schema import Config

    total = error.error_count()
    told = islice(faults_of(error, Config), MAX_FAULTS)
    lines = [f"{key}: {text} {layers.origin(key)}" for key, text in told]
    if total > MAX_FAULTS:
        lines.append(f"... and {total - MAX_FAULTS} more.")
    count = f"{total} faults in the configuration" if total > 1 else "1 fault in the configuration"
    return "\n  ".join([f"{count}:", *lines])


def _lists_to_tuples(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _lists_to_tuples(item) for key, item in value.items()}
    return tuple(_lists_to_tuples(item) for item in value) if isinstance(value, list) else value
