"""What a user sets: on the command line of `serve vlm`, or in VLM_OPTIONS where there is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nav_eval_sdk.options import option
from nav_eval_sdk.variables import OPENAI_API_KEY, VLM_API_KEY, VLM_MODEL, VLM_OPTIONS, VLM_TIMEOUT, VLM_URL, Variable

CHAT = "/chat/completions"


@dataclass(frozen=True)
class Options:
    """`Options(model="Qwen/Qwen3-VL-8B-Instruct", base_url="http://localhost:8000/v1")`. Seconds, pixels, tokens."""

    variable: ClassVar[Variable] = VLM_OPTIONS

    model: str = option("", "the model's name at the server", variable=VLM_MODEL)
    base_url: str = option("http://localhost:8000/v1", "the server's address", variable=VLM_URL)
    timeout: float = option(25.0, "seconds for one request", variable=VLM_TIMEOUT)
    answer_within: float = option(
        0.0, "seconds for one action, retries included; 0: nine tenths of what the evaluator grants"
    )
    max_requests: int = option(16, "requests in flight, of all sessions together")
    temperature: float = option(0.0, "how far answers vary; 0: not at all")
    max_tokens: int = option(1024, "length of an answer, reasoning included")
    reasoning: bool = option(False, "let the model reason in its answer before the action; no schema is asked for")
    extra: str = option("", "further keys of a request, as a JSON object")
    history: int = option(4, "earlier frames that are shown beside the present one")
    history_from: str = option(
        "last", "the last frames, or frames spread evenly over the episode", choices=("last", "even")
    )
    pictures: str = option("rgb", "sensors that are shown as pictures, parted by commas; depth becomes grey")
    picture_side: int = option(0, "the longer side of a picture in pixels, if it is larger; 0: as the sensor has it")
    prompt: str = option("", "a file of one's own instead of parts of the prompt")
    language: str = option("auto", "language of the prompt; auto: the instruction's", choices=("auto", "en", "zh"))
    on_unreadable: str = option(
        "turn_left", "the action where an answer cannot be read twice in a row", choices=("turn_left", "stop")
    )
    cache: str = option("", "an SQLite file of answers: the same question is not paid for twice")
    log: str = option("", "a folder that gets a file for each episode, with every prompt and answer")
    price_in: float | None = option(None, "price of a million tokens that are sent")
    price_out: float | None = option(None, "price of a million tokens that are answered")
    currency: str = option("USD", "currency of the prices")

    def __post_init__(self) -> None:
        """Raises ValueError, saying what to do."""
        if not self.model:
            raise ValueError(f"no model is named. Give --model NAME, or set {VLM_MODEL}.")
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"--base-url: {self.base_url!r} does not begin with http:// or https://.")
        self._check_numbers()
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("--price-in and --price-out go together.")
        if self.prompt and not Path(self.prompt).is_file():
            raise ValueError(f"--prompt: {self.prompt}: there is no such file.")
        if not isinstance(self.extra_keys, dict):
            raise ValueError("--extra: is no JSON object.")

    def _check_numbers(self) -> None:
        for name in ("timeout", "max_requests", "max_tokens"):
            if not getattr(self, name) > 0:
                raise ValueError(f"--{name.replace('_', '-')} must be more than 0.")
        for name in ("answer_within", "history", "picture_side", "temperature", "price_in", "price_out"):
            if not (getattr(self, name) or 0) >= 0:
                raise ValueError(f"--{name.replace('_', '-')} must not be negative.")

    @property
    def url(self) -> str:
        """Where a request goes."""
        return self.base_url.rstrip("/").removesuffix(CHAT) + CHAT

    @property
    def extra_keys(self) -> Any:
        try:
            return json.loads(self.extra or "{}")
        except ValueError as error:
            raise ValueError(f"--extra: is no JSON object: {error}.") from None

    @property
    def sensors(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.pictures.split(",") if name.strip())


def api_key() -> str:
    """Kept out of the options, so that it is in no help, log or error."""
    return VLM_API_KEY.get() or OPENAI_API_KEY.get()
