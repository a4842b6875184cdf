"""The worker's copy of a run, kept equal to what the server has: fetched before, sent while and after it is played."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from nav_eval.reading import file_sha256
from nav_eval_server.queue.client import PIECE, Server
from nav_eval_server.queue.files import GROWING, LOGS, WHOLE


class RunFolder:
    """`path`: the run directory that the evaluator writes."""

    def __init__(self, path: Path, server: Server, attempt: int, fence: int) -> None:
        self.path = path
        self._server = server
        self._attempt, self._fence = attempt, fence
        self._sent: dict[str, tuple[int, int]] = {}
        """Of growing files: inode and bytes that have arrived; of the others: inode and time of the last change."""

    def fetch(self) -> None:
        """Begin from what the server has; from what is here, if that is the same and more."""
        there = [file for file in self._server.files(self._attempt, self._fence) if file["name"] not in LOGS]
        if not there or not all(self._holds(file["name"], file["size"], file["sha256"]) for file in there):
            shutil.rmtree(self.path, ignore_errors=True)
            for file in there:
                self._fetch(file["name"])
        for file in there:
            if file["name"] in GROWING:
                self._sent[file["name"]] = ((self.path / file["name"]).stat().st_ino, file["size"])

    def _fetch(self, name: str) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        path = self.path / name
        path.touch(mode=0o600)
        path.write_bytes(self._server.download(self._attempt, self._fence, name))

    def _holds(self, name: str, size: int, sha256: str) -> bool:
        """Whether the file here is the server's, or begins with it if it is one that grows."""
        path = self.path / name
        if not path.exists() or path.stat().st_size < size:
            return False
        data = path.read_bytes()
        return hashlib.sha256(data[:size] if name in GROWING else data).hexdigest() == sha256

    def send(self) -> None:
        """What is new: journals last, so that an episode's line arrives after all that belongs to it."""
        for name in WHOLE:
            self._send_whole(name)
        for name in GROWING:
            self._send_lines(name)

    def send_ended(self) -> str:
        """Every file as the evaluator left it; the SHA-256 of the manifest, or "" if there is none."""
        for name in (*WHOLE, *GROWING):
            self._sent.pop(name, None)
            self._send_whole(name)
        manifest = self.path / "manifest.json"
        return file_sha256(manifest) if manifest.exists() else ""

    def _send_whole(self, name: str) -> None:
        path = self.path / name
        try:
            status, data = path.stat(), path.read_bytes()
        except FileNotFoundError:
            return
        seen = (status.st_ino, status.st_mtime_ns)
        if self._sent.get(name) == seen:
            return
        for offset in range(0, max(len(data), 1), PIECE):
            self._server.upload(self._attempt, self._fence, name, offset, data[offset : offset + PIECE], len(data))
        self._sent[name] = seen

    def _send_lines(self, name: str) -> None:
        """Whole lines that were added. A file that another one has replaced is sent when the run has ended."""
        path = self.path / name
        if not path.exists():
            return
        inode, sent = self._sent.get(name, (path.stat().st_ino, 0))
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_ino != inode:
                return
            file.seek(sent)
            data = file.read(PIECE)
        lines = data[: data.rfind(b"\n") + 1]
        if lines:
            self._sent[name] = (inode, self._server.upload(self._attempt, self._fence, name, sent, lines))
