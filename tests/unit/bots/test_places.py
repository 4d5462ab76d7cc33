"""The line of a key or table, as far as a text tells it."""

import pytest

from bots.places import Places

TEXT = """seed = 1
[head]
x = 1
[[group]]
name = "a"
[group.options]
at = "1,2"
[[group]]
name = "b"
[[crew]]
seed = 2
"""


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        ("seed: is wrong", ":1"),
        ("head: there is no 'head'", ":2"),
        ("crew: there is no 'crew'", ":10"),
        ("group: should be one", ":4"),
        ("group[0].name: is wrong", ":5"),
        ("group[0].options.at: is wrong", ":7"),
        ("group[1].way: is missing", ":8"),
        ("game: is not there at all", ""),
    ],
)
def test_a_problem_has_the_line_of_what_it_names(problem: str, place: str) -> None:
    assert Places(TEXT).of(problem) == place
