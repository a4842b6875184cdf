"""One of several runs that are parts of one: `--shard 3/8`. Each needs the others neither to run nor to be resumed.

All parts draw the same blocks from the same list of episodes. shard.json says where the part's episodes stand in that
list and the manifest holds the whole list's sum, so that `merge` can prove that it has all of them, without the data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.episodes import EpisodeManager
from nav_eval.core.workers import scene_blocks
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import ConfigError
from nav_eval.results.run_directory import keys_sum
from nav_eval.runs import builder


@dataclass(frozen=True, slots=True)
class Part:
    """The `index`-th of `of` parts, counted from 1."""

    index: int
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Part:
        """Of text such as 3/8; raises ConfigError for anything else."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        part = cls(int(found[1]), int(found[2])) if found else None
        if part is None or not 1 <= part.index <= part.of:
            more = f"{part.index} is more than {part.of}; " if part and part.index > part.of > 0 else ""
            raise ConfigError(f"--shard {text}: {more}write INDEX/TOTAL, counted from 1, for example --shard 3/8.")
        return part

    def of_run(self, config: Config, whole: EpisodeManager) -> EpisodeManager:
        """This part's episodes. Raises ConfigError where a part would be empty, or would send ids of its own."""
        _check_secret(config)
        if self.of > len(whole):
            raise ConfigError(
                f"--shard {self}: {len(whole)} episodes are chosen, and a shard needs one: ask for fewer shards."
            )
        return whole.narrowed(scene_blocks(whole.keys, self.of)[self.index - 1])

    def note(self, count: int, whole: int) -> str:
        """For results.json."""
        return f"Shard {self}: {count} of {whole} episodes. `nav-eval merge` makes one run of all {self.of} shards."

    def facts(self, keys: Sequence[EpisodeKey]) -> dict[str, Any]:
        """For manifest.json: which part, of what."""
        return {"shard": str(self), "whole": {"n_episodes": len(keys), "episodes_sha256": keys_sum(keys)}}


def _check_secret(config: Config) -> None:
    """Raises ConfigError where each part would draw its own secret: an agent would get other ids and seeds."""
    service = config.agent_service
    if service.disclosure == "competition" and builder.own_secret(config) is None:
        raise ConfigError(
            "--shard: all shards must send the agent the same opaque ids. Give each the same secret: "
            "NAV_EVAL_AGENT_SERVICE__SECRET=$(cat FILE)."
        )


def places(part: Sequence[EpisodeKey], whole: Sequence[EpisodeKey]) -> list[tuple[int, str, str]]:
    """The content of shard.json: (place in the whole list, scene_id, episode_id) of every episode of a part."""
    wanted = set(part)
    return [(place, *key) for place, key in enumerate(whole) if key in wanted]
