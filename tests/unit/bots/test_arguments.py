"""The command line of each way, built from the table of ways."""

import pytest
from click.testing import CliRunner

from bots.cli import bots
from bots.options import Refused, read
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
        (["life", "--bots", "0"], "Nobody to send"),
        (["life", "--bots", "-1"], "--bots"),
        (["raster"], "Missing argument 'N'"),
    ],
)
def test_a_mistake_is_told_with_its_place(arguments, said):
    result = CliRunner().invoke(bots, arguments)
    assert result.exit_code == 2
    assert said in result.output


def test_options_are_read_from_text_and_from_lists():
    assert read(PaintOptions, {"picture": "p", "at": "-3,4"}).at == (-3, 4)
    assert read(PaintOptions, {"picture": "p", "at": [3, 4]}).at == (3, 4)
    assert read(LifeOptions, {"region": "1,2,3,4"}).region == (1, 2, 3, 4)
    assert read(LifeOptions, {"region": None}).region is None
    for wrong in ([True, 1], [1.0, 2], {"x": 1}, 7, "1,2,3", [10**9, 1]):
        with pytest.raises(Refused, match="at: give X,Y"):
            read(PaintOptions, {"picture": "p", "at": wrong})
