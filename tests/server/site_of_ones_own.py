"""Pages of a competition's own, as an organiser writes them, and as an attacker would have an organiser paste them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PIL import Image

OVERVIEW = """# Overview

Agents follow **spoken-style instructions** through homes nobody has seen; see [the rules](rules.md), the
[starter kit](starter.zip) and [EvalAI](https://eval.ai/), or write to <team@example.org>.

![a floor plan](plan.png)

| Phase | Opens | Closes | What it is for |
|---|---|---|---|
| development | 1 November 2030, 00:00 UTC | 1 December 2030, 00:00 UTC | to try |
| final | 1 December 2030, 00:00 UTC | 8 December 2030, 00:00 UTC | counts |

```sh
nav-eval-agent check https://agent.example.org:8085 --with-a-long-line-that-does-not-fit-a-phone
```

> One submission counts.
"""
PAGES: Mapping[str, str] = {
    "overview.md": OVERVIEW,
    "overview.zh.md": "# 概览\n\n智能体按**自然语言指令**穿过陌生的住宅，见[规则](rules.md)。\n\n![平面图](plan.png)\n",
    "rules.md": "# Rules\n\n1. One team, one account.\n2. No memory across episodes.\n",
    "rules.zh.md": "# 规则\n\n1. 一队一账号。\n2. 回合之间不得保留记忆。\n",
    "contact.md": "# Contact\n\nteam@example.org\n",
    "foot.md": "A workshop of [Example University](https://example.org/)\n",
    "foot.zh.md": "[示例大学](https://example.org/)研讨会\n",
}
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" onload="document.title=\'ran\'">'
    '<circle cx="20" cy="20" r="18" fill="#c2410c"/><script>document.title = "ran"</script></svg>'
)


def write_site(folder: Path) -> Path:
    place = folder / "pages"
    place.mkdir()
    for name, text in PAGES.items():
        (place / name).write_text(text)
    Image.new("RGB", (1400, 300), "#0a6b5e").save(place / "plan.png")
    (place / "logo.svg").write_text(LOGO)
    (place / "starter.zip").write_bytes(b"PK")
    return place


ATTACKS = (
    "<script>document.title = 'ran'</script>",
    "<img src=x onerror=\"document.title='ran'\">",
    "<style>body { background: url(https://evil.example/) }</style>",
    "<svg onload=\"document.title='ran'\"><a xlink:href='javascript:1'>x</a></svg>",
    '<iframe src="https://evil.example/"></iframe><form action="/logout/" method="post"><button>x</button></form>',
    '<meta http-equiv="refresh" content="0; url=https://evil.example/">',
    "</article></main><base href='https://evil.example/'><link rel=stylesheet href='//evil.example/x.css'>",
    "[x](javascript:document.title='ran') [x](JaVaScRiPt:alert(1)) [x](java\tscript:alert(1))",
    "[x](<javascript&colon;alert(1)>) [x](&#106;avascript:alert(1)) [x](\x01javascript:alert(1)) <javascript:alert(1)>",
    "[x](data:text/html,<script>1</script>) [x](vbscript:1) [x](file:///etc/passwd) [x](blob:1) <data:text/html,1>",
    "[x](//evil.example) [x](/\\evil.example) [x](\\\\evil.example) [x](/%2F/evil) [x](https:evil.example)",
    "[x](https://good.example@evil.example/) [x](https://a:b@evil.example) [x](https:///evil.example)",
    "[x](../../private/seed) [x](..%2f..%2fprivate%2fseed.png) ![x](../logo.png) ![x](/logout/)",
    "![x](https://evil.example/x.png) ![x](//evil.example/x.png) ![x](data:image/svg+xml;base64,PHN2Zz4=)",
    '![x" onerror="document.title=1](x.png) ![x](x.png "y\\" onerror=\\"1") [x](https://a.example "\'>")',
    "[x][1] ![y][1]\n\n[1]: javascript:alert(1) 'y\" onclick=\"1'",
    '```x" onclick="alert(1)\n</code></pre><script>1</script>\n```',
    "| a |\n|:-:|\n| <script>1</script> |\n",
    "# <script>document.title = 'ran'</script>",
    "<!-- --><![CDATA[<script>1</script>]]><?php 1 ?><!DOCTYPE x>",
)
