"""Somebody with a browser, as the server meets them: cookies, and the token of a form that was looked at before."""

from __future__ import annotations

import re

import requests

from patience import PATIENCE

FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


class Visitor:
    """Of the server at `base`. Raises HTTPError for an answer that is no page."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._session = requests.Session()

    def looks(self, path: str, form: dict[str, str] | None = None) -> str:
        method = "GET" if form is None else "POST"
        answer = self._session.request(method, self._base + path, data=form, timeout=PATIENCE)
        answer.raise_for_status()
        return answer.text

    def main(self, path: str) -> str:
        """What a page says of its own, without what is on all of them."""
        return self.looks(path).partition('<main id="main">')[2].partition("</main>")[0]

    def sends(self, path: str, page: str, **fields: str) -> str:
        """A form of `page`, to `path`; the page that follows."""
        found = FORM_TOKEN.search(self.looks(page))
        assert found is not None, page
        return self.looks(path, fields | {"csrfmiddlewaretoken": found.group(1)})
