"""Scenario files: what they mean, and every mistake with its place before anybody connects."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.cli import bots
from bots.options import Refused
from bots.scenario import MAX_BYTES, read_scenario, told
from bots.stage import Window
from bots.team import Team
from tests.support.source import ROOT

EXAMPLES = sorted((ROOT / "docs/examples").glob("*.toml"))
GROUP = '[[group]]\nname = "a"\nway = "walk"\ncount = 3\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.toml"
    path.write_text(text)
    return path


def problems(folder: Path, text: str) -> str:
    with pytest.raises(Refused) as caught:
        read_scenario(written(folder, text))
    return str(caught.value)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_makes_sense(path: Path) -> None:
    scenario = read_scenario(path)
    assert list(told(scenario))
    assert all(act.make() for act in scenario.acts)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_what_a_file_means(tmp_path: Path) -> None:
    text = """
url = "wss://example.test/ws"
game = "place#two"
seconds = 90
seed = 4
[[group]]
name = "come and go"
way = "raster"
count = 5
rate = 2
start = 1
ramp = 2
stop = 10
every = 20
repeat = 3
tokens = "secret.tokens"
[[group]]
name = "eyes"
way = "spectate"
count = 2
"""
    (tmp_path / "secret.tokens").write_text("t1\nt2\n")
    scenario = read_scenario(written(tmp_path, text))
    comers, eyes = scenario.acts
    assert scenario.seconds == 90
    assert comers.windows == (Window(1, 10), Window(21, 30), Window(41, 50))
    plan = comers.plan
    assert (plan.url, plan.game, plan.seed) == ("wss://example.test/ws", "place#two", 4)
    assert (plan.bots, plan.spectators, plan.rate, plan.ramp_s) == (5, 0, 2.0, 2.0)
    assert plan.tokens == ("t1", "t2")
    assert (eyes.plan.bots, eyes.plan.spectators, eyes.windows) == (0, 2, (Window(),))
    assert next(told(scenario)) == "come and go: 5 from 1 s to 10 s, 3 times"


def test_the_command_line_s_server_comes_before_the_file_s(tmp_path: Path) -> None:
    (act,) = read_scenario(written(tmp_path, GROUP), "ws://127.0.0.1:9/ws").acts
    assert act.plan.url == "ws://127.0.0.1:9/ws"


def test_a_repeated_act_begins_each_time_anew(tmp_path: Path) -> None:
    options = f'options = {{picture = "{ROOT}/docs/examples/tile.png", at = [1, 2]}}\n'
    (act,) = read_scenario(written(tmp_path, GROUP.replace("walk", "paint") + options)).acts
    first, second = act.make(), act.make()
    assert isinstance(first, Team)
    assert first is not second


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["group: is missing"]),
        ("group = []", ["group: ", "at least 1 item"]),
        ("x = 1\ny y", ["this is no TOML", "line 2"]),
        ("speed = 3\n" + GROUP, [":1: speed: there is no 'speed'", "Did you mean seed?"]),
        ('url = "ftp://x/"\n' + GROUP, [":1: url: give the page's address", "'ftp://x/'"]),
        (GROUP + "cuont = 3", [":5: group[0].cuont: there is no 'cuont'", "Did you mean count?"]),
        (GROUP.replace("3", '"3"'), [":4: group[0].count: ", "valid integer, not '3'"]),
        (GROUP.replace("3", "3.5"), [":4: group[0].count: "]),
        (GROUP.replace("3", "true"), [":4: group[0].count: "]),
        (GROUP.replace("3", "0"), [":4: group[0].count: "]),
        (GROUP.replace("3", "10001"), [":4: group[0].count: "]),
        (GROUP.replace("walk", "wlak"), [":3: group[0].way: ", "mean walk?", "paint, life"]),
        (GROUP.replace('way = "walk"\n', ""), [":1: group[0].way: is missing"]),
        (GROUP + "rate = nan", [":5: group[0].rate: "]),
        (GROUP + "rate = 0", [":5: group[0].rate: "]),
        (GROUP + "start = -1", [":5: group[0].start: "]),
        (GROUP + "stop = inf", [":5: group[0].stop: "]),
        (GROUP + "start = 5\nstop = 5", [":6: group[0].stop: ", "start + ramp"]),
        (GROUP + "ramp = 9\nstop = 5", [":6: group[0].stop: ", "start + ramp"]),
        (GROUP + "repeat = 3", [":5: group[0].repeat: ", "go together"]),
        (GROUP + "every = 3", [":1: group[0].repeat: ", "go together"]),
        (GROUP + "every = 3\nrepeat = 2", [":5: group[0].every: ", "give stop"]),
        (GROUP + "stop = 9\nevery = 3\nrepeat = 2", [":6: group[0].every: ", "longer every"]),
        (GROUP + "repeat = 1001\nevery = 9\nstop = 2", ["group[0].repeat: "]),
        (GROUP + 'options = {at = "1,2"}', ["group[0].options.at: ", "Known: nothing"]),
        (GROUP + 'tokens = "none"', [":5: group[0].tokens: 'none' cannot be read"]),
        (GROUP + 'tokens = "a\\u0000b"', [":5: group[0].tokens: ", "is no text file"]),
        (GROUP.replace('"a"', '"\\u001b[31m"'), [":2: group[0].name: ", "cannot be shown"]),
        ("x = " + "[" * 3000 + "]" * 3000, ["this is no TOML: ", "depth"]),
        ("x = " + "9" * 5000, ["this is no TOML: ", "5000 digits"]),
        (GROUP.replace("walk", "spectate") + "rate = 1", [":3: group[0].way: ", "no rate"]),
        (GROUP + GROUP, [":6: group[1].name: 'a' is taken"]),
        ("seconds = 5\n" + GROUP + "start = 5", [":6: group[0].start: ", "after the end at 5 s"]),
        (GROUP.replace("3", "9000") + GROUP.replace('"a"', '"b"').replace("3", "9000"), ["18,000"]),
        (GROUP.replace("walk", "paint"), ["group[0].options.picture: is missing"]),
        (
            GROUP.replace("walk", "paint") + '[group.options]\npicture = "x.png"\nat = "1,2"',
            [":6: group[0].options.picture: ", "x.png", "check its path"],
        ),
        (
            GROUP.replace("walk", "paint") + '[group.options]\npicture = "x.png"\nat = "1,b"',
            [":7: group[0].options.at: give X,Y in whole numbers"],
        ),
        (
            GROUP.replace("walk", "life") + 'options = {start = "fish", region = [1, 2, 3]}',
            ["group[0].options.start: ", "'glider'", "group[0].options.region: give X1,Y1,X2,Y2"],
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, said: list[str]) -> None:
    told = problems(tmp_path, text)
    assert [part for part in said if part not in told] == [], told


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    told = problems(tmp_path, GROUP.replace("3", "0") + GROUP.replace("walk", "fly"))
    assert [line.partition("scenario.toml:")[2][:2] for line in told.splitlines()] == ["4:", "7:"]


def test_a_mark_of_byte_order_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GROUP.encode())
    assert [act.name for act in read_scenario(path).acts] == ["a"]


def test_a_file_that_is_no_text_or_too_large_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"a = '\xff'")
    (tmp_path / "large").write_bytes(b"#" * (MAX_BYTES + 1))
    for name, said in [("bytes", "not UTF-8 text at byte 5"), ("large", "1 MB"), ("no", "cannot")]:
        with pytest.raises(Refused, match=said):
            read_scenario(tmp_path / name)


values = st.recursive(
    st.sampled_from(["3", '"walk"', "[1, 2]", "{a = 1}", "true", "1.5", '"1,2"', "-1"]), st.just
)
keys = st.sampled_from(["name", "way", "count", "stop", "options", "every", "seed", "group", "x"])


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(keys, values), unique_by=lambda pair: pair[0]), st.booleans())
def test_no_file_breaks_the_reader(tmp_path_factory, fields, in_group) -> None:
    text = ("[[group]]\n" if in_group else "") + "\n".join(f"{k} = {v}" for k, v in fields)
    path = written(tmp_path_factory.mktemp("scenarios"), text)
    lines = refusals(path)
    assert all(str(path) in line for line in lines)


def refusals(path: Path) -> list[str]:
    try:
        read_scenario(path)
    except Refused as refused:
        return refused.problems
    return []


def test_check_says_what_would_happen_and_connects_to_nobody(tmp_path: Path) -> None:
    result = CliRunner().invoke(bots, ["script", str(written(tmp_path, GROUP)), "--check"])
    assert (result.exit_code, result.output) == (0, "a: 3 from 0 s to the end\n")


def test_a_wrong_file_ends_the_command_before_it_begins(tmp_path: Path) -> None:
    path = written(tmp_path, GROUP.replace("walk", "wlak"))
    result = CliRunner().invoke(bots, ["script", str(path)])
    assert result.exit_code == 2
    assert "Did you mean walk?" in result.output
