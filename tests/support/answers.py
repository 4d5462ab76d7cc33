"""Answers of AWS on command, by the proxy before a peer: lost, broken off, an error, or altered.

The library's own tries run as they would, since it talks to the proxy as it does to AWS.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from aiohttp import web

from tests.support.aws_proxy import Act, Answer, AwsProxy, Call, Cut, PassOn

_OF_S3 = {"GET", "HEAD", "PUT", "POST", "DELETE"}


class Answers:
    """What becomes of one operation's answers: of so many calls from now on, the rest as ever."""

    def __init__(self, proxy: AwsProxy, operation: str) -> None:
        proxy.acts[operation] = self
        self._left = 0
        self._act: Act = _passed_on
        self.sent = 0

    async def __call__(self, call: Call, pass_on: PassOn) -> Answer:
        self.sent += 1
        if self._left == 0:
            return await pass_on(call)
        self._left -= 1
        return await self._act(call, pass_on)

    def mend(self) -> None:
        """Pass everything on again."""
        self._left = 0

    def lose(self, times: int = 1) -> None:
        """Let calls be done and their connections close."""

        async def lost(call: Call, pass_on: PassOn) -> Answer:
            await pass_on(call)
            return Cut(None)

        self._left, self._act = times, lost

    def cut(self, times: int = 1) -> None:
        """Let connections close before the last byte of an answer."""

        async def broken_off(call: Call, pass_on: PassOn) -> Answer:
            return Cut(await pass_on(call))

        self._left, self._act = times, broken_off

    def refuse(
        self, code: str, times: int = 1, status: int = 400, message: str = "as told", **more: Any
    ) -> None:
        """Answer with an error, and do nothing."""

        async def refused(call: Call, pass_on: PassOn) -> Answer:
            del pass_on
            return error(call, code, status, message, more)

        self._left, self._act = times, refused

    def alter(self, read: Callable[[bytes], bytes], times: int = 1) -> None:
        """Let a body be what `read` makes of it, in the same length."""

        async def altered(call: Call, pass_on: PassOn) -> Answer:
            answer = await pass_on(call)
            assert isinstance(answer.body, bytes)
            answer.body = read(answer.body)
            return answer

        self._left, self._act = times, altered


async def _passed_on(call: Call, pass_on: PassOn) -> Answer:
    return await pass_on(call)


def error(
    call: Call, code: str, status: int, message: str = "as told", more: Mapping[str, Any] = {}
) -> web.Response:
    """An error as the service words it that was asked."""
    if call.operation in _OF_S3:
        text = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        return web.Response(status=status, text=text, content_type="application/xml")
    told = {"__type": f"com.amazonaws.dynamodb#{code}", "message": message, **more}
    return web.json_response(body=orjson.dumps(told), status=status)
