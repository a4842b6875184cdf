"""Answers by the SHA-256 of their question, in an SQLite file that processes share and a killed one leaves whole."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from contextlib import closing
from typing import Any

log = logging.getLogger(__name__)
WAIT = 30.0
"""Seconds for another process's write."""


def key_of(url: str, body: dict[str, Any]) -> str:
    return hashlib.sha256(f"{url}\n{json.dumps(body)}".encode()).hexdigest()


class Cache:
    """`Cache("")` keeps nothing. A file that cannot be written is told, and costs no episode."""

    def __init__(self, file: str) -> None:
        self._file = file
        if file:
            self._run("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")

    def get(self, key: str) -> Any:
        rows = self._run("SELECT answer FROM answers WHERE key = ?", key) if self._file else []
        return json.loads(rows[0][0]) if rows else None

    def put(self, key: str, answer: Any) -> None:
        if self._file:
            self._run("INSERT OR IGNORE INTO answers VALUES (?, ?)", key, json.dumps(answer))

    def _run(self, statement: str, *values: str) -> list[Any]:
        try:
            with closing(sqlite3.connect(self._file, timeout=WAIT)) as connection, connection:
                return connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            log.warning("--cache %s: %s.", self._file, error)
            return []
