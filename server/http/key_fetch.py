"""Fetches the key set of an outside issuer.

Owns the one request that this server makes of anybody: bounded in time and size, without redirects
(which could lead it off https) and without a proxy. Judges nothing of what comes. Called by the key
set's own task.
"""

from http import HTTPStatus

from aiohttp import ClientError, ClientSession, ClientTimeout, StreamReader, hdrs

from server.access.auth_keys import MAX_DOCUMENT_BYTES, Fetch, KeysUnreadable

TOTAL = 5.0
"""Seconds for all of it, a body that comes drop by drop included."""
HEADERS = {hdrs.ACCEPT_ENCODING: "identity", hdrs.USER_AGENT: "tesserae"}
"""Nothing compressed, which could be anything by its size."""


def key_fetch(url: str, total: float = TOTAL) -> Fetch:
    """Make the function that fetches from this address."""
    timeout = ClientTimeout(total=total)

    async def fetch() -> bytes:
        try:
            async with (
                ClientSession(timeout=timeout, auto_decompress=False) as session,
                session.get(url, allow_redirects=False, headers=HEADERS) as response,
            ):
                if response.status != HTTPStatus.OK:
                    raise KeysUnreadable(f"the issuer answered with status {response.status}")
                return await _body(response.content)
        except TimeoutError as error:
            raise KeysUnreadable(f"nothing whole came within {total:g} s") from error
        except (ClientError, OSError) as error:
            raise KeysUnreadable(f"{type(error).__name__}: {error}") from error

    return fetch


async def _body(content: StreamReader) -> bytes:
    """Read a document, and one byte more of one that is too large: who reads the keys says so."""
    body = bytearray()
    while len(body) <= MAX_DOCUMENT_BYTES:
        piece = await content.read(MAX_DOCUMENT_BYTES + 1 - len(body))
        if not piece:
            break
        body += piece
    return bytes(body)
