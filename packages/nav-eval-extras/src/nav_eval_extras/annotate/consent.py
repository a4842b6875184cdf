"""What people agree to before anything else. Its version is its text's digest: who agreed to another is asked anew."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from nav_eval.errors import ConfigError

PLAYING = {
    "en": (
        "You will be shown tasks in buildings, and walk there by keys or buttons. Where you walk and how long it takes "
        "is kept under a number, without your name, and may be published as a result. You may stop at any time. If you "
        "withdraw, all that you sent is deleted, and a payment code that you were shown is void; what was published "
        "before cannot be called back."
    ),
    "zh": (
        "页面会给出建筑物中的任务，您用按键或按钮行走。行走的位置和所用的时间以编号保存，不含姓名，可能作为结果发布。"
        "您可以随时停止。如果撤回同意，您提交的一切都会被删除，已显示的付款码随之作废；此前已发布的内容无法收回。"
    ),
}
DEFAULT = {
    "en": (
        "You will be shown ways through buildings. You write how to go there, or follow what others wrote. What you "
        "write, where you walk and how long it takes is kept under a number, without your name, and may be published "
        "as a data set. You may stop at any time. If you withdraw, all that you sent is deleted, and a payment code "
        "that you were shown is void; what was published before cannot be called back."
    ),
    "zh": (
        "页面会展示建筑物中的路线。您需要写出怎样走，或按照他人所写的行走。您写的内容、行走的位置和所用的时间以编号保存，"
        "不含姓名，可能作为数据集发布。您可以随时停止。如果撤回同意，您提交的一切都会被删除，"
        "已显示的付款码随之作废；此前已发布的内容无法收回。"
    ),
}


@dataclass(frozen=True, slots=True)
class Consent:
    texts: dict[str, str]

    @classmethod
    def read(cls, path: Path | None, default: dict[str, str] = DEFAULT) -> Consent:
        """An organiser's own text, shown in both languages of the page; the default where there is none."""
        if path is None:
            return cls(default)
        try:
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"--consent {path}: cannot be read ({error}). Give a text file in UTF-8.") from None
        if not text:
            raise ConfigError(f"--consent {path}: is empty. Write what people agree to.")
        return cls({"en": text, "zh": text})

    @property
    def version(self) -> str:
        return hashlib.sha256("\n".join(self.texts.values()).encode()).hexdigest()[:8]
