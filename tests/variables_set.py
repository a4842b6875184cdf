"""A valid value for every environment variable that the product reads."""

from __future__ import annotations

from pathlib import Path

from nav_eval.jit import cache_home


def values(folder: Path) -> dict[str, str]:
    """`folder` gets the files that some of them name."""
    secret = folder / "secret"
    secret.write_text("of-no-one\n")
    secret.chmod(0o600)
    files = ("NAV_EVAL_AGENT_TOKEN", "NAV_EVAL_COMPETITION_TOKEN", "NAV_EVAL_COMPETITION_DATABASE_PASSWORD")
    return {
        "NAV_EVAL_DATA": str(folder),
        "NAV_EVAL_SHARED_DATA": str(folder),
        "NAV_EVAL_CACHE": str(cache_home()),
        "XDG_CACHE_HOME": str(cache_home().parent),
        "NAV_EVAL_LANG": "zh",
        **dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG"), "zh_CN.UTF-8"),
        "RAY_ADDRESS": "local",
        "WINDIR": "C:\\Windows",
        **dict.fromkeys(
            ("NAV_EVAL_AGENT_TOKEN", "NAV_EVAL_COMPETITION_TOKEN", "VLM_API_KEY", "OPENAI_API_KEY", "POLICY_API_KEY"),
            "of-no-one",
        ),
        **{f"{name}_FILE": str(secret) for name in files},
        "NAV_EVAL_COMPETITION": "https://competition.example",
        "NAVEVAL_SIMULATOR_PORT": "0",
        "NAVEVAL_SIMULATOR_STDIN": "1",
        "VLM_URL": "http://localhost:8000/v1",
        "VLM_MODEL": "a-model",
        "VLM_TIMEOUT": "25",
        "VLM_OPTIONS": "--history 2",
        "POLICY_OPTIONS": "--timeout 20",
    }
