"""Several people at pages of their own, each by a link, and a page of the progress, until nothing is left to do."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.errors import ConfigError
from nav_eval.results.files import write_bytes
from nav_eval_extras.annotate.guest import Guest
from nav_eval_extras.annotate.journal import Journal
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.annotate.payment import NAME as CODES
from nav_eval_extras.annotate.payment import payment_code, write_codes
from nav_eval_extras.annotate.people import People
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.play import LAST_WORD_SECONDS
from nav_eval_extras.human.web import serving

INVITATIONS = "invitations.json"
NEWS_SECONDS = 1.0


class Invitations(msgspec.Struct, frozen=True):
    """The keys of the links: of the progress page, and of each person. `codes`: what payment codes are made with."""

    progress: str
    people: list[str]
    codes: str = msgspec.field(default_factory=lambda: _key())

    @classmethod
    def read(cls, out: Path, people: int) -> Invitations:
        """Those of before, and new ones where there are fewer than `people`; kept for their owner to read only."""
        path = out / INVITATIONS
        kept = msgspec.json.decode(path.read_bytes(), type=cls) if path.is_file() else cls(_key(), [])
        whole = cls(kept.progress, kept.people + [_key() for _ in range(people - len(kept.people))], kept.codes)
        write_bytes(path, msgspec.json.encode(whole), mode=0o600)
        return whole


def _key() -> str:
    return secrets.token_urlsafe(24)


def withdraw(out: Path, person: int, desk_of: Callable[[Journal], People]) -> None:
    """What the button does, for somebody whose page is closed. Raises ConfigError for who was never invited."""
    if not (out / INVITATIONS).is_file():
        raise ConfigError(f"--withdraw: nobody was invited to {out}. Check --out.")
    keys = Invitations.read(out, 0)
    if not 1 <= person <= len(keys.people):
        raise ConfigError(f"--withdraw {person}: {len(keys.people)} people were invited. {CODES} has their numbers.")
    with closing(Journal(out)) as journal:
        desk = desk_of(journal)
        if any(isinstance(event, desk.FOREIGN) for event in journal):
            raise ConfigError(
                f"--withdraw: {out} is of the other command (nav-eval annotate, nav-eval human). Use that."
            )
        desk.withdraw(person)
        write_codes(out, keys.codes, [desk.share(number) for number in range(1, len(keys.people) + 1)])


def host_people(
    desk: People,
    out: Path,
    people: int,
    guest: Callable[[int, str, OwnGame], Guest],
    page: tuple[str, int, Mapping[str, bytes]],
    say: Callable[[Sequence[str]], object],
    beside: Callable[[Game], object] = lambda board: None,
) -> dict[str, Any]:
    """Returns the progress. `page`: host, port and files; `say` is told the links; `beside` runs too, until it ends."""
    keys = Invitations.read(out, people)
    numbers = range(1, len(keys.people) + 1)
    codes = [payment_code(keys.codes, number) for number in numbers]
    own, board = [OwnGame() for _ in numbers], Game()
    games: dict[str, Game] = dict(zip((keys.progress, *keys.people), (board, *own)))

    def tell(progress: dict[str, Any]) -> None:
        board.show(phase="progress", **progress)
        write_codes(out, keys.codes, [desk.share(number) for number in numbers])

    pool = ThreadPoolExecutor(len(games), "guest")
    with serving(games, *page) as links, pool:  # it serves until everybody has seen the end
        say(links)
        tasks: list[Future[Any]] = [pool.submit(one.run) for one in map(guest, numbers, codes, own)]
        tasks.append(pool.submit(beside, board))
        try:
            _watch(desk, tell, tasks)
        finally:
            for game in games.values():
                game.close()
            tell(desk.progress())
        board.finish(LAST_WORD_SECONDS, phase="progress", **desk.progress())
    return desk.progress()


def _watch(desk: People, tell: Callable[[dict[str, Any]], object], tasks: Sequence[Future[Any]]) -> None:
    """Tells the progress whenever it changes, until all is decided. Raises what a task raised."""
    shown: dict[str, Any] = {}
    while not desk.done:
        for task in tasks:
            if task.done():
                task.result()
        if (progress := desk.progress()) != shown:
            tell(progress)
            shown = progress
        desk.wait(NEWS_SECONDS)
