"""Palettes of other programs, and what any list of colours must keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.palette_files import Listed, listed

PXLS = """backgroundColor: "White"

colors: [
	// each as follows: { name: "my color" }
	{
		name: "White"
		value: "FFF"
	},
	{
		name: "Light Grey"
		value: "B9C3CF" # as before
	}, { name = "Dark Red", value = 99011A }
]
"""
BEFORE = """
include nothing = 1
board { width = 1000, palette = ["#FFFFFF", "#E50000"] }
server.port: 4567
"""


def spoken(found: Listed) -> list[str | None]:
    return [None if color is None else f"{color.rgb} {color.name}" for color in found.colors]


def test_a_palette_of_pxls() -> None:
    found = listed(PXLS, "palette.conf")
    assert spoken(found) == ["#FFFFFF White", "#B9C3CF Light Grey", "#99011A Dark Red"]
    assert found.empty == 0


@pytest.mark.parametrize(
    "text",
    [
        BEFORE,
        'board.palette = ["#FFFFFF"\n"#E50000"]',
        '{"palette": ["FFFFFF", {"value": "E50000"}]}',
        "colors = [ FFF, {value: E50000}, ]",
    ],
)
def test_other_forms_of_the_same(text: str) -> None:
    assert spoken(listed(text, "pxls.conf")) == ["#FFFFFF #FFFFFF", "#E50000 #E50000"]


def test_what_pxls_tells_its_clients() -> None:
    text = '{"width": 9, "palette": [{"name": "White", "value": "FFFFFF"}, null]}'
    assert spoken(listed(text, "info.json")) == ["#FFFFFF White", None]
    assert listed(text, "info") == listed(text, "info.json")


def test_a_palette_of_paint_net() -> None:
    text = "; paint.net Palette File\nFFFF0000\n00FFFFFF\nFF00FF00 ; a comment\n"
    assert spoken(listed(text, "mine.txt")) == ["#FF0000 #FF0000", "#00FF00 #00FF00"]


def test_a_palette_of_paint_shop_pro() -> None:
    text = "JASC-PAL\r\n0100\r\n2\r\n255 0 0\r\n0 0 255\r\n"
    assert spoken(listed(text, "mine.pal")) == ["#FF0000 #FF0000", "#0000FF #0000FF"]


@pytest.mark.parametrize(
    ("text", "filename", "message"),
    [
        ("FF0000\n\n#ff0000 red", "a.hex", "line 3 has #FF0000, as line 1 has; remove one"),
        ('["FF0000", null, "f00"]', "a.json", "color 2 has #FF0000, as color 0 has; remove"),
        ('["FF000"]', "a.json", "color 0: .* is no color; write it as #RRGGBB"),
        ('["FF0000", 5]', "a.json", "color 1 of the palette is no color; write {rgb:"),
        ("[null]", "a.json", "the palette has no color"),
        ("[" * 50_000, "a.json", "no valid JSON"),
        ('{"colors": ["FF0000"], "empty": -1}', "a.json", "empty color -1 is not in the palette"),
        ('{"colors": ["FF0000", null], "empty": 1}', "a.json", "empty color 1 is not in"),
        (f"FF0000 {'x' * 65}", "a.hex", "line 1: 'x+' is no color name; use 1 to 64"),
        ("FF0000 a\x1b[31m", "a.hex", "line 1: .* is no color name"),
        ("FF0000\n80FF0000", "a.txt", "line 2 is half transparent .80FF0000.; begin it with FF"),
        ("JASC-PAL\n0100\n1\n256 0 0", "a.pal", "line 4 of the palette is no color; write: 255"),
        ("\n".join(f"{n:06X}" for n in range(257)), "a.hex", "line 257 is one color too many"),
        ("", "a.conf", "lists no colors; write: colors: "),
        ("colors: []", "a.conf", "lists no colors"),
        ("colors: FFF", "a.conf", "lists no colors"),
        ("colors: [{name: White}]", "a.conf", "line 1 of the palette is no color; write: {name"),
        ("colors: [\n[FFF]]", "a.conf", "line 2 of the palette is no color"),
        ("colors: [\n{value: 12}]", "a.conf", "line 2: '#12' is no color"),
        ("colors: [\n{value: {}}]", "a.conf", "line 2 of the palette is no color"),
        ("colors: [\nFFF", "a.conf", "line 2 of the palette has 'end of the file' for a comma"),
        ("colors: [\nFFF}", "a.conf", "line 2 of the palette has '}' for a comma"),
        ("colors: [FFF]\n}", "a.conf", "line 2 of the palette has '}' for a name"),
        ("{colors: [FFF]}\nx", "a.conf", "line 2 of the palette has 'x' for 'end of the file'"),
        ("colors [FFF]", "a.conf", r"line 1 of the palette has '\[' for ':'"),
        ('a: "open\n', "a.conf", "line 1 of the palette is not understood at '\"'"),
        ("a: " + "[" * 9, "a.conf", "line 1 of the palette is nested too deeply"),
        ("a: " + "[" * 90_000, "a.conf", "line 1 of the palette is nested too deeply"),
        ("backgroundColor: Red\ncolors: [FFF]", "a.conf", "backgroundColor is 'Red'; give the"),
    ],
)
def test_each_mistake_is_told_with_its_place(text: str, filename: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        listed(text, filename)


def test_more_colors_than_a_board_takes_are_listed_but_no_palette() -> None:
    found = listed("\n".join(f"{n:06X}" for n in range(32)), "a.hex")
    assert len(found.colors) == 32
    with pytest.raises(ValueError, match="has 32 colors and a board takes 16; remove 16"):
        found.palette()


def test_a_palette_of_some_keeps_the_empty_one() -> None:
    found = listed('{"colors": ["#FFFFFF", "#FF0000", null, "#0000FF"], "empty": 3}', "a.json")
    assert found.only([0, 3]).empty == 1
    assert found.only([1, 0]).empty == 1  # the white one
    assert [color and color.rgb for color in found.only([1, 3]).colors] == ["#FF0000", "#0000FF"]


@given(
    st.text(alphabet='{}[]:=,"#\\/\n 0Fcolrsvaue;', max_size=60),
    st.sampled_from(["a.hex", "a.gpl", "a.json", "a.conf", "a.pal"]),
    st.sampled_from(["", "GIMP Palette\n", "JASC-PAL\n", "colors: [", "["]),
)
def test_any_text_is_read_or_told(text: str, filename: str, start: str) -> None:
    try:
        found = listed(start + text, filename)
    except ValueError:
        return
    assert any(found.colors)
