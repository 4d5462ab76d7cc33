"""Flags of `tesserae bots load` that make no sense: told before anybody connects."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from bots.load.cli import COMMAND


def said(*arguments: str) -> str:
    result = CliRunner().invoke(COMMAND, arguments)
    assert result.exit_code == 2, result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "nobody to send; give --spectators or --placers"),
        (("--spectators", "10,x"), "'x' is not a valid integer"),
        (("--spectators", "-1"), "-1 is not in the range"),
        (("--spectators", ",".join("1" * 101)), "101 steps; 100 are the most"),
        (("--spectators", "5,4"), "the numbers fall"),
        (("--placers", "1,2", "--rate", "1,2,3"), "--placers has 2"),
        (("--placers", "1", "--rate", "0"), "0.0 is not in the range"),
        (("--placers", "1", "--rate", "nan"), "is not a number"),
        (("--placers", "1", "--goal-p99-ms", "nan"), "is not a number"),
        (("--placers", "1", "--step-seconds", "0"), "0 is not in the range"),
        (("--placers", "1", "--joins-per-second", "0"), "0.0 is not in the range"),
        (("--placers", "1", "--processes", "65"), "65 is not in the range"),
        (("--placers", "1", "--url", "ftp://x"), "give the page's address"),
        (("--placers", "1", "--pattern", "picture"), "--picture go together"),
        (("--placers", "1", "--server-pid", "4194305"), "give the id of the server's process"),
        (("--placers", "1", "--json", "nowhere/at/all.json"), "no such folder; make it first"),
        (("--placers", "1", "--json", "/"), "is a directory"),
        (("--placers", "1", "--html", "-"), "--html takes a file"),
        (("--placers", "1", "--url", "ws://127.0.0.1:1/ws"), "nobody listens at 127.0.0.1:1"),
    ],
)
def test_it_is_told(arguments: tuple[str, ...], told: str) -> None:
    assert told in said(*arguments)


def test_a_picture_needs_its_pattern_and_a_place(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    Image.new("RGB", (2, 2)).save(picture)
    assert "go together" in said("--placers", "1", "--picture", str(picture))
    where = ("--placers", "1", "--pattern", "picture", "--picture", str(picture))
    assert "give X,Y in whole numbers" in said(*where, "--at", "a,b")


def test_a_scenario_says_who_comes(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text("seconds = 3\n[[group]]\nname='a'\nway='paint'\ncount=1\n")
    assert "leave --placers, --rate, --seed out" in said(
        "--scenario", str(scene), "--seed", "1", "--placers", "1", "--rate", "2"
    )
    assert "scene.toml:2: group[0].options.picture" in said("--scenario", str(scene))
