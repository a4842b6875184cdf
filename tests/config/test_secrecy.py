"""What a secret is set to comes back in no message, whatever is wrong with it and wherever it was set."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from nav_eval.cli import make_app
from nav_eval.cli.exit import guarded
from nav_eval.config.loader import load_config
from nav_eval.config.schema import Config
from nav_eval.config.secrecy import secret_keys
from nav_eval.errors import ConfigError

VALUE = "0860bbf3d1"
"""Long enough to stand in no message by chance."""
SPOILT = [
    f"{VALUE}\n{VALUE}",
    f"'{VALUE}",
    f"[{VALUE}",
    f"{{{VALUE}",
    f"{VALUE} {{",
    f"${{{VALUE}",
    f"${{{VALUE}}}",
    f"${{oc.env:{VALUE}}}",
    f"${{{VALUE}:1}}",
    f"{VALUE},{VALUE}",
    f"[{VALUE}]",
    f"{{{VALUE}: 1}}",
    f"*{VALUE}",
    f"!{VALUE} x",
    f"@{VALUE}",
    f"&{VALUE} [",
    f"range({VALUE})",
    f'"{VALUE}',
    f"x: {VALUE}: y",
    f"\t{VALUE}",
    "8608603111",
    "[8608603111, 1]",
]


def said(
    folder: Path, text: str | None = None, overrides: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> str:
    """All that a user may see of a configuration that is refused, or was taken."""
    file = folder / "mine.yaml"
    file.write_text(text or "", encoding="utf-8")
    try:
        return repr(load_config(file=file, overrides=overrides, environment=environment or {}))
    except ConfigError as error:
        return f"{error} {error.__cause__}"


def forms(key: str, value: str) -> tuple[str, ...]:
    section, _, name = key.rpartition(".")
    return (
        f"{key}={value}",
        f"+{key}={value}",
        f"~{key}={value}",
        f"{name}={value}",
        f"{section}={{{name}: {value}",
        f"{section}={{{name}: {value}}}",
        f"{key}: {value}",
        f"{key}.deeper={value}",
    )


def hidden(text: str) -> bool:
    return VALUE not in text and "8608603" not in text


def test_the_secrets_are_known() -> None:
    assert sorted(secret_keys()) == ["agent_service.secret", "agent_service.token"]


@pytest.mark.parametrize("value", SPOILT)
def test_a_message_repeats_no_secret_however_it_is_spoilt(value: str, tmp_path: Path) -> None:
    assert hidden(said(tmp_path, overrides=[f"agent_service.secret={value}"]))
    assert hidden(said(tmp_path, f"agent_service: {{secret: {value}}}\n"))


@pytest.mark.parametrize("key", secret_keys())
@pytest.mark.parametrize("value", [f"{VALUE} {{", "8608603111"])
def test_a_message_repeats_no_secret_wherever_it_is_set(key: str, value: str, tmp_path: Path) -> None:
    section, _, name = key.rpartition(".")
    variable = "NAV_EVAL_" + key.upper().replace(".", "__")
    for override in forms(key, value):
        assert hidden(said(tmp_path, overrides=[override])), override
    for named, given in [
        (variable, value),
        (f"{variable}__DEEPER", value),
        (f"NAV_EVAL_{section.upper()}", f"{{{name}: {value}"),
        (f"NAV_EVAL_{section.upper()}", f"{{{name}: {value}}}"),
        (f"NAV_EVAL_{name.upper()}", value),
    ]:
        assert hidden(said(tmp_path, environment={named: given}, overrides=["seed=x", "evaluation.no=1"])), named
    for text in (f"{section}:\n  {name}: {value}\n", f"{name}: {value}\n", f"{section}: {value}\n"):
        assert hidden(said(tmp_path, text)), text


def test_the_command_repeats_none_either(tmp_path: Path) -> None:
    heard = io.StringIO()
    with redirect_stdout(heard), redirect_stderr(heard):
        code = guarded(make_app(), ["config", "show", f"agent_service.secret='{VALUE}"], debug=False)
    assert code == 2
    assert "agent_service.secret" in heard.getvalue()
    assert hidden(heard.getvalue())


@pytest.mark.parametrize("value", [VALUE, *SPOILT, "null", "true", "\\", "a=b", "'quoted'", " x"])
def test_a_variable_is_taken_as_it_is_but_for_the_end_of_its_line(value: str) -> None:
    environment = {"NAV_EVAL_AGENT_SERVICE__SECRET": f"{value}\n", "NAV_EVAL_AGENT_SERVICE__TOKEN": f"{value}\r\n"}
    config = load_config(environment=environment, overrides=["agent_service={retries: 1}"])
    assert (config.agent_service.secret, config.agent_service.token) == (value, value)


@pytest.mark.parametrize("key", secret_keys())
def test_the_command_line_goes_before_a_variable(key: str) -> None:
    variable = "NAV_EVAL_" + key.upper().replace(".", "__")
    assert held(load_config(environment={variable: "sooner"}, overrides=[f"{key}=later"]), key) == "later"


def held(config: Config, key: str) -> object:
    section, _, name = key.rpartition(".")
    return getattr(getattr(config, section), name)


@pytest.mark.parametrize("value", ["", "\n", " "])
def test_an_empty_variable_is_no_secret(value: str) -> None:
    with pytest.raises(ConfigError, match=r"NAV_EVAL_AGENT_SERVICE__SECRET is set, but empty"):
        load_config(environment={"NAV_EVAL_AGENT_SERVICE__SECRET": value})


def test_a_variable_may_end_with_the_end_of_its_line() -> None:
    assert load_config(environment={"NAV_EVAL_SEED": "3\n"}).seed == 3


def test_the_rest_is_told_though_a_secret_is_set(tmp_path: Path) -> None:
    told = said(tmp_path, "agent_service: {token: x}", overrides=["evaluation.max_steps=[1"])
    assert "'evaluation.max_steps=[1' (command line) is not an override" in told
    assert "it is 'many'" in said(tmp_path, "agent_service: {token: x}\nevaluation: {max_steps: many}")
