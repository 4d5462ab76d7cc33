"""Names that guests choose for themselves: what they may look like, and whom not.

Owns one short rule: a name must not pass for somebody who runs the place. It compares by looks, so
that case, accents, digits for letters and the common letters of other scripts that look like Latin
ones do not help. It is no list of bad words and does not know every likeness of Unicode: moderators
see who wrote what. Pure. Called by the command `rename` and for names of outside issuers.
"""

import re
import unicodedata

from server.access.identity import checked_name, tidy_name

MAX_MARKS_IN_A_ROW = 3
"""More combining marks on one letter than any script needs run over the lines above and below."""

ANYWHERE = ("admin", "moderator", "operator", "tesserae")
AS_A_WORD = ("mod", "mods", "official", "organiser", "organizer", "server", "staff", "system")
INNOCENT = ("badminton", "cooperator")

BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4"
)
"""Printable by their category, and yet they show nothing."""

# ruff: noqa: RUF001 - letters that are taken for Latin ones are the very point here
# fmt: off
_LOOKALIKES = {
    "o": "0ОоΟοօσøØꓳ", "i": "1l|!ІіΙιıɩɪӏЇїꓲᏆ", "e": "3ЕеΕεɛєᴇꓰᎬ", "a": "4@АаΑαɑᴀꓮᎪ",
    "s": "5$ЅѕꜱꓢᏚ", "t": "7+ТтΤτᴛꓔᎢ", "m": "МмΜᴍꓟᎷ", "n": "ΝηпոɴИиꓠ", "d": "ԁɗᴅđĐꓓᎠ",
    "r": "РрΡρгʀꓣᎡ", "f": "ғꓝ", "p": "ᴘꓑᏢ", "c": "СсϲᴄҀꓚᏟ", "v": "νѵᴠꓦᏙ", "y": "УуΥγꓬᎩ",
}
# fmt: on
_ALPHABETS = (0x1F150, 0x1F170, 0x1F1E6)
"""Where A to Z stand on dark discs, on dark squares, and as halves of flags."""
_LETTER_OF = {ord(like): letter for letter, likes in _LOOKALIKES.items() for like in likes} | {
    first + at: chr(ord("a") + at) for first in _ALPHABETS for at in range(26)
}
_AS_TWO = (("rn", "m"), ("vv", "w"))


def chosen_name(text: str) -> str:
    """Tidy and check a name that somebody chose. Raises ValueError, saying what is wrong."""
    name = checked_name(tidy_name(text))
    if not BLANK.isdisjoint(name) or not shows_something(name):
        raise ValueError("a name is made of characters that can be seen")
    if spoils_the_line(name):
        raise ValueError(f"a letter carries up to {MAX_MARKS_IN_A_ROW} marks")
    if looks_official(name):
        raise ValueError("this name looks like somebody who runs the place; choose another one")
    return name


def shows_something(name: str) -> bool:
    """Whether a name has more than marks, which show little or nothing without a letter."""
    return any(unicodedata.category(char)[0] not in "MZ" for char in name)


def spoils_the_line(name: str) -> bool:
    """Whether a letter carries so many marks that they run over other lines."""
    return _marks_in_a_row(name) > MAX_MARKS_IN_A_ROW


def looks_official(name: str) -> bool:
    """Whether a name could pass for an operator, a moderator or the server itself."""
    words = re.findall(r"[^\W_]+", _looks(name))
    joined = "".join(words)
    if not _WORD_LOOKS.isdisjoint([joined, *words]):
        return True
    for word in _INNOCENT_LOOKS:
        joined = joined.replace(word, " ")
    return any(word in joined for word in _ANYWHERE_LOOKS)


def _looks(text: str) -> str:
    """Bring together what looks alike."""
    decomposed = unicodedata.normalize("NFKD", text)
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    looks = letters.translate(_LETTER_OF).casefold().translate(_LETTER_OF)
    for two, one in _AS_TWO:
        looks = looks.replace(two, one)
    return looks


def _marks_in_a_row(name: str) -> int:
    longest = run = 0
    for char in name:
        run = run + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        longest = max(longest, run)
    return longest


_ANYWHERE_LOOKS = tuple(map(_looks, ANYWHERE))
_WORD_LOOKS = frozenset(map(_looks, AS_A_WORD))
_INNOCENT_LOOKS = tuple(map(_looks, INNOCENT))
