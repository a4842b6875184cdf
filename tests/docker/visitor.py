"""Somebody with a browser, as the server meets them: cookies, and the token of a form that was looked at before."""

from __future__ import annotations

import re
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

from patience import PATIENCE

FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


class Visitor:
    """Of the server at `base`. Raises HTTPError for an answer that is no page."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def looks(self, path: str) -> str:
        with self._opener.open(self._base + path, timeout=PATIENCE) as answer:
            page: str = answer.read().decode()
            return page

    def main(self, path: str) -> str:
        """What a page says of its own, without what is on all of them."""
        return self.looks(path).partition('<main id="main">')[2].partition("</main>")[0]

    def sends(self, path: str, page: str, **fields: str) -> str:
        """A form of `page`, to `path`; the page that follows."""
        found = FORM_TOKEN.search(self.looks(page))
        assert found is not None, page
        body = urllib.parse.urlencode(fields | {"csrfmiddlewaretoken": found.group(1)}).encode()
        with self._opener.open(self._base + path, body, timeout=PATIENCE) as answer:
            told: str = answer.read().decode()
            return told
