"""The limit of open files: raised where it may be, told where it may not."""

import resource
import subprocess
import sys
from types import SimpleNamespace

import pytest

from bots.files import SPARE_FILES, make_room, raise_limit

ENDLESS = resource.RLIM_INFINITY


def limits(soft, hard):
    """A process with such limits; `set` is what it asked for."""
    asked = []
    return SimpleNamespace(
        RLIMIT_NOFILE=7,
        RLIM_INFINITY=ENDLESS,
        getrlimit=lambda _which: (soft, hard),
        setrlimit=lambda _which, pair: asked.append(pair),
        asked=asked,
    )


@pytest.mark.parametrize(
    ("soft", "hard", "asked"),
    [
        (1000, 5000, []),
        (999, 5000, [(1000, 5000)]),
        (10, ENDLESS, [(1000, ENDLESS)]),
        (ENDLESS, ENDLESS, []),
        (10, 1000, [(1000, 1000)]),
    ],
)
def test_the_limit_is_raised_as_far_as_needed(soft, hard, asked):
    process = limits(soft, hard)
    raise_limit(process, 1000)
    assert process.asked == asked


def test_what_may_not_be_raised_is_told():
    with pytest.raises(ValueError, match="1,000 open files, and a process may have 999 here"):
        raise_limit(limits(10, 999), 1000)


def test_few_clients_need_nothing():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    make_room(1)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_the_command_line_refuses_before_anybody_sets_out():
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200));"
        "from bots.cli import bots; bots(['walk', '500', '--url', 'ws://127.0.0.1:1/ws'])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 2
    assert f"{500 + SPARE_FILES} open files" in run.stderr
