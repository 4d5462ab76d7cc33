"""Names that guests choose: what is tidied, what is refused, and who is not to be played."""

# ruff: noqa: RUF001 - letters that are taken for Latin ones are the very point here

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.access.chosen_names import chosen_name, looks_official
from server.access.guest_names import ADJECTIVES, ANIMALS
from server.access.identity import checked_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann", "Ann"),
        ("  Ann Lee\n", "Ann Lee"),
        ("Ame\u0301lie", "Amélie"),
        ("x" * 32, "x" * 32),
        ("木漏れ日", "木漏れ日"),
        ("אבגד", "אבגד"),
        ("\N{GRINNING FACE}", "\N{GRINNING FACE}"),
        ("\N{HEAVY BLACK HEART}\ufe0f Ann", "\N{HEAVY BLACK HEART}\ufe0f Ann"),
        ("\U0001f1eb\U0001f1f7 Ann", "\U0001f1eb\U0001f1f7 Ann"),
        ("นัก วาดภาพ", "นัก วาดภาพ"),
    ],
)
def test_names_are_trimmed_and_composed(text: str, name: str) -> None:
    assert chosen_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t ",
        "x" * 33,
        "An\nn",
        "An\u202en",
        "An\u200bn",
        "An\x00n",
        "\u3164",
        "An\u2800n",
        "A" + "\u0301" * 5,
        "\u034f",
        "An\u034fn",
        "\ufe0f",
        "\u0301",
        "\U000e0100",
        "\ud800",
    ],
)
def test_what_cannot_be_seen_or_spoils_the_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"a (name|letter) "):
        chosen_name(text)


@pytest.mark.parametrize(
    "name",
    [
        "Admin", "aDMIN", "adm1n", "@dmin", "Аdmin", "a d m i n", "A.D.M.I.N", "ＡＤＭＩＮ",
        "ᴀᴅᴍɪɴ", "The Admin", "xXadminXx", "Sysadmin", "adrnin", "Ádmïn", "admln", "𝕬𝖉𝖒𝖎𝖓",
        "Administrator", "Moderator", "Mоdеrаtоr", "M0DERAT0R", "Game Operator", "Tesserae",
        "Te$$erae", "tesserae bot",
        "Mod", "M0D", "m.o.d", "Mod Bob", "Staff", "SYSTEM", "The Server", "Official",
        "admin badminton", "ꓮꓓꓟꓲꓠ", "ᎪᎠᎷᏆN", "🅰🅳🅼🅸🅽", "🇦 🇩 🇲 🇮 🇳", "Møderator", "ad\u0335min",
    ],
)  # fmt: skip
def test_nobody_passes_for_who_runs_the_place(name: str) -> None:
    assert looks_official(name)
    with pytest.raises(ValueError, match="choose another one"):
        chosen_name(name)


@pytest.mark.parametrize(
    "name",
    ["Modern Art", "Badminton Ann", "Staffan", "Roman", "Ada Minor", "Model T", "Modesty", "Nomad",
     "Dominika", "Cooperator", "Observer", "Ecosystem", "木", "Ann \N{GRINNING FACE}"],
)  # fmt: skip
def test_who_only_comes_near_is_let_be(name: str) -> None:
    assert chosen_name(name) == name


def test_no_name_that_we_draw_ourselves_looks_official() -> None:
    drawn = [f"{adjective} {animal}" for adjective in ADJECTIVES for animal in ANIMALS]
    assert [name for name in drawn if chosen_name(name) != name] == []


@given(st.text(max_size=40))
def test_what_is_chosen_is_a_name_as_tokens_carry_it(text: str) -> None:
    try:
        name = chosen_name(text)
    except ValueError:
        return
    assert checked_name(name) == name == unicodedata.normalize("NFC", name)
    assert chosen_name(name) == name
