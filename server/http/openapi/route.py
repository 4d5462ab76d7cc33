"""`/api/openapi.json`: the API's own description, made once in a thread when first asked for.

Owns its caching. The page that shows it is a file of the page's, at `/api`.
"""

import asyncio
from http import HTTPStatus

import orjson
from aiohttp import hdrs, web

from server.commands.registry import Registry
from server.http.bodies import is_known
from server.http.openapi.document import document
from server.http.openapi.plain import PATH
from server.http.pages import Asset

JSON_TYPE = "application/json"


def routes(registry: Registry) -> list[web.RouteDef]:
    """Give the route."""
    made: list[asyncio.Task[Asset]] = []

    async def openapi(request: web.Request) -> web.Response:
        if not made:
            made.append(asyncio.create_task(asyncio.to_thread(_made, registry)))
        asset = await asyncio.shield(made[0])
        headers = {hdrs.CACHE_CONTROL: "no-cache", hdrs.ETAG: asset.etag}
        if is_known(request, asset.etag):
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        return web.Response(body=asset.body, content_type=JSON_TYPE, headers=headers)

    return [web.get(PATH, openapi)]


def _made(registry: Registry) -> Asset:
    return Asset.of(orjson.dumps(document(registry)), JSON_TYPE)
