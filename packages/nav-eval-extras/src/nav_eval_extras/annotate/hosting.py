"""Several people at pages of their own, each by a link, and a page of the progress, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from nav_eval.errors import ConfigError
from nav_eval_extras.annotate.guest import Guest
from nav_eval_extras.annotate.invitations import Invitations, check_owner
from nav_eval_extras.annotate.journal import Journal
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.annotate.payment import NAME as CODES
from nav_eval_extras.annotate.payment import payment_code, write_codes
from nav_eval_extras.annotate.people import People
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.play import LAST_WORD_SECONDS
from nav_eval_extras.human.web import serving

NEWS_SECONDS = 1.0


def withdraw(out: Path, command: str, person: int, desk_of: Callable[[Journal], People]) -> None:
    """What the button does, for somebody whose page is closed. Raises ConfigError for who was never invited."""
    check_owner(out, command)
    keys = Invitations.kept(out)
    if keys is None:
        raise ConfigError(f"--withdraw: nobody was invited to {out}. Check --out.")
    if not 1 <= person <= len(keys.people):
        raise ConfigError(f"--withdraw {person}: {len(keys.people)} people were invited. {CODES} has their numbers.")
    with closing(Journal(out)) as journal:
        desk = desk_of(journal)
        desk.withdraw(person)
        write_codes(out, keys.codes, [desk.share(number) for number in range(1, len(keys.people) + 1)])


def host_people(
    desk: People,
    out: Path,
    command: str,
    people: int,
    guest: Callable[[int, str, OwnGame], Guest],
    page: tuple[str, int, Mapping[str, bytes]],
    say: Callable[[Sequence[str]], object],
    beside: Callable[[Game], object] = lambda board: None,
) -> dict[str, Any]:
    """Returns the progress. `command`: whose folder it is; `page`: host, port and files; `say` is told the links;
    `beside` runs too, until it ends.
    """
    keys = Invitations.of(out, command, people)
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
