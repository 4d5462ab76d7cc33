"""The registry: every command with its request, permission, cost and handler.

Owns the shapes that commands are written in and the lookup by name; the list itself is in all.py
and each command in a file of its own. WebSocket is served from here, the reference page is checked
against it. It knows no socket and no JSON text.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from server.session.allowance import Bucket
from server.session.session import Session
from server.wire.codes import ErrorCode


class Request(BaseModel):
    """The fields of a command; unknown ones are ignored, types are never converted."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", alias_generator=to_camel)


RequestT = TypeVar("RequestT", bound=Request)


@dataclass(frozen=True, slots=True)
class Call(Generic[RequestT]):
    """One command of one client."""

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


Outcome = Done | Failed | None
"""None: whoever took the command answers it later (placements, once committed)."""

Handler = Callable[[Call[RequestT]], Outcome | Coroutine[Any, Any, Outcome]]
"""A coroutine holds the connection until it is done: later messages wait for it."""


@dataclass(frozen=True, slots=True)
class Command(Generic[RequestT]):
    """A command as it is registered."""

    name: str
    summary: str
    request: type[RequestT]
    handler: Handler[RequestT]
    cost: int = 1
    """Credits taken before anything else is looked at."""
    prepaid: bool = True
    """False: the handler takes the credits, since its refusal says more than this one would."""
    bucket: Bucket = Bucket.MESSAGES
    roles: frozenset[str] | None = None
    """Who may: identities with one of these roles; None: everyone, spectators included."""

    def allowed(self, roles: Iterable[str]) -> bool:
        """Whether a connection with these roles may use it."""
        return self.roles is None or not self.roles.isdisjoint(roles)


class Registry:
    """Commands by name, in the order of registration."""

    def __init__(self, commands: Iterable[Command[Any]]) -> None:
        self._commands: dict[str, Command[Any]] = {}
        for command in commands:
            if command.name in self._commands:
                raise ValueError(f"two commands are named {command.name}")
            self._commands[command.name] = command

    def get(self, name: object) -> Command[Any] | None:
        """Find a command; None when there is none of that name."""
        return self._commands.get(name) if isinstance(name, str) else None

    def __iter__(self) -> Iterator[Command[Any]]:
        return iter(self._commands.values())

    def schemas(self) -> dict[str, dict[str, Any]]:
        """JSON schemas of all requests, by command."""
        return {command.name: command.request.model_json_schema() for command in self}
