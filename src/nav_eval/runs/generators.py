"""Who makes buildings and episodes where a configuration names no file: `dataset.generate.generator`.

nav_eval's own homes and offices are one, an importer of ProcTHOR or Holodeck houses could be another. Nothing else of
the evaluator knows a generator: it plays files, whoever made them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from nav_eval.config.schema import GenerateConfig
from nav_eval.registry import Registry

if TYPE_CHECKING:
    from nav_eval.engine.scene.scene import Scene


class Generator(Protocol):
    """Makes the buildings of a split and the episodes on them, or finds those that it made before.

    Example: `scenes, episodes = GENERATORS.get("homes").make("pointnav", "val_unseen", GenerateConfig(scenes=2))`.
    """

    version: int
    """Raised whenever the same configuration gives other buildings or other episodes."""

    def make(self, task: str, split: str, config: GenerateConfig) -> tuple[Path, Path]:
        """The folder of the scenes, which scene ids are relative to, and that of the task's splits.

        In the first each scene lies beside its navmesh. In the second lie <split>.json.gz (vln) or
        <split>/<split>.json.gz, in the field's formats. The same arguments give the same files.
        Raises ConfigError for a split or a value that it does not make.
        """
        ...


@runtime_checkable
class NamesThings(Protocol):
    """A generator that also says what its things are called."""

    def names(self, language: str) -> Mapping[str, Sequence[str]]:
        """Category -> words for a thing of it, "en" or "zh"."""
        ...


@runtime_checkable
class NamesScenes(Protocol):
    """A generator that also says what is in one of its buildings, for questions about pictures."""

    def called(self, scene: Scene, language: str) -> tuple[Mapping[int, str], Mapping[int, str]]:
        """Object id -> its name, of what one would say that one sees; region id -> a name that the room looks like."""
        ...


GENERATORS: Registry[Generator] = Registry("generators", elsewhere={"homes": "nav-eval[demo]"})
"""None is built in: `homes` is an entry point of the distribution nav-eval-worlds."""


def register_generator(name: str, generator: Generator) -> None:
    """Make `generator` known as `name`. Raises ConfigError if it is taken."""
    GENERATORS.add(name, generator)
