"""A Dockerfile as its stages, and the two images of the project with the project that `nav-eval-agent new` makes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Instruction = tuple[str, str]
"""For example ("RUN", "apt-get update && ..."); continued lines are one."""


@dataclass(frozen=True)
class Image:
    """`context`: the folder that COPY takes from; `head`: what stands before the first FROM; `target`: a stage."""

    path: Path
    context: Path
    head: tuple[Instruction, ...]
    stages: tuple[tuple[Instruction, ...], ...]
    target: str

    @property
    def final(self) -> tuple[Instruction, ...]:
        """The instructions that make it, those of the stages that it goes on from first."""
        froms, names = self._froms(), [name for _, name in self._froms()]
        n = names.index(self.target) if self.target else len(names) - 1
        found = self.stages[n]
        while froms[n][0] in names:
            n = names.index(froms[n][0])
            found = (*self.stages[n], *found)
        return found

    def _froms(self) -> list[tuple[str, str]]:
        """Of every `FROM base AS name` base and name."""
        return [stage[0][1].partition(" AS ")[::2] for stage in self.stages]

    def bases(self) -> set[str]:
        """What its stages begin with that is none of them."""
        return {base for base, _ in self._froms()} - {name for _, name in self._froms()}

    def all(self, name: str) -> list[str]:
        return [value for stage in self.stages for word, value in stage if word == name]

    def last(self, name: str) -> str:
        """The instruction that holds for the finished image."""
        return [value for word, value in self.final if word == name][-1]

    def command(self, name: str) -> list[str]:
        """ENTRYPOINT, CMD or HEALTHCHECK in exec form, as arguments; raises ValueError for the shell form."""
        text = self.last(name)
        arguments: list[str] = json.loads(text[text.index("CMD ") + 4 :] if name == "HEALTHCHECK" else text)
        return arguments


def read_image(path: Path, context: Path = ROOT, target: str = "") -> Image:
    parser: Any = pytest.importorskip("dockerfile_parse").DockerfileParser
    with path.open("rb") as file:
        structure = parser(fileobj=file).structure
    read = [(item["instruction"], _one_line(item["value"])) for item in structure if item["instruction"] != "COMMENT"]
    starts = [n for n, (word, _) in enumerate(read) if word == "FROM"]
    ends = [*starts[1:], len(read)]
    stages = tuple(tuple(read[start:end]) for start, end in zip(starts, ends, strict=True))
    return Image(path, context, tuple(read[: starts[0]]), stages, target)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def project_images() -> list[Path]:
    return sorted((ROOT / "docker").glob("*.Dockerfile"))
