"""Plays AWS as fast as it can, so that what is measured is our side: `python -m bench.null_aws N`.

Takes every batch and every object, and keeps nothing; a query gives a history of N placements. It
checks no signature. Prints its port. Runs in a process of its own, ended by who started it.
"""

import asyncio
import random
import re
import sys
from typing import cast

import orjson

from bench.recovery import pixel
from persistence.dynamodb.items import encoded_attributes, encoded_key
from persistence.tables import HISTORY
from server.game.history import to_item
from server.loop import choose_loop, run_on

PAGE = 1000
HEAD_END = b"\r\n\r\n"
SEQ = re.compile(rb'"SK":\s*\{"S":\s*"ts#\d+#(\d+)')
LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)")


class NullAws(asyncio.Protocol):
    """One connection."""

    def __init__(self, history: list[bytes]) -> None:
        self._history = history
        self._head = b""
        self._body = bytearray()
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # which uvloop's is in all but name

    def data_received(self, data: bytes) -> None:
        if not self._missing:
            self._begin(data)
        else:
            self._body += data
            self._missing -= len(data)
        if self._head and not self._missing:
            self._transport.write(self._answer())
            self._head = b""
            self._body.clear()

    def _begin(self, data: bytes) -> None:
        """Read the head; what a client asks before a large body is answered."""
        self._body += data
        if HEAD_END not in self._body:
            return
        head, _, body = bytes(self._body).partition(HEAD_END)
        length = LENGTH.search(head)
        self._head, self._body = head, bytearray(body)
        self._missing = int(length[1]) - len(body) if length else 0
        if b"100-continue" in head:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _answer(self) -> bytes:
        if b"BatchWriteItem" in self._head:
            return _response(b'{"UnprocessedItems":{}}')
        if b".Query" in self._head:
            return _response(self._page())
        return _response(b"", b'ETag: "null"\r\n')

    def _page(self) -> bytes:
        if b"COUNT" in self._body:
            return b'{"Count":%d,"ScannedCount":0}' % (PAGE * len(self._history))
        start = self._body.find(b"ExclusiveStartKey")
        last = SEQ.search(self._body, start) if start >= 0 else None
        return self._history[int(last[1]) // PAGE if last else 0]


def _response(body: bytes, headers: bytes = b"") -> bytes:
    kind = b"Content-Type: application/x-amz-json-1.0\r\n"
    return b"HTTP/1.1 200 OK\r\n%b%bContent-Length: %d\r\n\r\n%b" % (kind, headers, len(body), body)


def _history(count: int) -> list[bytes]:
    """Write down the pages of a history."""
    chance, pages = random.Random(7), []
    for first in range(1, count + 1, PAGE):
        events = [pixel(seq, chance) for seq in range(first, first + PAGE)]
        items = [encoded_attributes(to_item(event, "HISTORY", 1)) for event in events]
        answer = {"Items": items, "Count": PAGE, "ScannedCount": PAGE}
        if first + PAGE <= count:
            keys = (items[-1][name]["S"] for name in (HISTORY.partition, HISTORY.sort))
            answer["LastEvaluatedKey"] = encoded_key(HISTORY, *keys)
        pages.append(orjson.dumps(answer))
    return pages


async def _serve(count: int) -> int:
    history = _history(count)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: NullAws(history), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(run_on(choose_loop(), _serve(int(sys.argv[1]))))
