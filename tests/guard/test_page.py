"""The page needs nobody else: no third-party address, no absolute path, no inline code."""

import re

from tests.support.source import project_files, read

FOREIGN = re.compile(r"(?:https?|wss?)://(?!www\.w3\.org/)[a-z0-9-]+\.[a-z]+", re.IGNORECASE)
ABSOLUTE = re.compile(r"""(?:src|href|action)=["']/|url\(["']?/|fetch\(["'`]/""")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style\b|\sstyle=|\son[a-z]+=", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|(?<!:)//[^\n]*", re.DOTALL)


def page_files(*endings: str) -> dict[str, str]:
    """The shipped files of the page, without their comments."""
    return {
        path: COMMENT.sub("", read(path))
        for path in project_files()
        if path.startswith("server/web/") and path.endswith(endings)
    }


def matching(pattern: re.Pattern[str], files: dict[str, str]) -> list[str]:
    return [
        f"{path}: {found[0]}" for path, text in files.items() for found in pattern.finditer(text)
    ]


def test_nothing_comes_from_another_host() -> None:
    assert matching(FOREIGN, page_files(".html", ".js", ".css", ".svg")) == []


def test_every_address_is_relative() -> None:
    """So that the page works under any path of a proxy."""
    assert matching(ABSOLUTE, page_files(".html", ".js", ".css")) == []


def test_no_code_or_style_is_inline() -> None:
    """So that the content security policy needs no exception."""
    assert matching(INLINE, page_files(".html")) == []


def test_the_scan_sees_each_of_them() -> None:
    page = {
        "p": '<a href="/x"><script>f()</script><img src="https://cdn.example/a.png" onload="f()">'
    }
    assert [len(matching(pattern, page)) for pattern in (FOREIGN, ABSOLUTE, INLINE)] == [1, 1, 2]
