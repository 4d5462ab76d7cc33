"""The log: one line an event, as text for people or JSON for machines, and never a secret.

Owns how lines look, and what is masked in them: values under telling names, whatever looks like a
token, and the secrets that it was told of, also in tracebacks and in lines of libraries. The only
module that knows structlog. `set_up_logs` is called by the composition root; everybody else calls
`get_logger`.
"""

import logging
import re
import sys
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Literal, TextIO

import structlog

MASK = "********"
MAX_DEPTH = 6
TELLING = re.compile(r"token|secret|password|authorization|cookie|credential", re.IGNORECASE)
HARMLESS = frozenset({"token_id"})
TOKEN_FORM = re.compile(r"eyJ[\w-]{4,}\.[\w-]{4,}\.[\w-]*", re.ASCII)
BEARER_FORM = re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}")
TERMINAL_CODES = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), 127)}
"""Control characters a client could steer a terminal with; tab and newline are told otherwise."""
SIGNING = ("aiobotocore", "boto3", "botocore")
"""Libraries whose debug lines show what they sign requests with, session tokens included."""
GONE = "socket.send() raised exception."

Event = MutableMapping[str, Any]
Logger = structlog.stdlib.BoundLogger


class Redaction:
    """Masks secrets in a log event, at any depth; a structlog processor."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)

    def __call__(self, _logger: object, _method: str, event: Event) -> Event:
        """Return the event with every secret masked."""
        return {key: self._value(key, value, 0) for key, value in event.items()}

    def text(self, text: str) -> str:
        """Mask what is or looks like a secret within a text."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        text = BEARER_FORM.sub(rf"\1{MASK}", text)
        return TOKEN_FORM.sub(MASK, text)

    def _value(self, key: object, value: Any, depth: int) -> Any:
        if isinstance(key, str) and key not in HARMLESS and TELLING.search(key):
            return MASK
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        if depth < MAX_DEPTH and isinstance(value, Mapping):
            return {name: self._value(name, inner, depth + 1) for name, inner in value.items()}
        if depth < MAX_DEPTH and isinstance(value, list | tuple | set | frozenset):
            return [self._value(None, inner, depth + 1) for inner in value]
        return self.text(repr(value) if not isinstance(value, BaseException) else str(value))


def set_up_logs(
    form: Literal["text", "json"],
    level: str,
    *,
    stream: TextIO | None = None,
    secrets: Iterable[str] = (),
) -> None:
    """Send all logs of the process, those of libraries too, to `stream` (standard error)."""
    stream = stream or sys.stderr
    steps = _steps(Redaction(secrets))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *steps,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=steps,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(form, stream),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("asyncio").addFilter(_is_of_interest)
    for library in SIGNING:
        logging.getLogger(library).setLevel(max(root.level, logging.INFO))


def _is_of_interest(record: logging.LogRecord) -> bool:
    """Drop what asyncio says of each write to one who has reset: anybody could fill the log."""
    return record.msg != GONE


def get_logger(name: str) -> Logger:
    """Return the logger of a part of the server, such as `journal`."""
    logger: Logger = structlog.stdlib.get_logger(name)
    return logger


def _steps(redaction: Redaction) -> list[Any]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
        redaction,
    ]


def _renderers(form: str, stream: TextIO) -> list[Any]:
    if form == "json":
        return [
            structlog.processors.EventRenamer("message"),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    return [_without_terminal_codes, structlog.dev.ConsoleRenderer(colors=stream.isatty())]


def _without_terminal_codes(_logger: object, _method: str, event: Event) -> Event:
    return {
        key: value.translate(TERMINAL_CODES) if isinstance(value, str) else value
        for key, value in event.items()
    }
