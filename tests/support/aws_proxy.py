"""A proxy before a peer that does what neither peers nor `microburst` do, in the test's own loop.

It leaves a part of a batch undone, answers a put with a conflict, and holds calls back that arrive
later than their sender lives. Bytes pass as they are, the host's name too: signatures stay good.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from random import Random
from typing import NamedTuple

import orjson
from aiohttp import ClientSession, web
from multidict import CIMultiDict

PATIENCE_S = 60.0
LARGEST_BODY = 64 * 1024 * 1024
_OF_THE_LINE = ("Connection", "Transfer-Encoding", "Content-Length", "Keep-Alive")
_FAILED = b"<Error><Code>InternalError</Code><Message>try again</Message></Error>"
_THROTTLED = b"""{"__type":"com.amazonaws.dynamodb#ProvisionedThroughputExceededException",
"message":"too much"}"""
_CONFLICT = b"<Error><Code>ConditionalRequestConflict</Code><Message>try again</Message></Error>"


class Call(NamedTuple):
    """What a client asked: `operation` is an action of DynamoDB, or the method of S3."""

    operation: str
    path: str
    headers: CIMultiDict[str]
    body: bytes


class Cut(NamedTuple):
    """An answer whose connection closes before its last byte; before its first when it is None."""

    answer: web.Response | None


Answer = web.Response | Cut
PassOn = Callable[[Call], Awaitable[web.Response]]
Act = Callable[[Call, PassOn], Awaitable[Answer]]


class AwsProxy:
    """One proxy before one peer; `acts` tells what becomes of calls, by operation."""

    def __init__(self, session: ClientSession, upstream: str) -> None:
        self.url = ""
        self.acts: dict[str, Act] = {}
        self._session = session
        self._upstream = upstream

    async def take(self, request: web.Request) -> web.StreamResponse:
        """Pass a call on, or do with it what the test wants."""
        action = request.headers.get("X-Amz-Target", request.method).rpartition(".")[2]
        call = Call(action, request.raw_path, CIMultiDict(request.headers), await request.read())
        act = self.acts.get(action)
        answer = await (self._pass_on(call) if act is None else act(call, self._pass_on))
        return await _cut_off(request, answer) if isinstance(answer, Cut) else answer

    async def _pass_on(self, call: Call) -> web.Response:
        is_of_s3 = "X-Amz-Target" not in call.headers
        method = call.operation if is_of_s3 else "POST"
        headers = _kept(call.headers)
        body = BytesIO(call.body) if call.body else None
        async with self._session.request(
            method, self._upstream + call.path, headers=headers, data=body
        ) as answer:
            kept = _kept(answer.headers)
            if method == "HEAD":
                kept["Content-Length"] = answer.headers["Content-Length"]
                return web.Response(status=answer.status, headers=kept)
            return web.Response(status=answer.status, headers=kept, body=await answer.read())


async def _cut_off(request: web.Request, cut: Cut) -> web.StreamResponse:
    begun: web.StreamResponse = web.Response()
    if cut.answer is not None:
        body = cut.answer.body
        assert isinstance(body, bytes)
        begun = web.StreamResponse(status=cut.answer.status, headers=cut.answer.headers)
        begun.content_length = len(body)
        await begun.prepare(request)
        await begun.write(body[:-1])
    assert request.transport is not None
    request.transport.close()
    return begun


def _kept(headers: Mapping[str, str]) -> CIMultiDict[str]:
    """Headers without those that belong to one line."""
    kept = CIMultiDict(headers)
    for name in _OF_THE_LINE:
        kept.popall(name, None)
    return kept


@asynccontextmanager
async def proxying(upstream: str) -> AsyncIterator[AwsProxy]:
    """Run one on a port of its own until the block ends."""
    async with ClientSession(auto_decompress=False) as session:
        proxy = AwsProxy(session, upstream)
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", proxy.take)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            proxy.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield proxy
        finally:
            await runner.cleanup()


# --- what becomes of calls --------------------------------------------------------------------


def unprocessed(chance: Random, share: float) -> Act:
    """Leave so many of a batch's writes undone, and sometimes all; which ones is by chance."""

    async def act(call: Call, pass_on: PassOn) -> Answer:
        asked = orjson.loads(call.body)
        ((table, writes),) = asked["RequestItems"].items()
        left = [write for write in writes if chance.random() < share]
        done = [write for write in writes if write not in left]
        if done:
            body = orjson.dumps({**asked, "RequestItems": {table: done}})
            answer = await pass_on(call._replace(body=body))
            if answer.status != web.HTTPOk.status_code:
                return answer
        told = {"UnprocessedItems": {table: left} if left else {}}
        return web.json_response(body=orjson.dumps(told))

    return act


def throttled(chance: Random, share: float) -> Act:
    """Refuse such a share of calls, since too much is asked of a table."""

    async def act(call: Call, pass_on: PassOn) -> Answer:
        if chance.random() >= share:
            return await pass_on(call)
        return web.Response(status=400, body=_THROTTLED, content_type="application/x-amz-json-1.0")

    return act


def conflicts(times: int) -> Act:
    """Answer so many puts on a condition with 409, then pass all on."""
    left = times

    async def act(call: Call, pass_on: PassOn) -> Answer:
        nonlocal left
        if left == 0 or not {"If-Match", "If-None-Match"} & set(call.headers):
            return await pass_on(call)
        left -= 1
        return web.Response(status=409, body=_CONFLICT, content_type="application/xml")

    return act


async def failing(call: Call, pass_on: PassOn) -> web.Response:
    """Do nothing, and say that something is wrong at S3."""
    del call, pass_on
    return web.Response(status=500, body=_FAILED, content_type="application/xml")


class Held:
    """Calls that have left their sender and have not arrived."""

    def __init__(self) -> None:
        self._came = asyncio.Event()
        self._passed = asyncio.Event()
        self._open = asyncio.Event()

    async def __call__(self, call: Call, pass_on: PassOn) -> web.Response:
        """Hold a call until `let_go`."""
        self._came.set()
        await self._open.wait()
        answer = await pass_on(call)
        self._passed.set()
        return answer

    async def came(self) -> None:
        """Wait until there is one."""
        async with asyncio.timeout(PATIENCE_S):
            await self._came.wait()

    async def let_go(self) -> None:
        """Let them arrive, late, and those that come; returns when one was answered."""
        self._open.set()
        async with asyncio.timeout(PATIENCE_S):
            await self._passed.wait()
