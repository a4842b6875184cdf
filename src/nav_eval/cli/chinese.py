"""What `--help` says of the commands, in Chinese where NAV_EVAL_LANG, or else the locale, asks for it.

The messages of a run stay English: they hold names and numbers, the documentation quotes them, and people search for
them.
"""

from __future__ import annotations

import os

LOCALE = ("NAV_EVAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""The first that is set decides."""

ZH = {
    "Evaluate vision-and-language navigation agents. Add --debug to any command for tracebacks.\n\n"
    "Exit codes: 0 done; 1 done, with findings (failed episodes, faults, differences); 2 bad input; "
    "3 the participant's service; 4 our own fault; 130, 143, 138 ended by SIGINT, by SIGTERM, drained by SIGUSR1.": (
        "评测视觉语言导航智能体。任何命令加上 --debug 都会显示完整的错误追踪。\n\n"
        "退出码：0 完成；1 完成，但有发现（失败的回合、错误、差异）；2 输入有误；3 参赛者的服务不可用；"
        "4 评测系统自身出错；130、143、138 分别为被 SIGINT、SIGTERM 终止，被 SIGUSR1 要求收尾。"
    ),
    "Evaluating": "评测",
    "Checking afterwards": "事后核查",
    "Data and worlds": "数据与场景",
    "Competitions": "竞赛",
    "Looking around": "查看",
    "Of plug-ins": "插件的命令",
    "Options": "选项",
    "Evaluate an agent on a benchmark.": "在一个基准上评测智能体。",
    "Make homes and episodes, serve three agents, evaluate and compare them.": (
        "生成住宅和回合，启动三个智能体，评测并比较。"
    ),
    "Measure robustness to perturbations.": "测量对扰动的鲁棒性。",
    "Merge the shards of `run --shard` into one run.": "把 `run --shard` 的各个分片合并成一次运行。",
    "Score a submission file offline.": "离线给提交文件评分。",
    "Compare runs on the same episodes with paired tests.": "用配对检验比较在相同回合上的运行。",
    "Rank runs, with rank intervals and shared ranks.": "给各次运行排名，带名次区间和并列名次。",
    "Write one self-contained HTML page of one run or several; of three and more a leaderboard.": (
        "把一次或多次运行写成一个独立的 HTML 页面；三次以上为排行榜。"
    ),
    "Recompute a run's metrics from its trajectories.": "根据轨迹重新计算一次运行的指标。",
    "Re-simulate a run's recorded actions and compare.": "重新仿真记录的动作，并与记录比较。",
    "Sign a finished run with Ed25519 (--new-key makes a key).": "用 Ed25519 给完成的运行签名（--new-key 生成密钥）。",
    "Check a run's files against its manifest and signature.": "按清单和签名核对一次运行的文件。",
    "Copy what may be published: nothing about single episodes.": "复制可以公开的部分：不含任何单个回合的内容。",
    "Make buildings and episodes from a seed.": "由种子生成建筑和回合。",
    "Make furnished homes or offices.": "生成带家具的住宅或办公室。",
    "Make a task's splits on given scenes.": "在给定的场景上生成一个任务的各个划分。",
    "List every fault of a data set file.": "列出数据集文件的全部错误。",
    "Data sets and scenes that their owners license.": "需要所有者授权的数据集和场景。",
    "List what is expected where, and what is missing.": "列出应有的文件及其位置，以及缺少什么。",
    "Inspect a scene.": "查看一个场景。",
    "Print what a scene contains.": "显示场景包含的内容。",
    "Read or build a navmesh: area and islands.": "读取或生成导航网格：面积与连通区域。",
    "Save a picture: a view, a floor plan, every room.": "保存图片：一个视角、平面图或各个房间。",
    "Third-party simulators.": "第三方仿真器。",
    "Check that a simulator keeps the contract: nav-eval simulator check ENDPOINT|NAME [key=value ...].": (
        "检查仿真器是否遵守约定：nav-eval simulator check ENDPOINT|NAME [key=value ...]。"
    ),
    "Run a competition: teams, a fair queue, evaluations that survive every crash.": (
        "举办竞赛：队伍、公平的队列，以及崩溃后也能继续的评测。"
    ),
    "List benchmarks, tasks, metrics, sensors and other components.": "列出基准、任务、指标、传感器和其他组件。",
    "Show, check or describe the configuration.": "显示、检查或描述配置。",
    "Print the resolved configuration as YAML: nav-eval config show [BENCHMARK] [key=value ...].": (
        "以 YAML 显示最终的配置：nav-eval config show [BENCHMARK] [key=value ...]。"
    ),
    "List every fault of a configuration: nav-eval config validate BENCHMARK|FILE.yaml [key=value ...].": (
        "列出配置的全部错误：nav-eval config validate BENCHMARK|FILE.yaml [key=value ...]。"
    ),
    "Print the JSON schema of a configuration.": "显示配置的 JSON schema。",
    "Show what works on this machine, and what to do about the rest.": "显示本机能用什么，不能用的该怎么办。",
}


def spoken(text: str) -> str:
    """The text in the user's language; as it is where that is not Chinese, or nobody has translated it."""
    asked = next((os.environ[name] for name in LOCALE if os.environ.get(name)), "")
    return ZH.get(text, text) if asked.lower().startswith("zh") else text
