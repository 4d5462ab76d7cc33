import pytest

from canvas.palette import DEFAULT, Color, Palette, named
from canvas.palette_files import parse

RED, WHITE, BLUE = named("FF0000", "red"), named("FFFFFF"), named("0000ff", "blue")


def test_the_default_is_the_known_sixteen() -> None:
    rgb = "".join(color.rgb for color in DEFAULT.colors if color is not None)
    assert rgb == (
        "#FF4500#FFA800#FFD635#00A368#7EED56#2450A4#3690EA#51E9F4"
        "#811E9F#B44AC0#FF99AA#9C6926#000000#898D90#D4D7D9#FFFFFF"
    )
    assert (DEFAULT.empty, DEFAULT.hint) == (15, "0-15")


def test_a_gap_is_not_accepted() -> None:
    palette = Palette.of([RED, None, WHITE, BLUE])
    assert palette.usable == {0, 2, 3}
    assert palette.hint == "0, 2-3"


@pytest.mark.parametrize(
    ("colors", "empty"), [([RED, WHITE, BLUE], 1), ([RED, BLUE], 1), ([RED, BLUE, None], 1)]
)
def test_empty_is_white_or_else_the_last(colors: list[Color | None], empty: int) -> None:
    assert Palette.of(colors).empty == empty


@pytest.mark.parametrize("empty", [-1, 1, 2])
def test_empty_must_be_a_color(empty: int) -> None:
    with pytest.raises(ValueError, match=r"empty color .* is not in the palette; use 0"):
        Palette.of([RED, None], empty)


@pytest.mark.parametrize("count", [0, 17])
def test_the_count_is_bounded(count: int) -> None:
    with pytest.raises(ValueError, match=f"a palette of {count} colors"):
        Palette.of([RED] * count)


@pytest.mark.parametrize("rgb", ["FF0000", "#ff0000", "#FF000", "#FF00000", "#GG0000", ""])
def test_a_color_is_six_capital_digits(rgb: str) -> None:
    with pytest.raises(ValueError, match="write it as #RRGGBB"):
        Color(rgb, "red")


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "\x1b[31m"])
def test_a_name_is_short_and_printable(name: str) -> None:
    with pytest.raises(ValueError, match="is no color name"):
        Color("#FF0000", name)


def test_json_goes_both_ways() -> None:
    palette = Palette.of([RED, None, WHITE])
    assert palette.to_json() == [
        {"rgb": "#FF0000", "name": "red"},
        None,
        {"rgb": "#FFFFFF", "name": "#FFFFFF"},
    ]
    assert Palette.from_json(palette.to_json(), palette.empty) == palette


@pytest.mark.parametrize(
    "value",
    [
        "#FF0000",
        {"rgb": "#FF0000"},
        [3],
        [{"rgb": 3}],
        [{"name": "red"}],
        [{"rgb": "#FF0000", "name": 3}],
    ],
)
def test_other_json_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"is no color|is a list of colors"):
        Palette.from_json(value)


HEX = "; made by hand\n#FF0000 fire red\n\n// the rest\n00ff00\n0000FF, 00FFFF\n#FFFFFF facade\n"
GPL = """GIMP Palette
Name: Small
Columns: 2
# a comment
255   0   0\tfire red
  0 255 0   Untitled
  0   0 255
"""


def spoken(palette: Palette) -> list[str]:
    return [f"{color.rgb} {color.name}" for color in palette.colors if color is not None]


def test_hex_lists() -> None:
    palette = parse(HEX, "mine.hex")
    assert spoken(palette) == [
        "#FF0000 fire red",
        "#00FF00 #00FF00",
        "#0000FF #0000FF",
        "#00FFFF #00FFFF",
        "#FFFFFF facade",
    ]
    assert palette.empty == 4
    assert parse("\ufeffFF0000 0000FF", "palette.txt").empty == 1


@pytest.mark.parametrize("filename", ["small.gpl", "small.GPL", "small.txt"])
def test_gimp_palettes(filename: str) -> None:
    assert spoken(parse(GPL, filename)) == [
        "#FF0000 fire red",
        "#00FF00 #00FF00",
        "#0000FF #0000FF",
    ]


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ('["#FF0000", "00ff00"]', 1),
        ('{"name": "x", "colors": ["ff0000", "00ff00"]}', 1),
        ('{"palette": [{"rgb": "#FF0000", "name": "#FF0000"}, "00FF00"], "empty": 0}', 0),
    ],
)
def test_json_palettes(text: str, empty: int) -> None:
    palette = parse(text, "mine.json")
    assert spoken(palette) == ["#FF0000 #FF0000", "#00FF00 #00FF00"]
    assert palette.empty == empty


@pytest.mark.parametrize(
    ("text", "filename", "message"),
    [
        ("red", "a.hex", "line 1 of the palette is no color; write: #FF4500 red"),
        ("FF0000\n,\n", "a.hex", "line 2 of the palette is no color"),
        ("", "a.hex", "has no color; write one a line: #FF4500 red"),
        ("".join(f"{n:06X}\n" for n in range(17)), "a.hex", "has 17 colors .* takes 16; remove 1"),
        ("255 0 0", "a.gpl", "begins with the line 'GIMP Palette'"),
        ("", "a.gpl", "begins with the line 'GIMP Palette'"),
        ("GIMP Palette\n256 0 0 x", "a.gpl", "line 2 of the palette is no color; write: 255 69 0"),
        ("GIMP Palette\nred", "a.gpl", "line 2 of the palette is no color"),
        ("{", "a.json", "the palette is no valid JSON"),
        ("{}", "a.json", "a palette is a list of colors"),
        ('{"colors": ["FF0000"], "empty": true}', "a.json", "empty is True"),
        ('{"colors": ["FF0000"], "empty": 1}', "a.json", "empty color 1 is not in the palette"),
    ],
)
def test_bad_files_say_where(text: str, filename: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text, filename)
