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

BLANK = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Printable by their category, and yet they show nothing."""

# ruff: noqa: RUF001 - letters that are taken for Latin ones are the very point here
# fmt: off
_LOOKALIKES = {
    "o": "0ОоΟοօσ", "i": "1l|!ІіΙιıɩɪӏЇї", "e": "3ЕеΕεɛєᴇ", "a": "4@АаΑαɑᴀ", "s": "5$Ѕѕꜱ",
    "t": "7+ТтΤτᴛ", "m": "МмΜᴍ", "n": "ΝηпոɴИи", "d": "ԁɗᴅ", "r": "РрΡρгʀ", "f": "ғ",
    "p": "ᴘ", "c": "СсϲᴄҀ", "v": "νѵᴠ", "y": "УуΥγ",
}
# fmt: on
_LETTER_OF = {ord(like): letter for letter, likes in _LOOKALIKES.items() for like in likes}
_AS_TWO = (("rn", "m"), ("vv", "w"))


def chosen_name(text: str) -> str:
    """Tidy and check a name that somebody chose. Raises ValueError, saying what is wrong."""
    name = checked_name(tidy_name(text))
    if not BLANK.isdisjoint(name):
        raise ValueError("a name is made of characters that can be seen")
    if _marks_in_a_row(name) > MAX_MARKS_IN_A_ROW:
        raise ValueError(f"a letter carries up to {MAX_MARKS_IN_A_ROW} marks")
    if looks_official(name):
        raise ValueError("this name looks like somebody who runs the place; choose another one")
    return name


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
