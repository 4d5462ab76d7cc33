"""`tesserae canvas export`: the newest board as a picture, also beside who writes to it."""

import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from canvas.palette import DEFAULT
from server.cli.main import main
from tests.support.exports import command, paint, painted, playing

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> int:
    return main(["canvas", "export", "--data", "data", *words])


def colors_of(picture: Path | BytesIO) -> list[list[int]]:
    """Cells of a picture, as colours of the default palette."""
    known = {color.rgb: place for place, color in enumerate(DEFAULT.colors) if color is not None}
    with Image.open(picture) as image:
        rgb = np.asarray(image.convert("RGB")).tolist()
    return [[known["#{:02X}{:02X}{:02X}".format(*cell)] for cell in row] for row in rgb]


def test_the_whole_board_goes_into_a_file_named_after_the_game(capsys: Captured) -> None:
    painted(Path("data"))
    assert run() == 0
    cells = colors_of(Path("place-main.png"))
    assert (len(cells), len(cells[0])) == (10, 30)
    assert (cells[1][11], cells[1][12], cells[9][29], cells[0][0]) == (4, 3, 5, 15)
    assert "place#main at seq 5, 30 x 10 pixels" in capsys.readouterr().out


def test_a_part_is_enlarged() -> None:
    painted(Path("data"))
    assert run("--region", "11,1,12,1", "--scale", "3", "-o", "part.png") == 0
    assert colors_of(Path("part.png")) == [[4] * 3 + [3] * 3] * 3


def test_it_goes_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    painted(Path("data"))
    assert run("-o", "-") == 0
    assert colors_of(BytesIO(capfdbinary.readouterr().out))[1][12] == 3


async def test_it_is_the_newest_beside_a_writer_and_takes_no_lock() -> None:
    async with playing(Path("data")) as game:
        await paint(game)
        assert await command("canvas", "export", "--data", "data") == 0
        await paint(game, [("ann", 3, 3, 7)])
        assert await command("canvas", "export", "--data", "data", "--force") == 0
    assert colors_of(Path("place-main.png"))[3][3] == 7


def test_nothing_is_overwritten_unasked(capsys: Captured) -> None:
    painted(Path("data"))
    Path("mine.png").write_text("mine")
    assert run("-o", "mine.png") == 2
    assert "--force" in capsys.readouterr().err
    assert Path("mine.png").read_text() == "mine"
    assert run("-o", "mine.png", "--force") == 0
    assert colors_of(Path("mine.png"))


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--game", "place#other"), 1, "there are: place#main"),
        (("--region", "0,0,30,9"), 2, "its last cell is 29,9"),
        (("--region", "5,0,4,9"), 2, "is no region"),
        (("--region", "-1,0,4,9"), 2, "is no region"),
        (("--region", "1,2,3"), 2, "X1,Y1,X2,Y2"),
        (("--region", "a,b,c,d"), 2, "X1,Y1,X2,Y2"),
        (("--scale", "33"), 2, "33"),
        (("-o", "no/where.png"), 2, "no directory"),
        (("-o", "."), 2, "is a directory"),
    ],
)
def test_what_is_wrong_is_told(
    words: tuple[str, ...], code: int, says: str, capsys: Captured
) -> None:
    painted(Path("data"))
    assert run(*words) == code
    assert says in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["data"]


def test_no_picture_is_larger_than_the_largest_board(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pictures.limits.MAX_PIXELS", 30 * 10 * 9)
    painted(Path("data"))
    assert run("--scale", "4") == 2
    assert "the largest is 3" in capsys.readouterr().err
    assert run("--scale", "3") == 0


def test_a_directory_without_a_store_is_told(capsys: Captured) -> None:
    assert run() == 1
    assert "there is no store" in capsys.readouterr().err
    assert not Path("data").exists()


def test_a_terminal_gets_no_picture(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    painted(Path("data"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("-o", "-") == 2
    assert "-o FILE" in capsys.readouterr().err
