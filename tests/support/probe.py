"""Plain HTTP to a server process, with and without waiting for an answer of a kind."""

import asyncio
from typing import NamedTuple

from aiohttp import ClientError, ClientSession
from yarl import URL

WAIT_S = 30
PAUSE_S = 0.02


class Answer(NamedTuple):
    status: int
    text: str


async def ask(port: int, path: str, *, follow: bool = True, **headers: str) -> Answer:
    """Ask once, and follow where it is sent on to; raises ClientError when nobody listens."""
    url = URL(f"http://127.0.0.1:{port}/{path}", encoded=True)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        ClientSession() as session,
        session.get(url, headers=sent, allow_redirects=follow) as answer,
    ):
        return Answer(answer.status, await answer.text())


async def ask_until(port: int, path: str, status: int) -> Answer:
    """Ask again and again until the status is this one; a closed port is no answer yet."""
    async with asyncio.timeout(WAIT_S):
        while True:
            try:
                answer = await ask(port, path)
            except ClientError:
                answer = Answer(0, "")
            if answer.status == status:
                return answer
            await asyncio.sleep(PAUSE_S)
