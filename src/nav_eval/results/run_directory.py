"""A run directory: configuration, manifest, secret, journal; locked while a run writes into it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from nav_eval.config.schema import Config
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import RunDirectoryError
from nav_eval.results.files import write_bytes, write_json
from nav_eval.results.journal import Journal

MANIFEST_SCHEMA = 1


class RunDirectory:
    """Files of one run. Use as a context manager: it holds the lock and the journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: BinaryIO | None = None
        self._journal: Journal | None = None

    @classmethod
    def named(cls, out: str | Path | None, config: Config) -> RunDirectory:
        """`out`, or <log_dir>/<benchmark>-<time>."""
        if out is not None:
            return cls(Path(out))
        stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in config.benchmark.name)
        return cls(Path(config.output.log_dir) / f"{name}-{stamp}")

    @property
    def journal(self) -> Journal:
        if self._journal is None:
            raise RunDirectoryError(f"{self.path}: is not open.")
        return self._journal

    @property
    def secret(self) -> bytes:
        """What the opaque ids of this run are made with; drawn once, readable by its owner only."""
        path = self.path / "secret.key"
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
        return path.read_bytes()

    def begin(self, config: Config, facts: Mapping[str, Any], *, resume: bool) -> None:
        """Lock the directory and write config.yaml and manifest.json, or check that they still hold (resume).

        Raises RunDirectoryError if it is in use, holds another run, or a fact differs from the manifest's.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._take_lock()
        except OSError as error:
            raise RunDirectoryError(f"{self.path}: cannot be used ({error.strerror}). Choose another --out.") from None
        if (self.path / "manifest.json").exists():
            if not resume:
                raise RunDirectoryError(f"{self.path}: holds a run already. Add --resume, or choose another --out.")
            self._check_unchanged(facts)
        else:
            self._write_config(config)
            self._write_manifest({**facts, "started": _now(), "finished": None})
        self._journal = Journal(self.path, trajectories=config.output.save_trajectories)

    def finish(self, keys: Sequence[EpisodeKey], extra: Mapping[str, Any]) -> None:
        """Put the journal in order and note the end in the manifest."""
        self.journal.settle(keys)
        self._write_manifest(self.manifest() | dict(extra) | {"finished": _now()})

    def manifest(self) -> dict[str, Any]:
        """manifest.json; raises RunDirectoryError if the directory holds no run."""
        path = self.path / "manifest.json"
        try:
            content: dict[str, Any] = msgspec.json.decode(path.read_bytes())
        except FileNotFoundError:
            raise RunDirectoryError(f"{self.path}: is no run directory (it has no manifest.json).") from None
        except (OSError, msgspec.DecodeError) as error:
            raise RunDirectoryError(f"{path}: cannot be read: {error}.") from None
        if content.get("schema") != MANIFEST_SCHEMA:
            raise RunDirectoryError(f"{path}: schema {content.get('schema')!r} is not {MANIFEST_SCHEMA}.")
        return content

    def config(self) -> Config:
        """The resolved configuration that the run was made with."""
        from nav_eval.config.loader import load_config

        return load_config(file=self.path / "config.yaml", environment={})

    def open_for_reading(self) -> None:
        """Open the journal of a finished run (rescore, replay, report)."""
        self.manifest()
        self._journal = Journal(self.path, trajectories=(self.path / "trajectories.jsonl").exists())

    def write_json(self, name: str, content: Any) -> None:
        write_json(self.path / name, content)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_lock(self) -> None:
        self._lock = (self.path / ".lock").open("a+b")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunDirectoryError(f"{self.path}: another nav-eval run is writing here. Wait for it.") from None

    def _check_unchanged(self, facts: Mapping[str, Any]) -> None:
        manifest = self.manifest()
        for name in ("config_sha256", "dataset_sha256", "assets_sha256", "episodes_sha256", "secret_sha256"):
            for key in _changed(manifest.get(name), facts.get(name)):
                raise RunDirectoryError(
                    f"{self.path}: {name.removesuffix('_sha256')}{key} is not what the run began with, so it cannot be "
                    "resumed. Restore it, or start a new run with another --out."
                )

    def _write_config(self, config: Config) -> None:
        import yaml

        text = yaml.safe_dump(public_config(config), sort_keys=False, allow_unicode=True)
        write_bytes(self.path / "config.yaml", text.encode())

    def _write_manifest(self, content: Mapping[str, Any]) -> None:
        self.write_json("manifest.json", {"schema": MANIFEST_SCHEMA, **content})


def public_config(config: Config) -> dict[str, Any]:
    """The configuration as plain values, without token and secret."""
    content = config.model_dump(mode="json")
    for name in ("token", "secret"):
        content["agent_service"][name] = None
    return content


def run_facts(
    config: Config,
    keys: Sequence[EpisodeKey],
    dataset_files: Sequence[str],
    assets: Mapping[str, str],
    secret: bytes,
) -> dict[str, Any]:
    """What a result depends on, for manifest.json: versions, seed and SHA-256 sums."""
    scoring = public_config(config)
    for section in ("output", "agent_service"):
        scoring.pop(section)
    scoring["evaluation"].pop("parallel")
    scoring["agent_service"] = {"disclosure": config.agent_service.disclosure}
    return {
        "nav_eval": version("nav-eval"),
        "versions": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            **{name: version(name) for name in ("nav-eval-sdk", "numpy", "numba", "msgspec")},
        },
        "benchmark": config.benchmark.name,
        "profile": {"name": config.benchmark.profile, "version": config.benchmark.version},
        "renderer": config.simulator.renderer if _renders(config) else None,
        "seed": config.seed,
        "config_sha256": sha256(msgspec.json.encode(scoring, order="sorted")),
        "dataset_sha256": {Path(file).name: file_sha256(Path(file)) for file in dataset_files},
        "assets_sha256": dict(assets),
        "episodes_sha256": sha256(msgspec.json.encode(list(keys))),
        "n_episodes": len(keys),
        "secret_sha256": sha256(secret),
    }


def _renders(config: Config) -> bool:
    return any((sensor.type or name) in FRAME_SENSORS for name, sensor in config.simulator.sensors.items())


FRAME_SENSORS = frozenset({"rgb", "depth", "semantic", "panorama", "imagegoal"})


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _changed(before: Any, now: Any) -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        names = sorted(before.keys() | now.keys())
        return [f" file {name}" for name in names if before.get(name) != now.get(name)]
    return [] if before == now else [""]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
