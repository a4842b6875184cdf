"""The document and the page, against the run's own files."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

import nav_eval.report
from nav_eval.cli.report import make_context, report, split_runs
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report.columns import Asked, episode_columns
from nav_eval.report.document import make_document
from nav_eval.report.facts import FACTS
from nav_eval.report.page import SCRIPTS, WALK_SCRIPTS, joined_scripts, listed, render_page
from nav_eval.report.scenery import EpisodeFacts
from nav_eval.report.source import read_run
from nav_eval.report.words import words
from nav_eval.results.run_directory import RunDirectory
from nav_eval.results.statistics import wilson
from report.conftest import AGENTS, HOSTILE, episodes_of, renamed


def unpacked(html: str) -> dict[str, Any]:
    packed = re.search(r'id="data">([^<]*)<', html)
    assert packed is not None
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return found


def test_headline_is_that_of_results_json(document: dict[str, Any], runs: list[Path]) -> None:
    for run, path in zip(document["runs"], runs, strict=True):
        recorded = json.loads((path / "results.json").read_text())["metrics"]
        assert run["metrics"].keys() == recorded.keys()
        for name, summary in recorded.items():
            assert run["metrics"][name]["mean"] == pytest.approx(summary["mean"], rel=1e-6)
            assert run["metrics"][name]["n"] == summary["n"]


def test_names_profile_and_oracle(document: dict[str, Any]) -> None:
    assert [run["agent"] for run in document["runs"]] == list(AGENTS)
    assert [run["privileged"] for run in document["runs"]] == [False, True, False]
    assert all(run["profile"] == {"name": "r2r", "version": "2"} for run in document["runs"])


def test_columns_hold_every_episode(document: dict[str, Any], runs: list[Path]) -> None:
    for columns, path in zip(document["results"], runs, strict=True):
        recorded = episodes_of(path)
        assert document["episodes"]["id"] == [e["episode_id"] for e in recorded]
        assert list(columns["steps"]) == [e["steps"] for e in recorded]
        errors = [e["metrics"]["navigation_error"] for e in recorded]
        assert list(columns["values"]["navigation_error"]) == pytest.approx(errors, rel=1e-4)


def test_paths_are_the_recorded_ones_to_half_a_centimetre(document: dict[str, Any], runs: list[Path]) -> None:
    for columns, path in zip(document["results"], runs, strict=True):
        for track, line in zip(columns["tracks"], episodes_of(path, "trajectories.jsonl"), strict=True):
            recorded = [pose["position"] for pose in [line["start"], *line["steps"]]]
            sums = [0, 0, 0]
            for i, point in enumerate(recorded):
                sums = [a + b for a, b in zip(sums, track["points"][3 * i : 3 * i + 3], strict=True)]
                assert [s / 100 for s in sums] == pytest.approx(point, abs=0.0051)
            assert len(track["actions"]) == len(line["steps"])


def test_groups_are_counted_right(document: dict[str, Any], runs: list[Path]) -> None:
    lengths = [group for group in document["groups"] if group["kind"] == "length"]
    assert sum(group["n"] for group in lengths) in (0, len(document["episodes"]["id"]))
    won = sum(e["metrics"]["success"] for e in episodes_of(runs[0]))
    assert document["runs"][0]["outcomes"].get("success", 0) == won
    for group in lengths:
        mean, low, high, n = group["runs"][0]["success"]
        assert (low, high) == pytest.approx(wilson(mean * n, n))


def test_outcomes_add_up(document: dict[str, Any]) -> None:
    for run in document["runs"]:
        assert sum(run["outcomes"].values()) == run["n"]
    assert document["runs"][2]["outcomes"] == {"no_move": document["runs"][2]["n"]}


def test_histograms_hold_every_finite_value(document: dict[str, Any]) -> None:
    for histogram in document["histograms"]:
        for i, counts in enumerate(histogram["counts"]):
            assert sum(counts) == document["runs"][i]["metrics"][histogram["metric"]]["n"]


def test_comparison_needs_the_same_episodes(tmp_path: Path, runs: list[Path]) -> None:
    other = copytree(runs[0], tmp_path / "other")
    lines = (other / "episodes.jsonl").read_text().splitlines(keepends=True)
    (other / "episodes.jsonl").write_text("".join(lines[:-1]))
    found = make_document([runs[1], other], make_context())
    assert "lacks 1 of" in found["comparison"]["refused"]
    assert len(found["episodes"]["id"]) == len(lines)
    found = make_document([runs[1], other], make_context(), public=True)
    assert found["comparison"] == {"refused": "different", "rows": []}, "which names no episode"


def test_truncated_last_line_is_left_alone(tmp_path: Path, runs: list[Path]) -> None:
    """A run that is being written has one; the report must neither fail nor mend it."""
    live = renamed(runs[0], tmp_path / "live", finished=None)
    for name in ("episodes.jsonl", "trajectories.jsonl"):
        content = (live / name).read_bytes()
        (live / name).write_bytes(content[:-7])
    before = (live / "episodes.jsonl").read_bytes()
    run = make_document([live], make_context())["runs"][0]
    assert run["n"] == run["n_expected"] - 1
    assert run["finished"] is None
    assert (live / "episodes.jsonl").read_bytes() == before


def test_an_episode_without_its_trajectory_is_missing_as_in_the_journal(tmp_path: Path, runs: list[Path]) -> None:
    """What a power cut may leave; --resume plays it again, so no reader may count it."""
    cut = copytree(runs[0], tmp_path / "cut")
    lines = (cut / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (cut / "trajectories.jsonl").write_bytes(b"".join(lines[1:]))
    with RunDirectory(cut) as directory:
        directory.open_for_reading()
        known = directory.journal.recorded
    assert len(known) == len(lines) - 1
    assert read_run(cut, make_context().config(cut)).results.keys() == known


def test_data_that_has_gone_costs_maps_and_texts_only(runs: list[Path]) -> None:
    found = make_document([runs[0]], make_context(("dataset.data_path=/nowhere.json",)))
    assert "data set could not be read" in found["notes"][0]
    assert list(found["episodes"]["text"]) == [None] * len(found["episodes"]["id"])
    found = make_document([runs[0]], make_context(("simulator.connectivity_dir=/nowhere",)))
    assert "There is no map of scene tinyhouse" in found["notes"][0]
    assert found["scenes"][0]["storeys"] == []
    assert list(found["episodes"]["text"])[1] == "Walk to door 0."


@pytest.mark.parametrize("name", ["episodes.jsonl", "trajectories.jsonl"])
def test_damage_is_named(tmp_path: Path, runs: list[Path], name: str) -> None:
    broken = copytree(runs[0], tmp_path / "broken")
    content = (broken / name).read_bytes().split(b"\n")
    (broken / name).write_bytes(b"\n".join([content[0], b'{"scene_id": \xff\xfe', *content[1:]]))
    with pytest.raises(RunDirectoryError, match=f"{name}: line 2 is damaged"):
        make_document([broken], make_context())


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="is not a run directory"):
        make_document([tmp_path], make_context())


def test_public_report_holds_no_episode(runs: list[Path]) -> None:
    document = make_document(runs, make_context(), public=True)
    text = json.dumps(document, default=listed, ensure_ascii=False)
    for secret in (*HOSTILE, "Walk to door", *(e["episode_id"] for e in episodes_of(runs[0]))):
        assert secret not in text
    assert document["episodes"] is None
    assert "results" not in document
    assert "scenes" not in document
    assert all(group["n"] >= 5 for group in document["groups"])
    assert document["runs"][0]["metrics"]["success"]["n"] == len(episodes_of(runs[0]))


def test_page_carries_the_document_and_nothing_foreign(document: dict[str, Any]) -> None:
    html = render_page(document)
    assert unpacked(html) == json.loads(json.dumps(document, default=listed))
    assert not re.search(r'(src|href)="(?!data:,")', html)
    assert "http:" not in html.replace("http://www.w3.org/2000/svg", "")
    for text in HOSTILE[:3]:
        assert text not in html


def test_policy_names_what_is_there(document: dict[str, Any]) -> None:
    html = render_page(document)
    for element in ("script", "style"):
        content = re.search(rf"<{element}(?: type=\"module\")?>(.*?)</{element}>", html, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{element}-src &#39;sha256-{digest}&#39;" in html
    assert "unsafe" not in re.search(r'Security-Policy" content="([^"]*)"', html)[1]  # type: ignore[index]


ALONE = "robustness.js"
"""The script of a page of its own."""


def test_modules_are_all_joined_and_free_of_imports() -> None:
    folder = Path(str(nav_eval.report.__file__)).parent / "static"
    assert {path.name for path in folder.glob("*.js")} | {FACTS} == {*SCRIPTS, *WALK_SCRIPTS, ALONE}
    for joined in (joined_scripts(), joined_scripts(WALK_SCRIPTS)):
        assert not re.search(r"^(import|export)\b", joined, re.MULTILINE)
        names = re.findall(r"^(?:async )?(?:const|let|function|class) (\w+)", joined, re.MULTILINE)
        assert len(names) == len(set(names))


def test_languages_say_the_same() -> None:
    english, chinese = (
        {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in words(language).items()} for language in ("en", "zh")
    )
    assert english == chinese
    used = re.findall(r'\bt\("([\w.]+)"', joined_scripts() + joined_scripts(WALK_SCRIPTS))
    assert set(used) <= english.keys()
    assert [key for key in english if key.startswith("metric.")] == ["metric.percent"], "metrics say it themselves"


def test_command(tmp_path: Path, runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert report(str(runs[0]), out=tmp_path / "x.html") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'x.html'}\n"
    assert (tmp_path / "x.html").stat().st_size > 10_000
    assert not (runs[0] / "x.html").exists()


def test_arguments(tmp_path: Path) -> None:
    (tmp_path / "a=b").mkdir()
    assert split_runs((str(tmp_path / "a=b"), "dataset.limit=3")) == ([tmp_path / "a=b"], ("dataset.limit=3",))
    with pytest.raises(RunDirectoryError, match="name a run directory"):
        report()


def test_a_fault_in_an_override_is_the_users(runs: list[Path]) -> None:
    with pytest.raises(ConfigError, match=r"dataset\.data_pth"):
        make_document([runs[0]], make_context(("dataset.data_pth=x",)))


def test_broken_unicode_in_an_instruction() -> None:
    facts = {("s", "1"): EpisodeFacts("half \ud83d of a pair", "en", "\udc00")}
    columns = episode_columns(Asked([("s", "1")], facts), ["s"])
    assert list(columns["text"]) == ["half ? of a pair"]
    json.dumps(columns, default=listed).encode()


def test_a_page_says_how_many_runs_it_holds() -> None:
    with pytest.raises(ConfigError, match="A page holds 50 runs at most, not 51"):
        make_document([Path("run")] * 51, make_context())


def test_english_words_agree_with_their_number() -> None:
    """What is counted is written {n} {n|episode|episodes}."""
    said = "\n".join(words("en").values())
    assert re.findall(r"\{(?:n|g|total)\} (?:episode|building|collision|step|viewpoint)s?\b", said) == []


def test_what_scrolls_sideways_is_reached_by_keyboard() -> None:
    templates = Path(__file__).parents[2] / "src/nav_eval/report/templates"
    found = [tag for file in templates.iterdir() for tag in re.findall(r'<div class="wide".*?>', file.read_text())]
    assert found
    assert [tag for tag in found if 'tabindex="0"' not in tag or "aria-label" not in tag] == []
