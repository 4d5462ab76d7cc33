"""Listeners: bounded queues that say what they lost, and an end with its reason."""

import asyncio

import pytest
from tesserae_client.events import BoardReplaced, Event, Overflow
from tesserae_client.feed import QUEUE_EVENTS, Feed


async def all_of(events):
    return [event async for event in events]


async def test_everyone_hears_everything_in_order():
    called: list[Event] = []
    feed = Feed(called.append)
    one, other = feed.listen(), feed.listen()
    for seq in range(3):
        feed.publish(BoardReplaced(seq))
    feed.end(None)
    assert await all_of(one) == await all_of(other) == called


async def test_a_slow_listener_loses_the_oldest_and_is_told():
    feed = Feed()
    events = feed.listen()
    for seq in range(QUEUE_EVENTS + 5):
        feed.publish(BoardReplaced(seq))
    feed.end(None)
    heard = await all_of(events)
    assert heard[:2] == [Overflow(5), BoardReplaced(5)]
    assert len(heard) == QUEUE_EVENTS + 1


async def test_a_waiting_listener_wakes_and_hears_the_reason_of_the_end():
    feed = Feed()
    heard = []

    async def listen():
        async for event in feed.listen():
            heard.append(event)  # noqa: PERF401 - kept even when the iterator raises

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0)
    feed.publish(BoardReplaced(1))
    await asyncio.sleep(0)
    feed.end(ConnectionError("gone"))
    with pytest.raises(ConnectionError, match="gone"):
        await listening
    assert heard == [BoardReplaced(1)]
    assert not feed.wants_pixels
