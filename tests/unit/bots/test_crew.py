"""A crew at a fake server that plays fair: they place, they verify, and say when they cannot."""

import asyncio
import itertools

import pytest
from click.testing import CliRunner
from tesserae_client import Client, RateLimited

from bots.cli import bots
from bots.crew import Crew, Plan
from bots.life_way import Life
from bots.walk import walk
from bots.way import Alone
from tests.support.fair_server import fair_server
from tests.support.fake_server import FakeGame, FakeServer, soon
from tests.support.sockets import until


def plan(url, **changes):
    given = {"bots": 3, "spectators": 2, "rate": 500.0, "seed": 1, **changes}
    return Plan(url, "place#main", **given)


async def test_a_crew_places_and_every_board_verifies():
    async with FakeServer(FakeGame(20, 10)) as server, fair_server(server):
        way = Alone(counted(walk, lambda: crew, 30))
        crew: Crew = Crew(plan(server.url), way, now_s=lambda: 0.0)
        await soon(crew.run())
        tally = crew.tally
        assert tally.placed >= 30
        assert server.game.seq == tally.placed
        assert (tally.verified, tally.connected) == (5, 0)
        assert tally.all_verified


async def test_a_crew_comes_back_after_a_cut():
    async with FakeServer(FakeGame(20, 10)) as server, fair_server(server) as peers:
        cut = False

        def way(rng, client):
            nonlocal cut
            for cell in walk(rng, client):
                everybody = crew.tally.connected == crew.tally.clients
                if everybody and not cut:
                    cut = True
                    for peer in peers:
                        peer.cut()
                elif everybody and crew.tally.cuts == crew.tally.clients:
                    crew.stop.set()
                yield cell

        crew = Crew(plan(server.url), Alone(way), now_s=lambda: 0.0)
        await soon(crew.run())
        assert crew.tally.cuts == 5
        assert crew.tally.all_verified


async def test_a_crew_without_a_welcome_says_why():
    async with FakeServer() as server:
        server.refusals = [(403, {})] * 5
        crew = Crew(plan(server.url), Alone(walk), now_s=lambda: 0.0)
        await soon(crew.run())
        assert not crew.tally.all_verified
        assert sum(crew.tally.failures.values()) == 5
        assert "403" in next(iter(crew.tally.failures))


async def test_a_crew_that_cannot_connect_ends_when_told_and_says_why(monkeypatch):
    monkeypatch.setattr("bots.crew.GRACE_S", 0.01)
    async with FakeServer() as server:
        server.refusals = [(503, {})] * 1000
        crew = Crew(plan(server.url, bots=20), Alone(walk), now_s=lambda: 0.0)
        run = asyncio.create_task(crew.run())
        await until(lambda: crew.tally.trouble != "")
        crew.stop.set()
        await soon(run)
        assert sum(crew.tally.failures.values()) == crew.tally.clients
        assert any("not in step at the end: " in why for why in crew.tally.failures)


@pytest.mark.parametrize("way", [Alone(walk), Life(None, start="soup", generations=1, seed=1)])
async def test_who_never_connects_is_waited_for_once(way, monkeypatch):
    monkeypatch.setattr("bots.crew.GRACE_S", 0.01)
    async with FakeServer() as server:
        server.refusals = [(503, {})] * 1000
        crew = Crew(plan(server.url, bots=1), way, now_s=lambda: 0.0)
        monkeypatch.setattr(crew, "_in_step", None)
        run = asyncio.create_task(crew.run())
        await until(lambda: crew.tally.trouble != "")
        crew.stop.set()
        await soon(run)
        assert sum(crew.tally.failures.values()) == crew.tally.boards


async def test_a_board_is_proven_once_there_are_credits_for_it(monkeypatch):
    monkeypatch.setattr("bots.crew.LEAST_PATIENCE_S", 0.001)

    class Tired(Client):
        answers = iter([RateLimited("slow down", 1, "messages"), RateLimited("still", 0, None)])

        async def verify(self) -> bool:
            for answer in self.answers:
                raise answer
            return True

    crew = Crew(plan("ws://nowhere", bots=1), Alone(walk), now_s=lambda: 0.0)
    await crew._verify(Tired("ws://nowhere"))
    assert crew.tally.verified == 1


def counted(way, crew, total):
    """Play a way, and end the run once `total` placements were tried by all together."""
    tried = itertools.count(1)

    def play(rng, client):
        for cell in way(rng, client):
            if next(tried) >= total:
                crew().stop.set()
            yield cell

    return play


@pytest.mark.parametrize(
    "arguments",
    [
        ["walk", "0"],
        ["walk"],
        ["walk", "3", "--rate", "0"],
        ["walk", "3", "--url", "ftp://127.0.0.1:8080/"],
        ["walk", "3", "--url", "127.0.0.1:8080"],
    ],
)
def test_a_command_line_that_makes_no_sense(arguments):
    assert CliRunner().invoke(bots, arguments).exit_code == 2


async def test_the_command_line_ends_with_the_verdict():
    async with FakeServer(FakeGame(20, 10)) as server, fair_server(server):
        arguments = ["walk", "2", "--url", server.url, "--rate", "100", "--seconds", "0.3"]
        result = await soon(
            asyncio.to_thread(CliRunner().invoke, bots, arguments, standalone_mode=False)
        )
    assert result.return_value == 0, result.output
    assert "All 2 boards equal the server's" in result.output
    assert "rate 0.0 px/s" not in result.output
