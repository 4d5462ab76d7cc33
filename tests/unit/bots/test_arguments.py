"""The command line of each way, built from the table of ways."""

import pytest
from click.testing import CliRunner

from bots.cli import bots
from bots.options import Refused, read
from bots.tokens import MAX_BYTES
from bots.ways import WAYS, LifeOptions, PaintOptions

SHARED = {"url", "game", "rate", "seconds", "spectators", "seed", "token_file"}


@pytest.mark.parametrize("name", sorted(set(WAYS) - {"spectate"}))
def test_every_way_has_the_shared_options_and_its_own(name):
    parameters = {parameter.name for parameter in bots.commands[name].params}
    assert parameters == SHARED | {"bots"} | set(WAYS[name].options.model_fields)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["paint", "nowhere.png", "--at", "1,2"], "nowhere.png: the picture cannot be read"),
        (["paint", "nowhere.png"], "Missing option '--at'"),
        (["paint", "nowhere.png", "--at", "1"], "--at: give X,Y"),
        (["paint", "nowhere.png", "--at", "1,9999"], "up to 8191"),
        (["paint", "nowhere.png", "--at", "1,2", "--order", "up"], "'scan'"),
        (["life", "--region", "1,2,3"], "--region: give X1,Y1,X2,Y2"),
        (["life", "--region", "1,2,3,x"], "whole numbers"),
        (["life", "--generations", "0"], "--generations"),
        (["life", "--bots", "0"], "0 is not in the range 1<=x<=10000"),
        (["paint", "p.png", "--at", "0,0", "--bots", "0", "--spectators", "2"], "--bots"),
        (["walk", "2", "--rate", "nan"], "'nan' is not a number"),
        (["walk", "2", "--rate", "inf"], "--rate"),
        (["walk", "2", "--rate", "1e300"], "--rate"),
        (["walk", "2", "--seconds", "nan"], "'nan' is not a number"),
        (["walk", "2", "--seconds", "inf"], "--seconds"),
        (["walk", "0"], "Nobody to send"),
        (["life", "--bots", "-1"], "--bots"),
        (["raster"], "Missing argument 'N'"),
    ],
)
def test_a_mistake_is_told_with_its_place(arguments, said):
    result = CliRunner().invoke(bots, arguments)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe\x00", "is no text file of tokens"), (b"x" * (MAX_BYTES + 1), "more than 1 MB")],
)
def test_a_file_of_tokens_that_is_none_is_told(tmp_path, content, said):
    file = tmp_path / "tokens"
    file.write_bytes(content)
    result = CliRunner().invoke(bots, ["walk", "2", "--token-file", str(file)])
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


def test_options_are_read_from_text_and_from_lists():
    assert read(PaintOptions, {"picture": "p", "at": "-3,4"}).at == (-3, 4)
    assert read(PaintOptions, {"picture": "p", "at": [3, 4]}).at == (3, 4)
    assert read(LifeOptions, {"region": "1,2,3,4"}).region == (1, 2, 3, 4)
    assert read(LifeOptions, {"region": None}).region is None
    for wrong in ([True, 1], [1.0, 2], {"x": 1}, 7, "1,2,3", [10**9, 1]):
        with pytest.raises(Refused, match="at: give X,Y"):
            read(PaintOptions, {"picture": "p", "at": wrong})
