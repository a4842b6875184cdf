"""What a chat endpoint sent back, down to the text that holds the answer; reasoning is no part of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nav_eval_baselines.vlm.answers import Unreadable


class Garbled(ValueError):
    """The body is no answer of a chat endpoint; asking again may help."""


@dataclass(frozen=True)
class Reply:
    """`text`: the content and the arguments of called tools. `finish`: why the model ended, "length" if it was cut."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    finish: str = ""
    input_tokens: int = 0
    output_tokens: int = 0

    def answer(self) -> str:
        """The text to read; raises Unreadable where there cannot be an answer in it."""
        if self.refusal or self.finish == "content_filter":
            raise Unreadable(f"it was refused: {self.refusal[:200] or self.finish}")
        if self.finish == "length" and "}" not in self.text:
            raise Unreadable("it was cut off at --max-tokens")
        if not self.text.strip():
            raise Unreadable("it holds reasoning and no answer" if self.reasoning else "it is empty")
        return self.text[: self.text.rindex("}") + 1] if self.finish == "length" else self.text


def reply_of(body: Any) -> Reply:
    """Raises Garbled."""
    try:
        choice = body["choices"][0]
        message, usage = choice["message"], body.get("usage") or {}
        return Reply(
            text="\n".join(filter(None, (_content(message.get("content")), *_tool_calls(message)))),
            reasoning=str(message.get("reasoning_content") or message.get("reasoning") or ""),
            refusal=str(message.get("refusal") or ""),
            finish=str(choice.get("finish_reason") or ""),
            input_tokens=int(usage.get("prompt_tokens") or 0),
            output_tokens=int(usage.get("completion_tokens") or 0),
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise Garbled(f"it is no chat completion ({type(error).__name__}: {error})") from None


def _content(content: Any) -> str:
    """A string, or a list of parts, of which those of text count."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if part.get("type") in ("text", "output_text"))
    return str(content or "")


def _tool_calls(message: Mapping[str, Any]) -> Iterator[str]:
    """Each called tool as JSON: its arguments, or its name as the action."""
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    for call in [*calls, *([message["function_call"]] if message.get("function_call") else ())]:
        given = call.get("arguments") or "{}"
        arguments = given if isinstance(given, str) else json.dumps(given)
        named = '"action' in arguments.lower()
        yield arguments if named else json.dumps({"action": call.get("name"), "action_args": json.loads(arguments)})
