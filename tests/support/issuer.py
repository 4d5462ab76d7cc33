"""An outside issuer: keys of each kind, its key set, tokens of any sort, and a place to fetch from.

Keys are made once for a run; they are a test's own and open nothing.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ISSUER = "https://issuer.example/realms/school"
AUDIENCE = "tesserae-event"
EXPIRES_S = 1_700_003_600
"""An hour after the beginning of a FakeClock."""

CLAIMS = {
    "iss": ISSUER,
    "aud": AUDIENCE,
    "sub": "alice",
    "exp": EXPIRES_S,
    "iat": 1_700_000_000,
    "name": "Alice",
}

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@cache
def private_key(algorithm: str, number: int = 0, size: int = 2048) -> Any:
    """The same key each time; another number is another key."""
    del number
    if algorithm == "RS256":
        return rsa.generate_private_key(public_exponent=65537, key_size=size)
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    if algorithm == "ES384":
        return ec.generate_private_key(ec.SECP384R1())
    return ed25519.Ed25519PrivateKey.generate()


def public_jwk(
    algorithm: str, key_id: str = "k1", number: int = 0, **changes: Any
) -> dict[str, Any]:
    """A public key as the issuer tells it; a change to None leaves the member out."""
    makers: dict[str, Any] = {"RS256": RSAAlgorithm, "EdDSA": OKPAlgorithm}
    public = private_key(algorithm, number).public_key()
    jwk: dict[str, Any] = makers.get(algorithm, ECAlgorithm).to_jwk(public, as_dict=True)
    jwk.pop("key_ops", None)
    jwk |= {"kid": key_id, "use": "sig", "alg": algorithm, **changes}
    return {name: value for name, value in jwk.items() if value is not None}


def key_set(*jwks: dict[str, Any]) -> bytes:
    return json.dumps({"keys": list(jwks)}).encode()


def token(
    algorithm: str = "RS256",
    key_id: str | None = "k1",
    number: int = 0,
    headers: dict[str, Any] | None = None,
    **changes: Any,
) -> str:
    """Sign a token with changed claims; a change to None leaves the claim out."""
    claims = {name: value for name, value in {**CLAIMS, **changes}.items() if value is not None}
    sent = {**({} if key_id is None else {"kid": key_id}), **(headers or {})}
    payload = json.dumps(claims).encode()
    return jwt.PyJWS().encode(payload, private_key(algorithm, number), algorithm, headers=sent)


@asynccontextmanager
async def answering(answer: Answer) -> AsyncIterator[str]:
    """Serve one answer on a free loopback port; gives the address to fetch."""
    app = web.Application()
    app.router.add_get("/{tail:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        port = runner.addresses[0][1]
        yield f"http://127.0.0.1:{port}/keys"
    finally:
        await runner.cleanup()
