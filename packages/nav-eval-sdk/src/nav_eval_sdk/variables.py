"""Environment variables, each declared once; what reads one asks its declaration, and the reference lists them all.

Here are the SDK's own. `nav_eval.variables` adds the evaluator's and the server's.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """`VLM_URL.get()` is what the user has set, else the default; an empty value counts as none."""

    name: str
    owner: str
    """The module that reads it."""
    about: str
    chinese: str
    default: str = ""

    def get(self) -> str:
        return os.environ.get(self.name) or self.default

    def __str__(self) -> str:
        return self.name


LANGUAGE = (
    Variable(
        "NAV_EVAL_LANG",
        "nav_eval_sdk.chinese",
        "`zh` or `en`: the language of help and messages",
        "帮助与消息的语言：`zh` 或 `en`",
    ),
    *(
        Variable(
            name,
            "nav_eval_sdk.chinese",
            "where those above are not set: the system's language",
            "上面各项均未设置时：系统的语言",
        )
        for name in ("LC_ALL", "LC_MESSAGES", "LANG")
    ),
)
"""The first that is set decides."""
AGENT_TOKEN = Variable(
    "NAV_EVAL_AGENT_TOKEN", "nav_eval_sdk.cli", "the token of `nav-eval-agent`", "`nav-eval-agent` 的令牌"
)
AGENT_TOKEN_FILE = Variable("NAV_EVAL_AGENT_TOKEN_FILE", "nav_eval_sdk.cli", "a file that holds it", "存放该令牌的文件")
COMPETITION = Variable(
    "NAV_EVAL_COMPETITION",
    "nav_eval_sdk.submit_cli",
    "the server of `nav-eval-agent submit`, `status` and `cancel`",
    "`nav-eval-agent submit`、`status`、`cancel` 所用的服务器",
)
COMPETITION_TOKEN = Variable(
    "NAV_EVAL_COMPETITION_TOKEN", "nav_eval_sdk.submissions", "the team's token there", "队伍在该服务器上的令牌"
)
COMPETITION_TOKEN_FILE = Variable(
    "NAV_EVAL_COMPETITION_TOKEN_FILE", "nav_eval_sdk.submit_cli", "a file that holds it", "存放该令牌的文件"
)
SIMULATOR_PORT = Variable(
    "NAVEVAL_SIMULATOR_PORT",
    "nav_eval_sdk.simulator_host.serving",
    "set by an evaluator that starts a simulator: where it is to listen, 0 for any free port",
    "由启动仿真器的评测程序设置：监听的端口，0 表示任一空闲端口",
    default="0",
)
SIMULATOR_STDIN = Variable(
    "NAVEVAL_SIMULATOR_STDIN",
    "nav_eval_sdk.simulator_host.serving",
    "set by an evaluator that starts a simulator: the end of its standard input is the end of the evaluator",
    "由启动仿真器的评测程序设置：标准输入结束即评测程序结束",
)
VLM_URL = Variable(
    "VLM_URL",
    "nav_eval_baselines.vlm.options",
    "the endpoint that the agent `vlm` asks",
    "智能体 `vlm` 所询问的服务地址",
    default="http://localhost:8000/v1",
)
VLM_MODEL = Variable(
    "VLM_MODEL", "nav_eval_baselines.vlm.options", "the model that it names there", "向该服务指定的模型"
)
VLM_API_KEY = Variable("VLM_API_KEY", "nav_eval_baselines.vlm.options", "its key there", "该服务的密钥")
OPENAI_API_KEY = Variable(
    "OPENAI_API_KEY", "nav_eval_baselines.vlm.options", "the same, without VLM_API_KEY", "同上，未设置 VLM_API_KEY 时"
)
VLM_TIMEOUT = Variable(
    "VLM_TIMEOUT",
    "nav_eval_baselines.vlm.options",
    "seconds that it waits for an answer",
    "等待回答的秒数",
    default="25",
)
VLM_OPTIONS = Variable(
    "VLM_OPTIONS",
    "nav_eval_baselines.vlm.options",
    "its other options, as `nav-eval-agent serve vlm --help` lists them: `--history 2 --cache answers.sqlite`",
    "其余选项，见 `nav-eval-agent serve vlm --help`，例如 `--history 2 --cache answers.sqlite`",
)
POLICY_OPTIONS = Variable(
    "POLICY_OPTIONS",
    "nav_eval_baselines.bridges.base",
    "options of agents for policy servers and published models, as `nav-eval-agent serve openpi --help` lists them",
    "策略服务器与已发布模型的智能体的选项，见 `nav-eval-agent serve openpi --help`",
)
POLICY_API_KEY = Variable(
    "POLICY_API_KEY",
    "nav_eval_baselines.bridges.openpi",
    "the key that the agent `openpi` shows",
    "智能体 `openpi` 出示的密钥",
)
VARIABLES = (
    *LANGUAGE,
    *(AGENT_TOKEN, AGENT_TOKEN_FILE, COMPETITION, COMPETITION_TOKEN, COMPETITION_TOKEN_FILE),
    *(SIMULATOR_PORT, SIMULATOR_STDIN, VLM_URL, VLM_MODEL, VLM_API_KEY, OPENAI_API_KEY, VLM_TIMEOUT, VLM_OPTIONS),
    *(POLICY_OPTIONS, POLICY_API_KEY),
)
