"""Recompute every rank of a published competition: python recompute.py [DIRECTORY]. Needs Python and nothing else.

boards/NAME.json is what was shown; values/NAME.json what it follows from. Prints "NAME: equal" or what differs, and
which files are not those of SHA256SUMS; exit code 1 if anything differs.

A team's submission: on the final board the best of those it chose (else of its last), on the public board its best, or,
with a step, what the Ladder released (Blum & Hardt 2015). Means are over the episodes in which every team has a value.
Two teams differ surely if their difference is more standard errors than `critical`, errors being clustered by building
(by episode if there is one building): the 95 % quantile of the largest |t| of all pairs over 4000 draws, each a normal
weight per building over the root of a chi-square by its degrees of freedom.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DRAWS = 4000
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
    places = rank({name: [sign * own[name][key] for key in keys] for name in ranked}, keys, board["seed"])
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


def rank(values: Mapping[str, Sequence[float]], keys: Sequence[Key], seed: int) -> dict[str, tuple[int, list[int]]]:
    """team -> (rank, [lowest, highest]) from its values, more being better."""
    if not keys:
        return {}
    names, size = list(values), len(keys)
    mean = {name: math.fsum(row) / size for name, row in values.items()}
    several = len({b for b, _ in keys}) > 1
    groups: list[Any] = [key[0] if several else key for key in keys]
    order = sorted(set(groups))
    residual = {name: dict.fromkeys(order, 0.0) for name in names}
    for name in names:
        for group, value in zip(groups, values[name]):
            residual[name][group] += value - mean[name]
    g = len(order)
    error: dict[Key, float] = {}
    rows: list[list[float]] = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            row = [residual[a][group] - residual[b][group] for group in order]
            error[a, b] = math.sqrt(math.fsum(x * x for x in row) * g / (g - 1)) / size if g > 1 else math.inf
            if TINY < error[a, b] < math.inf:
                rows.append([x / (error[a, b] * size) for x in row])
    bound = critical(rows, g, seed)
    wins = {(a, b): False for a in names for b in names}
    for (a, b), spread in error.items():
        sure = math.inf if g < 2 else bound * spread if spread > TINY else TINY
        wins[a, b], wins[b, a] = mean[a] - mean[b] > sure, mean[b] - mean[a] > sure
    told: dict[str, tuple[int, list[int]]] = {}
    head, shared = None, 0
    for place, name in enumerate(sorted(names, key=lambda name: (-mean[name], name)), 1):
        if head is None or wins[head, name]:
            head, shared = name, place
        low = 1 + sum(wins[other, name] for other in names)
        told[name] = (shared, [low, len(names) - sum(wins[name, other] for other in names)])
    return told


def critical(rows: Sequence[Sequence[float]], g: int, seed: int) -> float:
    """How many standard errors make a difference sure."""
    if g < 2 or not rows:
        return math.inf if g < 2 else 0.0
    draw = random.Random(seed)
    weights = [[draw.gauss(0.0, 1.0) for _ in range(g)] for _ in range(DRAWS)]
    spread = [math.sqrt(draw.gammavariate((g - 1) / 2, 2.0) / (g - 1)) for _ in range(DRAWS)]
    scale = math.sqrt(g / (g - 1))
    largest = sorted(
        max(abs(sum(w * x for w, x in zip(weight, row))) for row in rows) * scale / by
        for weight, by in zip(weights, spread)
    )
    return largest[math.ceil(0.95 * (DRAWS + 1)) - 1]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
