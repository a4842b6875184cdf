"""One decision: the question, its answer, once more what could not be read, and what it cost."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from nav_eval_baselines.vlm.answers import Actions, Unreadable, read_answer
from nav_eval_baselines.vlm.cache import Cache, key_of
from nav_eval_baselines.vlm.choices import Choice, offered, safe, schema
from nav_eval_baselines.vlm.endpoint import Endpoint, NoAnswer
from nav_eval_baselines.vlm.episode_log import EpisodeLog
from nav_eval_baselines.vlm.options import Options as Settings
from nav_eval_baselines.vlm.pictures import History, as_part, is_depth, picture
from nav_eval_baselines.vlm.prompt import Prompt, prompt_of
from nav_eval_baselines.vlm.replies import Reply, reply_of
from nav_eval_sdk.agent_interface import VLNAgent
from nav_eval_sdk.options import read
from nav_eval_sdk.protocol.usage import Usage

log = logging.getLogger(__name__)
SHARE, WITHOUT_LIMIT = 0.9, 60.0
"""Of the evaluator's seconds for an action, the rest is for the way; seconds where it names none."""


class VlmAgent(VLNAgent):
    """Asks a vision-language model behind an OpenAI-compatible endpoint: `VlmAgent(Options(model="m"))`.

    One's own prompt is a subclass with `messages`, `choices` or `read`. `usage`: what its answers cost since it was
    made; each action carries its own, and what the model `said`. An action that could not be read, after asking twice,
    is `on_unreadable`: by default a turn to the left, because it claims nothing and leaves the robot in its place,
    where a stop would end the episode as if the model had said so.
    """

    name = "vlm"
    version = "2"
    Options = Settings

    def __init__(self, options: Settings | None = None) -> None:
        self.options: Settings = options or read(Settings)
        self._endpoint, self._cache = Endpoint(self.options), Cache(self.options.cache)
        self.prompt: Prompt = prompt_of(self.options, "en")
        self.usage, self._spent, self.said = Usage(), Usage(), ""
        self._jpegs: dict[str, bytes | None] = {}

    def reset(self, episode: dict[str, Any]) -> None:
        given, limits = episode.get("instruction") or {}, episode.get("limits") or {}
        self.instruction: str = given.get("text", "")
        self.prompt = prompt_of(self.options, given.get("language") or "en")
        self.space: dict[str, Any] = episode["action_space"]
        self.done: list[str] = []
        self.history = History(self.options.history, self.options.history_from)
        self._most = 1 if "move_to" in self.space else self.max_chunk
        self._within = self.options.answer_within or SHARE * (limits.get("act_timeout") or WITHOUT_LIMIT / SHARE)
        self._log, self._step = EpisodeLog(self.options.log, episode), 0

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        until = time.monotonic() + self._within
        self._spent, self.said, self._jpegs = Usage(), "", {}
        choices = self.choices(observation)
        messages = self.messages(observation, choices)
        actions = self._decide(messages, choices, until)
        self.done += [_describe(action, choices) for action in actions]
        self._remember(observation)
        self._step += 1
        self.usage += self._spent
        answer = actions[0] if len(actions) == 1 else {"actions": actions}
        return {**answer, "usage": self._spent, "said": self.said}

    # -- what a subclass may replace

    def choices(self, observation: Mapping[str, Any]) -> list[Choice]:
        """What the model may choose from at this step, numbered from 0."""
        return offered(self.space, observation, self.prompt)

    def messages(self, observation: Mapping[str, Any], choices: Sequence[Choice]) -> list[dict[str, Any]]:
        """The question, as a chat endpoint takes it."""
        goal = self.prompt.goal(self.instruction, observation)
        texts = [choice.text for choice in choices]
        text = self.prompt.user(goal, self.done, texts, self._most, reasoning=self.options.reasoning)
        content = [*self._earlier(), *self._now(observation), {"type": "text", "text": text}]
        system = {"role": "system", "content": self.prompt.text("prompt", "system")}
        return [system, {"role": "user", "content": content}]

    def read(self, text: str, choices: Sequence[Choice]) -> Actions:
        """The actions that an answer names; raises Unreadable, never guesses."""
        return read_answer(text, choices, self._most)

    # -- pictures

    def _earlier(self) -> list[dict[str, Any]]:
        parts = [as_part(frame) for frame in self.history.shown()]
        return [{"type": "text", "text": self.prompt.text("phrases", "earlier")}, *parts] if parts else []

    def _now(self, observation: Mapping[str, Any]) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        for name in self.options.sensors:
            jpeg = self._picture(observation, name)
            if jpeg:
                key = "depth" if is_depth(observation[name]) else "now"
                parts += [{"type": "text", "text": self.prompt.text("phrases", key, sensor=name)}, as_part(jpeg)]
        return parts

    def _picture(self, observation: Mapping[str, Any], name: str) -> bytes | None:
        """Made once a step: the question shows it, and the history keeps it."""
        if name not in self._jpegs:
            value = observation.get(name)
            self._jpegs[name] = None if value is None else picture(value, self.options.picture_side)
        return self._jpegs[name]

    def _remember(self, observation: Mapping[str, Any]) -> None:
        jpeg = self._picture(observation, self.options.sensors[0]) if self.options.sensors else None
        if jpeg:
            self.history.add(jpeg)

    # -- asking

    def _decide(self, messages: list[dict[str, Any]], choices: Sequence[Choice], until: float) -> Actions:
        try:
            return self._query(messages, choices, until)
        except Unreadable as first:
            again = [*messages, *([{"role": "assistant", "content": self.said[:2000]}] if self.said else [])]
            again.append({"role": "user", "content": self.prompt.text("answer", "again", fault=str(first))})
        try:
            return self._query(again, choices, until)
        except (Unreadable, NoAnswer) as second:
            self._spent += Usage(unreadable=1)
            action = safe(choices, self.options.on_unreadable)
            said, did = " ".join(self.said.split())[:80], action["action"]
            log.warning("Step %d: the answer cannot be read (%s): %r; %s instead.", self._step, second, said, did)
            return [action]

    def _query(self, messages: list[dict[str, Any]], choices: Sequence[Choice], until: float) -> Actions:
        """Ask, count and log; raises Unreadable or NoAnswer."""
        entry: dict[str, Any] = {"step": self._step}
        begun = time.monotonic()
        try:
            reply, entry["attempts"], entry["cached"] = self._reply(messages, choices, until)
            entry |= {"answer": reply.text, "reasoning": reply.reasoning, "finish": reply.finish}
            entry |= {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
            self.said = reply.text or reply.reasoning
            entry["actions"] = self.read(reply.answer(), choices)
            return list(entry["actions"])
        except (Unreadable, NoAnswer) as error:
            entry["unreadable" if isinstance(error, Unreadable) else "error"] = str(error)
            raise
        finally:
            self._log.write(messages, seconds=round(time.monotonic() - begun, 3), **entry)

    def _reply(
        self, messages: list[dict[str, Any]], choices: Sequence[Choice], until: float
    ) -> tuple[Reply, int, bool]:
        body = self._body(messages, choices)
        key = key_of(self.options.url, body) if self.options.cache else ""
        if (kept := self._cache.get(key)) is not None:
            return reply_of(kept), 0, True
        answer, reply, attempts = self._endpoint.ask(body, until)
        self._cache.put(key, answer)
        self._count(reply)
        return reply, attempts, False

    def _body(self, messages: list[dict[str, Any]], choices: Sequence[Choice]) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {"model": options.model, "messages": messages, "temperature": options.temperature}
        body["max_tokens"] = options.max_tokens
        if not options.reasoning:
            form = {"name": "action", "strict": True, "schema": schema(choices, self._most)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return {**body, **options.extra_keys}

    def _count(self, reply: Reply) -> None:
        """A cached answer is not counted: it costs nothing."""
        sent, answered = reply.input_tokens, reply.output_tokens
        options, cost = self.options, {}
        if options.price_in is not None and options.price_out is not None:
            cost = {options.currency: (sent * options.price_in + answered * options.price_out) / 1e6}
        self._spent += Usage(input_tokens=sent, output_tokens=answered, requests=1, cost=cost)

    def close(self) -> None:
        log.info("The model was asked %d times: %s.", self.usage.requests, self.usage)


def _describe(action: Mapping[str, Any], choices: Sequence[Choice]) -> str:
    """An action in the words of its choice."""
    for choice in choices:
        args = action["action_args"]
        if choice.action == action["action"] and all(args.get(key) == value for key, value in choice.args.items()):
            given = "".join(f", {key} {args[key]:.3g}" for key in choice.numbers)
            return choice.names[1].partition("; ")[0].partition("；")[0] + given
    return str(action["action"])
