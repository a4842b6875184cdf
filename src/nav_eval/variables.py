"""Environment variables of the evaluator and of the server, and all that there are: none of them is a key.

They are declared here and not beside each reader, because a configuration must know them all, whatever was imported.
"""

from __future__ import annotations

from nav_eval_sdk import variables
from nav_eval_sdk.variables import Variable

DATA = Variable(
    "NAV_EVAL_DATA",
    "nav_eval.runs.effective",
    "folder of licensed data sets and scenes",
    "需授权的数据集和场景所在的文件夹",
    default="data",
)
CACHE = Variable(
    "NAV_EVAL_CACHE",
    "nav_eval.jit",
    "folder of compiled kernels, generated buildings and built navmeshes; else `nav_eval` in `XDG_CACHE_HOME`",
    "存放编译好的内核、生成的建筑和导航网格的文件夹；否则为 `XDG_CACHE_HOME` 下的 `nav_eval`",
)
CACHE_HOME = Variable(
    "XDG_CACHE_HOME", "nav_eval.jit", "folder of the user's caches", "用户的缓存文件夹", default="~/.cache"
)
RAY_ADDRESS = Variable(
    "RAY_ADDRESS",
    "nav_eval.runs.cluster",
    "the Ray cluster where `evaluation.parallel.address` names none; `local` begins one",
    "`evaluation.parallel.address` 未指定时所用的 Ray 集群；`local` 表示新建一个",
    default="local",
)
WINDOWS = Variable(
    "WINDIR", "nav_eval.report.fonts", "where Windows lies, with its fonts", "Windows 及其字体所在处", r"C:\Windows"
)
DATABASE_PASSWORD_FILE = Variable(
    "NAV_EVAL_COMPETITION_DATABASE_PASSWORD_FILE",
    "nav_eval_server.settings",
    "a file with the password of a competition's PostgreSQL",
    "存放竞赛 PostgreSQL 密码的文件",
)
SHARED_DATA = Variable(
    "NAV_EVAL_SHARED_DATA",
    "tests.recordings",
    "real data for the project's own tests",
    "项目自身测试所用的真实数据",
    default="../shared/data",
)
PLUGINS = Variable("NAV_EVAL_PLUGINS", "nav_eval.cli", "the key `plugins`", "键 `plugins`")
"""A key, and so not below: it is read for commands without a configuration too."""
VARIABLES = (
    *(DATA, CACHE, CACHE_HOME, RAY_ADDRESS, WINDOWS),
    *(*variables.VARIABLES, DATABASE_PASSWORD_FILE, SHARED_DATA),
)
