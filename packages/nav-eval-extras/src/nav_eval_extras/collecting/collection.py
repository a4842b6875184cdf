"""A collection in a folder: what was asked, a journal of the episodes that are whole, and a card at the end.

An episode's files are put in place before its line is written, so that after a kill the same call goes on with the
first episode that has no line; its half-written files are written again. A walk is forgotten once it is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nav_eval
from nav_eval.config.schema import Config
from nav_eval.errors import ConfigError
from nav_eval.logging import get_logger
from nav_eval.results.files import explained, write_bytes
from nav_eval.results.lines import append_line
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config
from nav_eval_extras.collecting.card import write_card
from nav_eval_extras.collecting.clauses import load_clauses
from nav_eval_extras.collecting.formats.base import Format, write_rows
from nav_eval_extras.collecting.paths import Route, routes
from nav_eval_extras.collecting.players import Asked, walks
from nav_eval_extras.collecting.walking import Walk

ASKED, JOURNAL = "collection.json", "collected.jsonl"


@dataclass(frozen=True)
class Progress:
    """How far it is, in routes, frames and bytes. `before`: routes of earlier calls."""

    done: int
    total: int
    frames: int
    size: int
    before: int


Told = Callable[[Progress], object]


@dataclass(frozen=True)
class Wish:
    """What to collect. `shard`: (k, n), every n-th route from the k-th on, k from 0; `policy`: grpc://HOST:PORT;
    `questions`: how many about each route."""

    benchmark: str | None
    overrides: Sequence[str] = ()
    config: str | None = None
    semantic: bool = False
    shard: tuple[int, int] | None = None
    policy: str | None = None
    beta: float = 1.0
    questions: int = 0

    def resolved(self) -> Config:
        return benchmark_config(self.benchmark, file=self.config, overrides=[*self.overrides, *self._service()])

    def _service(self) -> list[str]:
        if self.policy is None:
            return []
        if not isinstance(self.policy, str):
            raise ConfigError(
                "collect: in this format the policy is a served agent. Give its address, grpc://HOST:PORT"
            )
        protocol, _, endpoint = self.policy.partition("://")
        if protocol not in ("grpc", "rest") or not endpoint:
            raise ConfigError(f"collect: policy={self.policy!r} is not an address. Write grpc://HOST:PORT")
        return ["agent_service.type=remote", f"agent_service.protocol={protocol}", f"agent_service.endpoint={endpoint}"]


def collect_into(kind: type[Format], out: Path, wish: Wish, *, processes: int = 1, told: Told = lambda _: None) -> Path:
    """Walk what is not in `out` yet, and list everything that is. The same call again goes on where one ended."""
    if not 0 <= wish.beta <= 1 or (wish.beta < 1) != (wish.policy is not None):
        raise ConfigError("collect: policy and a beta from 0 to below 1 go together.")
    if wish.semantic and not kind.depth:
        raise ConfigError("collect: this format holds only RGB and text. Leave out --semantic.")
    if wish.questions < 0:
        raise ConfigError("collect: questions must be 0 or more.")
    config = wish.resolved()
    _warn_of_evaluation(config)
    asked = Asked(config, kind.fps, wish.semantic, wish.beta, kind.depth, wish.questions)
    writer = kind(out, asked.about)
    with opened(asked.played, agent_given=wish.policy is None) as plan:
        todo = routes(plan.episodes, load_clauses(plan.episodes.dataset.files, config.dataset.max_bytes))
        todo = todo if wish.shard is None else todo[wish.shard[0] :: wish.shard[1]]
        journal = Journal(out, _settings(wish, kind, config))
        _fill(journal, writer, walks(asked, plan, todo[len(journal) :], processes), len(todo), told)
    writer.finish(journal)
    if wish.questions:
        write_rows(out / "questions.json", map(writer.question, journal.questions()))
    write_card(out, writer, config, wish.policy, wish.beta, journal)
    return out


def _warn_of_evaluation(config: Config) -> None:
    split = config.dataset.split or config.dataset.default_split or ""
    if split.startswith(("val", "test")):
        get_logger(__name__).warning(
            "Split %s is for evaluation: no score on it counts for what is trained on these paths. "
            "Training data: dataset.split=train.",
            split,
        )


def _fill(journal: Journal, writer: Format, walked: Iterator[tuple[Route, Walk | str]], total: int, told: Told) -> None:
    writer.resume(journal)
    before = len(journal)
    told(Progress(before, total, journal.frames, journal.size, before))
    for route, walk in walked:
        if isinstance(walk, str):
            journal.add({"skipped": walk, "key": route.key})
        else:
            record = writer.write(walk, journal.kept)
            asked = {"questions": walk.questions} if walk.questions else {}
            journal.add({"record": record, "frames": len(walk), "size": record.get("size", walk.size), **asked})
        told(Progress(len(journal), total, journal.frames, journal.size, before))


def _settings(wish: Wish, kind: type[Format], config: Config) -> dict[str, Any]:
    """What two calls must have in common to go on with each other's work."""
    return {
        "format": kind.__name__,
        "nav_eval": nav_eval.__version__,
        "semantic": wish.semantic,
        "shard": wish.shard,
        "policy": wish.policy,
        "beta": wish.beta,
        **({"questions": wish.questions} if wish.questions else {}),
        "config": config.model_dump(mode="json", include={"benchmark", "task", "simulator", "dataset", "seed"}),
    }


class Journal:
    """The episodes that are whole, one line each; iterating reads what the format said of them.

    Raises ConfigError where the folder holds what was collected with other settings, or something else.
    """

    def __init__(self, out: Path, settings: Mapping[str, Any]) -> None:
        self._path = out / JOURNAL
        self.frames = self.size = self.kept = self._lines = 0
        self.skipped: list[str] = []
        _settle(out, settings)
        if self._path.exists():
            self._cut()
        for line in self._read():
            self._count(line)

    def __len__(self) -> int:
        """Routes, those that were skipped too."""
        return self._lines

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for line in self._read():
            if "record" in line:
                yield line["record"]

    def questions(self) -> Iterator[dict[str, Any]]:
        """A row for each question and language."""
        index = -1
        for line in self._read():
            index += "record" in line
            for number, asked in enumerate(line.get("questions", ())):
                for language, question, answer in asked["texts"]:
                    row = {"episode_index": index, "number": number, "kind": asked["kind"], "step": asked["step"]}
                    said = {"language": language, "question": question, "answer": answer}
                    yield {**row, "frames": asked["frames"], **said}

    def add(self, line: Mapping[str, Any]) -> None:
        append_line(self._path, json.dumps(line, ensure_ascii=False).encode())
        self._count(line)

    def _count(self, line: Mapping[str, Any]) -> None:
        self._lines += 1
        if "skipped" in line:
            self.skipped.append(f"{line['key'][1]} of {line['key'][0]}: {line['skipped']}")
            return
        self.kept += 1
        self.frames += line["frames"]
        self.size += line["size"]

    def _read(self) -> Iterator[dict[str, Any]]:
        if self._path.exists():
            with self._path.open("rb") as file:
                for line in file:
                    yield _parse(self._path, line)

    def _cut(self) -> None:
        """Drop a last line that a kill cut short."""
        data = self._path.read_bytes()
        if not data.endswith(b"\n") and data:
            os.truncate(self._path, data.rfind(b"\n") + 1)


def _parse(file: Path, data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        raise ConfigError(f"{file}: is damaged ({data[:40]!r}). Choose another folder with --out.") from None


def _settle(out: Path, settings: Mapping[str, Any]) -> None:
    file, text = out / ASKED, json.dumps(settings, indent=1)
    if out.is_file():
        raise ConfigError(f"{out}: is a file. Choose an empty folder or a new one with --out.")
    with explained(out):
        out.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        if any(out.iterdir()):
            raise ConfigError(f"{out}: this folder holds something else. Choose an empty or a new one with --out.")
        write_bytes(file, text.encode())
    elif _parse(file, file.read_bytes()) != json.loads(text):
        raise ConfigError(
            f"{file}: this collection was begun with other settings. Choose another folder, or the same settings."
        )
