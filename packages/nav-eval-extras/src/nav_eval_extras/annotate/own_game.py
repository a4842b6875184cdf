"""The game of one person among several: they may leave it for good, and what they left lying goes to others."""

from __future__ import annotations

from nav_eval_extras.human.game import Game

WITHDRAW = "withdraw"


class OwnGame(Game):
    """`left`: they withdrew; `taken`: somebody else has their job now, which ends here until that is set back."""

    left = taken = False

    @property
    def closed(self) -> bool:
        return self._closed or self.taken

    def take_job(self) -> None:
        with self._news:
            self.taken, self._choices = True, ()
            self._news.notify_all()

    def choose(self, page: str, turn: int, name: str, text: str = "") -> None:
        if name != WITHDRAW:
            super().choose(page, turn, name, text)
            return
        with self._news:
            self._check(page)
            self.left = True
        self.close()
