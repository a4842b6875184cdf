"""What was asked and said: a JSON Lines file for each episode, without pictures and without the key."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nav_eval_baselines.vlm.pictures import digest


class EpisodeLog:
    """`EpisodeLog("", ...)` writes nothing. An episode that begins anew replaces its file."""

    def __init__(self, folder: str, episode: Mapping[str, Any]) -> None:
        self._file = Path(folder) / _file_name(episode) if folder else None
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text("", "utf-8")

    def write(self, messages: Sequence[Mapping[str, Any]], **entry: Any) -> None:
        if self._file:
            line = {**entry, "prompt": "\n".join(_texts(messages)), "pictures": list(_pictures(messages))}
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def _file_name(episode: Mapping[str, Any]) -> str:
    name = f"{episode.get('scene_id', '')}-{episode.get('episode_id', '')}"
    plain = re.sub(r"[^\w.-]", "_", name)[:100]
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.jsonl"


def _parts(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        content = message["content"]
        yield from content if isinstance(content, list) else [{"type": "text", "text": content}]


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    return (part["text"] for part in _parts(messages) if part["type"] == "text")


def _pictures(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    return (digest(dict(part)) for part in _parts(messages) if part["type"] == "image_url")
