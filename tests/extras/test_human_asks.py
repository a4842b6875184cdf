"""A person asks: a question is a step, and its answer is shown until the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from extras.playing import Window, hosted, lines, nav_eval
from nav_eval_extras.dialogue.task import MAX_LENGTH

SMALL = "simulator.sensors={rgb: {width: 64, height: 48, hfov: 90}}"
QUESTION = "Where do I go? wasd 1"
"""With letters that walk where nobody writes."""


def test_a_person_asks_in_words_and_walks_on_by_keys(browser: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with hosted("vln-ask-demo", "dataset.limit=1", SMALL, out=run) as game:
        window = Window(browser, game.link)
        window.start()
        assert window.page.get_attribute("#texts input", "maxlength") == str(MAX_LENGTH)
        window.page.click("#texts input")
        window.page.keyboard.type(QUESTION)
        window.press("Enter")
        assert window.page.inner_text("#steps").startswith("Step 1 ")
        assert QUESTION in window.page.inner_text("#said")
        assert window.page.inner_text("#said strong")
        window.press("ArrowLeft")
        assert window.page.is_hidden("#said")
        window.stop()
        window.page.wait_for_selector("text=All done")
        assert game.end() == 0
        assert window.wrong == []
    made = [(one["action"], one["action_args"]) for one in lines(run / "decisions.jsonl")]
    assert made == [("ask", {"question": QUESTION}), ("turn_left", {}), ("stop", {})]
    assert [one["metrics"]["questions"] for one in lines(run / "episodes.jsonl")] == [1]
    assert nav_eval("replay", run) == 0
