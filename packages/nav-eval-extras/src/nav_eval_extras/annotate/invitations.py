"""Whose folder DIR is, and the links of those invited there: DIR/invitations.json."""

from __future__ import annotations

import secrets
from pathlib import Path

import msgspec

from nav_eval.errors import ConfigError
from nav_eval.results.files import write_bytes
from nav_eval_extras.human.play import KEY

NAME = "invitations.json"
ALONE, TOGETHER, TEXTS = "nav-eval human", "nav-eval human --people", "nav-eval annotate"
"""The commands that begin such a folder."""


def _key() -> str:
    return secrets.token_urlsafe(24)


class Invitations(msgspec.Struct, frozen=True):
    """The keys of the links: of the progress page, and of each person. `codes`: what payment codes are made with.

    `command`: whose folder it is; "" in one of an earlier version, which did not say.
    """

    progress: str
    people: list[str]
    command: str = ""
    codes: str = msgspec.field(default_factory=_key)

    @classmethod
    def kept(cls, out: Path) -> Invitations | None:
        """Those of before. Raises ConfigError where they cannot be read."""
        path = out / NAME
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls) if path.is_file() else None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ConfigError(f"{path}: is damaged. Choose another folder.") from None

    @classmethod
    def of(cls, out: Path, command: str, people: int) -> Invitations:
        """Those of before, and new ones where there are fewer than `people`; kept for their owner to read only."""
        kept = cls.kept(out) or cls(_key(), [], command)
        new = [_key() for _ in range(people - len(kept.people))]
        whole = msgspec.structs.replace(kept, people=kept.people + new)
        write_bytes(out / NAME, msgspec.json.encode(whole), mode=0o600)
        return whole


def check_owner(out: Path, command: str) -> None:
    """Raises ConfigError where another command began this folder."""
    kept = Invitations.kept(out)
    owner = kept.command if kept else ALONE if (out / KEY).is_file() else ""
    if owner not in ("", command):
        raise ConfigError(f"--out {out}: was begun by {owner}, not by {command}. Choose another folder.")
