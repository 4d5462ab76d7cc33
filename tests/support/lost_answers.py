"""Answers of AWS on command: lost after the call was done, an error instead of it, or altered.

By the library's own hook just before a request is sent, so that its retries run as they would.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Self

from aiobotocore.awsrequest import AioAWSResponse
from botocore.exceptions import ConnectionClosedError

Client = Any
Act = Callable[[Any], Awaitable[AioAWSResponse]]


class Answers:
    """What becomes of one operation's answers: `lose`, `refuse` or `alter` so many of them."""

    def __init__(self, client: Client, operation: str, service: str = "dynamodb") -> None:
        self._client = client
        self._service = service
        self._left = 0
        self._act: Act = self._send
        self.sent = 0
        client.meta.events.register(f"before-send.{service}.{operation}", self._before_send)

    def lose(self, times: int = 1) -> None:
        """Let the calls be done and their connections close."""

        async def lost(request: Any) -> AioAWSResponse:
            response = await self._send(request)
            await response.content
            raise ConnectionClosedError(endpoint_url=request.url)

        self._left, self._act = times, lost

    def refuse(self, code: str, times: int = 1, status: int = 400) -> None:
        """Answer with an error, and do nothing."""

        async def refused(request: Any) -> AioAWSResponse:
            body = _xml(code) if self._service == "s3" else _json(code)
            return AioAWSResponse(request.url, status, {"x-amzn-requestid": "none"}, _Raw(body))

        self._left, self._act = times, refused

    def alter(self, read: Callable[[bytes], bytes], times: int = 1) -> None:
        """Let a body be what `read` makes of it, which may raise what breaks it off."""

        async def altered(request: Any) -> AioAWSResponse:
            response = await self._send(request)
            raw = _Streamed(await response.raw.read(), read)
            return AioAWSResponse(request.url, response.status_code, response.headers, raw)

        self._left, self._act = times, altered

    async def _before_send(self, request: Any, **_: Any) -> AioAWSResponse | None:
        self.sent += 1
        if self._left == 0:
            return None
        self._left -= 1
        return await self._act(request)

    async def _send(self, request: Any) -> AioAWSResponse:
        response: AioAWSResponse = await self._client._endpoint.http_session.send(request)
        return response


class _Raw:
    """The body of an answer that came from nowhere."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def read(self) -> bytes:
        return self._body


class _Streamed:
    """A body that is read from its stream."""

    url = "altered"

    def __init__(self, body: bytes, read: Callable[[bytes], bytes]) -> None:
        self.content = self
        self._body = body
        self._read = read

    async def read(self, _size: int = -1) -> bytes:
        return self._read(self._body)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


def _json(code: str) -> bytes:
    return json.dumps({"__type": f"com.amazonaws.dynamodb#{code}", "message": "as told"}).encode()


def _xml(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>as told</Message></Error>".encode()
