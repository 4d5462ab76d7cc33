"""Events to listeners: callbacks at once, iterators through bounded queues.

Owns who listens. A slow iterator loses the oldest events and is told so by `Overflow`; it never
holds up the line. Called by the client.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from tesserae_client.events import Event, Overflow, PixelsChanged

_T = TypeVar("_T")

QUEUE_EVENTS = 1024


class ListenerFault(Exception):  # noqa: N818 - it carries what a listener raised, as its cause
    """A callback raised: its own fault, whatever the server sent."""


class Feed:
    """Hands every event to every listener."""

    def __init__(
        self,
        on_event: Callable[[Event], None] | None = None,
        on_pixels: Callable[[PixelsChanged], None] | None = None,
    ) -> None:
        self._on_event = on_event
        self._on_pixels = on_pixels
        self._queues: set[_Queue] = set()
        self._ended = False
        self._error: Exception | None = None

    @property
    def wants_pixels(self) -> bool:
        """Somebody listens to pixels; otherwise their events need not be built."""
        return self._on_pixels is not None or bool(self._queues)

    def publish_pixels(self, event: PixelsChanged) -> None:
        """Tell those who want pixels: they are by far the most."""
        if self._on_pixels is not None:
            _tell(self._on_pixels, event)
        for queue in self._queues:
            queue.put(event)

    def publish(self, event: Event) -> None:
        """Tell everyone of anything but pixels."""
        if self._on_event is not None:
            _tell(self._on_event, event)
        for queue in self._queues:
            queue.put(event)

    def end(self, error: Exception | None) -> None:
        """Let every iterator finish after what it still holds, with the error if there is one."""
        if not self._ended:
            self._ended, self._error = True, error
        for queue in self._queues:
            queue.wake.set()

    def listen(self) -> AsyncIterator[Event]:
        """Start to listen now; the iterator ends with the client."""
        queue = _Queue()
        self._queues.add(queue)
        return self._iterate(queue)

    async def _iterate(self, queue: "_Queue") -> AsyncIterator[Event]:
        try:
            while True:
                while (event := queue.take()) is not None:
                    yield event
                if self._error is not None:
                    raise self._error
                if self._ended:
                    return
                queue.wake.clear()
                await queue.wake.wait()
        finally:
            self._queues.discard(queue)


def _tell(listener: Callable[[_T], None], event: _T) -> None:
    try:
        listener(event)
    except Exception as fault:
        raise ListenerFault from fault


class _Queue:
    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._events: deque[Event] = deque()
        self._missed = 0

    def put(self, event: Event) -> None:
        if len(self._events) >= QUEUE_EVENTS:
            self._events.popleft()
            self._missed += 1
        self._events.append(event)
        self.wake.set()

    def take(self) -> Event | None:
        if self._missed:
            missed, self._missed = self._missed, 0
            return Overflow(missed)
        return self._events.popleft() if self._events else None
