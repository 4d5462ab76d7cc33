"""Faults as AWS words them, between a server and a peer: `microburst`, a process for each peer.

A test sets rules and clears them; a frozen one takes connections and says nothing. It signs again
what it passes on, since the name of the host is a part of what was signed.
"""

import http.client
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from tests.support.peers import CREDENTIALS, PATIENCE_S, free_ports, listens, peer, running

Rule = dict[str, Any]

THROTTLED: Rule = {
    "service": "dynamodb",
    "probability": 0.5,
    "error": {"code": "ProvisionedThroughputExceededException"},
}
"""Half of all calls."""
LOST: Rule = {"service": "dynamodb", "probability": 0.3, "response": {"abort_frac": 0.0}}
"""Calls that are done, and whose answers do not arrive."""
REFUSED: Rule = {"service": "*", "reset": True}
"""Nothing but connections that break off."""
FAILING: Rule = {"service": "s3", "error": {"code": "InternalError", "status": 500}}


class Microburst:
    """One process before one peer."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self._pid = pid

    @asynccontextmanager
    async def raging(self, rule: Rule) -> AsyncIterator[None]:
        """Let a rule hold during the block; it has to have been met at the end of it."""
        async with ClientSession(f"{self.url}/_microburst/") as session:
            await self._call(session, "DELETE", "fired")
            await self._call(session, "POST", "rules", [rule])
            try:
                yield
            finally:
                await self._call(session, "POST", "rules", [])
            assert await self._call(session, "GET", "fired"), f"nothing met {rule}"

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
def running_microburst(directory: Path, service: str, upstream: str) -> Iterator[Microburst]:
    """Run one before a peer that plays `service`, in a fresh directory."""
    program, (port,) = peer("microburst"), free_ports(1)
    command = [str(program), "--host", "127.0.0.1", "--port", str(port), "--resign"]
    command += ["--upstream", upstream]
    with running(command, directory, lambda: listens(port), CREDENTIALS) as pid:
        _wake(port, service)
        yield Microburst(f"http://127.0.0.1:{port}", pid)


def _wake(port: int, service: str) -> None:
    """Ask once what does not matter: it reads the descriptions of AWS first, for seconds."""
    scope = f"test/20260101/eu-central-1/{service}/aws4_request"
    signed = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"
    headers = {"Authorization": signed}
    if service == "dynamodb":
        headers["X-Amz-Target"] = "DynamoDB_20120810.ListTables"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with closing(connection):
        connection.request("POST" if service == "dynamodb" else "GET", "/", b"{}", headers)
        connection.getresponse()
