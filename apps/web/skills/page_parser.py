"""A program of its own: on standard input a line of JSON, `{url, links}`, and HTML in UTF-8; on standard output JSON.

Pages are other people's, and the parser is C: in a process with limits, one that is hostile ends by itself. Nothing of a page
stands on the command line, which everybody on the machine can read.
"""

from __future__ import annotations

import html
import json
import re
import resource
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trafilatura.metadata import Document

CPU_SECONDS = 6
"""After which the plain text has to do; half as many later the process is ended."""
MEMORY_BYTES = 1_500_000_000
MAX_TEXT = 2_000_000
MAX_FIELD = 300
_FIRST = "<p>short"
"""A page in which the library finds no main text, so that it tries all that it can."""
_HIDDEN = re.compile(r"<(script|style|noscript|template)\b[^<>]*>(?:.*?</\1\s*>|.*)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


class TooSlow(Exception):
    """The page takes more time than its text is worth."""


def main() -> None:
    """Limit this process, then read, extract and write."""
    signal.signal(signal.SIGXCPU, _give_up)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS * 3 // 2))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    extract_page(_FIRST, "http://localhost/", links=True)  # the library reads the files that it may ever need
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))  # from here on no file and no socket is opened
    asked = json.loads(sys.stdin.buffer.readline())
    source = sys.stdin.buffer.read().decode("utf-8", "replace")
    json.dump(extract_page(source, asked["url"], links=asked["links"]), sys.stdout)


def extract_page(source: str, url: str, *, links: bool) -> dict[str, str]:
    """`text` as Markdown, and of `title`, `author`, `date`, `language` and `site` what the page tells."""
    from trafilatura import extract, extract_metadata, load_html  # noqa: PLC0415 - after the limits are set

    fields: dict[str, str] = {}
    text = None
    with suppress(Exception):  # what the library trips over still has text
        tree = load_html(f"<!-- html -->{source}")  # without the word it takes a page that lacks the tag for something else
        if tree is not None:
            fields = name_fields(extract_metadata(tree, default_url=url), str(tree.get("lang") or ""))
            text = extract(tree, url=url, output_format="markdown", include_comments=False, include_links=links)
    return fields | {"text": (str(text) if text else strip_tags(source))[:MAX_TEXT]}


def name_fields(about: Document, language: str) -> dict[str, str]:
    """What the page says about itself, each in one line."""
    named = {"title": about.title, "author": about.author, "date": about.date, "language": language, "site": about.sitename}
    return {name: " ".join(str(value).split())[:MAX_FIELD] for name, value in named.items() if value}


def strip_tags(source: str) -> str:
    """All text of a page in which no main text is found."""
    lines = html.unescape(_TAG.sub(" ", _HIDDEN.sub(" ", source))).splitlines()
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _give_up(*_: object) -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)  # it comes again with each further second
    raise TooSlow


if __name__ == "__main__":
    main()
