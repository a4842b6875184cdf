"""Ranks of a board from its episodes' values, by the standard library alone: what anybody can run years later.

python recomputed_ranks.py < BOARD.json, where the board is {"seed": ..., "higher": true, "entries": {name: [[building,
episode, value or null], ...]}}. Prints [[name, rank, lowest, highest, mean], ...], best first.
"""

import json
import math
import random
import sys

DRAWS = 4000


def main() -> None:
    board = json.load(sys.stdin)
    entries = {name: {(b, e): v for b, e, v in rows} for name, rows in board["entries"].items()}
    names = list(entries)
    keys = sorted(k for k in entries[names[0]] if all(entries[n].get(k) is not None for n in names))
    sign = 1.0 if board["higher"] else -1.0
    mean = {n: math.fsum(entries[n][k] for k in keys) / len(keys) for n in names}
    groups = sorted({b for b, _ in keys})
    cluster = {k: k[0] if len(groups) > 1 else k for k in keys}
    clusters = sorted(set(cluster.values()))
    sums = {n: dict.fromkeys(clusters, 0.0) for n in names}
    for n in names:
        for k in keys:
            sums[n][cluster[k]] += sign * (entries[n][k] - mean[n])
    g = len(clusters)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    rows, error = [], {}
    for a, b in pairs:
        row = [sums[a][c] - sums[b][c] for c in clusters]
        error[a, b] = math.sqrt(math.fsum(x * x for x in row) * g / (g - 1)) / len(keys) if g > 1 else math.inf
        if 1e-12 < error[a, b] < math.inf:
            rows.append([x / (error[a, b] * len(keys)) for x in row])
    critical = quantile(rows, g, board["seed"])
    wins = {(a, b): False for a in names for b in names}
    for a, b in pairs:
        gap = sign * (mean[a] - mean[b])
        bound = math.inf if g < 2 else critical * error[a, b] if error[a, b] > 1e-12 else 0.0
        wins[a, b] = gap > (bound or 1e-12)
        wins[b, a] = -gap > (bound or 1e-12)
    told, head, shared = [], None, 0
    for place, n in enumerate(sorted(names, key=lambda n: (-sign * mean[n], n)), 1):
        if head is None or wins[head, n]:
            head, shared = n, place
        best = 1 + sum(wins[other, n] for other in names)
        worst = len(names) - sum(wins[n, other] for other in names)
        told.append([n, shared, best, worst, mean[n]])
    json.dump(told, sys.stdout)


def quantile(rows: list, g: int, seed: int) -> float:
    if g < 2 or not rows:
        return math.inf if g < 2 else 0.0
    draw = random.Random(seed)
    weights = [[draw.gauss(0.0, 1.0) for _ in range(g)] for _ in range(DRAWS)]
    spread = [math.sqrt(draw.gammavariate((g - 1) / 2, 2.0) / (g - 1)) for _ in range(DRAWS)]
    scale = math.sqrt(g / (g - 1))
    largest = sorted(
        max(abs(sum(w * x for w, x in zip(weight, row))) for row in rows) * scale / s
        for weight, s in zip(weights, spread)
    )
    return largest[math.ceil(0.95 * (DRAWS + 1)) - 1]


if __name__ == "__main__":
    main()
