"""A run directory: configuration, manifest, secret, journal; locked while a run writes into it."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import msgspec

from nav_eval.config.locations import as_seen_from
from nav_eval.config.schema import Config
from nav_eval.config.secrecy import public_config
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import NavEvalError, RunDirectoryError, advice, exhausted, one_line
from nav_eval.geometry import total
from nav_eval.logging import get_logger
from nav_eval.reading import file_sha256
from nav_eval.registry import entered, import_plugins
from nav_eval.results import run_segments
from nav_eval.results.facts import changed, sources_sum
from nav_eval.results.files import locked, write_bytes, write_json
from nav_eval.results.journal import Journal
from nav_eval.results.records import reference_kind
from nav_eval.results.rules import LATER, flat, perturbations_of, rules_sum

MANIFEST_SCHEMA = 1
PLUGIN_KINDS = (
    "agents",
    "benchmarks",
    "crowds",
    "datasets",
    "generators",
    "metrics",
    "perturbations",
    "physics",
    "published_tables",
    "scene_formats",
    "sensors",
    "simulators",
    "tasks",
    "training_data",
)
"""Every group of entry points that a plug-in can use, without its `nav_eval.`."""
OURS = ("nav-eval-baselines", "nav-eval-extras", "nav-eval-worlds")
"""Distributions of this project that register components as a plug-in does."""
PER_EPISODE = ("episodes.jsonl", "trajectories.jsonl", "results.csv", "submission.json", "shard.json", "tries.jsonl")
"""Files that tell of single episodes: never part of a run's public form."""
SHARDS_MISSING = "shards_missing"
"""Key of a manifest that was merged without some shards: it lacks the files of scenes that only those would play."""
SECRET = "secret.key"
RUN_FILES = ("config.yaml", "results.json", *PER_EPISODE)


class RunDirectory:
    """Files of one run. Use as a context manager: it holds the lock and the journal.

    A run that ends with an error before any episode was shown to the agent leaves nothing behind.
    Raises RunDirectoryError where one of them is a link, a pipe or a device: in a stranger's run it could be endless,
    or another file of this machine that is then published.
    """

    def __init__(self, path: Path) -> None:
        for file in (path / name for name in ("manifest.json", SECRET, *RUN_FILES)):
            if file.is_symlink() or (file.exists() and not file.is_file()):
                raise RunDirectoryError(
                    f"{file}: is not a regular file but a link, a folder or a device. Copy the file."
                )
        self.path = path
        self._lock: IO[bytes] | None = None
        self._journal: Journal | None = None
        self._since: float | None = None
        self._fresh = self._made = False

    @classmethod
    def named(cls, out: str | Path | None, config: Config, suffix: str = "") -> RunDirectory:
        """`out`, or <log_dir>/<benchmark>-<time><suffix>."""
        if out is not None:
            return cls(Path(out))
        stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in config.benchmark.name)
        return cls(Path(config.output.log_dir) / f"{name}-{stamp}{suffix}")

    @property
    def journal(self) -> Journal:
        if self._journal is None:
            raise RunDirectoryError(f"{self.path}: is not open.")
        return self._journal

    @property
    def secret(self) -> bytes:
        """What the opaque ids of this run are made with; drawn once, readable by its owner only."""
        path = self.path / SECRET
        if not path.exists():
            write_bytes(path, secrets.token_hex(32).encode(), mode=0o600)
        return path.read_bytes()

    def claim(self, *, resume: bool) -> None:
        """Make and lock the directory. Raises RunDirectoryError if it is in use, or holds a run and not `resume`."""
        self._made = not self.path.exists()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = locked(self.path)
        except OSError as error:
            raise exhausted(error) or RunDirectoryError(
                f"{self.path}: cannot be used ({error.strerror}). Choose another {advice('--out', 'out')}."
            ) from error
        self._fresh = not (self.path / "manifest.json").exists()
        if not self._fresh and not resume:
            what = advice("Add --resume, or choose another --out.", "Choose another out.")
            raise RunDirectoryError(f"{self.path}: holds a run already. {what}")

    def begin(self, config: Config, facts: Mapping[str, Any], unmet: Mapping[str, str] = MappingProxyType({})) -> None:
        """Write config.yaml and manifest.json, or check that they still hold; then open the journal.

        `unmet`: of the facts' assets, those of scenes without a finished episode.
        Raises RunDirectoryError naming what differs from what the run began with.
        """
        if (self.path / "manifest.json").exists():
            manifest = _complete(self.manifest(), unmet)
            self._check_unchanged(manifest, config, facts)
            self._begin_segment(manifest, run_segments.read(manifest))
        else:
            self._write_config(config)
            here = os.path.relpath(Path.cwd(), self.path.resolve())
            self._begin_segment({**facts, "working_directory": here, "started": None, "finished": None}, [])
        self._journal = Journal(self.path, trajectories=config.output.save_trajectories)

    def finish(self, extra: Mapping[str, Any]) -> None:
        """Note the end and the SHA-256 of every file that was written in the manifest."""
        files = {name: file_sha256(self.path / name) for name in RUN_FILES if (self.path / name).exists()}
        self._end_segment(
            lambda last: {**extra, "finished": run_segments.end_of(last).isoformat(), "files_sha256": files}
        )

    def _begin_segment(self, manifest: Mapping[str, Any], before: Sequence[run_segments.Segment]) -> None:
        now = run_segments.begin(before)
        self._write_manifest({**manifest, "started": now[0]["started"], "sittings": now})
        self._since = time.monotonic()

    def _end_segment(self, facts: Callable[[run_segments.Segment], Mapping[str, Any]] = lambda _: {}) -> None:
        """Note how long this segment was, and the `facts` of its end."""
        if self._since is None:
            return
        manifest, seconds = self.manifest(), time.monotonic() - self._since
        now = run_segments.finish(run_segments.read(manifest), seconds)
        self._write_manifest({**manifest, "sittings": now, **facts(now[-1])})
        self._since = None

    def seconds(self) -> float:
        """How long the run has been worked on; a segment whose evaluator died counts none."""
        before = total(segment["seconds"] or 0.0 for segment in run_segments.read(self.manifest()))
        return before + (0.0 if self._since is None else time.monotonic() - self._since)

    def manifest(self) -> dict[str, Any]:
        """manifest.json; raises RunDirectoryError if the directory holds no run."""
        path = self.path / "manifest.json"
        try:
            content: dict[str, Any] = msgspec.json.decode(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            raise RunDirectoryError(f"{self.path}: is not a run directory (it has no manifest.json).") from None
        except (OSError, UnicodeDecodeError, RecursionError, msgspec.DecodeError) as error:
            raise RunDirectoryError(f"{path}: cannot be read: {error}.") from None
        if not isinstance(content, dict):
            raise RunDirectoryError(f"{path}: is not a manifest.")
        if content.get("schema") != MANIFEST_SCHEMA:
            raise RunDirectoryError(f"{path}: schema {content.get('schema')!r} is not {MANIFEST_SCHEMA}.")
        return content

    def results(self) -> dict[str, Any] | None:
        """results.json, None where there is none. Raises RunDirectoryError if it is damaged."""
        path = self.path / "results.json"
        try:
            content: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError, RecursionError, msgspec.DecodeError) as error:
            raise RunDirectoryError(f"{path}: cannot be read ({error}).") from None
        if isinstance(references := content.get("references"), dict):
            content["references"] = {reference_kind(kind): count for kind, count in references.items()}
        return content

    def config(self, overrides: Sequence[str] = ()) -> Config:
        """The resolved configuration that the run was made with; nothing that it names is imported."""
        from nav_eval.config.loader import load_config

        return load_config(file=self.path / "config.yaml", overrides=overrides, environment={})

    def trusted_config(self, overrides: Sequence[str] = (), *, allow_plugins: bool = False) -> Config:
        """`config`, its data where the run found it and its plugins imported, so that its components can be made.

        Raises RunDirectoryError that names what the run's own file would import or execute here, unless it is allowed:
        the directory may be a stranger's. What the overrides name, or is imported already, is the user's own.
        """
        config = self.config(overrides)
        code = _named_code(config, overrides)
        if code and not allow_plugins:
            raise RunDirectoryError(
                f"{self.path}/config.yaml: this would {' and '.join(code)} on your machine. "
                "If you trust whoever made the run, add --allow-plugins."
            )
        import_plugins(config.plugins)
        for name in changed(self.manifest().get("plugins", {}), _plugins(config)):
            get_logger(__name__).warning(
                "%s: plug-in %s is no longer the one that the run was made with: values may differ for that.",
                self.path,
                one_line(name),
            )
        started_in = self.path.resolve() / self.manifest().get("working_directory", Path.cwd())
        return as_seen_from(config, started_in, _override_keys(overrides))

    def open_for_reading(self) -> None:
        """Open the journal of a finished run (rescore, replay, report)."""
        self.manifest()
        kept = (self.path / "trajectories.jsonl").exists()
        self._journal = Journal(self.path, trajectories=kept, writable=False)

    def finished(self) -> Collection[EpisodeKey]:
        """Episodes that a run which is to be resumed here need not play again."""
        if not (self.path / "episodes.jsonl").exists():
            return ()
        with RunDirectory(self.path) as reader:
            reader.open_for_reading()
            return set(reader.journal.finished())

    def write_json(self, name: str, content: Any) -> None:
        write_json(self.path / name, content)

    def close(self) -> None:
        with suppress(NavEvalError):  # on a full disk only this figure is lost; what filled it is being told
            self._end_segment()
        try:
            if self._journal is not None:
                self._journal.close()
        finally:
            if self._lock is not None:
                self._lock.close()

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is not None and self._fresh and not self._has_shown_episodes():
            self._withdraw()
        self.close()

    def _has_shown_episodes(self) -> bool:
        """Whether any episode was shown to the agent, or has a result."""
        files = (self.path / name for name in PER_EPISODE if name != "shard.json")
        return any(file.exists() and file.stat().st_size for file in files)

    def _withdraw(self) -> None:
        """Take back what was written since the directory was claimed."""
        self._since = None
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        for name in (".lock", "manifest.json", SECRET, *RUN_FILES):
            (self.path / name).unlink(missing_ok=True)
        if self._made:
            with suppress(OSError):  # somebody else's file lies in it
                self.path.rmdir()

    def _check_unchanged(self, manifest: Mapping[str, Any], config: Config, facts: Mapping[str, Any]) -> None:
        differences = config_differences(self.stored_config(), public_config(config))
        if not differences and manifest.get("run_rules_sha256", facts["run_rules_sha256"]) != facts["run_rules_sha256"]:
            differences.append("config.yaml was changed: its rules are not those of run_rules_sha256")
        if manifest.get("shard") != facts.get("shard"):
            was, now = (f"shard {given['shard']}" if given.get("shard") else "no shard" for given in (manifest, facts))
            differences.append(f"it was {was}, is {now} (--shard)")
        for name in ("dataset_sha256", "assets_sha256", "episodes_sha256", "secret_sha256"):
            differences += [f"{name.removesuffix('_sha256')}{key}" for key in _changes(manifest.get(name), facts[name])]
        differences += [f"plug-in {name}" for name in changed(manifest.get("plugins", {}), facts["plugins"])]
        if differences:
            more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
            raise RunDirectoryError(
                f"{self.path}: cannot be resumed, because it is not what the run began with: {differences[0]}{more}.\n"
                "Restore it, or start a new run with another --out."
            )

    def stored_config(self) -> Any:
        """config.yaml as plain values."""
        import yaml

        path = self.path / "config.yaml"
        try:
            return yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise RunDirectoryError(f"{path}: cannot be read: {error}. Start a new run with another --out.") from None

    def _write_config(self, config: Config) -> None:
        import yaml

        content = public_config(config)
        for name in WAY_THERE:
            del content["agent_service"][name]
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        write_bytes(self.path / "config.yaml", text.encode())

    def _write_manifest(self, content: Mapping[str, Any]) -> None:
        self.write_json("manifest.json", {"schema": MANIFEST_SCHEMA, **content})


def _named_code(config: Config, overrides: Sequence[str]) -> list[str]:
    """What using a run's configuration would do with names out of it, as verbs for a message."""
    given = _override_keys(overrides)
    modules = [repr(name) for name in config.plugins if name not in sys.modules and "plugins" not in given]
    command = None if given & {"simulator", "simulator.command"} else config.simulator.command
    return [f"import {', '.join(modules)}"] * bool(modules) + [f"execute {command!r}"] * bool(command)


def _override_keys(overrides: Sequence[str]) -> set[str]:
    """The keys that overrides set."""
    return {override.lstrip("+~").partition("=")[0] for override in overrides}


WAY_THERE = ("endpoint", "endpoints", "allowed_networks", "token_file", "tls")
"""Keys of agent_service that lead to the participant's machine. No result depends on them; config.yaml is published."""


def _scoring(content: Mapping[str, Any]) -> dict[str, Any]:
    """What of a public configuration may change a result: a run with anything else of it is another run."""
    service = dict(content["agent_service"])
    if "replays" in service:  # in records of runs from before its new name
        service["episode_restarts"] = service.pop("replays")
    named = ("type", "disclosure", "episode_restarts", *(["agent"] if service["type"] == "local" else []))
    named = (*named, *(["jpeg"] if service.get("jpeg") else []))
    evaluation = {name: value for name, value in content["evaluation"].items() if name != "parallel"}
    simulator = {name: value for name, value in content["simulator"].items() if name != "renderer_threads"}
    own = {"evaluation": evaluation, "simulator": simulator, "agent_service": {name: service[name] for name in named}}
    return {name: value for name, value in content.items() if name != "output"} | own


def config_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """One text per key that may change a result, for example "evaluation.max_steps was 30, is 20"."""
    return [f"{key} was {old!r}, is {new!r}" for key, old, new in config_changes(before, now)]


def config_changes(
    one: Mapping[str, Any], other: Mapping[str, Any], but: Collection[str] = ()
) -> list[tuple[str, Any, Any]]:
    """(key, its value in one, its value in the other) of what may change a result and differs; none of `but`."""
    old, new = ({**LATER, **dict(flat(_scoring(content)))} for content in (one, other))
    return [(key, old.get(key), new.get(key)) for key in new | old if old.get(key) != new.get(key) and key not in but]


def run_facts(
    config: Config,
    keys: Sequence[EpisodeKey],
    dataset_files: Sequence[str],
    assets: Mapping[str, str],
    secret: bytes,
    *,
    renders: bool,
    distributions: Sequence[str] = (),
) -> dict[str, Any]:
    """What a result depends on, for manifest.json: versions, seed, SHA-256 sums, and the renderer if one is used.

    `distributions`: further ones whose versions matter.
    """
    perturbations = perturbations_of(config)
    return {
        "nav_eval": version("nav-eval"),
        "nav_eval_sha256": sources_sum(),
        "versions": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            **{name: version(name) for name in ("nav-eval-sdk", "numpy", "numba", "msgspec", *distributions)},
        },
        "plugins": _plugins(config),
        "benchmark": config.title,
        "split": config.dataset.split,
        "profile": {"name": config.benchmark.profile, "version": config.benchmark.version},
        "renderer": _renderer(config) if renders else None,
        "seed": config.seed,
        **({"perturbations": perturbations} if perturbations else {}),
        "config_sha256": config_sum(config),
        "run_rules_sha256": rules_sum(config),
        "dataset_sha256": dataset_sums(dataset_files),
        "assets_sha256": dict(assets),
        "episodes_sha256": keys_sum(keys),
        "n_episodes": len(keys),
        "secret_sha256": sha256(secret),
    }


def _renderer(config: Config) -> str:
    """What drew the frames: runs of another renderer, or of other edges, are not compared."""
    simulator = config.simulator
    return f"{simulator.renderer} antialiased" if simulator.antialiasing else simulator.renderer


def _plugins(config: Config) -> dict[str, str]:
    """Other people's distributions that add components, with their versions, and SHA-256 of each module of `plugins`.

    Ours have the version of nav_eval, and what they make is a file with a checksum.
    """
    files = {name: getattr(sys.modules.get(name), "__file__", None) for name in config.plugins}
    points = [point for kind in PLUGIN_KINDS for point in entered(f"nav_eval.{kind}")]
    known = dict.fromkeys(point.dist for point in points if point.dist)  # a distribution reads itself for its name
    others = [other for other in known if other.name not in OURS]
    installed = {f"{other.name} (installed)": other.version for other in others}
    return installed | {name: file_sha256(file) for name, file in files.items() if file}


def config_sum(config: Config) -> str:
    """SHA-256 of all that may change a result."""
    return sha256(msgspec.json.encode(_scoring(public_config(config)), order="sorted"))


def keys_sum(keys: Sequence[EpisodeKey]) -> str:
    """SHA-256 of a list of episodes in its order."""
    return sha256(msgspec.json.encode(list(keys)))


def dataset_sums(files: Sequence[str]) -> dict[str, str]:
    """File name -> SHA-256, as the manifest keeps them of a data set."""
    return {Path(file).name: file_sha256(file) for file in files}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _complete(manifest: Mapping[str, Any], unmet: Mapping[str, str]) -> Mapping[str, Any]:
    """The manifest of a run that goes on: what was merged without all shards takes in the scenes that it lacks."""
    if SHARDS_MISSING not in manifest:
        return manifest
    kept = {name: value for name, value in manifest.items() if name != SHARDS_MISSING}
    return kept | {"assets_sha256": {**unmet, **manifest["assets_sha256"]}}


def _changes(before: Any, now: Any) -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        names = sorted(before.keys() | now.keys())
        return [f" file {name}" for name in names if before.get(name) != now.get(name)]
    return [] if before == now else [""]
