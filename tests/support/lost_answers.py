"""Answers of AWS on command: lost after the call was done, or an error instead of the call.

By the library's own hook just before a request is sent, so that its retries run as they would.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiobotocore.awsrequest import AioAWSResponse
from botocore.exceptions import ConnectionClosedError

Client = Any
Handler = Callable[..., Awaitable[Any]]


class Answers:
    """What becomes of one operation's answers: `lose` or `refuse` so many of them."""

    def __init__(self, client: Client, operation: str, service: str = "dynamodb") -> None:
        self._client = client
        self._left = 0
        self._refusal = ""
        self.sent = 0
        client.meta.events.register(f"before-send.{service}.{operation}", self._before_send)

    def lose(self, times: int = 1) -> None:
        """Let the calls be done and their connections close."""
        self._left, self._refusal = times, ""

    def refuse(self, code: str, times: int = 1) -> None:
        """Answer with an error, and do nothing."""
        self._left, self._refusal = times, code

    async def _before_send(self, request: Any, **_: Any) -> AioAWSResponse | None:
        self.sent += 1
        if self._left == 0:
            return None
        self._left -= 1
        if self._refusal:
            return _error(request.url, self._refusal)
        response = await self._client._endpoint.http_session.send(request)
        await response.content
        raise ConnectionClosedError(endpoint_url=request.url)


class _Raw:
    """The body of an answer that came from nowhere."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def read(self) -> bytes:
        return self._body


def _error(url: str, code: str) -> AioAWSResponse:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb#{code}", "message": "as told"}).encode()
    return AioAWSResponse(url, 400, {"x-amzn-requestid": "none"}, _Raw(body))
