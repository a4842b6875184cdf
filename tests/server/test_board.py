"""Boards: against a script of the standard library alone, against an attack, and by who may see what."""

from __future__ import annotations

import csv
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import override
from scipy.stats import binomtest

from nav_eval.core.definitions import Definition
from nav_eval.report.verdict import sentences
from nav_eval.report.words import said
from nav_eval.results.compare import RunRecords
from nav_eval.results.ranking import rank
from nav_eval_server import archive
from nav_eval_server.archive.evidence import values
from nav_eval_server.board.decisions import choose, close, reveal
from nav_eval_server.board.ladder import climb
from nav_eval_server.board.places import Board, Keeper, document, latest
from nav_eval_server.board.visibility import visible_to
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Membership, Ranking, Result, Submission, Team, User
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import State
from nav_eval_server.web.standings import elsewhere, standings
from server.boards import NOW, done, team
from server.competition import phase
from server.conftest import Make

SCRIPT = Path(archive.__file__).with_name("recompute.py")
SPL = Definition(unit="share", better="higher")
PHASES = {
    "plain": phase() | {"finals": 2},
    "climb": phase() | {"ladder": 0.05},
    "hidden": phase() | {"board": "private"},
}


@pytest.fixture
def challenge(make: Make) -> Challenge:
    return make(phases=PHASES)


def recomputed(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", "-S", str(SCRIPT), str(folder)], capture_output=True, text=True)


def written(folder: Path, boards: Iterable[tuple[dict[str, object], dict[str, object]]]) -> Path:
    """A published folder, so far as the script needs it."""
    (folder / "boards").mkdir(parents=True)
    (folder / "values").mkdir()
    (folder / "SHA256SUMS").touch()
    for n, (board, evidence) in enumerate(boards):
        (folder / "boards" / f"{n}.json").write_text(json.dumps(board))
        (folder / "values" / f"{n}.json").write_text(json.dumps(evidence))
    return folder


def draw_competition(seed: int) -> None:
    """One to five teams with up to four submissions each, baselines, failures, ties, holes."""
    rng = random.Random(seed)
    better, keys = rng.choice(("higher", "lower")), _episodes(rng)
    holes = rng.random() < 0.3
    for n in range(rng.randint(1, 5)):
        name = team(f"t{n}", "baseline" if n == 4 else "oracle" if n == 3 and rng.random() < 0.3 else "team")
        skill = round(rng.gauss(0.5, 0.2), 1)
        for _ in range(rng.randint(1, 4)):
            row: dict[tuple[str, str], float | None] = {k: min(1.0, max(0.0, rng.gauss(skill, 0.2))) for k in keys}
            if holes:
                row |= dict.fromkeys(rng.sample(keys, len(keys) // 4))
            which = frozenset(rng.sample(keys, len(keys) // 5))
            entry = done(name, row, phase=rng.choice(("plain", "climb")), better=better, failed=which)
            if rng.random() < 0.3:
                Submission.objects.filter(pk=entry.pk).update(chosen_at=NOW)
            if rng.random() < 0.1:
                Submission.objects.filter(pk=entry.pk).update(state=State.VOID)


def _episodes(rng: random.Random) -> list[tuple[str, str]]:
    buildings = rng.randint(1, 6)
    return [(f"b{rng.randrange(buildings)}", str(n)) for n in range(rng.randint(2, 30))]


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 200), marks=pytest.mark.soak)])
def test_the_standard_library_alone_finds_the_same_boards(challenge: Challenge, tmp_path: Path, seeds: range) -> None:
    """From what is published of it: every rank, interval, score and count, on the public and on the final board."""
    told, sizes = [], []
    for seed in seeds:
        with transaction.atomic():
            draw_competition(seed)
            for name, board in (("plain", Board.PUBLIC), ("climb", Board.PUBLIC), ("plain", Board.FINAL)):
                found = document(challenge, name, board)
                told.append((found, values(challenge, name, board)))
                sizes.append(len(found["entries"]))
            transaction.set_rollback(True)
    assert sum(size > 1 for size in sizes) > len(sizes) / 3
    said = recomputed(written(tmp_path / "published", told))
    assert (said.returncode, said.stderr) == (0, ""), said.stdout


@pytest.mark.parametrize("key", ["rank", "rank_ci95", "score", "failed", "excluded", "submission"])
def test_the_script_finds_a_board_that_was_touched(challenge: Challenge, tmp_path: Path, key: str) -> None:
    for n, skill in enumerate((0.2, 0.8)):
        done(team(f"t{n}"), {(f"b{b}", str(b)): skill + 0.01 * b * n for b in range(6)}, phase="plain")
    board = document(challenge, "plain", Board.PUBLIC)
    line = board["entries"][1]
    other = {"rank_ci95": [1, 2], "submission": "other", "score": 0}.get(key, 7)
    assert other != line[key]
    line[key] = other
    said = recomputed(written(tmp_path / "published", [(board, values(challenge, "plain", Board.PUBLIC))]))
    assert said.returncode == 1
    assert f"t0: {key} is" in said.stderr


def test_a_board_by_hand(challenge: Challenge) -> None:
    keys = [(f"b{n}", str(n)) for n in range(8)]
    strong = done(team("strong"), dict.fromkeys(keys, 0.9), phase="plain", failed=frozenset(keys[:2]))
    done(team("strong"), dict.fromkeys(keys, 0.1), phase="plain")
    done(team("weak"), dict.fromkeys(keys, 0.5) | {keys[0]: None}, phase="plain")
    done(team("oracle", "oracle"), dict.fromkeys(keys, 1.0), phase="plain")
    gone = done(team("gone"), dict.fromkeys(keys, 1.0), phase="plain")
    Dispatcher(challenge).void(gone, "it asked a person", "ada")
    board = document(challenge, "plain", Board.PUBLIC)
    line = {"role": "team", "rank": 1, "rank_ci95": [1, 1], "failed": 2, "excluded": 1}
    oracle = {"team": "oracle", "role": "oracle", "rank": None, "rank_ci95": None, "score": 1.0, "failed": 0}
    assert board["entries"][0].items() >= (oracle | {"excluded": 1}).items()
    assert board["entries"][1] == line | {"team": "strong", "submission": strong.id, "score": pytest.approx(0.9)}
    assert [(e["team"], e["rank"], e["score"]) for e in board["entries"][2:]] == [("weak", 2, 0.5)]
    assert board["void"] == [{"team": "gone", "submission": gone.id, "reason": "it asked a person"}]
    assert (board["n_episodes"], board["n_buildings"]) == (7, 7)


@pytest.mark.parametrize("buildings", [1, 3])
def test_a_board_says_of_other_buildings_what_rank_does(challenge: Challenge, buildings: int) -> None:
    skills = {"strong": 0.8, "weak": 0.3}
    entries = []
    for name, skill in skills.items():
        row = {(f"b{n % buildings}", str(n)): skill + 0.01 * (n % 5) * skill for n in range(12)}
        done(team(name), row, phase="plain")
        entries.append(RunRecords(name, {key: {"spl": value} for key, value in row.items()}, {}, {"spl": SPL}))
    order, board = rank(entries, "spl", higher_is_better=True), document(challenge, "plain", Board.PUBLIC)
    for language in ("en", "zh"):
        assert elsewhere(board, language) == sentences(language, order, SPL, {})[1:]
    assert (buildings == 1) == (board["elsewhere"]["more_buildings"] is None)


def test_a_board_shows_further_measures_but_for_what_a_ladder_holds_back(make: Make) -> None:
    """Everybody reads them of the entry too; a Ladder's team is told one number until the reveal."""
    challenge = make(ranking={"secondary_metrics": ["success", "steps"]}, phases=PHASES)
    rows = {
        name: done(team("t"), {("b", "1"): 0.5}, phase=name, others={"success": 0.75, "ndtw": 0.1}) for name in PHASES
    }
    told = {"success": 0.75, "steps": None}
    lines = {(n, board): document(challenge, n, board)["entries"][0] for n in PHASES for board in (*Board,)}
    with_more = {key for key, line in lines.items() if line.get("beside") == told}
    assert lines.keys() - with_more == {("climb", Board.PUBLIC)}
    assert "beside" not in lines["climb", Board.PUBLIC]
    Keeper(challenge).refresh(NOW)
    seen = {name: visible_to(None).figures(rows[name].id) for name in ("plain", "climb")}
    assert seen == {"plain": {"spl": 0.5, **told}, "climb": {"spl": 0.5}}
    for language, spoken in (("en", "en"), ("zh-hans", "zh")):
        with override(language):
            page = render_to_string("_board.html", {"board": standings("plain", AnonymousUser())[0], "heading": "h1"})
        # The same numbers are called what a report calls them.
        counts = [said(spoken, f"board.{name}") for name in ("failed", "excluded")]
        cells = re.findall(r'"number roomy"(?: title=".+?")?>(.*?)</t', page)
        heads = {"en": ["Success (%)", "Steps"], "zh": ["成功率（%）", "步数"]}[spoken]
        assert cells == [*heads, *counts, "75.0", "–"]
        assert re.search('title="(Success, weighted by|成功，按最短路)[^"]+">SPL</th>', page)


def test_a_score_has_the_interval_that_a_report_gives_it(make: Make) -> None:
    """Over the episodes of its mean; page, JSON and CSV have the same, and a Ladder's board has none."""
    make(ranking={"by": "success"}, phases=PHASES)
    keys = [(f"b{n % 3}", str(n)) for n in range(12)]
    for name in ("plain", "climb"):
        for who, wins in (("strong", 11), ("weak", 3)):
            row: dict[tuple[str, str], float | None] = {key: float(n < wins) for n, key in enumerate(keys)}
            row |= {keys[0]: None} if who == "weak" else {}
            done(team(who), row, phase=name, measure="success")
    for result in Result.objects.all():
        result.document["definitions"]["success"]["kind"] = "rate"  # as the evaluator records it
        result.save()
    Keeper(settings.CHALLENGE).refresh(NOW)
    (board,), (ladder,) = (standings(name, AnonymousUser()) for name in ("plain", "climb"))
    wilson = [binomtest(k, 11).proportion_ci(method="wilson") for k in (10, 2)]
    lines = board.published["entries"]
    assert [line["score_ci95"] for line in lines] == [pytest.approx(list(ends)) for ends in wilson]
    head, *rows = csv.reader(board.table.splitlines())
    at = head.index("score_ci95_low")
    assert [[float(cell) for cell in row[at : at + 2]] for row in rows] == [line["score_ci95"] for line in lines]
    page = render_to_string("_board.html", {"board": board, "heading": "h1"})
    assert "62.3–98.4" in page
    assert ("how far other episodes" in page, board.rows[0].share) == (True, pytest.approx(1000 / 11))
    assert [row.interval for row in ladder.rows] == [None, None]
    assert "score_ci95_low" in ladder.table
    assert "how far other episodes" not in render_to_string("_board.html", {"board": ladder, "heading": "h1"})


def test_less_is_better_where_the_measure_says_so(make: Make) -> None:
    challenge = make(ranking={"by": "navigation_error"})
    for name, far in (("near", 1.0), ("far", 4.0)):
        for more in (0.0, 1.0):
            done(team(name), {("b", "1"): far + more}, measure="navigation_error", better="lower")
    entries = document(challenge, "dev", Board.PUBLIC)["entries"]
    assert [(line["team"], line["score"]) for line in entries] == [("near", 1.0), ("far", 4.0)]


def test_the_ladder_by_hand() -> None:
    """Blum & Hardt's rule: more than a step above what is shown, then rounded to the step."""
    told = [(one.score, one.by) for one in climb([0.512, 0.514, 0.52, 0.521, 0.3, 0.54], 0.01, higher=True)]
    assert told == [(0.51, 0), (0.51, 0), (0.51, 0), (0.52, 3), (0.52, 3), (0.54, 5)]
    assert [one.score for one in climb([3.26, 3.24, 3.0], 0.1, higher=False)] == [3.3, 3.3, 3.0]


@pytest.mark.parametrize(("step", "points"), [(0.01, "1"), (0.05, "5"), (0.005, "0.5")])
def test_a_board_says_by_how_much_a_score_moves(make: Make, step: float, points: str) -> None:
    challenge = make(phases={"climb": phase() | {"ladder": step}})
    made = done(team("t"), {("b", "1"): 0.5}, phase="climb")
    Result.objects.filter(submission=made).update(document={"metrics": {"spl": {"mean": 0.5}}})
    Keeper(challenge).refresh(NOW)
    english = f"{points} percentage point{'s' * (points != '1')}."
    for language, told in (("en", english), ("zh-hans", f"{points} 个百分点")):
        with override(language):
            page = render_to_string("_board.html", {"board": standings("climb", AnonymousUser())[0], "heading": "h1"})
        assert told in page


def attack(shown: Callable[[float], float], *, climbs: bool, n: int = 500, tries: int = 1000) -> float:
    """Blum & Hardt's boosting attack on n hidden bits: the best score that was `shown`, at the end for the vote.

    Random answers are submitted; those whose score is above chance, or, on a board that `climbs`, that moved it, vote.
    """
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    answers = rng.integers(0, 2, (tries, n))
    before, votes, best = -1.0, np.zeros(n), 0.0
    for answer in answers:
        told = shown(float((answer == truth).mean()))
        if told > (before if climbs else 0.5):
            votes += 2 * answer - 1
        before, best = told, max(best, told)
    vote = np.where(votes > 0, 1, np.where(votes < 0, 0, answers[-1]))
    return max(best, shown(float((vote == truth).mean())))


def test_a_thousand_tries_inflate_a_plain_board_and_not_the_ladder() -> None:
    """Nobody knows anything of 500 episodes: the true score is 0.5, with a standard error of 0.022."""
    scores: list[float] = []

    def laddered(score: float) -> float:
        scores.append(score)
        return climb(scores, 0.01, higher=True)[-1].score

    assert attack(lambda score: score, climbs=False) > 0.75
    assert attack(laddered, climbs=True) <= 0.57


@pytest.mark.soak
@pytest.mark.parametrize(("name", "inflated"), [("plain", True), ("climb", False)])
def test_the_attack_through_the_rows(challenge: Challenge, name: str, inflated: bool) -> None:
    """The same, with submissions and by what the team is shown of each."""
    attacker = team("attacker")

    def submitted(score: float) -> float:
        figures = visible_to(attacker).figures(done(attacker, {("b", "1"): score}, phase=name).id)
        assert figures is not None
        assert figures["spl"] is not None
        return figures["spl"]

    with transaction.atomic():
        attack(submitted, climbs=not inflated)
        score = document(challenge, name, Board.PUBLIC)["entries"][0]["score"]
    assert score > 0.75 if inflated else score <= 0.6


def test_a_ladder_board_moves_only_with_what_it_releases(challenge: Challenge) -> None:
    keeper, keys = Keeper(challenge), [(f"b{n}", str(n)) for n in range(8)]
    done(team("a"), dict.fromkeys(keys, 0.51), phase="climb")
    keeper.refresh(NOW)
    first = latest("climb", Board.PUBLIC)
    assert first is not None
    for value in (0.52, 0.2, 0.545):
        done(team("a"), dict.fromkeys(keys, value) | {keys[0]: None}, phase="climb", failed=frozenset(keys))
        keeper.refresh(NOW)
    assert Ranking.objects.filter(phase="climb").count() == 1
    done(team("a"), dict.fromkeys(keys, 0.58), phase="climb")
    keeper.refresh(NOW)
    last = latest("climb", Board.PUBLIC)
    assert last is not None
    assert (first.document["entries"][0]["score"], last.document["entries"][0]["score"]) == (0.5, 0.6)
    assert Ranking.objects.get(pk=first.pk).document["entries"][0]["score"] == 0.5


def test_a_team_chooses_its_finals(challenge: Challenge) -> None:
    mine = [done(team("a"), {("b", "1"): value}, phase="plain") for value in (0.9, 0.1, 0.4)]
    assert document(challenge, "plain", Board.FINAL)["entries"][0]["submission"] == mine[2].id  # of its last two
    choose(challenge, mine[1], "ada", NOW)
    assert document(challenge, "plain", Board.FINAL)["entries"][0]["submission"] == mine[1].id
    choose(challenge, mine[0], "ada", NOW + timedelta(seconds=1))
    assert document(challenge, "plain", Board.FINAL)["entries"][0]["submission"] == mine[0].id
    with pytest.raises(Refusal, match=f"2 may be chosen, and are: {mine[1].pk}, {mine[0].pk}"):
        choose(challenge, mine[2], "ada", NOW)
    choose(challenge, mine[1], "ada", NOW, chosen=False)
    choose(challenge, mine[2], "ada", NOW)
    close("plain", "ada", NOW)
    with pytest.raises(Refusal, match="is over"):
        choose(challenge, mine[0], "ada", NOW, chosen=False)


def test_a_board_is_revealed_when_all_is_over(challenge: Challenge) -> None:
    done(team("a"), {("b", "1"): 0.5}, phase="hidden")
    with pytest.raises(Refusal, match="still takes"):
        reveal(challenge, "hidden", "ada", NOW)
    close("hidden", "ada", NOW)
    Submission.objects.create(
        team=team("b"), phase="hidden", kind="service", accepted_at=NOW, since=NOW, retry_at=NOW, deadline=NOW
    )
    with pytest.raises(Refusal, match="1 submission"):
        reveal(challenge, "hidden", "ada", NOW)
    Submission.objects.filter(state=State.QUEUED).update(state=State.CANCELLED)
    first = reveal(challenge, "hidden", "ada", NOW)
    with pytest.raises(Refusal, match="is revealed already"):
        reveal(challenge, "hidden", "ada", NOW)
    Submission.objects.filter(state=State.DONE).update(state=State.VOID)
    assert reveal(challenge, "hidden", "ada", NOW).document["entries"] == []
    assert Ranking.objects.get(pk=first.pk).document["entries"] != []


@pytest.fixture
def seen(challenge: Challenge) -> Callable[[str], object]:
    """`seen(role)`: what they see; each phase has a submission of team mine and a better one of team other."""
    mine, other = team("mine"), team("other")
    people = {n: User.objects.create_user(n, is_staff=n == "organiser") for n in ("stranger", "member", "organiser")}
    Membership.objects.create(team=mine, user=people["member"])
    Membership.objects.create(team=other, user=people["stranger"])
    entries = {
        (who.name, name): done(who, {("b", "1"): value}, phase=name, others={"success": value})
        for name in PHASES
        for who, value in ((mine, 0.513), (other, 0.777))
    }
    worse = {name: done(mine, {("b", "1"): 0.401}, phase=name) for name in PHASES}
    three = {name: (entries["mine", name].id, worse[name].id, entries["other", name].id) for name in PHASES}
    Keeper(challenge).refresh(NOW)

    def read_all(role: str) -> dict[str, object]:
        viewer: User | Team | AnonymousUser | None = people.get(role) or {"token": mine}.get(role)
        sight = visible_to(viewer or AnonymousUser())
        found: dict[str, object] = {}
        for name in PHASES:
            board, final = sight.board(name), sight.board(name, "final")
            scores = board and [line["score"] for line in board["entries"]]
            figures, proof = ([*map(see, three[name])] for see in (sight.figures, sight.evidence))
            found[name] = (scores, final is not None, figures, proof)
        return found

    return read_all


BOTH = {"spl": 0.513, "success": 0.513}
THEIRS = {"spl": 0.777, "success": 0.777}
PUBLIC = {
    "plain": ([0.777, 0.513], False, [{"spl": 0.513}, None, {"spl": 0.777}], [True, False, True]),
    "climb": ([0.8, 0.5], False, [{"spl": 0.5}, None, {"spl": 0.8}], [False, False, False]),
    "hidden": (None, False, [None, None, None], [False, False, False]),
}
OWN = PUBLIC | {
    "plain": ([0.777, 0.513], False, [BOTH, {"spl": 0.401}, {"spl": 0.777}], [True, False, True]),
    "climb": ([0.8, 0.5], False, [{"spl": 0.5}, {"spl": 0.5}, {"spl": 0.8}], [False, False, False]),
}


def test_who_sees_what_before_the_end(seen: Callable[[str], dict[str, object]]) -> None:
    assert seen("nobody") == PUBLIC
    assert seen("member") == seen("token") == OWN
    stranger = seen("stranger")
    assert stranger["hidden"] == PUBLIC["hidden"]
    assert stranger["climb"] == PUBLIC["climb"]
    organiser = seen("organiser")
    for name in PHASES:
        assert organiser[name][1:] == (True, [BOTH, {"spl": 0.401}, THEIRS], [True] * 3)  # type: ignore[index]


def test_who_sees_what_after_the_reveal(seen: Callable[[str], dict[str, object]], challenge: Challenge) -> None:
    """The last one of a team counts where it chose none."""
    for name in PHASES:
        close(name, "ada", NOW)
        reveal(challenge, name, "ada", NOW)
    told = seen("nobody")
    assert told["hidden"] == (None, True, [None, {"spl": 0.401}, {"spl": 0.777}], [False, True, True])
    assert told["climb"] == ([0.8, 0.5], True, [{"spl": 0.5}, {"spl": 0.401}, {"spl": 0.777}], [False, True, True])
    assert seen("member")["hidden"] == (None, True, [BOTH, {"spl": 0.401}, {"spl": 0.777}], [False, True, True])


def test_what_is_hidden_and_what_is_not_there_look_the_same(challenge: Challenge) -> None:
    hidden = done(team("a"), {("b", "1"): 0.5}, phase="hidden")
    for viewer in (None, team("b"), team("a")):
        sight = visible_to(viewer)
        assert sight.figures(hidden.id) is sight.figures("no such") is None
        assert sight.evidence(hidden.id) is sight.evidence("no such") is False
        assert sight.board("hidden") is sight.board("nowhere") is sight.board("plain", "other") is None
        assert sight.board("hidden", "final") is sight.board("nowhere", "final") is None
