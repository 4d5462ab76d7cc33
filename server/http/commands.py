"""Commands over HTTP: a route for each that the registry gives a path.

Owns the order in which a request is looked at: started, token, credits, fields, permission. What a
command does is its handler's; the form of errors is problems.py's. Called once by app.py.
"""

from inspect import isawaitable
from typing import Any

import orjson
from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from server.commands.checks import forbidden, read_request
from server.commands.registry import Call, Failed, Outcome, OverHttp, Registry, refused
from server.http.bodies import send
from server.http.caller import Callers, HttpCaller, charge, show_cooldown
from server.http.fields import Fields
from server.http.problems import problem_of, unauthorized
from server.http.reading import started

JSON: dict[str, str] = {hdrs.CONTENT_TYPE: "application/json"}
READ = JSON | {hdrs.CACHE_CONTROL: "no-cache", hdrs.VARY: hdrs.AUTHORIZATION}
DONE = JSON | {hdrs.CACHE_CONTROL: "no-store"}
"""What was done is no copy of anything, and may hold a token."""
LARGE_BYTES = 64 * 1024
"""What the kernel does not take at once is sent within the time that a request has."""


def routes(registry: Registry, callers: Callers) -> list[web.RouteDef]:
    """Give the routes of all commands."""
    return [_route(served, callers) for served in registry.over_http()]


def _route(served: OverHttp, callers: Callers) -> web.RouteDef:
    serve, (method, path) = _serving(served, callers), (served.http.method, served.http.path)
    return web.get(path, serve) if method == hdrs.METH_GET else web.route(method, path, serve)


def _serving(served: OverHttp, callers: Callers) -> Handler:
    command, http = served.command, served.http
    fields, headers = Fields(command.request, http), READ if http.method == hdrs.METH_GET else DONE

    async def serve(request: web.Request) -> web.StreamResponse:
        started(callers.services)
        caller = await callers.of(request)
        refusal = charge(request, caller.allowance, command.cost, command.bucket)
        if refusal is not None:
            http.on_refused(callers.services, refusal)
            raise problem_of(refused(refusal))
        if http.needs_token and caller.identity is None:
            raise unauthorized("this is for those who have a token")
        if (denied := forbidden(command, caller.roles)) is not None:
            raise problem_of(denied)  # before the body is read, which may be a large one
        asked = await fields.read(request)
        game = callers.services.games.get(asked["game"]) if http.shows_cooldown else None
        if game is not None:
            show_cooldown(request, caller, game)
        outcome = await _carry_out(served, caller, asked)
        if isinstance(outcome, Failed):
            raise problem_of(outcome)
        body = orjson.dumps(outcome.fields)
        outcome.then()
        if len(body) > LARGE_BYTES:
            return await send(request, body, headers, http.status)
        return web.Response(status=http.status, body=body, headers=headers)

    return serve


async def _carry_out(served: OverHttp, caller: HttpCaller, fields: dict[str, Any]) -> Outcome:
    request = read_request(served.command.request, fields)
    if isinstance(request, Failed):
        return request
    outcome = served.handler(Call(caller, request))
    return await outcome if isawaitable(outcome) else outcome
