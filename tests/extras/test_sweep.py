"""nav-eval sweep as a user types it: folders, figures, card; killed and taken up again."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from browsing import patient
from forked import Running
from nav_eval.cli import make_app
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report.curves import curves
from nav_eval.report.perturbation_words import LACKING
from nav_eval.report.robustness import drawn_measure, render_card
from nav_eval_extras.sweep.runs import Suite
from patience import until
from rooms import write_room

TESTS = str(Path(__file__).parents[1])
SENSORS = "simulator.sensors={rgb: {width: 32, height: 24, hfov: 79}, gps: {}, compass: {}}"
SMALL = ["dataset.limit=2", "evaluation.max_steps=12", SENSORS]


def nav_eval(*arguments):
    return make_app()([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """vln-demo under three perturbations, by two agents."""
    folder = tmp_path_factory.mktemp("swept")
    for agent in ("forward", "shortest_path"):
        own = ["suite=blur,pose_drift,truncated", "severities=3", f"agent_service.agent={agent}"]
        assert nav_eval("sweep", "vln-demo", *own, *SMALL, "--out", folder / agent, "-q") == 0
    return folder


def document(folder):
    return json.loads((folder / "robustness.json").read_text())


def test_a_sweep_is_a_folder_of_runs_and_their_figures(swept):
    told = document(swept / "forward")
    cells = {cell["run"]: cell for axis in told["axes"] for cell in axis["cells"]}
    assert sorted(cells) == [f"{name}-3" for name in ("blur", "pose_drift", "truncated")]
    for name, cell in cells.items():
        summary = json.loads((swept / "forward" / name / "results.json").read_text())
        assert cell["metrics"]["ndtw"]["mean"] == pytest.approx(summary["metrics"]["ndtw"]["mean"])
        assert nav_eval("replay", swept / "forward" / name) == 0
    assert cells["truncated-3"]["reworded"] == 2
    assert "reworded" not in cells["blur-3"]
    assert "episode_time" not in told["metrics"]


def test_an_agent_that_looks_at_nothing_loses_nothing(swept):
    told = document(swept / "forward")
    for axis in told["axes"]:
        assert axis["retained"]["ndtw"]["value"] == 1
        assert all(cell["metrics"]["ndtw"]["ci95"] is None for cell in axis["cells"]), "all alike: no spread is seen"


def test_the_card_of_two_agents_speaks_both_languages_and_asks_for_nothing(swept, browser, tmp_path):
    card = tmp_path / "card.html"
    assert nav_eval("report", swept / "forward", swept / "shortest_path", "--out", card) == 0
    for locale, shown, hidden in (("en-US", "pose drift", "位姿漂移"), ("zh-CN", "位姿漂移", "pose drift")):
        page = patient(browser, locale=locale, offline=True).new_page()
        asked, errors = [], []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda said, errors=errors: errors.append(said.text))
        page.goto(card.as_uri())
        heading = page.locator(".axes h3", has_text=shown)
        assert heading.inner_text() == shown
        assert hidden not in page.locator("main").inner_text()
        assert page.locator(".axes .curves").count() == 3
        page.click("#language")
        assert hidden in page.locator("main").inner_text()
        page.reload()
        assert hidden in page.locator("main").inner_text()
        asked.pop()
        assert (asked, errors) == ([card.as_uri()], [])
    with pytest.raises(RunDirectoryError, match="holds a sweep"):
        nav_eval("report", swept / "forward", "--sentence")


def test_a_card_shows_code_as_code_and_reasons_in_both_languages(swept):
    told = document(swept / "forward")
    told["axes"][0]["definition"] = "Under `clock=charged` & <b>."
    told["left_out"] = [{"name": "paraphrase", "why": reason} for reason in LACKING]
    told["left_out"].append(
        {"name": "depth_noise", "why": "nothing here is affected by it (it is one of sensors depth)"}
    )
    card = render_card([told])
    assert "Under <code>clock=charged</code> &amp; &lt;b&gt;." in card
    assert all(f"换一种说法：{chinese}" in card for chinese in LACKING.values())
    assert "深度噪声：这里没有受它影响的内容（它作用于传感器 depth）" in card


def test_a_card_draws_the_first_measure_that_is_not_at_its_floor_and_says_so(swept, browser):
    """`forward` reaches no goal in twelve steps: nothing of SPL or success can be lost, of nDTW it can."""
    told = document(swept / "forward")
    assert (told["primary"], told["clean"]["spl"]["mean"], told["clean"]["success"]["mean"]) == ("spl", 0, 0)
    page = browser.new_page(locale="en-US")
    page.set_content(render_card([told]))
    why = page.locator("#floor").inner_text()
    name, _, passed = why.partition(" is drawn, because even without perturbation an agent is at the floor of ")
    assert "SPL, Success" in passed
    assert name == "nDTW"
    assert told["clean"]["ndtw"]["mean"] > 0
    shares = page.locator(".axes .left").all_inner_texts()
    assert len(shares) == 3
    assert not any(text.endswith("left -") for text in shares)


def test_the_order_of_the_measures_of_a_card(swept):
    told = document(swept / "forward")
    names = ("spl", "success", "oracle_success", "goal_progress", "ndtw", "navigation_error")
    higher, lower = told["metrics"]["spl"], told["metrics"]["navigation_error"]
    metrics = {name: lower if name == "navigation_error" else higher for name in names}

    def choose_measures(**clean):
        means = {name: {"mean": clean.get(name, 0.0)} for name in names}
        return drawn_measure([told | {"metrics": metrics, "clean": means}])

    assert choose_measures(spl=0.1, success=0.2) == ("spl", [])
    assert choose_measures(oracle_success=0.2, ndtw=0.1) == ("oracle_success", ["spl", "success"])
    assert choose_measures(goal_progress=-1.0, ndtw=0.1) == (
        "ndtw",
        ["spl", "success", "oracle_success", "goal_progress"],
    )
    assert choose_measures(navigation_error=9.0) == ("navigation_error", list(names[:-1]))
    strong = told | {"metrics": metrics, "clean": {name: {"mean": 0.5} for name in names}}
    weak = strong | {"clean": strong["clean"] | {"spl": {"mean": 0.0}}}
    assert drawn_measure([strong, weak]) == ("success", ["spl"])


def test_an_error_in_metres_is_drawn_to_its_end():
    drawn = curves([[(1, 8.0, 9.5, (9.0, 11.5)), (2, 8.0, 12.0, (10.0, 14.5))]], share=False)
    ticks = [float(text) for text in re.findall(r'text-anchor="end">([-\d.]+)<', drawn)]
    assert (min(ticks), max(ticks)) == (0, 20)
    bars = re.findall(r'y1="([\d.]+)" y2="([\d.]+)"', drawn.partition("polyline")[2])
    assert all(8 < float(top) < float(bottom) < 128 for bottom, top in bars)


def test_sweeps_of_other_episodes_do_not_stand_on_one_card(swept, tmp_path):
    nav_eval("sweep", "vln-demo", "suite=pose_drift", "severities=1", "seed=1", *SMALL, "--out", tmp_path / "s", "-q")
    with pytest.raises(RunDirectoryError, match="seed differs"):
        nav_eval("report", swept / "forward", tmp_path / "s")
    with pytest.raises(RunDirectoryError, match="holds no finished sweep"):
        nav_eval("report", swept / "forward", swept / "forward" / "clean")


def test_one_that_has_fewer_severities_is_played_at_its_highest():
    suite = Suite.parse("blur,paraphrase", "2,3")
    assert {name: suite.of(name) for name in suite.perturbations} == {"blur": [2, 3], "paraphrase": [1]}
    assert Suite.parse("robustness").of("typos") == [1, 2, 3]
    assert sum(len(Suite.parse("robustness").of(name)) for name in Suite.parse("robustness").perturbations) == 41


def test_failed_episodes_are_no_effect_of_a_perturbation(tmp_path, capsys):
    """An agent that answers nonsense loses nothing more under perturbation; the sweep says why it has nothing."""
    agent = "agent_service.agent='end_to_end.agents:Nonsense'"
    own = ["suite=pose_drift", "severities=1", agent, *SMALL]
    assert nav_eval("sweep", "vln-demo", *own, "--out", tmp_path / "s") == 1
    assert capsys.readouterr().out.count("2 episodes failed") == 2
    told = document(tmp_path / "s")
    assert (told["n_failed"], told["axes"][0]["cells"][0]["n_failed"]) == (2, 2)
    assert "4 episodes failed" in (tmp_path / "s" / "report.html").read_text()


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    agent = "agent_service.agent='end_to_end.agents:GpsAgent'"
    return ["pointnav", *write_room(tmp_path_factory.mktemp("room")), agent, "suite=pose_drift,typos"]


def test_a_killed_sweep_plays_only_what_is_missing(room, tmp_path):
    """SIGKILL in the middle; the figures are those of a sweep that nobody disturbed."""
    assert nav_eval("sweep", *room, "--out", tmp_path / "whole", "-q") == 0
    process = Running("sweep", *room, "-q", "--out", tmp_path / "cut", environment={"PYTHONPATH": TESTS})
    until((tmp_path / "cut" / "pose_drift-2" / "episodes.jsonl").exists, "a second condition")
    process.kill()
    process.wait()
    finished = (tmp_path / "cut" / "pose_drift-1" / "episodes.jsonl").read_bytes()
    with pytest.raises(RunDirectoryError, match="--resume"):
        nav_eval("sweep", *room, "--out", tmp_path / "cut", "-q")
    assert nav_eval("sweep", *room, "--out", tmp_path / "cut", "-q", "--resume") == 0
    assert (tmp_path / "cut" / "pose_drift-1" / "episodes.jsonl").read_bytes() == finished
    assert document(tmp_path / "cut") | {"agent": ""} == document(tmp_path / "whole") | {"agent": ""}
    assert [one["name"] for one in document(tmp_path / "cut")["left_out"]] == ["typos"]


def test_success_against_latency_is_a_row_for_each_time(room, tmp_path, capsys):
    """A row is what `run` says under that clock; 0 seconds are the world that waits."""
    agent, few = "agent_service.agent=shortest_path", "dataset.limit=3"
    swept = ["sweep", *room[:-2], agent, few, "latencies=0,0.5,2", "--out", tmp_path / "s"]
    assert nav_eval(*swept) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()[-5:-1]]
    rows = {row["latency_s"]: row for row in csv.DictReader((tmp_path / "s" / "latency.csv").open())}
    assert [line[0] for line in shown] == ["latency_s", *rows] == ["latency_s", "0", "0.5", "2"]
    clocks = {"0": [], "0.5": ["evaluation.clock=charged", "evaluation.latency_s=0.5"]}
    for latency, clock in clocks.items():
        assert nav_eval("run", *room[:-2], agent, few, *clock, "--out", tmp_path / f"r{latency}") == 0
        metrics = json.loads((tmp_path / f"r{latency}" / "results.json").read_text())["metrics"]
        for name in ("success", "spl", "steps"):
            assert float(rows[latency][name]) == metrics[name]["mean"]
        assert [float(rows[latency][f"success_{end}"]) for end in ("low", "high")] == metrics["success"]["ci95"]
    assert float(rows["0"]["success"]) > float(rows["2"]["success"])
    (tmp_path / "s" / "latency.csv").unlink()
    assert nav_eval(*swept, "--resume", "-q") == 0
    assert {row["latency_s"]: row for row in csv.DictReader((tmp_path / "s" / "latency.csv").open())} == rows


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (["latencies="], "Write latencies=0,0.5,2"),
        (["latencies=0.5,0.50"], "something twice"),
        (["latencies=0,soon"], "'soon' is no time from 0 to 3600 s"),
        (["latencies=nan"], "'nan' is no time"),
        (["latencies=0", "suite=blur"], "Leave suite and severities out"),
        (["suite=blurr"], "Did you mean 'blur'"),
        (["suite=blur,blur"], "something twice"),
        (["suite=blur", "severities=0"], "severities=1,3"),
        (["suite=typos"], "no perturbation of typos changes anything here"),
        (["suite=pose_drift", "perturbations=[{name: blur}]"], "sets them itself"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_the_first_run(room, tmp_path, own, said):
    with pytest.raises(ConfigError, match=said):
        nav_eval("sweep", *room[:-1], *own, "--out", tmp_path / "s")
    assert not (tmp_path / "s").exists()
