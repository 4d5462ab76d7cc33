"""The Python client of the Tesserae canvas server: watch a board, stay in step, place pixels."""

from tesserae_client.board import Board
from tesserae_client.client import Client
from tesserae_client.errors import (
    Banned,
    ClientClosed,
    ClosedByOperator,
    CommandFailed,
    Disconnected,
    HandshakeRefused,
    ProtocolRefused,
    RateLimited,
    Stopped,
    TesseraeError,
    TooMuchPending,
    Unauthorized,
    UnknownGame,
    Unreachable,
)
from tesserae_client.events import (
    BoardReplaced,
    Connected,
    Event,
    GameChanged,
    Lost,
    Overflow,
    PixelsChanged,
    PlacementUnknown,
    PresenceChanged,
    Told,
)
from tesserae_client.messages import Checksum, Color, Cooldown, GameState, Pixel, You
from tesserae_client.outcomes import Outcome, Placed, Refused, Unknown
from tesserae_client.presence import Presence
from tesserae_client.wire import FOREVER_MS

__all__ = [
    "FOREVER_MS",
    "Banned",
    "Board",
    "BoardReplaced",
    "Checksum",
    "Client",
    "ClientClosed",
    "ClosedByOperator",
    "Color",
    "CommandFailed",
    "Connected",
    "Cooldown",
    "Disconnected",
    "Event",
    "GameChanged",
    "GameState",
    "HandshakeRefused",
    "Lost",
    "Outcome",
    "Overflow",
    "Pixel",
    "PixelsChanged",
    "Placed",
    "PlacementUnknown",
    "Presence",
    "PresenceChanged",
    "ProtocolRefused",
    "RateLimited",
    "Refused",
    "Stopped",
    "TesseraeError",
    "Told",
    "TooMuchPending",
    "Unauthorized",
    "Unknown",
    "UnknownGame",
    "Unreachable",
    "You",
]
