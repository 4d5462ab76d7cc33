"""`tesserae health`: asks the server of this machine whether it lives, or takes placements.

Finds the address as the server did, from the same flags, variables and file: made for the health
checks of containers and service managers, where no other HTTP client is at hand. Takes no lock.
"""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import isnan
from typing import Any

import click
import orjson

from server.cli.exits import DONE, FAILED
from server.cli.options import SettingsCommand, loaded, settings_options
from server.cli.server_address import Target, target_of
from server.config import Settings

MAX_BODY_BYTES = 10_000
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # compared with, not bound
SETTINGS = ("host", "port", "tls_cert", "tls_key", "admin_listen")


def _number(_context: click.Context, _option: click.Parameter, value: float) -> float:
    """Refuse `nan`, which is within all bounds."""
    if isnan(value):
        raise click.BadParameter("give a number")
    return value


@click.command(cls=SettingsCommand)
@settings_options(*SETTINGS)
@click.option("--url", metavar="URL", help="Address of another server, such as https://host.")
@click.option("--ready", is_flag=True, help="Ask whether placements are taken, not only for life.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1, max=60),
    default=3.0,
    show_default=True,
    metavar="S",
    callback=_number,
    help="Seconds to wait for the answer.",
)
def health(url: str | None, timeout: float, *, ready: bool, **flags: Any) -> int:
    """Ask a server how it is: exit code 0 if well, 1 if not.

    Without --url it is the server that the same settings make on this machine: on --admin-listen
    where that is set, else on --host and --port.
    """
    target = (
        target_of(url)
        if url is not None
        else own_target(loaded(flags, look_at_files=False).settings)
    )
    status, text = _ask(target, "/readyz" if ready else "/healthz", timeout)
    click.echo(text, err=status != http.client.OK)
    return DONE if status == http.client.OK else FAILED


def own_target(settings: Settings) -> Target:
    """Tell where the server of these settings is asked. Raises UsageError when nobody can know."""
    admin, scheme = settings.admin_listen, "https" if settings.tls_cert else "http"
    host, port = (admin.host, admin.port) if admin else (settings.host, settings.port)
    if port == 0:
        raise click.UsageError("Port 0 lets the system choose a port: give --url with that one.")
    return Target("http" if admin else scheme, LOOPBACK.get(host, host), port, "", is_own=True)


def _ask(target: Target, path: str, timeout_s: float) -> tuple[int, str]:
    """Ask once: the status, 0 when no such server answers, and what was said."""
    connection = target.connection(timeout_s)
    try:
        connection.connect()
        with _hung_up_after(timeout_s, connection.sock):
            connection.request("GET", target.prefix + path)
            answer = connection.getresponse()
            return _told(target, answer.status, answer.read(MAX_BODY_BYTES))
    except (OSError, http.client.HTTPException) as error:
        return 0, f"no answer from {target.origin}: {str(error) or type(error).__name__}"
    finally:
        connection.close()


@contextmanager
def _hung_up_after(timeout_s: float, connected: socket.socket) -> Iterator[None]:
    """Bound the whole answer: the socket's own timeout is for each piece of it."""
    timer = threading.Timer(timeout_s, _hang_up, (connected,))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _hang_up(connected: socket.socket) -> None:
    with suppress(OSError):  # it has come to its end meanwhile
        socket.socket.shutdown(connected, socket.SHUT_RDWR)


def _told(target: Target, status: int, body: bytes) -> tuple[int, str]:
    text = body.decode(errors="replace")
    if status != http.client.OK:
        return status, text or f"{target.origin} answers with status {status}"
    try:
        if "status" in orjson.loads(body):
            return status, text
    except (orjson.JSONDecodeError, TypeError):
        pass  # told below, like other JSON that is not ours
    return 0, f"what answers at {target.origin} is no Tesserae server; check the address"
