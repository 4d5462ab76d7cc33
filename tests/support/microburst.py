"""Faults as AWS words them, between a server and DynamoDB: `microburst`, a process of its own.

A test sets rules and clears them; a frozen one takes connections and says nothing. Not for S3: it
leaves out the length of a body. `aws_proxy.py` does that, and what neither this nor peers do.
"""

import http.client
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from tests.support.peers import PATIENCE_S, free_ports, listens, peer, running

Rule = dict[str, Any]

THROTTLED: Rule = {
    "service": "dynamodb",
    "probability": 0.5,
    "error": {"code": "ProvisionedThroughputExceededException"},
}
"""Half of all calls."""
LOST: Rule = {"service": "dynamodb", "probability": 0.3, "response": {"abort_frac": 0.0}}
"""Calls that are done, and whose answers do not arrive."""
REFUSED: Rule = {"service": "dynamodb", "reset": True}
"""Nothing but connections that break off."""


class Microburst:
    """The process before the peer."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self._pid = pid

    @asynccontextmanager
    async def raging(self, rule: Rule) -> AsyncIterator[Callable[[], Awaitable[bool]]]:
        """Let a rule hold during the block; it has to have been met at the end of it.

        Gives what tells whether it has been.
        """
        async with ClientSession(f"{self.url}/_microburst/") as session:
            await self._call(session, "DELETE", "fired")
            await self._call(session, "POST", "rules", [rule])

            async def met() -> bool:
                return bool(await self._call(session, "GET", "fired"))

            try:
                yield met
            finally:
                await self._call(session, "POST", "rules", [])
            assert await met(), f"nothing met {rule}"

    @asynccontextmanager
    async def silent(self) -> AsyncIterator[None]:
        """Stand still during the block, as a peer does behind a broken network."""
        os.kill(self._pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._pid, signal.SIGCONT)

    async def _call(self, session: ClientSession, method: str, path: str, body: Any = None) -> Any:
        async with session.request(method, path, json=body) as answer:
            assert answer.ok, await answer.text()
            return await answer.json()


@contextmanager
def running_microburst(directory: Path, upstream: str) -> Iterator[Microburst]:
    """Run one before a peer, in a fresh directory."""
    program, (port,) = peer("microburst"), free_ports(1)
    command = [str(program), "--host", "127.0.0.1", "--port", str(port)]
    command += ["--upstream", upstream]
    with running(command, directory, lambda: listens(port)) as pid:
        _wake(port)
        yield Microburst(f"http://127.0.0.1:{port}", pid)


def _wake(port: int) -> None:
    """Ask once what does not matter: it reads the descriptions of AWS first, for seconds."""
    scope = "test/20260101/eu-central-1/dynamodb/aws4_request"
    headers = {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with closing(connection):
        connection.request("POST", "/", b"{}", headers)
        connection.getresponse()
