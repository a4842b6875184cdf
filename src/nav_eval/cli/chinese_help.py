"""The panels of `--help` in Chinese: titles, options, and what is said of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cyclopts.help.formatters import DefaultFormatter
from rich.text import Text

from nav_eval.cli.chinese import spoken

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions


class ChineseHelp(DefaultFormatter):
    """As the default, from the catalogue."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        entries = [_translate_entry(entry) for entry in panel.entries]
        super().__call__(console, options, panel.copy(title=spoken(str(panel.title)), entries=entries))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        if usage:
            console.print(Text(f"用法：{str(usage).removeprefix('Usage: ')}", style="bold"))

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        if description:
            console.print(Text(f"{spoken(_plain(description))}\n"))


def _translate_entry(entry: HelpEntry) -> HelpEntry:
    """What stands in brackets is part of the sentence; that a flag is off by default goes without saying."""
    notes = [f"可选：{'、'.join(entry.choices)}"] if entry.choices else []
    notes += [f"默认：{entry.default}"] if entry.default not in (None, "False") else []
    notes += ["必填"] if entry.required else []
    said = spoken(_plain(entry.description))
    said = f"{said.removesuffix('。')}（{'；'.join(notes)}）。" if notes else said
    return entry.copy(description=Text(said), choices=None, default=None, required=False)


def _plain(description: Any) -> str:
    return str(getattr(description, "primary_renderable", description) or "").strip()
