"""Pages of a competition's own: who reads them, in which language, and that nothing in them can act."""

from __future__ import annotations

import hashlib
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from nav_eval_server import pages, privacy
from nav_eval_server.archive.doctor import examine
from nav_eval_server.markdown import html
from nav_eval_server.models import Event, Token, User
from nav_eval_server.tokens import issue
from nav_eval_server.web import roster
from nav_eval_server.web.context import LINKS
from patience import until
from server.boards import NOW
from server.conftest import Make
from server.crowd import PASSWORD
from server.serving import serving
from server.site_of_ones_own import ATTACKS, write_site
from server.test_pages_in_browser import Person, windows

TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "hr", "img", "li", "p", "pre", "strong", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "rel", "title"}, "img": {"src", "alt", "title"}, "code": {"class"}, "ol": {"start"},
    "table": {"tabindex"},
}  # fmt: skip
HARMLESS = re.compile(r"https?://[a-z.-]+(/.*)?|mailto:[^?]+|/pages/[a-z]+/|/pages/files/[\w.-]+|/[a-z-]*/?")


class Active(HTMLParser):
    """What could do anything, by a list of what cannot."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.found += [tag] if tag not in TAGS else []
        self.found += [name for name in told if name not in ATTRIBUTES.get(tag, ())]
        if "href" in told and not (HARMLESS.fullmatch(told["href"]) and told.get("rel") == "noopener noreferrer"):
            self.found.append(told["href"])
        if tag == "img" and not told["src"].startswith("/pages/files/"):
            self.found.append(told["src"])

    def handle_comment(self, data: str) -> None:
        self.found.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_a_page_can_act(attack: str) -> None:
    for text in (attack, f"> {attack}", f"- {attack}", f"a {attack} b\n{attack}"):
        assert Active(html(text, LINKS)).found == [], html(text, LINKS)


def read(path: str, language: str = "en") -> str:
    return Client(SERVER_NAME="localhost").get(path, headers={"accept-language": language}).content.decode()


def test_readers_get_their_language_or_the_other(make: Make) -> None:
    """As soon as a file is written; the navigation has the order of the subject."""
    write_site(make().folder)
    named = re.compile(r'class="own".*?</nav>', re.S)
    for language, titles in (("en", ["Overview", "Rules", "Contact"]), ("zh-CN", ["概览", "规则", "Contact"])):
        assert re.findall(r">([^<>\n]+)</a", named.search(read("/", language))[0]) == titles  # type: ignore[index]
    assert '<article class="prose" lang="en">' in read("/pages/contact/", "zh-CN")
    assert "Example University" in read("/login/")
    assert "示例大学" in read("/login/", "zh-CN")
    assert 'href="/pages/rules/" rel="noopener noreferrer">规则' in read("/pages/overview/", "zh-CN")
    assert 'src="/pages/files/plan.png"' in read("/pages/overview/")


def test_what_cannot_be_shown_is_told_by_the_doctor_and_nothing_else_is_sent(make: Make) -> None:
    challenge = make()
    place = write_site(challenge.folder)

    def told() -> list[str]:
        return [one.said for one in examine(challenge, NOW) if one.said.startswith("pages/")]

    assert told() == []
    (place / "data.md").write_bytes(b"\xff\xfe")
    (place / "prizes.md").write_text("x" * (pages.MAX_BYTES + 1))
    (place / "My Page.md").write_text("# x")
    (place / "bad.html").write_text("<script>1</script>")
    (place / "seed.txt").symlink_to(challenge.folder / "private" / "seed")
    os.mkfifo(place / "pipe.md")
    shown = [line.split(": ")[0] for line in told()]
    assert shown == [
        f"pages/{name}" for name in ("My Page.md", "bad.html", "data.md", "pipe.md", "prizes.md", "seed.txt")
    ]
    client = Client(SERVER_NAME="localhost")
    names = ("rules", "data", "prizes", "pipe", "../rules")
    assert [client.get(f"/pages/{name}/").status_code for name in names] == [200, 404, 404, 404, 404]
    for name in ("bad.html", "seed.txt", "rules.md", "..%2fchallenge.yaml", "%2e%2e/challenge.yaml", ".x.png"):
        assert client.get(f"/pages/files/{name}").status_code == 404, name


def test_a_file_that_is_opened_by_itself_runs_nothing(make: Make) -> None:
    place = write_site(make().folder)
    kinds = {"logo.svg": "image/svg+xml", "plan.png": "image/png", "starter.zip": "application/octet-stream"}
    for name, kind in kinds.items():
        answer = Client(SERVER_NAME="localhost").get(f"/pages/files/{name}")
        assert b"".join(answer.streaming_content) == (place / name).read_bytes()  # type: ignore[attr-defined]
        assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == (kind, "nosniff")
        assert answer["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer["Content-Security-Policy"].endswith("; sandbox")
        assert answer.get("Content-Disposition", "").startswith("attachment" if name == "starter.zip" else "")


def test_terms_are_accepted_to_sign_up_and_again_when_they_change(make: Make) -> None:
    """Kept are the text's sum and the day; a stale form accepts nothing; programs are refused until it is done."""
    challenge = make(teams={"approval": False})
    text = write_site(challenge.folder) / "terms.md"
    text.write_text("# Terms\n\nPublish your code.")
    client, form = Client(SERVER_NAME="localhost"), {"username": "ada", "email": "ada@example.org"}
    form |= dict.fromkeys(("password1", "password2"), PASSWORD)
    box = re.compile(r'name="(terms-\w+)"')
    assert 'I accept: <a href="/pages/terms/">Terms' in (page := client.get("/signup/").content.decode())
    for missing in ({}, {"terms-0123456789abcdef": "on"}):
        assert client.post("/signup/", form | missing).status_code == 200
    assert not User.objects.exists()
    assert client.post("/signup/", form | {box.search(page)[1]: "on"}).status_code == 302  # type: ignore[index]
    ada = User.objects.get()
    assert (ada.terms_sha256, ada.terms_at is None) == (hashlib.sha256(text.read_bytes()).hexdigest(), False)
    assert client.get("/team/").status_code == 200
    made = roster.create(challenge, ada, "Aurora")
    bearer = {"authorization": f"Bearer {issue(Token.Scope.TEAM, 'ci', made, ada)}"}
    where = "/api/v1/submissions/predictions?phase=files"
    stale = client.get("/account/terms/", follow=True).redirect_chain
    assert stale == [("/team/", 302)]
    text.with_name("terms.zh.md").write_text("# 参赛条款\n\n公开代码。")
    assert client.get("/team/", follow=True).redirect_chain == [("/account/terms/", 302)]
    refused = client.post(where, b"[]", content_type="application/octet-stream", headers=bearer)
    assert (refused.status_code, refused.json()["code"]) == (403, "terms")
    assert client.post("/account/terms/", {box.search(page)[1]: "on"}).status_code == 200  # type: ignore[index]
    page = client.get("/account/terms/").content.decode()
    assert client.post("/account/terms/", {box.search(page)[1]: "on"})["Location"] == "/team/"  # type: ignore[index]
    accepted = client.post(where, b"[]", content_type="application/octet-stream", headers=bearer)
    assert accepted.json()["code"] == "phase_unknown"
    kept = [event.details["sha256"] for event in Event.objects.filter(action="terms_accepted", actor="ada")]
    assert kept == [ada.terms_sha256, User.objects.get().terms_sha256]
    assert privacy.export(User.objects.get())["account"]["terms_sha256"] == kept[1]


def test_in_a_browser_pages_are_read_and_attacks_do_nothing(make: Make, browser: Any, axe: str, tmp_path: Path) -> None:
    challenge = make()
    place = write_site(challenge.folder)
    (place / "terms.md").write_text("# Terms\n\nPublish your code.")
    (place / "attacks.md").write_text("\n\n".join(ATTACKS))
    kinds = (("zh-CN", 360, "dark"), ("en-US", 1280, "light"), ("en-US", 360, "light"))
    with serving(challenge, jobs=0) as served:
        until(lambda: served.healthz() in (200, 503), "healthz")
        for visitor in windows(browser, served.url, axe, kinds):
            look(visitor)
            visitor.leaves()


def look(visitor: Person) -> None:
    visitor.looks("/", "/pages/overview/", "/pages/rules/", "/signup/")
    assert visitor.page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
    visitor.go("/pages/attacks/")
    visitor.page.wait_for_timeout(300)
    assert visitor.page.title() != "ran"
    assert visitor.page.url.endswith("/pages/attacks/")
    missing = [text for text in visitor.wrong if "404" in text]  # x.png, which is a picture of one's own that is absent
    visitor.wrong = [text for text in visitor.wrong if text not in missing]
    visitor.page.goto(f"{visitor.base}/pages/files/logo.svg")
    visitor.page.wait_for_timeout(300)
    assert visitor.page.title() != "ran"
    visitor.wrong = [
        text for text in visitor.wrong if "sandboxed" not in text and "Content Security Policy" not in text
    ]
