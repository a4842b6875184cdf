"""What an answer cost its team, as its service says: nobody else counts it, and no score depends on it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import reduce
from operator import add

import msgspec

from nav_eval_sdk.protocol.structs import Message, known

CURRENCY = re.compile("[A-Za-z]{1,8}")
MAX_CURRENCIES = 4


class Usage(Message, frozen=True, omit_defaults=True):
    """Tokens in and out and requests of a language model, `unreadable` answers of it, `accelerator_seconds`, and `cost`
    by currency, for example {"USD": 0.0021}. All are 0 or more.

    >>> Usage(input_tokens=900, output_tokens=12, requests=1) + Usage(requests=1, cost={"USD": 0.5})
    Usage(input_tokens=900, output_tokens=12, requests=2, unreadable=0, accelerator_seconds=0.0, cost={'USD': 0.5})
    """

    input_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    unreadable: int = 0
    accelerator_seconds: float = 0.0
    cost: dict[str, float] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, amount in self.amounts().items():
            if not (math.isfinite(amount) and 0 <= amount < 1 << 63):
                raise ValueError(f"{name} is {amount}, not a number from 0 on")
        if len(self.cost) > MAX_CURRENCIES or not all(CURRENCY.fullmatch(name) for name in self.cost):
            raise ValueError(f"cost: give at most {MAX_CURRENCIES} currencies, such as USD, by up to 8 letters")

    def amounts(self) -> dict[str, float]:
        """Each number by its name, a cost by "cost.USD"."""
        plain = {name: getattr(self, name) for name in self.__struct_fields__ if name != "cost"}
        return plain | {f"cost.{currency}": amount for currency, amount in self.cost.items()}

    def __add__(self, other: Usage) -> Usage:
        plain = {name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__ if name != "cost"}
        currencies = sorted({*self.cost, *other.cost})
        cost = {name: self.cost.get(name, 0.0) + other.cost.get(name, 0.0) for name in currencies}
        return Usage(**plain, cost=cost)


def whole(parts: Iterable[Usage | None]) -> Usage | None:
    """The sum of those that there are; None of none."""
    there = [part for part in parts if part is not None]
    return reduce(add, there) if there else None


known(globals())
