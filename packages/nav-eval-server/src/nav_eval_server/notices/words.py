"""What a notice says. A mail has both languages, one after the other: nobody has told us theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from nav_eval_server.queue.states import Language, Sentence

Kind = Literal[
    "team_waits", "team_approved", "team_blocked", "ended", "service_unready", "appealed", "appeal_answered",
    "appeal_decided", "revealed", "misconfigured", "unplayable", "decision", "date_moved", "announcement",
    "invited",
]  # fmt: skip


@dataclass(frozen=True)
class Text:
    subject: Sentence
    body: Sentence


TEXTS: Mapping[Kind, Text] = {
    "team_waits": Text(
        {"en": "The team {team} waits for approval", "zh": "队伍 {team} 等待批准"},
        {"en": "Approve or refuse it on the organisers' page.", "zh": "请在主办方页面批准或拒绝。"},
    ),
    "team_approved": Text(
        {"en": "Your team {team} is approved", "zh": "您的队伍 {team} 已获批准"},
        {"en": "You can submit now.", "zh": "现在可以提交了。"},
    ),
    "team_blocked": Text(
        {"en": "Your team {team} is refused", "zh": "您的队伍 {team} 未获批准"},
        {"en": "It cannot submit. Write to the organisers if you do not know why.",
         "zh": "该队伍不能提交。如不清楚原因，请联系主办方。"},
    ),
    "ended": Text(
        {"en": "{warning}Submission {submission} ({phase}) has ended",
         "zh": "{warning}提交 {submission}（{phase}）已结束"},
        {"en": "{said}", "zh": "{said}"},
    ),
    "service_unready": Text(
        {"en": "Your service does not answer: submission {submission} ({phase}) waits",
         "zh": "您的服务没有应答：提交 {submission}（{phase}）正在等待"},
        {"en": "{said}", "zh": "{said}"},
    ),
    "misconfigured": Text(
        {"en": "Submission {submission} ({phase}) cannot be evaluated: the evaluation is set up wrongly",
         "zh": "提交 {submission}（{phase}）无法评测：评测的配置有误"},
        {"en": "{said}\nMend it, then run the submission again on its page.",
         "zh": "{said}\n请修正后在该提交的页面重新运行。"},
    ),
    "unplayable": Text(
        {"en": "{phase} is open, and cannot be played", "zh": "{phase} 已开放，但无法评测"},
        {"en": "{said}", "zh": "{said}"},
    ),
    "appealed": Text(
        {"en": "The team {team} appeals submission {submission}", "zh": "队伍 {team} 对提交 {submission} 提出申诉"},
        {"en": "Read it and decide on the submission's page.", "zh": "请在该提交的页面查看并裁定。"},
    ),
    "appeal_answered": Text(
        {"en": "Your appeal of submission {submission} is answered", "zh": "您对提交 {submission} 的申诉已有答复"},
        {"en": "Read the answer on the submission's page.", "zh": "请在该提交的页面查看答复。"},
    ),
    "appeal_decided": Text(
        {"en": "Your appeal of submission {submission} is decided", "zh": "您对提交 {submission} 的申诉已裁定"},
        {"en": "The decision: {said}.", "zh": "裁定：{said}。"},
    ),
    "decision": Text(
        {"en": "The organisers have decided about {about}", "zh": "主办方对 {about} 作出了决定"},
        {"en": "{decision}. Reason: {said}", "zh": "{decision}。理由：{said}"},
    ),
    "date_moved": Text(
        {"en": "The end of {phase} is moved: {closes}", "zh": "{phase} 的截止时间改为：{closes}"},
        {"en": "Reason: {said}", "zh": "理由：{said}"},
    ),
    "announcement": Text(
        {"en": "From the organisers", "zh": "主办方公告"},
        {"en": "{said}", "zh": "{said}"},
    ),
    "invited": Text(
        {"en": "An invitation for {name}", "zh": "{name} 的参赛邀请"},
        {"en": "Sign up by this address, which works once; your team is approved.",
         "zh": "请通过以下链接注册，链接仅可使用一次；您的队伍已获批准。"},
    ),
    "revealed": Text(
        {"en": "The final board of {phase} is revealed", "zh": "{phase} 的最终榜已公布"},
        {"en": "Everybody can see it now.", "zh": "现在所有人都可以查看。"},
    ),
}  # fmt: skip
NO_GOOD_EPISODE: Sentence = {"en": "Every episode failed. ", "zh": "所有回合均失败。"}
"""Before the subject of what has ended so."""
DECISIONS: Mapping[str, Sentence] = {
    "stands": {"en": "the result stands", "zh": "维持原结果"},
    "rerun": {"en": "it is run again", "zh": "重新运行"},
    "place": {"en": "its place in the quota comes back", "zh": "退还名额"},
    "void": {"en": "it is void", "zh": "宣布无效"},
}
RULINGS: Mapping[str, Sentence] = {
    "rerun": {"en": "It is run again", "zh": "重新运行"},
    "void": {"en": "It is void", "zh": "宣布无效"},
    "give_back": {"en": "Its place in the quota is given back", "zh": "退还名额"},
    "grant": {"en": "Your team may submit more often", "zh": "增加提交名额"},
    "merged": {"en": "Two teams are one", "zh": "合并两支队伍"},
    "person_merged": {"en": "Two accounts are one", "zh": "合并两个账户"},
    "renamed": {"en": "Your team has another name", "zh": "更改队伍名称"},
    "disqualified": {"en": "Your team is disqualified", "zh": "取消参赛资格"},
    "reinstated": {"en": "Your team takes part again", "zh": "恢复参赛资格"},
}
"""What organisers decide, by the kind of models.Decision."""


def subject(kind: Kind, facts: Mapping[str, Sentence]) -> str:
    return " / ".join(_fill(TEXTS[kind].subject, facts, language) for language in ("en", "zh"))


ZONE: Sentence = {"en": "Times are of {zone}.", "zh": "所有时间均为 {zone} 时间。"}


def body(kind: Kind, facts: Mapping[str, Sentence], competition: Sentence, zone: str, link: str) -> str:
    """Plain text; `reasons` of failures are a service's own words, in one language. `link`: "" where the server does
    not know its own name."""
    parts = [_paragraph(kind, facts, competition, language) for language in ("en", "zh")]
    parts = [f"{part} {ZONE[language].format(zone=zone)}" for part, language in zip(parts, ZONE, strict=True)]
    reasons = facts.get("reasons", {"en": ""})["en"]
    return "\n\n".join(part for part in (*parts, reasons, link) if part) + "\n"


def _paragraph(kind: Kind, facts: Mapping[str, Sentence], competition: Sentence, language: Language) -> str:
    head, told = (_fill(text, facts, language) for text in (TEXTS[kind].subject, TEXTS[kind].body))
    return f"{competition[language]}: {head}{'.' if language == 'en' else '。'}\n{told}"


def _fill(text: Sentence, facts: Mapping[str, Sentence], language: Language) -> str:
    return text[language].format(**{name: value[language] for name, value in facts.items()})
