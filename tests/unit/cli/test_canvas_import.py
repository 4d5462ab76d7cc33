"""`tesserae canvas import` without a server: shows, asks, lays, and leaves all as it was if not."""

import asyncio
import io
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from canvas.palette import DEFAULT
from server.cli.main import main
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents
from server.replica.replica import Replica
from tests.support.paintings import pxls_board, pxls_colors, pxls_palette, saved
from tests.support.stores import beside, embedded
from tests.support.unexpected import unexpected

Captured = pytest.CaptureFixture[str]
RED, WHITE, OTHER = "#FF4500", "#FFFFFF", "#FF4600"
SMALL: list[list[str | None]] = [[RED, WHITE, None], [WHITE, RED, RED]]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    saved(Path("small.png"), SMALL)


def run(*words: str) -> int:
    return main(["canvas", "import", "--data", "data", *words])


def stored() -> Replica | None:
    async def look() -> Replica | None:
        async with beside(Path("data")) as store:
            events = RecoveryEvents(lambda *_: None, unexpected)
            present = await read_present(store, "place#main", events)
            return None if present is None else present.outcome.replica

    return asyncio.run(look())


def board() -> list[list[int]]:
    replica = stored()
    assert replica is not None
    cells: list[list[int]] = replica.board.colors().tolist()
    return cells


def test_the_first_picture_founds_the_board(capsys: Captured) -> None:
    assert run("small.png") == 0
    assert board() == [[0, 15, 15], [15, 0, 0]]
    told = capsys.readouterr().out
    assert "a new board of 3 x 2" in told
    assert "5 cells are taken, 5 of them change; 1 stay untouched" in told
    assert "every color is in the palette" in told
    assert "place#main at seq 1" in told


def test_a_part_is_laid_where_it_is_wanted() -> None:
    saved(Path("large.png"), [[WHITE] * 6] * 5)
    assert run("large.png") == 0
    assert run("small.png", "--at", "3,2") == 0, "a blank board is not asked about"
    assert board()[2:4] == [[15, 15, 15, 0, 15, 15], [15, 15, 15, 15, 0, 0]]


def test_a_dry_run_changes_nothing(capsys: Captured) -> None:
    saved(Path("odd.png"), [[OTHER, RED, "#0A0A0A", OTHER]])
    assert run("odd.png", "--dry-run") == 0
    assert not Path("data").exists()
    told = capsys.readouterr().out
    assert re.search(r"#FF4600\W+#FF4500\W+red\W+2\W+50.00%", told)
    assert re.search(r"#0A0A0A\W+#000000\W+black\W+1\W+25.00%", told)
    assert "Nothing was changed" in told
    assert run("small.png") == 0
    before = board()
    assert run("small.png", "--at", "0,0", "--dry-run") == 0
    assert board() == before


def test_colors_change_only_if_that_is_wished(capsys: Captured) -> None:
    saved(Path("odd.png"), [[OTHER, RED]])
    assert run("odd.png") == 1
    assert "colors of the picture that are not in the palette: 1, of 1 cells" in (
        capsys.readouterr().err
    )
    assert not Path("data").exists()
    assert run("odd.png", "--reduce") == 0
    assert board() == [[0, 0]]


def test_dithering_is_a_wish_for_other_colors() -> None:
    saved(Path("gray.png"), [["#B0B0B0"] * 8] * 8)
    assert run("gray.png", "--dither") == 0
    assert len({color for row in board() for color in row}) > 1


def test_a_mask_takes_what_is_white() -> None:
    saved(Path("mask.png"), [["#000000", "#FFFFFF", "#FFFFFF"], [None, "#FFFFFF", "#000000"]])
    assert run("small.png", "--mask", "mask.png") == 0
    assert board() == [[15, 15, 15], [15, 0, 15]]


def test_a_painted_board_is_not_changed_unasked(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("small.png") == 0
    saved(Path("white.png"), [[WHITE] * 3] * 2)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run("white.png") == 1
    assert "give --yes to change 3 cells" in capsys.readouterr().err
    terminal = io.TextIOWrapper(io.BytesIO(b"n\n"))
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", terminal)
    assert run("white.png") == 1
    assert board() == [[0, 15, 15], [15, 0, 0]]
    assert run("white.png", "--yes") == 0
    assert board() == [[15] * 3] * 2


def test_a_pxls_palette_is_reduced_and_every_change_told(capsys: Captured) -> None:
    colors = pxls_colors()
    saved(Path("board.png"), pxls_board(colors))
    Path("palette.conf").write_text(pxls_palette(colors))
    assert run("board.png", "--palette", "palette.conf") == 1
    assert "palette.conf: the palette has 32 colors, and a board takes 16" in (
        capsys.readouterr().err
    )
    assert not Path("data").exists()
    assert run("board.png", "--palette", "palette.conf", "--reduce") == 0
    told = capsys.readouterr().out
    replica = stored()
    assert replica is not None
    kept = {color.rgb for color in replica.settings.palette.colors if color is not None}
    assert len(kept) == 16
    assert [rgb for rgb in colors if rgb not in kept and rgb not in told] == []
    assert replica.board.get(0, 0) == replica.settings.palette.empty


def test_names_of_colors_are_shown_as_they_are(capsys: Captured) -> None:
    Path("names.txt").write_text("#FF0000 [/red]\n#FFFFFF [bold]white\n")
    assert run("small.png", "--palette", "names.txt", "--reduce") == 0
    assert "[/red]" in capsys.readouterr().out


def test_a_palette_and_its_picture_come_together_or_not_at_all(capsys: Captured) -> None:
    saved(Path("large.png"), [[RED] * 6] * 5)
    assert run("large.png") == 0
    Path("two.txt").write_text("#FFFFFF white\n#FF4500 red\n")
    assert run("small.png", "--palette", "two.txt", "--yes") == 1
    assert "is painted on, and the picture does not cover" in capsys.readouterr().err
    replica = stored()
    assert replica is not None
    assert (replica.seq, replica.settings.palette) == (1, DEFAULT)
    assert run("large.png", "--palette", "two.txt", "--yes") == 0
    replica = stored()
    assert replica is not None
    assert replica.settings.palette.colors[0] is not None
    assert replica.board.get(0, 0) == 0


BOMB = b"\x89PNG\r\n\x1a\n" + b"".join(
    len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")
    for name, body in (
        (b"IHDR", (60_000).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"),
        (b"IDAT", zlib.compress(b"\0" * 1000)),
        (b"IEND", b""),
    )
)


def animation() -> bytes:
    output = io.BytesIO()
    frames = [Image.new("L", (4, 4), 80 * n) for n in range(3)]
    frames[0].save(output, "GIF", save_all=True, append_images=frames[1:], loop=0)
    return output.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no readable"),
        (b"GIF89a", "broken|no readable"),
        (BOMB, "far too many pixels"),
        (animation(), "animated"),
    ],
)
def test_pictures_of_no_use_are_told_and_change_nothing(
    content: bytes, words: str, capsys: Captured
) -> None:
    Path("bad.png").write_bytes(content)
    assert run("bad.png") == 1
    told = capsys.readouterr().err
    assert "bad.png" in told
    assert re.search(words, told)
    assert not Path("data").exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["none.png"], 1, "none.png: the picture cannot be read"),
        (["small.png", "--mask", "none.png"], 1, "none.png"),
        (["small.png", "--palette", "none.gpl"], 1, "none.gpl cannot be read"),
        (["small.png", "--palette", "small.png"], 1, "small.png: "),
        (["small.png", "--at", "1,1"], 1, "no board in data yet"),
        (["small.png", "--at", "1"], 2, "write X,Y such as 10,20"),
        (["small.png", "--at", "-1,2"], 2, "write X,Y"),
        (["small.png", "--game", "place#two"], 1, "no game place#two in data"),
        (["small.png", "--url", "http://127.0.0.1:1"], 2, "go together"),
        (["small.png", "--url", "x", "--token-file", "none"], 1, "none cannot be read"),
        (["small.png", "--url", "x", "--token-file", "token"], 2, "give http://HOST:PORT"),
        (["small.png", "--url", "http://[::1", "--token-file", "token"], 2, "Invalid value"),
        (["small.png", "--url", "http://a b/", "--token-file", "token"], 2, "no address has"),
        (["small.png", "--url", "http://127.0.0.1:1", "--token-file", "token"], 1, "not answer"),
        (["small.png", "--url", "http://127.0.0.1:1", "--token-file", "two"], 1, "more than one"),
        (["small.png", "--url", "http://127.0.0.1:1", "--token-file", "empty"], 1, "no token"),
    ],
)
def test_what_cannot_be_done_is_told(
    words: list[str], code: int, told: str, capsys: Captured
) -> None:
    for name, text in (("token", "a.b.c\n"), ("two", "a.b.c\nd.e.f\n"), ("empty", "\n")):
        Path(name).write_text(text)
    assert run(*words) == code
    assert told in capsys.readouterr().err
    assert not Path("data").exists()


@pytest.fixture
def held() -> Iterator[Any]:
    """A directory that another process holds without saying where it is reached."""
    assert run("small.png") == 0
    loop = asyncio.new_event_loop()
    opened = embedded(Path("data"))
    loop.run_until_complete(opened.__aenter__())
    yield opened
    loop.run_until_complete(opened.__aexit__(None, None, None))
    loop.close()


def test_a_directory_in_use_names_its_holder(held: Any, capsys: Captured) -> None:
    assert run("small.png", "--yes") == 3
    assert "data is in use by process" in capsys.readouterr().err
