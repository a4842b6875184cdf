"""`nav-eval-agent` in Chinese, without anything of the evaluator."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from attacks.raw_rest import answer, rest_service
from nav_eval_sdk import cli
from nav_eval_sdk.competition import Competition, Refusal
from nav_eval_sdk.server.serving import Server, start
from nav_eval_sdk.usage import Spoken


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_LANG", "zh")
    monkeypatch.setenv("COLUMNS", "120")


def run(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return int(ended.value.code or 0)


def test_help_is_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--help"]) == 0
    shown = capsys.readouterr().out
    for told in (
        "用法：nav-eval-agent check",
        "对服务运行合成的回合，列出有问题的地方。",
        "选项",
        "服务使用的协议；默认：rest",
    ):
        assert told in shown
    assert "default" not in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["serve"], "错误：必须给出以下参数：MODULE:CLASS"),
        (["serve", "nowhere:Agent"], "无法导入 'nowhere:Agent'（没有名为 'nowhere' 的模块）。请写成 MODULE:CLASS"),
        (["serve", "forward", "--tls-cert", "x"], "--tls-cert 和 --tls-key 要一起给出。"),
        (["serve", "forward", "--host", "0.0.0.0"], "其他机器可以访问 0.0.0.0：请给出令牌"),
        (["submit", "x"], "请说明身份：--token-file FILE"),
        (["check", "nonsense:port"], "端口 'port' 不是数"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_refusal_is_chinese(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert told in capsys.readouterr().err


@pytest.fixture
def service() -> Iterator[Server]:
    with start(cli.load_agent("forward"), port=0) as server:
        yield server.wait_loaded()


def test_a_check_is_chinese(service: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", service.endpoint, "--steps", "1"]) == 0
    shown = capsys.readouterr().out
    assert "正常 rest-json     完成回合" in shown
    assert shown.endswith("服务遵守协议。\n")


def test_a_new_project_is_told_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", str(tmp_path / "mine")]) == 0
    assert f"在 {tmp_path / 'mine'} 中创建了" in capsys.readouterr().out


def test_logs_are_chinese_and_tracebacks_stay() -> None:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, "Serving at %s.", ("[::1]:80",), None)
    assert Spoken("%(message)s").format(record) == "正在 [::1]:80 提供服务。"


@pytest.mark.parametrize(("language", "asked"), [("zh", "zh"), ("en", "en")])
def test_the_server_is_asked_in_the_users_language(language: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_LANG", language)
    with rest_service(lambda request: answer(b"{}", status="404 Not Found")) as server, pytest.raises(Refusal):
        Competition(f"http://{server.endpoint}", "token").phases()
    assert server.asked[-1].headers["accept-language"] == asked
