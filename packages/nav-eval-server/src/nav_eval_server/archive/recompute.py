"""Recompute every rank of a published competition: python recompute.py [DIRECTORY]. Needs Python and nothing else.

boards/NAME.json is what was shown; values/NAME.json what it follows from. Prints "NAME: equal" or what differs, and
which files are not those of SHA256SUMS; exit code 1 if anything differs.

A team's submission: on the final board the best of those it chose (else of its last), on the public board its best, or,
with a step, what the Ladder released (Blum & Hardt 2015). Means are over the episodes in which every team has a value.
Two teams differ surely if p is at most 5 % by the number of pairs: by the binomial distribution where every value is 0
or 1 (McNemar), else by flipping the signs of the differences, in every way up to 13, beyond by Barndorff-Nielsen's r*.
A team without one episode that was played well is last.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ALPHA = 0.05
EXACT = 13
TINY = 1e-12
Json = Any
Key = tuple[str, str]


def main(folder: Path) -> int:
    faults = sums(folder)
    paths = sorted((folder / "values").glob("*.json"))
    if not paths:
        sys.stdout.write("no final board is revealed yet: there are no values to recompute ranks from\n")
    for path in paths:
        found = differences(folder, path.name)
        sys.stdout.write(f"{path.stem}: {'; '.join(found) or 'equal'}\n")
        faults += found
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


def sums(folder: Path) -> list[str]:
    """Files that are not those of SHA256SUMS."""
    if not (folder / "SHA256SUMS").is_file():
        return ["SHA256SUMS is missing"]
    lines = (line.partition("  ") for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines())
    told = {name: digest for digest, _, name in lines}
    now = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in told if (folder / name).is_file()}
    return [f"{name} is missing or was changed" for name in told if now.get(name) != told[name]]


def differences(folder: Path, name: str) -> list[str]:
    """Between a board and its values, whatever has been done to the two files."""
    try:
        board, values = (json.loads((folder / place / name).read_text("utf-8")) for place in ("boards", "values"))
        return compare(board, values)
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        return [f"cannot be compared, {type(error).__name__}: {error}"]


def compare(board: Json, values: Json) -> list[str]:
    """What differs between a board and its values."""
    sign = 1.0 if board["higher_is_better"] else -1.0
    lines = {line["team"]: line for line in board["entries"]}
    if lines.keys() != values["entries"].keys():
        told = (
            ", ".join(sorted(one)) or "none"
            for one in (lines.keys() - values["entries"], values["entries"].keys() - lines)
        )
        return ["teams of the board alone: {}; of the values alone: {}".format(*told)]
    faults: list[str] = []
    own = {name: {(b, e): v for b, e, v, _ in rows} for name, rows in values["entries"].items()}
    ranked = [name for name in own if lines[name]["role"] == "team"]
    keys = common(own[name] for name in (ranked or own))
    well = {name for name in ranked if any(played for _, _, _, played in values["entries"][name])}
    places = rank({name: [sign * own[name][key] for key in keys] for name in ranked} if keys else {}, well)
    for name, line in lines.items():
        submission, shown = standing(values["history"][name], board, values["finals"], sign)
        present = [own[name][key] for key in keys if own[name].get(key) is not None]
        score = math.fsum(present) / len(present) if present else None
        now = {
            "submission": submission,
            "rank": places[name][0] if name in places else None,
            "rank_ci95": places[name][1] if name in places else None,
            "failed": sum(not well for _, _, _, well in values["entries"][name]),
            "excluded": len(own[name]) - len(present),
        }
        faults += [f"{name}: {key} is {value}, not {line[key]}" for key, value in now.items() if value != line[key]]
        faults += differs(name, score if shown is None else shown, line["score"])
    return faults


def differs(name: str, now: float | None, told: float | None) -> list[str]:
    same = now == told if now is None or told is None else abs(now - told) <= TINY
    return [] if same else [f"{name}: score is {now}, not {told}"]


def standing(history: Json, board: Json, finals: int, sign: float) -> tuple[str, float | None]:
    """The submission that stands for a team, and the score that it is shown with if that is not its mean."""
    mine = [one for one in history if one["mean"] is not None]
    if board["board"] == "final":
        mine = [one for one in mine if one["chosen"]] or mine[-finals:]
    elif board["step"]:
        step, shown, by = board["step"], -sign * math.inf, mine[0]
        for one in mine:
            if sign * (one["mean"] - shown) > step + TINY:
                shown, by = round(round(one["mean"] / step) * step, 12), one
        return by["submission"], shown
    best = max(mine, key=lambda one: sign * one["mean"])
    return best["submission"], None


def common(entries: Iterable[Mapping[Key, float | None]]) -> list[Key]:
    """Episodes in which all have a value, in order."""
    sets = [{key for key, value in rows.items() if value is not None} for rows in entries]
    return sorted(set.intersection(*sets)) if sets else []


def rank(values: Mapping[str, Sequence[float]], well: Collection[str]) -> dict[str, tuple[int, list[int]]]:
    """team -> (rank, [lowest, highest]) from its values, more being better; those not in `well` are last."""
    mean = {name: math.fsum(row) / len(row) for name, row in values.items()}
    order = sorted(values, key=lambda name: (name not in well, -mean[name] if name in well else 0.0, name))
    good = [name for name in order if name in well]
    pairs = list(itertools.combinations(good, 2))
    wins = {(a, b) for a in good for b in order if b not in well}
    wins |= {pair for pair in pairs if chance(*(values[name] for name in pair)) <= 1 - (1 - ALPHA / len(pairs))}
    told: dict[str, tuple[int, list[int]]] = {}
    head, shared = None, 0
    for place, name in enumerate(order, 1):
        if head is None or (head, name) in wins:
            head, shared = name, place
        beaten = sum(loser == name for _, loser in wins)
        told[name] = (shared, [1 + beaten, len(order) - sum(winner == name for winner, _ in wins)])
    return told


def chance(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of a difference between two teams that are equally good."""
    if all(abs(x) in (0.0, 1.0) for x in (*a, *b)):
        lost, won = sum(x < y for x, y in zip(a, b)), sum(x > y for x, y in zip(a, b))
        tail = sum(math.comb(lost + won, k) for k in range(min(lost, won) + 1))
        return min(1.0, 2 * tail / (1 << (lost + won)))
    moved = [y - x for x, y in zip(a, b) if x != y]
    size, total = math.fsum(map(abs, moved)), abs(math.fsum(moved))
    if not moved or total >= size * (1 - TINY):
        return math.ldexp(1.0, 1 - len(moved)) if moved else 1.0
    if len(moved) <= EXACT:
        sums = (math.fsum(s * d for s, d in zip(flip, moved)) for flip in itertools.product((-1, 1), repeat=len(moved)))
        return math.ldexp(sum(abs(one) >= total * (1 - TINY) for one in sums), -len(moved))
    whole = all(d == int(d) for d in moved)
    return min(1.0, math.erfc(deviate(moved, total - (math.gcd(*map(int, moved)) if whole else 0.0)) / math.sqrt(2)))


def deviate(moved: Sequence[float], total: float) -> float:
    """r* of a sum of differences with random signs, whose cumulant function is the sum of log cosh."""
    low, high = 0.0, 1.0
    while math.fsum(d * math.tanh(high * d) for d in moved) < total:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        below = math.fsum(d * math.tanh(middle * d) for d in moved) < total
        low, high = (middle, high) if below else (low, middle)
    bend = math.fsum(d * d / math.cosh(min(abs(low * d), 300.0)) ** 2 for d in moved)
    cumulant = math.fsum(abs(low * d) + math.log1p(math.exp(-2 * abs(low * d))) - math.log(2) for d in moved)
    root, slope = math.sqrt(max(0.0, 2 * (low * total - cumulant))), low * math.sqrt(bend)
    return root if root < 1e-3 or slope <= 0 else root + math.log(slope / root) / root


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
