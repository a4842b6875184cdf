"""What one copies into a paper, made of the run: who was evaluated on what, and which settings are not the benchmark's.

The page's "How to cite" and `nav-eval report --sentence` say the same, in English and in Chinese.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import msgspec

from nav_eval.config.locations import DATA
from nav_eval.config.secrecy import public_config
from nav_eval.report.board import MIN_ENTRIES, Board, excluded
from nav_eval.report.context import ReportContext
from nav_eval.report.source import Run, named_profile
from nav_eval.report.tables import label, references
from nav_eval.results.run_directory import config_changes
from nav_eval.results.seeds import agent_of

LANGUAGES = ("en", "zh")
Sentence = Mapping[str, str]
"""By language."""
TOLD = (*DATA, "seed", "dataset.split", "dataset.default_split", "dataset.generate.seed")
"""Keys that a sentence tells in words, or that only say where something lies."""
CHANGES_NOTHING = ("plugins", "agent_service.type", "agent_service.agent", "dataset.max_bytes")
SENSORS = "simulator.sensors"
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "one": "{agents} was evaluated on {n} {episodes}{homes} of {benchmark} ({split}), scoring profile {profile}, "
        "with nav-eval {version}.",
        "several": "{agents} were evaluated on the same {n} {episodes}{homes} of {benchmark} ({split}), scoring "
        "profile {profile}, with nav-eval {version}.",
        "many": "{agents} agents were evaluated on the same {n} {episodes}{homes} of {benchmark} ({split}), scoring "
        "profile {profile}, with nav-eval {version}.",
        "and": " and ",
        "comma": ", ",
        "gap": " ",
        "home": " in {h} home{s}",
        "office": " in {h} office{s}",
        "scene": " in {h} scene{s}",
        "split": "split {split}",
        "unknown": "split unknown",
        "seed": "generator’s seed “{seed}”",
        "run seed": "run’s seed {seed}",
        "run seeds": "runs’ seeds {seed}",
        "excluded": "{k} of the episodes {are} not counted.",
        "references": "Path metrics compare with {kinds}.",
        "given": "the reference path as it is given",
        "densified": "the reference path with points at most {step:g} m apart",
        "gt": "the expert’s path",
        "nodes": "the viewpoints of the reference path",
        "none": "no path",
        "settings": "Settings that differ from the benchmark’s: {settings}.",
        "same": "All settings are the benchmark’s.",
        "of": "{settings} ({agent})",
        "one.end": "Brackets are 95 % intervals.",
        "several.end": "Brackets are 95 % intervals on these episodes; p values are from paired tests.",
        "many.end": "Brackets are 95 % intervals on these episodes; agents share a rank where paired differences, all "
        "pairs judged at once, are not enough to tell them apart.",
        "spread": "± is the standard deviation over seeds; intervals hold the errors of episodes and of seeds.",
    },
    "zh": {
        "one": "{agents} 在 {benchmark}（{split}）{homes}的 {n} 个回合上评测，评分规则 {profile}，使用 nav-eval "
        "{version}。",
        "several": "{agents} 在 {benchmark}（{split}）{homes}的同一批 {n} 个回合上评测，评分规则 {profile}，使用 "
        "nav-eval {version}。",
        "many": "{agents} 个智能体在 {benchmark}（{split}）{homes}的同一批 {n} 个回合上评测，评分规则 {profile}，使用 "
        "nav-eval {version}。",
        "and": "、",
        "comma": "，",
        "gap": "",
        "home": "的 {h} 座住宅中",
        "office": "的 {h} 座办公楼中",
        "scene": "的 {h} 个场景中",
        "split": "划分 {split}",
        "unknown": "划分未知",
        "seed": "生成种子“{seed}”",
        "run seed": "运行种子 {seed}",
        "run seeds": "运行种子 {seed}",
        "excluded": "其中 {k} 个回合不计入任何数值。",
        "references": "路径类指标以{kinds}为参照。",
        "given": "原样的参考路径",
        "densified": "加密到点距不超过 {step:g} 米的参考路径",
        "gt": "专家路径",
        "nodes": "参考路径的视点",
        "none": "无路径",
        "settings": "与基准不同的设置：{settings}。",
        "same": "全部设置与基准相同。",
        "of": "{settings}（{agent}）",
        "one.end": "方括号内为 95% 置信区间。",
        "several.end": "方括号内为这些回合上的 95% 置信区间；p 值来自配对检验。",
        "many.end": "方括号内为这些回合上的 95% 置信区间；名次并列的智能体，其配对差异（对全部两两比较统一校正）"
        "不足以分出高下。",
        "spread": "± 为种子之间的标准差；区间同时计入回合与种子的误差。",
    },
}


def run_sentence(run: Run, context: ReportContext, *, public: bool = False) -> Sentence:
    """Of one run alone. `public`: without the generator's seed, from which whoever has it can make the episodes."""
    return _sentences([run], context, "one", run.summary["n_episodes"], public)


def joint_sentence(
    runs: Sequence[Run],
    context: ReportContext,
    compared: Mapping[str, Any] | None,
    board: Board,
    *,
    public: bool = False,
) -> Sentence | None:
    """Of runs that were judged together; None where there is one, or they cannot be compared."""
    if len(runs) >= MIN_ENTRIES:
        ranking = board.ranking
        return _sentences(runs, context, "many", ranking.n_episodes, public) if ranking else None
    if compared is None or compared["refused"]:
        return None
    return _sentences(runs, context, "several", runs[0].summary["n_episodes"], public)


def _sentences(runs: Sequence[Run], context: ReportContext, kind: str, n: int, public: bool) -> Sentence:
    settings = [differing(run, context) for run in runs]
    return {language: _sentence(WORDS[language], runs, settings, kind, n, public) for language in LANGUAGES}


def differing(run: Run, context: ReportContext) -> dict[str, str] | None:
    """Key -> value of the settings that may change a result and are not the benchmark's; None of an unknown one."""
    benchmark = context.benchmark(run.config.benchmark.name)
    if benchmark is None:
        return None
    found: dict[str, str] = {}
    for key, _, now in config_changes(public_config(benchmark), public_config(run.config), TOLD + CHANGES_NOTHING):
        if key.startswith(SENSORS):
            key, now = SENSORS, sorted(run.config.simulator.sensors)
        found[key] = _as_text(now)
    return found


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"[{','.join(map(_as_text, value))}]" if isinstance(value, list) else msgspec.json.encode(value).decode()


def _sentence(
    words: Mapping[str, str],
    runs: Sequence[Run],
    settings: Sequence[Mapping[str, str] | None],
    kind: str,
    n: int,
    public: bool,
) -> str:
    run = runs[0]
    left_out = excluded(run) if kind == "one" else 0
    agents = len({agent_of(str(run.path)) for run in runs})
    parts = [
        words[kind].format(
            agents=agents if kind == "many" else words["and"].join(map(label, runs)),
            n=f"{n:,}",
            episodes="episode" if n == 1 else "episodes",
            homes=_homes(words, run),
            benchmark=run.summary["benchmark"],
            split=words["comma"].join(_split(words, runs, public)),
            profile=named_profile(run),
            version=run.manifest.get("nav_eval", version("nav-eval")),
        ),
        left_out and words["excluded"].format(k=left_out, are="is" if left_out == 1 else "are"),
        _references(words, run),
        _settings(words, runs, settings),
        words[f"{kind}.end"],
        agents < len(runs) and words["spread"],
    ]
    return words["gap"].join(part for part in parts if part)


def _homes(words: Mapping[str, str], run: Run) -> str:
    """How many buildings its episodes lie in; "" of a run's public form, which has no episodes."""
    count = len({scene for scene, _ in run.results})
    generated = run.config.dataset.generate if run.config.dataset.data_path is None else None
    word = words["scene" if generated is None else generated.kind]
    return word.format(h=count, s="" if count == 1 else "s") if count else ""


def _split(words: Mapping[str, str], runs: Sequence[Run], public: bool) -> list[str]:
    """Split and seeds; those of the runs may differ where an agent was run with several."""
    dataset, split = runs[0].config.dataset, runs[0].summary["split"]
    seeds = sorted({run.config.seed for run in runs})
    drawn = words["run seed" if len(seeds) == 1 else "run seeds"]
    told = [words["split"].format(split=split) if split else words["unknown"]]
    if dataset.generate is not None and dataset.data_path is None and not public:
        told.append(words["seed"].format(seed=dataset.generate.seed))
    return [*told, drawn.format(seed=words["and"].join(map(str, seeds)))]


def _references(words: Mapping[str, str], run: Run) -> str:
    """What the path metrics were compared with; "" where none is among the figures."""
    if not any("reference" in one.needs for one in run.definitions.values()):
        return ""
    step = run.config.simulator.motion.forward_step
    kinds = words["and"].join(words.get(kind, kind).format(step=step) for kind in references(run))
    return words["references"].format(kinds=kinds) if kinds else ""


def _settings(words: Mapping[str, str], runs: Sequence[Run], settings: Sequence[Mapping[str, str] | None]) -> str:
    known = [one for one in settings if one is not None]
    if len(known) < len(settings):
        return ""
    shared = {key: value for key, value in known[0].items() if all(one.get(key) == value for one in known)}
    told = [f"{key}={value}" for key, value in shared.items()]
    for run, one in zip(runs, known, strict=True):
        if own := words["comma"].join(f"{key}={value}" for key, value in one.items() if key not in shared):
            told.append(words["of"].format(settings=own, agent=label(run)))
    return words["settings"].format(settings=words["comma"].join(told)) if told else words["same"]
