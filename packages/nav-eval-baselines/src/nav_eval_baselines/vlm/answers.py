"""Which action an answer names. What does not name exactly one is Unreadable, with the reason; nothing is guessed.

An answer is, after the reasoning: JSON with "action" or "actions"; or a line that says so, such as "Action: 3" or
"答案：2"; or a last sentence that is a number or an action's name, with nothing before it but words that lead to an
answer ("I see 3 doors, so action 1"). Two of these that differ, a question, a condition, a number that is none of the
actions: unreadable.
"""

from __future__ import annotations

import ast
import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nav_eval_baselines.vlm.choices import Choice

Actions = list[dict[str, Any]]


class Unreadable(ValueError):
    """Why an answer cannot be read; the model is told it."""


THOUGHT = r"(?:think|thinking|thought|thoughts|reasoning|reflection|analysis)"
"""Tags that hold reasoning."""
CLOSED = re.compile(rf"<({THOUGHT})>(?:(?!<\1>).)*?</\1>", re.DOTALL | re.IGNORECASE)
END, BEGIN = re.compile(rf"</{THOUGHT}>", re.IGNORECASE), re.compile(rf"<{THOUGHT}>", re.IGNORECASE)
CHANNEL = re.compile(r"<\|channel\|>")
FINAL = re.compile(r"<\|channel\|>final(?:(?!<\|message\|>).)*<\|message\|>", re.DOTALL)
TOKEN = re.compile(r"<\|[^|<>]*\|>|</?s>|</?tool_call>|<end_of_turn>|^```\w*|```$", re.MULTILINE)
TAGGED = re.compile(r"<(answer|action)>(.*?)</\1>|\\boxed\{([^{}]*)\}", re.DOTALL | re.IGNORECASE)

LABEL = (
    r"(?:actions?|answers?|choices?|options?|numbers?|selections?|decisions?|moves?|答案|动作|動作|行动|"
    r"行動|选择|選擇|选项|選項|编号|編號|回答)"
)
LEADING = (
    r"(?:(?:so|thus|hence|therefore|i|im|ill|id|we|lets|robot|agent|going to|will|would|should|choose|pick|select|take|"
    r"go with|answer|believe|think|"
    r"my|the|a|your|final|best|correct|right|next|chosen|selected|recommended|is|be|it is|to take|to choose|to do|with|"
    rf"{LABEL})\b|所以|因此|故|于是|那么|我|会|将|应该|应当|应|要|选择|选项|选|执行|采取|最终|最后|最佳|正确|下一步|的|是|为|第|向|"
    r"动作|答案|行动|选择|选项|编号|回答)"
)
LEAD = re.compile(rf"(?:{LEADING}[\s:=#]*)+")
SAYS = re.compile(rf"(?:{LEADING}\s*)*?{LABEL}\s*(?:number|编号|号)?\s*(?::|=|→|\bis\b:?|(?<=\s)-(?=\s)|是|为)\s*")
"""The beginning of a line that is an answer: a label, and what stands before it."""
NUMBER = re.compile(r"(?<![\d.])[-+]?\d+(?![.,]?\d)")
AFTER = re.compile(
    r"(?:号|项|个)?(?:动作|选项)?|\s+is (?:the )?(?:best|correct|right)(?: (?:action|answer|choice|option))?"
)
REASON = re.compile(
    r"\s*(?:[.,;:(\-。]|\b(?:because|since)\b|因为|由于)"
    r"(?!\s*(?:(?:or|and|then|maybe|perhaps|if|plus)\b|或|然后|再|和|如果|[\d.]))"
)
CAUSE = re.compile(r"\s*(?:\b(?:because|since)\b|因为|由于).*")
BACK = re.compile(r"(?:(?:no|wait|actually|hmm|sorry|correction)\b|等等|不对|更正)", re.IGNORECASE)
"""How a last line begins that takes back what was said."""
BECAUSE = re.compile(r"([^,.;:]{1,40}?),?\s*(?:\b(?:because|since)\b|因为|由于)")
SO = re.compile(r"(?:so|thus|hence|therefore|所以|因此|故)(?:\b|(?<=[\u4e00-\u9fff]))")
CLAUSES = re.compile(
    r"(?:[.;!。;!](?=\s|$|[\u4e00-\u9fff])|[,、])\s*|\s+(?=(?:so|thus|hence|therefore)\b)|(?=所以|因此)"
)
DOUBT = re.compile(
    r"\b(?:if|unless|maybe|perhaps|might|could|either|whether|possibly|not sure|unsure)\b"
    r"|如果|若是|要是|除非|也许|可能|或许|不确定"
)
NEGATED = re.compile(
    r"\b(?:not|never|no|cannot|avoid|dont|doesnt|cant|wont|shouldnt|isnt|wouldnt|neither|nor)\b|不|别|勿"
)
LISTED = re.compile(r"\(?(\d+)\s*[.:)\-]\s+(.+)")


def read_answer(text: str, choices: Sequence[Choice], most: int = 1) -> Actions:
    """The actions that `text` names, one or up to `most`; raises Unreadable."""
    return _Reader(choices, most).read(text)


def without_reasoning(text: str) -> str:
    """What follows the reasoning; raises Unreadable where that has not ended."""
    text = text.replace("◁", "<").replace("▷", ">")
    if CHANNEL.search(text):
        parts = FINAL.split(text)
        if len(parts) == 1:
            raise Unreadable("the reasoning has not ended")
        text = parts[-1]
    while (shorter := CLOSED.sub("", text)) != text:
        text = shorter
    text = END.split(text)[-1]  # some templates open the tag in the prompt
    if BEGIN.search(text):
        raise Unreadable("the reasoning has not ended")
    return text


class _Reader:
    """One answer to one list of choices."""

    def __init__(self, choices: Sequence[Choice], most: int) -> None:
        self._choices, self._most = choices, most
        self._names: dict[str, int] = {}
        for index, choice in enumerate(choices):
            for name in choice.names:
                self._names.setdefault(_plain(name), index)

    def read(self, text: str) -> Actions:
        text = TOKEN.sub("", without_reasoning(text)).strip()
        if BACK.match(text.rpartition("\n")[2].strip("*_ ")):
            raise Unreadable("it takes back what it said")
        values, rest = _objects(text)
        found = [actions for value in values if (actions := self._of_json(value)) is not None]
        if "{" in rest and re.search(r"[\"']actions?[\"']\s*:", rest):
            raise Unreadable("its JSON is broken")
        lines = [_plain(line) for line in TAGGED.sub("", rest).splitlines() if _plain(line)]
        tags = [_plain(one or other) for _, one, other in TAGGED.findall(rest)]
        said = [self._labelled_choice(line) for line in lines] + [self._clause(tag) for tag in tags]
        if any(tag and self._clause(tag) is None for tag in tags):
            raise Unreadable("it names no action")
        found += [[self._bare(index)] for index in said if index is not None]
        last = None if not lines or values else self._last(lines)
        if last is not None:
            found.append([self._bare(last)])
        if not found:
            raise Unreadable("it names no action")
        if any(one != found[0] for one in found):
            raise Unreadable("it names two different actions")
        return found[0]

    def _bare(self, index: int) -> dict[str, Any]:
        """A choice that was named without numbers."""
        choice = self._choices[index]
        if choice.numbers:
            raise Unreadable(f"{index} needs the numbers {', '.join(choice.numbers)}")
        return choice.answer()

    def _index(self, number: int) -> int:
        if not 0 <= number < len(self._choices):
            raise Unreadable(f"{number} is none of 0 to {len(self._choices) - 1}")
        return number

    # -- JSON

    def _of_json(self, value: Any) -> Actions | None:
        """The actions of an object; None of one that has none."""
        if isinstance(value, list):
            return self._several(value)
        keys = {str(key).lower(): each for key, each in value.items()}
        if "action" in keys and "actions" in keys:
            raise Unreadable("it has both action and actions")
        if "actions" in keys:
            return self._several(keys["actions"])
        if "action" in keys:
            return [self._one(keys)]
        inner = next((keys[key] for key in ("arguments", "parameters") if isinstance(keys.get(key), dict)), None)
        return None if inner is None else self._of_json(inner)

    def _several(self, values: Any) -> Actions:
        if not isinstance(values, list) or not 1 <= len(values) <= self._most:
            raise Unreadable(f"actions must be a list of 1 to {self._most}")
        return [self._one(value if isinstance(value, dict) else {"action": value}) for value in values]

    def _one(self, given: Mapping[str, Any]) -> dict[str, Any]:
        index = self._choice_of(given.get("action"))
        choice = self._choices[index]
        inner = next((given[key] for key in ("action_args", "arguments") if isinstance(given.get(key), dict)), given)
        numbers = {name: _number(name, inner.get(name), *bounds) for name, bounds in choice.numbers.items()}
        return choice.answer(numbers)

    def _choice_of(self, value: Any) -> int:
        """The choice that a value of "action" names."""
        if isinstance(value, str):
            index = self._clause(_plain(value))
        else:
            whole = type(value) is int or (isinstance(value, float) and value.is_integer())
            index = self._index(int(value)) if whole else None
        if index is None:
            raise Unreadable(f"{json.dumps(value, ensure_ascii=False)[:80]} is no action")
        return index

    # -- words

    def _value(self, text: str) -> int | None:
        """A number alone, a name alone, or a number with its own name: "2", "turn left", "2 (turn left)"."""
        text = text.strip(" .,:;!()[]【】#=→")
        if text in self._names:
            return self._names[text]
        number = NUMBER.match(text)
        if number is None:
            return None
        rest = text[number.end() :].strip()
        if AFTER.fullmatch(text[number.end() :]):
            return self._index(int(number[0]))
        named = self._names.get(rest.strip(" .,:;-–—→()[]=>"))
        if named is not None and named != int(number[0]):
            raise Unreadable("its number and its name differ")
        return None if named is None else self._index(int(number[0]))

    def _clause(self, text: str) -> int | None:
        """A value, or one after words that lead to it: "so i choose action 2"."""
        text = CAUSE.sub("", text).strip(" .,:;!()[]#")
        index = self._value(text)
        if index is None and (lead := LEAD.match(text)):
            index = self._value(text[lead.end() :])
        return self._led_to(text) if index is None else index

    def _led_to(self, text: str) -> int | None:
        """A name that begins as a word that leads to an answer: "i should move forward"."""
        ends = [name for name in self._names if text.endswith(name) and LEAD.fullmatch(text.removesuffix(name))]
        return self._names[max(ends, key=len)] if ends else None

    def _labelled_choice(self, line: str) -> int | None:
        """What a line with a label says: "answer: 2, because ..."; None of another line."""
        says = SAYS.match(line)
        if says is None or line.endswith("?") or DOUBT.search(line):
            return None
        rest = line[says.end() :]
        index = self._value(CAUSE.sub("", rest))
        return self._with_reason(rest) if index is None else index

    def _with_reason(self, rest: str) -> int | None:
        names = sorted((name for name in self._names if name and rest.startswith(name)), key=len)
        number = NUMBER.match(rest.lstrip("(["))
        end = len(names[-1]) if names else number.end() + len(rest) - len(rest.lstrip("([")) if number else 0
        if not end or not REASON.match(rest[end:]) or SAYS.search(rest[end:]):
            return None
        index = self._value(rest[:end])
        others = (name for name, one in self._names.items() if one != index and not name.isdigit())
        return None if any(re.search(rf"\b{re.escape(name)}\b", rest[end:]) for name in others) else index

    def _last(self, lines: Sequence[str]) -> int | None:
        """What the last line says, if no other line is an answer by itself that differs."""
        last = self._sentence(lines[-1])
        if last is None and all(map(self._explains, lines[1:])):
            return self._value(lines[0])
        others = {self._value(line) for line in lines[:-1]} - {None, last}
        if others and not any(self._labelled_choice(line) is not None for line in lines):
            raise Unreadable("it names two different actions")
        return last

    def _explains(self, line: str) -> bool:
        """Whether a line below an answer names nothing else and takes nothing back."""
        if line.endswith("?") or re.search(r"\d|\b(?:wait|actually|instead|wrong)\b|等等|不对", line):
            return False
        return not (DOUBT.search(line) or NEGATED.search(line) or any(name and name in line for name in self._names))

    def _sentence(self, line: str) -> int | None:
        if (index := self._value(line)) is not None and not line.endswith("?"):
            return index
        if line.endswith("?") or DOUBT.search(line):
            return None
        if (head := BECAUSE.match(line)) and (index := self._value(head[1])) is not None:
            return index
        listed = LISTED.fullmatch(line)
        clauses = [part for part in CLAUSES.split(listed[2] if listed else line) if part.strip()]
        index = self._clause(clauses[-1]) if clauses else None
        if index is None:
            return None
        follows = SO.match(clauses[-1].strip()) is not None
        before = {self._clause(clause) for clause in clauses[:-1]} - {None, index}
        if listed and int(listed[1]) != index:
            before.add(int(listed[1]))
        if before and not (follows and not listed):
            raise Unreadable("it names two different actions")
        labelled = SAYS.match(clauses[-1].strip()) is not None
        return None if NEGATED.search(line) and not (follows or labelled) else index


def _plain(text: str) -> str:
    """One form of what looks alike: full-width signs, case, emphasis, blanks for underscores."""
    text = re.sub(r"(?<=[A-Za-z])[-_](?=[A-Za-z])", " ", unicodedata.normalize("NFKC", text)).lower()
    text = re.sub(r"[*`\"'“”‘’「」『』>~]|^\s*(?:#+|[-•])\s+", "", text.replace("−", "-").replace("_", " "))
    return " ".join(text.split()).strip(" 。")


def _number(name: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Unreadable(f"{name} must be a number")
    if not low <= value <= high:
        raise Unreadable(f"{name} must be from {low:g} to {high:g}, not {value:g}")
    return float(value)


def _objects(text: str) -> tuple[list[Any], str]:
    """JSON objects in a text (or a list that is all of it) and the rest; raises Unreadable for a key given twice."""
    if text.startswith("[") and (listed := _load(text)) is not None:
        return [listed], ""
    values, rest, place = [], "", 0
    for begin, end in _braces(text):
        if (value := _load(text[begin:end])) is not None:
            values.append(value)
            rest += text[place:begin] + "\n"
            place = end
    return values, rest + text[place:]


def _braces(text: str) -> Iterator[tuple[int, int]]:
    """Where each outermost {...} begins and ends; braces in strings do not count."""
    depth = begin = 0
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"|[{}]', text):
        if found[0] == "{":
            begin, depth = (begin if depth else found.start()), depth + 1
        elif found[0] == "}" and depth:
            depth -= 1
            if not depth:
                yield begin, found.end()


def _load(text: str) -> Any:
    """JSON, or Python's form of it, as an object or a list; else None."""
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except Unreadable:
        raise
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return None
    return value if isinstance(value, (dict, list)) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Unreadable("a key of its JSON is given twice")
    return dict(pairs)
