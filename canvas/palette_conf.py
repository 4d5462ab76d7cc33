"""Palettes of Pxls: its palette.conf, and the list in the configurations before that file was.

Owns as much of HOCON as those files use: objects, lists, quoted and plain texts, comments; neither
includes nor substitutions. Called by palette_files.py. Anything else raises ValueError naming the
line.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from canvas.palette_entries import Entry

MAX_DEPTH = 8
END = "end of the file"
_TOKEN = re.compile(
    r'(?P<space>[^\S\n]+|(?://|\#)[^\n]*)|(?P<end>\n)|"(?P<text>[^"\\\n]*)"'
    r'|(?P<mark>[{}\[\]:=,])|(?P<word>[^\s{}\[\]:=,"#]+)'
)
_LISTS = ("colors", "palette", "board.palette")


class Token(NamedTuple):
    """A text, which has no mark; or a mark, which the ends of a line and of the file are, too."""

    line: int
    mark: str
    text: str = ""


class Text(NamedTuple):
    """A plain value."""

    line: int
    text: str


class Items(NamedTuple):
    """A list."""

    line: int
    items: "list[Value]"


class Fields(NamedTuple):
    """An object."""

    line: int
    fields: "dict[str, Value]"


Value = Text | Items | Fields


def read(text: str) -> tuple[list[Entry], str | None]:
    """Give the colours, and the name of the background colour when one is named."""
    root = _Reader(text).root()
    found = next((value for key in _LISTS if (value := _at(root, key)) is not None), None)
    items = found.items if isinstance(found, Items) else []
    if not items:
        raise ValueError("the palette lists no colors; write: colors: [{name, value}, …]")
    background = _at(root, "backgroundColor")
    name = background.text if isinstance(background, Text) else None
    return [_entry(item) for item in items], name


def _at(fields: Fields, key: str) -> Value | None:
    """Follow dots, which may be in a key as well."""
    if key in fields.fields:
        return fields.fields[key]
    first, _, rest = key.partition(".")
    below = fields.fields.get(first)
    return _at(below, rest) if rest and isinstance(below, Fields) else None


def _entry(item: Value) -> Entry:
    place = f"line {item.line}"
    if isinstance(item, Text):
        return Entry(place, item.text)
    if isinstance(item, Fields):
        value, name = item.fields.get("value"), item.fields.get("name")
        if isinstance(value, Text) and (name is None or isinstance(name, Text)):
            return Entry(f"line {value.line}", value.text, name.text if name else "")
    raise ValueError(f'{place} of the palette is no color; write: {{name: "Red", value: "FF4500"}}')


def _tokens(text: str) -> Iterator[Token]:
    line, at = 1, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"line {line} of the palette is not understood at {text[at]!r}")
        at = found.end()
        if found["end"]:
            yield Token(line, "\n")
            line += 1
        elif found["mark"]:
            yield Token(line, found["mark"])
        elif not found["space"]:
            yield Token(line, "", found["text"] if found["word"] is None else found["word"])
    yield Token(line, END)


class _Reader:
    """Reads tokens, one ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._depth = 0

    def root(self) -> Fields:
        """Read the file: an object, with braces or without."""
        self._skip()
        found = self._fields() if self._next.mark == "{" else Fields(1, self._pairs(END))
        self._skip()
        self._expect(END)
        return found

    def _value(self) -> Value:
        match self._next.mark:
            case "{":
                return self._fields()
            case "[":
                return self._items()
            case "":
                return self._text()
        raise self._unexpected("a value")

    def _fields(self) -> Fields:
        line = self._open()
        return Fields(line, self._pairs("}"))

    def _pairs(self, end: str) -> dict[str, Value]:
        fields: dict[str, Value] = {}
        self._skip()
        while self._next.mark != end:
            key = self._text().text
            if self._next.mark != "{":
                self._expect(":", "=")
                self._skip("\n")
            fields[key] = self._value()
            self._separate(end)
        self._close(end)
        return fields

    def _items(self) -> Items:
        line = self._open()
        items: list[Value] = []
        self._skip()
        while self._next.mark != "]":
            items.append(self._value())
            self._separate("]")
        self._close("]")
        return Items(line, items)

    def _text(self) -> Text:
        """Read a text, or plain words of one line as one text."""
        line, words = self._next.line, []
        while not self._next.mark:
            words.append(self._take().text)
        if not words:
            raise self._unexpected("a name")
        return Text(line, " ".join(words))

    def _open(self) -> int:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f"line {self._next.line} of the palette is nested too deeply")
        return self._take().line

    def _close(self, end: str) -> None:
        if end != END:
            self._depth -= 1
            self._expect(end)

    def _separate(self, end: str) -> None:
        if self._next.mark not in {"\n", ",", end}:
            raise self._unexpected("a comma")
        self._skip()

    def _skip(self, marks: str = "\n,") -> None:
        while self._next.mark in set(marks):
            self._take()

    def _expect(self, *marks: str) -> None:
        if self._next.mark not in marks:
            raise self._unexpected(repr(marks[0]))
        self._take()

    def _take(self) -> Token:
        token = self._next
        self._next = next(self._tokens, token)
        return token

    def _unexpected(self, wanted: str) -> ValueError:
        seen = self._next.mark or self._next.text
        return ValueError(f"line {self._next.line} of the palette has {seen!r} for {wanted}")
