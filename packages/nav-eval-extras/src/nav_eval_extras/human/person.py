"""A person as an agent: what is asked of it is shown on the page, and what is chosen there is its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nav_eval.core.orchestrator import ResultStore, Watcher
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval_extras.dialogue.task import MAX_LENGTH
from nav_eval_extras.human.decisions import Decision, Decisions
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.pictures import goal, pictures, ways

START = "start"


def text_argument(kinds: Mapping[str, str]) -> str | None:
    """The name of an action's only argument, if that is a text, which a person can write; `kinds`: by name."""
    return next(iter(kinds)) if [*kinds.values()] == ["text"] else None


class Person(Watcher):
    """One person at one page: the agent of a run, and the watcher that counts its episodes.

    The name of a choice is an action's, or move_to:N for the Nth way on. Of an action that takes one text, as `ask`,
    the text is what was written with the choice.
    """

    name = "people"
    """What tables call this agent."""

    def __init__(self, game: Game, decisions: Decisions, *, practice: bool = False, notes: Sequence[str] = ()) -> None:
        self._game = game
        self._decisions = decisions
        self._notes = notes
        self._practice = practice
        self._done = self._total = 0
        self._earlier: list[Decision] = []
        self._episode: Mapping[str, Any] = {}
        self._step = 0
        self._facing = 0.0
        self.results: list[EpisodeResult] = []

    def begin(self, keys: Sequence[EpisodeKey], store: ResultStore) -> None:
        self._total, self._done = len(keys), len(store.finished())
        self.results = list(store.in_order(keys))

    def take(self, result: EpisodeResult) -> None:
        self._done += 1
        self.results.append(result)
        self._game.show(phase="preparing")

    @property
    def decided(self) -> Sequence[Decision]:
        """Of the present episode."""
        return self._decisions.of(self._episode["episode_id"])

    def notes(self) -> Sequence[str]:
        return [*self._decisions.notes(), *self._notes]

    def reset(self, episode: dict[str, Any]) -> None:
        """Wait until the person is ready: for the first step here, or else for the first that is not decided yet."""
        self._episode, self._step, self._facing = episode, 0, 0.0
        self._earlier = list(self._decisions.of(episode["episode_id"]))
        if self._earlier:
            self._game.show(phase="preparing")
        else:
            self._ready()

    def _ready(self) -> None:
        self._game.ask([START], phase="ready", **self._episode_facts(), step=len(self._earlier))

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        self._step += 1
        if self._step <= len(self._earlier):
            earlier = self._earlier[self._step - 1]
            name, args = earlier.action, earlier.action_args
        else:
            name, args = self._ask_person(observation)
        if name == "move_to":
            self._look_along(observation, args["viewpoint"])
        return {"action": name, "action_args": args}

    def _look_along(self, observation: Mapping[str, Any], viewpoint: str) -> None:
        """A move on a graph keeps the agent's heading; who walks looks where they go."""
        headings = {one["viewpoint"]: one["heading"] for one in observation.get("navigable") or ()}
        self._facing = headings.get(viewpoint, 0.0)

    def _ask_person(self, observation: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        resumed = bool(self._earlier) and self._step == len(self._earlier) + 1
        if resumed:
            self._ready()
        specs, on = self._episode["observation_spec"], self._ways(observation)
        space = self._episode["action_space"]
        actions = [name for name, spec in space.items() if not spec["arguments"]]
        kinds = {name: {key: one["kind"] for key, one in spec["arguments"].items()} for name, spec in space.items()}
        texts = {name: text for name, given in kinds.items() if (text := text_argument(given))}
        choices: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in (*actions, *texts)}
        choices |= {f"move_to:{place}": ("move_to", {"viewpoint": way["viewpoint"]}) for place, way in enumerate(on)}
        chosen = self._game.ask(
            choices.keys(),
            phase="play",
            **self._episode_facts(),
            step=self._step - 1,
            actions=actions,
            writes=dict.fromkeys(texts, MAX_LENGTH),
            said=self._last_answer(observation),
            ways=[{key: value for key, value in way.items() if key != "viewpoint"} for way in on],
            pictures=pictures(specs, observation, self._facing),
            goal=goal(specs, observation),
        )
        name, args = choices[chosen.name]
        if name in texts:
            args = {texts[name]: chosen.text}
        self._decisions.add(self._episode["episode_id"], name, args, chosen.seconds, resumed=resumed)
        return name, args

    def _last_answer(self, observation: Mapping[str, Any]) -> dict[str, str] | None:
        """The question that was just asked, and its answer."""
        made = self.decided
        question = next(iter(made[-1].action_args.values()), "") if made else ""
        answer = observation.get("answer")
        return {"question": question, "answer": answer} if answer else None

    def _ways(self, observation: Mapping[str, Any]) -> list[dict[str, Any]]:
        return ways(observation, self._facing) if "move_to" in self._episode["action_space"] else []

    @property
    def instruction(self) -> dict[str, str] | None:
        """What the page shows of it."""
        told = self._episode["instruction"]
        return told and {"text": told["text"], "language": told["language"]}

    def _episode_facts(self) -> dict[str, Any]:
        return {
            "episode": self._done + 1,
            "episodes": self._total,
            "practice": self._practice,
            "instruction": self.instruction,
            "limit": self._limit,
        }

    @property
    def _limit(self) -> int | None:
        return self._episode["limits"]["max_steps"]  # type: ignore[no-any-return]
