"""Where the files of a competition lie, below the folder of challenge.yaml."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from nav_eval.errors import InputError


@dataclass(frozen=True)
class Folder:
    """`private/`: keys and seeds; `state/`: database and runs; `uploads/`: predictions. Readable by one user only."""

    path: Path

    @property
    def challenge(self) -> Path:
        return self.path / "challenge.yaml"

    @property
    def private(self) -> Path:
        return self.path / "private"

    @property
    def database(self) -> Path:
        return self.path / "state" / "db.sqlite3"

    @property
    def runs(self) -> Path:
        """A run directory per submission, as far as workers have sent it."""
        return self.path / "state" / "runs"

    @property
    def public(self) -> Path:
        """What everybody may download of entries; it can be made again."""
        return self.path / "state" / "public"

    @property
    def images(self) -> Path:
        """Archives that teams have sent, by SHA-256, and parts of some."""
        return self.path / "state" / "images"

    def people(self, phase: str) -> Path:
        """What the people who play a phase do."""
        return self.path / "state" / "people" / phase

    def contents(self, phase: str) -> Path:
        """What a phase plays, by content, as the evaluator said when it was last asked."""
        return self.path / "state" / f"contents-{phase}.json"

    @property
    def work(self) -> Path:
        """Of the worker on this machine."""
        return self.path / "state" / "work"

    @property
    def uploads(self) -> Path:
        return self.path / "uploads"

    @property
    def worker_token(self) -> Path:
        return self.private / "worker.token"

    def make(self) -> None:
        """Every folder, mode 700."""
        for path in (self.private, self.path / "state", self.runs, self.public, self.images, self.work, self.uploads):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def secret(self, name: str) -> str:
        """A private file's text. Raises InputError where it is absent."""
        try:
            return (self.private / name).read_text(encoding="ascii").strip()
        except OSError as error:
            raise InputError(
                f"{self.private / name}: cannot be read ({error.strerror}). `nav-eval competition init DIR` makes it; "
                "restore it from your backup if teams have registered already."
            ) from None

    def write_secret(self, name: str, text: str) -> None:
        """A new private file, mode 600; one that is there stays as it is."""
        path = self.private / name
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(f"{text}\n")
