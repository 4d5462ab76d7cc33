"""The registry: every command with its request, reply, permission, cost and handlers.

Owns the shapes that commands are written in and the lookup by name; the list itself is in all.py
and each command in a file of its own. WebSocket and HTTP are both served from here, the reference
pages and the OpenAPI document are made of it or checked against it. It knows no socket and no JSON
text.
"""

import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from canvas.refusals import Refusal
from server.commands.caller import Caller
from server.session.allowance import Bucket
from server.session.answers import wait_fields
from server.session.services import Services
from server.session.session import Session
from server.wire.codes import ErrorCode


class Request(BaseModel):
    """The fields of a command; unknown ones are ignored, types are never converted."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", alias_generator=to_camel)


class Reply(BaseModel):
    """The fields of a reply, for the references and for tests.

    Handlers give plain dicts, which cost less; a field that is None here may be left out there,
    and a test holds each reply against its shape.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", alias_generator=to_camel)


U32 = Annotated[int, Field(ge=0, le=2**32 - 1)]
"""A number that binary frames have room for, too."""

RequestT = TypeVar("RequestT", bound=Request)


@dataclass(frozen=True, slots=True)
class Call(Generic[RequestT]):
    """One command of one client, over whichever way."""

    caller: Caller
    request: RequestT


@dataclass(frozen=True, slots=True)
class SessionCall(Generic[RequestT]):
    """One command that came over a WebSocket, for what needs the connection."""

    session: Session
    id: int
    request: RequestT


def _nothing() -> None:
    """Follow a reply with nothing."""


@dataclass(frozen=True, slots=True)
class Done:
    """The command was carried out; `then` runs in the same turn, right after the reply."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    then: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True)
class Failed:
    """The command was not carried out; `extra` goes beside code and message."""

    code: ErrorCode | str
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    then: Callable[[], None] = _nothing


def bad_request(field_name: str, problem: str) -> Failed:
    """Say which field of a command is wrong, and how."""
    return Failed(ErrorCode.BAD_REQUEST, f"{field_name}: {problem}", {"field": field_name})


def refused(refusal: Refusal) -> Failed:
    """Say why somebody may not, or not now, and what time does about it."""
    return Failed(refusal.why.code, refusal.message, wait_fields(refusal))


Outcome = Done | Failed

Handler = Callable[[Call[RequestT]], Outcome | Coroutine[Any, Any, Outcome]]
"""A coroutine holds a connection until it is done: later messages wait for it."""

SessionOutcome = Outcome | None
"""None: whoever took the command answers it later (placements, once committed)."""


@dataclass(frozen=True, slots=True)
class OnSession(Generic[RequestT]):
    """A handler that needs the connection, and so a WebSocket."""

    handle: Callable[[SessionCall[RequestT]], SessionOutcome | Coroutine[Any, Any, SessionOutcome]]


Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
MAX_BODY_BYTES = 16 * 1024
_IN_PATH = re.compile(r"{(\w+)}")


def _pass_over(_services: Services, _refusal: Refusal) -> None:
    """Count nothing."""


@dataclass(frozen=True, slots=True)
class Http(Generic[RequestT]):
    """How a command is asked for over HTTP.

    Names in braces in the path are fields of the request; the others come from the query of a GET
    or from the JSON body of everything else.
    """

    method: Method
    path: str
    status: HTTPStatus = HTTPStatus.OK
    """Of success."""
    handler: Handler[RequestT] | None = None
    """Its own, where the one for WebSocket needs the connection or means something else."""
    needs_token: bool = False
    """Whether a request without a token is answered with 401."""
    shows_cooldown: bool = False
    """Whether the response's headers tell the cooldown in the game that the path names."""
    max_body_bytes: int = MAX_BODY_BYTES
    on_refused: Callable[[Services, Refusal], None] = _pass_over
    """Told of a refusal for rate, which keeps the request from its handler."""


def fields_in(path: str) -> frozenset[str]:
    """Name the fields that stand in a path."""
    return frozenset(_IN_PATH.findall(path))


@dataclass(frozen=True, slots=True)
class Command(Generic[RequestT]):
    """A command as it is registered."""

    name: str
    summary: str
    request: type[RequestT]
    reply: type[Reply]
    handler: Handler[RequestT] | OnSession[RequestT] | None
    """None: there is no such command over a WebSocket."""
    http: Http[RequestT] | None = None
    """None: there is no such command over HTTP."""
    cost: int = 1
    """Credits taken before anything else is looked at."""
    prepaid: bool = True
    """False: the handler of the WebSocket takes the credits, since its refusal says more."""
    bucket: Bucket = Bucket.MESSAGES
    roles: frozenset[str] | None = None
    """Who may: identities with one of these roles; None: everyone, spectators included."""

    def allowed(self, roles: Iterable[str]) -> bool:
        """Whether a caller with these roles may use it."""
        return self.roles is None or not self.roles.isdisjoint(roles)

    def over_http(self) -> "OverHttp | None":
        """Say how HTTP serves it; None when there is no path, or nothing that handles it."""
        if self.http is None:
            return None
        shared = None if isinstance(self.handler, OnSession) else self.handler
        handler = self.http.handler or shared
        return None if handler is None else OverHttp(self, self.http, handler)


class OverHttp(NamedTuple):
    """A command as HTTP serves it."""

    command: Command[Any]
    http: Http[Any]
    handler: Handler[Any]


class Registry:
    """Commands by name, in the order of registration."""

    def __init__(self, commands: Iterable[Command[Any]]) -> None:
        self._commands: dict[str, Command[Any]] = {}
        for command in commands:
            if command.name in self._commands:
                raise ValueError(f"two commands are named {command.name}")
            _check_reachable(command)
            self._commands[command.name] = command

    def get(self, name: object) -> Command[Any] | None:
        """Find a command; None when there is none of that name."""
        return self._commands.get(name) if isinstance(name, str) else None

    def __iter__(self) -> Iterator[Command[Any]]:
        return iter(self._commands.values())

    def over_websocket(self) -> list[Command[Any]]:
        """Those that a WebSocket serves."""
        return [command for command in self if command.handler is not None]

    def over_http(self) -> list[OverHttp]:
        """Those that HTTP serves."""
        return [served for command in self if (served := command.over_http()) is not None]


def _check_reachable(command: Command[Any]) -> None:
    if command.http is None:
        if command.handler is None:
            raise ValueError(f"{command.name} is served neither over a WebSocket nor over HTTP")
    elif command.over_http() is None:
        raise ValueError(f"{command.name} needs a handler of its own for HTTP")
