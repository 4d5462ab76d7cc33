"""A running server as a command asks it: over HTTP, with an operator's token.

Owns the requests, and what becomes of answers that are none of those wished for. Blocks while it
waits. Called by the commands that change something through a server.
"""

import http.client
import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from server.cli.server_address import target_of

TIMEOUT_S = 60.0
MAX_ANSWER_BYTES = 40_000_000
"""A board of 8000 x 8000 is 32 MB."""


class ServerError(Exception):
    """A server did not do what it was asked for; `hint` tells what helps."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Declined(Exception):  # noqa: N818 - it says what the server did
    """A server understood and would not: its words."""


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """A server, and the token of an operator there."""

    url: str
    """`http://host:port`, perhaps with the path that a proxy serves it below."""
    token: str = field(repr=False)
    is_own: bool = False
    """Our own server, which need not prove its name to us."""

    def ask(self, method: str, path: str, expected: int, body: Any = None, **headers: str) -> bytes:
        """Ask once; returns the body of the answer. Raises Declined and ServerError."""
        server = target_of(self.url, is_own=self.is_own)
        connection = server.connection(TIMEOUT_S)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Authorization"] = f"Bearer {self.token}"
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may have answered already
                connection.request(method, server.prefix + path, body, sent)
            response = connection.getresponse()
            content = response.read(MAX_ANSWER_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(
                f"{self.url} does not answer: {error}",
                "see whether the server runs and can be reached, then look at the board before"
                " you try again",
            ) from error
        finally:
            connection.close()
        if response.status != expected:
            raise self._refusal(response.status, content)
        return content

    def tell(self, path: str, expected: int, fields: dict[str, Any]) -> dict[str, Any]:
        """Send fields as JSON by POST; returns those of the answer. Raises as `ask`."""
        body = json.dumps(fields).encode()
        answer = self.ask("POST", path, expected, body, Content_Type="application/json")
        try:
            return dict(json.loads(answer))
        except (TypeError, ValueError) as error:
            raise ServerError(f"{self.url} answers nonsense", "is it a Tesserae server?") from error

    def _refusal(self, status: int, content: bytes) -> Exception:
        try:
            problem = json.loads(content)
            detail = str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            return ServerError(f"{self.url} answers {status}", "is it a Tesserae server?")
        if status in {http.client.UNAUTHORIZED, http.client.FORBIDDEN}:
            hint = "give the token of an admin: tesserae token --role admin --sub ID --name NAME"
            return ServerError(f"{self.url} refuses: {detail}", hint)
        return Declined(detail)
