"""What a connection is told when it opens, and how it ends."""

from canvas.bans import Ban
from server.wire.codes import CloseCode
from tests.support.world import World, running


async def test_hello_comes_first() -> None:
    async with running() as world:
        client = world.join()
        assert client.heard() == [
            {
                "event": "hello",
                "protocol": 1,
                "server": "tesserae/0",
                "connection": "c0",
                "time": world.clock.wall_ms(),
                "pingMs": 20_000,
                "maxMessageBytes": 16_384,
            }
        ]


async def test_c25_before_recovery_ends_it_is_told_to_come_back() -> None:
    world = World()
    client = world.join()
    hello, starting = client.heard()
    assert hello["event"] == "hello"
    assert starting["event"] == "starting"
    assert starting["retryAfterMs"] > 0
    assert client.closed_with is CloseCode.STARTING
    client.session.closed()
    assert len(world.sessions) == 0


async def test_a_draining_server_sends_newcomers_away() -> None:
    async with running() as world:
        world.phase.draining(500)
        connection = world.join().connection
        assert (connection.close_code, connection.retry_after_ms) == (CloseCode.RESTART, 500)


async def test_c31_one_connection_too_many_of_an_address() -> None:
    async with running(connections=(0, 2)) as world:
        stays = world.join()
        world.join()
        refused = world.join()
        assert refused.closed_with is CloseCode.TOO_MANY_CONNECTIONS
        assert world.join(remote="192.0.2.2").closed_with is None
        refused.session.closed()
        stays.hang_up()
        assert world.join().closed_with is None


async def test_a_banned_address_is_told_so_at_the_door() -> None:
    async with running() as world:
        world.bans.add_address("192.0.2.0/24", Ban("spam"))
        client = world.join()
        assert client.closed_with is CloseCode.BANNED
        assert "spam" in client.connection.close_reason


async def test_c29_the_online_count_equals_the_live_set() -> None:
    async with running() as world:
        clients = [world.join() for _ in range(5)]
        assert len(world.sessions) == len(world.services.connection_limits) == 5
        for client in clients:
            client.hang_up()
        assert len(world.sessions) == len(world.services.connection_limits) == 0


async def test_an_expired_token_ends_the_connection_at_its_next_message() -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe", token=world.token("ann", ttl_s=60))
        world.clock.advance(60_000)
        client.send({"do": "ping", "id": 9})
        assert client.heard() == []
        assert client.closed_with is CloseCode.TOKEN


async def test_an_expired_token_ends_a_silent_connection_too() -> None:
    async with running() as world:
        client, spectator = world.join(), world.join()
        await client.ask("subscribe", token=world.token("ann", ttl_s=60))
        world.sessions.close_expired(world.clock.wall_ms())
        assert not client.connection.closing
        world.clock.advance(60_000)
        world.sessions.close_expired(world.clock.wall_ms())
        assert client.closed_with is CloseCode.TOKEN
        assert spectator.closed_with is None


async def test_nothing_is_taken_after_a_close() -> None:
    async with running() as world:
        client = world.join()
        client.connection.close(CloseCode.NORMAL, "bye")
        client.session.text_received(b'{"do":"ping","id":1}')
        client.session.binary_received(b"\x10")
        assert client.heard()[1:] == []
        assert client.closed_with is CloseCode.NORMAL
